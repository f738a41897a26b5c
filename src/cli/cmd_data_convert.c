/* cli/cmd_data_convert.c - `bex data convert IN OUT`: any format into D4RL's layout, never in place. */
#include "cli/command.h"
#include "cli/data_options.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/path.h"
#include "base/rng.h"
#include "data/writer.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct part {
    char path[BEX_PATH_SIZE];
    int *episodes, count;
    bex_writer *writer;
} part;

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

// "x.hdf5" -> "x-valid.hdf5"
static int held_out_path(char path[BEX_PATH_SIZE], const char *out) {
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    if (!dot || (slash && dot < slash)) dot = out + strlen(out);
    return bex_path_print(path, "%.*s-valid%s", (int)(dot - out), out, dot);
}

// fail before the long part, not after it
static int check_paths(const char *in, const part *parts, int count) {
    struct stat a, b;
    for (int i = 0; i < count; i++) {
        if (stat(parts[i].path, &b) != 0) continue;
        if (stat(in, &a) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return bex_fail("'%s' would be converted in place", in),
                   bex_fail_hint("give another name");
        return bex_fail("'%s' exists", parts[i].path), bex_fail_hint("it is never overwritten");
    }
    return 0;
}

// whole episodes of at least `least` rows; `fraction` of them, drawn by the seed, into the first part
static int deal(part *parts, int count, const bex_dataset *d, int least, double fraction,
                uint64_t seed) {
    int *order = malloc(((size_t)d->episodes + 1) * sizeof *order), n = 0;
    if (!order) return bex_fail("out of memory");
    parts[0].episodes = order;
    for (int e = 0; e < d->episodes; e++)
        if (bex_dataset_length(d, e) >= least) order[n++] = e;
    parts[0].count = n;
    if (!n) return bex_fail("no episode has %d rows or more", least);
    if (count == 1) return 0;
    int first = (int)(fraction * n + 0.5);
    if (first < 1 || first >= n)
        return bex_fail("--split %g of %d episodes leaves one part empty", fraction, n);
    bex_rng g = bex_rng_split(bex_rng_seed(seed), "split", 0);
    bex_rng_shuffle(&g, order, n);
    qsort(order, (size_t)first, sizeof *order, by_number);
    qsort(order + first, (size_t)(n - first), sizeof *order, by_number);
    parts[0].count = first;
    parts[1].episodes = order + first, parts[1].count = n - first;
    return 0;
}

// pictures have a place in robomimic's layout only
static int open_part(part *p, const bex_dataset *d, const char *layout) {
    bool grouped = layout ? !strcmp(layout, "robomimic") : d->pictures != NULL;
    if (!grouped && d->pictures) {
        bex_fail("d4rl's layout has no pictures");
        return bex_fail_hint("--layout robomimic, or --images none");
    }
    if (grouped) return bex_writer_open_robomimic(&p->writer, p->path, d, p->episodes, p->count);
    return bex_writer_open_dataset(&p->writer, p->path, d, p->episodes, p->count);
}

static int write_parts(part *parts, int count, const bex_dataset *d, const char *layout) {
    for (int i = 0; i < count; i++)
        if (open_part(&parts[i], d, layout) < 0) return -1;
    for (int i = 0; i < count; i++) {
        if (bex_writer_commit(parts[i].writer) == 0) continue;
        for (int j = 0; j < i; j++) unlink(parts[j].path); // both or none
        return -1;
    }
    return 0;
}

static void report(const part *p, const bex_dataset *d) {
    long long rows = 0;
    for (int i = 0; i < p->count; i++) rows += bex_dataset_length(d, p->episodes[i]);
    printf("%s: %d episodes, %lld rows", p->path, p->count, rows);
    if (d->pictures)
        printf(", pictures of %d cameras, %d x %d", bex_dataset_cameras(d),
               bex_pictures_width(d->pictures), bex_pictures_height(d->pictures));
    putchar('\n');
}

static int convert(const char *in, part *parts, int count, const bex_load_options *load, int least,
                   double fraction, uint64_t seed, const char *layout) {
    if (check_paths(in, parts, count) < 0) return -1;
    bex_dataset *d = bex_dataset_load(in, load);
    if (!d) return -1;
    for (int i = 0; i < d->notes.count; i++)
        fprintf(stderr, "bex data convert: %s: %s\n", in, d->notes.text[i]);
    int code = deal(parts, count, d, least, fraction, seed);
    if (code < 0) bex_fail_in("data '%s'", in);
    if (code == 0) code = write_parts(parts, count, d, layout);
    for (int i = 0; i < count && code == 0; i++) report(&parts[i], d);
    for (int i = 0; i < count; i++) bex_writer_free(parts[i].writer);
    free(parts[0].episodes);
    bex_dataset_free(d);
    return code;
}

int bex_cmd_data_convert(int argc, char **argv) {
    static bex_data_flags in;
    static double split;
    static long long seed, least = 1;
    static const char *layout;
    static const bex_option options[] = {
        {"split", BEX_OPTION_NUMBER, &split, "X",
         "this share of the episodes into OUT, the rest into OUT-valid (0: all)", 0, 1},
        {"seed", BEX_OPTION_INTEGER, &seed, "N", "which episodes", 0, 9e15},
        {"min-length", BEX_OPTION_INTEGER, &least, "N", "leave out shorter episodes", 1, 2e9},
        {"layout", BEX_OPTION_TEXT, &layout, "NAME",
         "of OUT: d4rl or robomimic [robomimic if there are pictures, else d4rl]", 0, 0},
        BEX_DATA_OPTIONS(in),
    };
    static const bex_usage usage = {
        .command = "data convert",
        .synopsis = "IN OUT.hdf5 [options]",
        .about =
            "Write the episodes of IN in D4RL's layout, flags on last rows, gzip; with pictures in\n"
            "robomimic's, uncompressed, as training reads them fastest. IN is a file or a directory\n"
            "of any kind `bex data show` recognises and is never changed; OUT must not exist. With\n"
            "--split, OUT.hdf5 and OUT-valid.hdf5 share the episodes.",
        .example = "bex data convert demo.hdf5 train.hdf5 --split 0.9\n"
                   "bex data convert libero_90/ libero.hdf5 --obs-keys robot_states --images none\n"
                   "bex data convert image.hdf5 small.hdf5 --image-size 64",
        .options = options,
        .count = sizeof options / sizeof *options,
    };
    const char *path[2];
    int n = bex_options_parse(&usage, argc, argv, path, 2);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    bex_load_options load;
    if (n < 2) return bex_fail("two paths: IN OUT"), bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (bex_data_flags_resolve(&load, &in) < 0) return bex_command_fail(&usage, BEX_EXIT_USAGE);
    if (layout && strcmp(layout, "d4rl") != 0 && strcmp(layout, "robomimic") != 0)
        return bex_fail("no layout '%s' (d4rl, robomimic)", layout),
               bex_command_fail(&usage, BEX_EXIT_USAGE);
    part parts[2] = {0};
    int count = split > 0 ? 2 : 1;
    if (bex_path_print(parts[0].path, "%s", path[1]) < 0 ||
        held_out_path(parts[1].path, path[1]) < 0 ||
        convert(path[0], parts, count, &load, (int)least, split, (uint64_t)seed, layout) < 0)
        return bex_command_fail(&usage, BEX_EXIT_FAILED);
    return BEX_EXIT_OK;
}
