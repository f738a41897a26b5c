/* web/programs/pack_demonstrations.c - a demonstration file as the page holds it: states and actions of
 * whole episodes of one length, 16 bits each (the layout: stage_take_demonstrations in web/stage.h).
 *
 *     web_pack_demonstrations demos.hdf5 EPISODES demos.bin
 *
 * Exit 1 with one line where the file does not fit. */
#include "base/error.h"
#include "base/file.h"
#include "data/load.h"

#include <math.h>
#include <stdlib.h>

enum { COLUMNS = 6, STATE = 4, ACTION = 2 };

static double value_at(const bex_dataset *d, int row, int c) {
    return (double)(c < STATE ? d->observations[row * STATE + c]
                              : d->actions[row * ACTION + c - STATE]);
}

static int check(const bex_dataset *d, int episodes) {
    if (d->O != STATE || d->A != ACTION)
        return bex_fail("states of %d, actions of %d numbers", d->O, d->A);
    if (episodes < 1 || d->episodes < episodes)
        return bex_fail("%d episodes, %d wanted", d->episodes, episodes);
    for (int e = 1; e < episodes; e++)
        if (bex_dataset_length(d, e) != bex_dataset_length(d, 0))
            return bex_fail("episodes of several lengths");
    return 0;
}

static void measure(const bex_dataset *d, int rows, float *low, float *high) {
    for (int c = 0; c < COLUMNS; c++) {
        low[c] = INFINITY, high[c] = -INFINITY;
        for (int row = 0; row < rows; row++) {
            low[c] = fminf(low[c], (float)value_at(d, row, c));
            high[c] = fmaxf(high[c], (float)value_at(d, row, c));
        }
        if (!(high[c] > low[c])) high[c] = low[c] + 1;
    }
}

static void write_episode(FILE *out, const bex_dataset *d, int first, int rows, const float *low,
                          const float *high) {
    for (int c = 0; c < COLUMNS; c++) {
        unsigned before = 0;
        for (int t = 0; t < rows; t++) {
            double at = (value_at(d, first + t, c) - (double)low[c]) / (double)(high[c] - low[c]);
            unsigned now = (unsigned)lround(65535 * at), step = (now - before) & 0xffff;
            fputc((int)(step & 0xff), out);
            fputc((int)(step >> 8), out);
            before = now;
        }
    }
}

static int pack(const char *from, int episodes, const char *to) {
    bex_load_options o = BEX_LOAD_INIT;
    o.limit = episodes;
    bex_dataset *d = bex_dataset_load(from, &o);
    bex_file_out file;
    int code = d ? check(d, episodes) : -1;
    if (code == 0) code = bex_file_create(&file, to, 1);
    if (code == 0) {
        int32_t head[2] = {episodes, bex_dataset_length(d, 0)};
        float low[COLUMNS], high[COLUMNS];
        measure(d, head[0] * head[1], low, high);
        fwrite(head, sizeof head, 1, file.stream);
        fwrite(low, sizeof low, 1, file.stream);
        fwrite(high, sizeof high, 1, file.stream);
        for (int e = 0; e < episodes; e++)
            write_episode(file.stream, d, d->start[e], head[1], low, high);
        code = bex_file_commit(&file);
    }
    bex_dataset_free(d);
    return code;
}

int main(int argc, char **argv) {
    if (argc == 4 && pack(argv[1], atoi(argv[2]), argv[3]) == 0) return 0;
    fprintf(stderr, "pack_demonstrations: %s\n", argc == 4 ? bex_error() : "FILE EPISODES OUT");
    return 1;
}
