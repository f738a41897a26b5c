/* tests/web/reference.c - the native side of the browser's test: futures of a place, by the functions the
 * page calls.
 *
 *     web_reference DEMONSTRATIONS POLICY... -- SEED X Y X1 Y1 X2 Y2 ..     place, a drawn past
 *
 * In the medium maze. Prints a line for each of the four kinds: KIND BEST, then for each future
 * its value and its path, x y x y ..; futures apart by ';'. Exit 1 with a message. */
#include "web/exports.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
    fprintf(stderr, "web_reference: %s: %s\n", what, pg_error());
    return 1;
}

static unsigned char *read_all(const char *path, int *size) {
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (!f) return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (*size = (int)ftell(f)) > 0 &&
        (bytes = malloc((size_t)*size))) {
        rewind(f);
        if (fread(bytes, 1, (size_t)*size, f) != (size_t)*size) *size = 0;
    }
    fclose(f);
    return bytes;
}

static int take(const char *path, int demonstrations) {
    int size = 0;
    unsigned char *bytes = read_all(path, &size);
    int code = !bytes           ? -1
               : demonstrations ? pg_demonstrations(bytes, size)
                                : pg_policy(bytes, size);
    free(bytes);
    return code;
}

static int print_fan(int kind, float x, float y) {
    if (pg_fan_open(kind, "q:1") < 0) return -1;
    int more = pg_fan_spread(x, y);
    while (more > 0) more = pg_fan_grow();
    if (more < 0) return -1;
    printf("%d %d", kind, pg_fan_best());
    for (int i = 0; i < pg_fan_count(); i++) {
        const float *path = pg_fan_path(i);
        printf(" ; %.9g", (double)pg_fan_value(i));
        for (int k = 0; k < 2 * pg_fan_points(i); k++) printf(" %.9g", (double)path[k]);
    }
    printf("\n");
    return 0;
}

int main(int argc, char **argv) {
    static const char medium[] = "#########OO##OO##OO#OOO###OOO####OO#OOO##O#OO#O##OOO#OO#########";
    unsigned char wall[64];
    float points[64];
    int at = 1, n = 0;
    for (int i = 0; i < 64; i++) wall[i] = medium[i] == '#';
    for (; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (take(argv[at], at == 1) < 0) return fail(argv[at]);
    if (argc - at < 4) return fail("DEMONSTRATIONS POLICY... -- SEED X Y [X1 Y1 ...]");
    if (pg_maze(wall, 8, 8, 3, 3) < 0) return fail("maze");
    pg_seed((unsigned)atoi(argv[at + 1]));
    for (int i = at + 4; i < argc && n < 64; i++) points[n++] = (float)atof(argv[i]);
    if (n && pg_draw(points, n / 2) < 0) return fail("draw");
    for (int kind = 0; kind < 4; kind++)
        if (print_fan(kind, (float)atof(argv[at + 2]), (float)atof(argv[at + 3])) < 0)
            return fail("fan");
    return 0;
}
