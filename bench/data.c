/* bench/data.c - loading 1,000,000 rows of 29 + 8 values beside h5py reading the same arrays; windows
 * a second. Files are made by the peer in $TMPDIR and removed. Ours also checks every value for NaN
 * and splits episodes; h5py only reads. */
#include "bench/bench.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/options.h"
#include "data/load.h"
#include "data/training_history.h"
#include "data/window.h"
#include "host/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 3, CHUNK = 10, HISTORY = 100, FUTURE = 200 };

typedef struct work {
    const bex_dataset *data;
    const bex_windows *windows;
    bex_training_history history;
    bex_real *actions, *mask, *states;
    uint64_t step;
    int per_history;
} work;

static double peer_seconds(const char *path, int rounds) {
    char command[600];
    double seconds = -1;
    snprintf(command, sizeof command, "bench/peer_data.py '%s' %d", path, rounds);
    json_t *answer = bex_bench_peer(command);
    if (answer && bex_json_get_number(answer, "seconds", &seconds) < 0) seconds = -1;
    json_decref(answer);
    return seconds;
}

// ours and the peer's in turns; the data set of the last round is kept for the windows
static int load_beside_peer(bex_bench *b, const char *kind, const char *path, bex_dataset **kept) {
    char command[600], name[64];
    snprintf(command, sizeof command, "bench/peer_data.py make '%s' %s", path, kind);
    json_t *made = bex_bench_peer(command);
    if (!made) return -1;
    json_decref(made);
    double ours = 1e300, theirs = 1e300;
    for (int r = 0; r < ROUNDS; r++) {
        double seconds = peer_seconds(path, 1);
        if (seconds > 0 && seconds < theirs) theirs = seconds;
        bex_dataset_free(*kept);
        double start = bex_seconds();
        *kept = bex_dataset_load(path, &BEX_LOAD_INIT);
        if (!*kept) return -1;
        seconds = bex_seconds() - start;
        if (seconds < ours) ours = seconds;
    }
    snprintf(name, sizeof name, "load_%s/1000000x29", kind);
    bex_bench_row(b, name, ours, "s", BEX_BENCH_TIME, theirs < 1e300 ? "h5py" : NULL, theirs);
    return 0;
}

// one window whole: start, chunk, and every per_history-th time a history and its states
static void draw(void *payload) {
    work *w = payload;
    int rows[HISTORY];
    for (int i = 0; i < 256; i++) {
        bex_window x = bex_windows_draw(w->windows, w->step, i);
        bex_windows_chunk(w->windows, &x, w->actions, w->mask);
        if (i % w->per_history) continue;
        bex_training_history_draw(&w->history, w->step, i / w->per_history, rows);
        bex_dataset_gather(w->data, rows, HISTORY, w->states);
    }
    w->step++;
}

static int draw_windows(bex_bench *b, const bex_dataset *d) {
    work w = {.data = d,
              .actions = malloc(sizeof(bex_real) * CHUNK * (size_t)d->A),
              .mask = malloc(sizeof(bex_real) * CHUNK),
              .states = malloc(sizeof(bex_real) * HISTORY * (size_t)d->O)};
    bex_window_options o = BEX_WINDOW_INIT;
    o.chunk = CHUNK, o.future = FUTURE;
    bex_windows *windows = bex_windows_new(d, &o);
    int code = windows && w.actions && w.mask && w.states ? 0 : -1;
    w.windows = windows;
    w.history = BEX_TRAINING_HISTORY_INIT;
    w.history.data = d, w.history.N = HISTORY;
    for (w.per_history = 1; w.per_history <= 16 && code == 0; w.per_history *= 16) {
        char name[64];
        snprintf(name, sizeof name, "windows/H%d/share%d", HISTORY, w.per_history);
        double seconds = bex_bench_seconds(draw, &w, 3, 0.2);
        bex_bench_row(b, name, 256 / seconds, "windows/s", BEX_BENCH_RATE, NULL, 0);
    }
    bex_windows_free(windows);
    free(w.actions), free(w.mask), free(w.states);
    return code;
}

int bex_bench_data(bex_bench *b) {
    static const char *const kinds[] = {"gzip", "plain"};
    const char *folder = getenv("TMPDIR");
    bex_dataset *d = NULL;
    int code = 0;
    for (int i = 0; i < 2 && code == 0; i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/bex-bench-%d-%s.hdf5", folder ? folder : "/tmp",
                 (int)getpid(), kinds[i]);
        code = load_beside_peer(b, kinds[i], path, &d);
        unlink(path);
    }
    if (code == 0) code = draw_windows(b, d);
    bex_dataset_free(d);
    if (code < 0) fprintf(stderr, "bex bench data: %s\n", bex_error());
    return code < 0 ? BEX_EXIT_FAILED : BEX_EXIT_OK;
}
