/* policy/memory.c - one array of states, episode offsets, and a buffer for the running episode. */
#include "policy/memory.h"

#include "base/error.h"
#include "base/nearest.h"
#include "nn/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPISODE_MOST = 4096, CAPACITY = 1000000, N_MOST = 65536 };

struct bex_memory {
    int O, N;
    bex_memory_kind kind;
    long long capacity;
    const bex_normaliser *normaliser; // NULL: any finite state

    bex_real *running; // (most, O)
    int most, kept, stride;
    long long pushed; // states of the running episode, dropped ones included

    bex_real *states; // (room, O), start[episodes] of them in use
    int64_t room;
    int64_t *start; // (places)
    int episodes, places;
    unsigned long long revision;
    long long played; // episodes that ever joined, those that left included
    bool loaded;      // and they are a file's

    int64_t *chosen; // (N) scratch of draw
};

int bex_memory_parse(bex_memory_kind *kind, const char **file, const char *text) {
    static const char *const names[] = {"uniform", "first", "last3", "file:"};
    enum { NAMES = sizeof names / sizeof *names };
    *file = NULL;
    for (int i = 0; i < BEX_MEMORY_FILE; i++)
        if (!strcmp(text, names[i])) return *kind = (bex_memory_kind)i, 0;
    if (!strncmp(text, "file:", 5) && text[5]) return *kind = BEX_MEMORY_FILE, *file = text + 5, 0;
    bex_fail("no history rule '%s'", text);
    const char *near = bex_nearest(text, names, NAMES, sizeof *names);
    return near ? bex_fail_hint("did you mean %s?", near)
                : bex_fail_hint("uniform, first, last3 or file:F");
}

void bex_memory_free(bex_memory *h) {
    if (!h) return;
    free(h->running);
    free(h->states);
    free(h->start);
    free(h->chosen);
    free(h);
}

static int64_t used(const bex_memory *h) {
    return h->start[h->episodes];
}

static int check_options(const bex_memory_options *o) {
    if (o->O < 1) return bex_fail("a history of states of %d values", o->O);
    if (o->N < 1 || o->N > N_MOST)
        return bex_fail("a history of %d states; it must be 1 to %d", o->N, N_MOST);
    if (o->episode_most < 0 || o->episode_most == 1)
        return bex_fail("a history that keeps %d states of an episode; it must be at least 2",
                        o->episode_most);
    if (o->capacity < 0) return bex_fail("a history of %lld states", o->capacity);
    return 0;
}

bex_memory *bex_memory_new(const bex_memory_options *o) {
    if (check_options(o) < 0) return NULL;
    bex_memory *h = calloc(1, sizeof *h);
    if (!h) return bex_fail("out of memory"), NULL;
    h->O = o->O, h->N = o->N, h->kind = o->kind, h->stride = 1;
    h->normaliser = o->normaliser;
    h->most = o->episode_most ? o->episode_most : EPISODE_MOST;
    h->capacity = o->capacity ? o->capacity : CAPACITY;
    h->places = 64;
    h->running = malloc((size_t)h->most * (size_t)h->O * sizeof *h->running);
    h->start = calloc((size_t)h->places, sizeof *h->start);
    h->chosen = malloc((size_t)h->N * sizeof *h->chosen);
    if (!h->running || !h->start || !h->chosen) {
        bex_fail("out of memory");
        return bex_memory_free(h), NULL;
    }
    if (h->kind != BEX_MEMORY_FILE) return h;
    BEX_CHECK(o->file, "a history rule file: without a file");
    if (bex_memory_load(h, o->file) < 0) return bex_memory_free(h), NULL;
    if (h->episodes) return h;
    bex_fail("history '%s' holds no states", o->file);
    return bex_memory_free(h), NULL;
}

// ---- the running episode ----

void bex_memory_push(bex_memory *h, const bex_real *state) {
    size_t O = (size_t)h->O;
    long long at = h->pushed++;
    if (at % h->stride) return;
    if (h->kept == h->most) {
        for (int i = 0; 2 * i < h->most; i++)
            memmove(h->running + (size_t)i * O, h->running + (size_t)(2 * i) * O,
                    O * sizeof *state);
        h->kept = (h->most + 1) / 2;
        h->stride *= 2;
        if (at % h->stride) return;
    }
    memcpy(h->running + (size_t)h->kept++ * O, state, O * sizeof *state);
}

void bex_memory_abandon(bex_memory *h) {
    h->kept = 0, h->pushed = 0, h->stride = 1;
}

void bex_memory_clear(bex_memory *h) {
    bex_memory_abandon(h);
    h->episodes = 0;
    h->revision++;
}

// ---- the memory ----

// room for one more episode of n states
static int grow(bex_memory *h, int64_t n) {
    if (h->episodes + 2 > h->places) {
        int64_t *start = realloc(h->start, 2 * (size_t)h->places * sizeof *start);
        if (!start) return bex_fail("out of memory for a history of %d episodes", h->episodes);
        h->start = start, h->places *= 2;
    }
    if (used(h) + n <= h->room) return 0;
    int64_t room = 2 * (used(h) + n);
    bex_real *states = realloc(h->states, (size_t)room * (size_t)h->O * sizeof *states);
    if (!states) return bex_fail("out of memory for a history of %lld states", (long long)room);
    h->states = states, h->room = room;
    return 0;
}

// the oldest episodes leave until n more states fit
static void make_way(bex_memory *h, int64_t n) {
    int gone = 0;
    while (gone < h->episodes && used(h) - h->start[gone] + n > h->capacity) gone++;
    if (!gone) return;
    int64_t first = h->start[gone];
    size_t O = (size_t)h->O;
    memmove(h->states, h->states + (size_t)first * O,
            (size_t)(used(h) - first) * O * sizeof *h->states);
    for (int e = gone; e <= h->episodes; e++) h->start[e - gone] = h->start[e] - first;
    h->episodes -= gone;
}

static int append(bex_memory *h, const bex_real *states, int64_t n) {
    if (n > h->capacity) states += (size_t)(n - h->capacity) * (size_t)h->O, n = h->capacity;
    make_way(h, n);
    if (grow(h, n) < 0) return -1;
    memcpy(h->states + (size_t)used(h) * (size_t)h->O, states,
           (size_t)n * (size_t)h->O * sizeof *states);
    h->start[h->episodes + 1] = used(h) + n;
    h->episodes++;
    h->revision++;
    return 0;
}

int bex_memory_end(bex_memory *h) {
    int code = 0;
    if (h->kept && h->kind != BEX_MEMORY_FILE) {
        code = append(h, h->running, h->kept);
        h->played += code == 0;
    }
    bex_memory_abandon(h);
    return code;
}

// ---- drawing ----

static const bex_real *row(const bex_memory *h, int64_t i) {
    return h->states + (size_t)i * (size_t)h->O;
}

static void fill(const bex_memory *h, bex_real *out, int first, int end, const bex_real *state) {
    for (int i = first; i < end; i++)
        memcpy(out + (size_t)i * (size_t)h->O, state, (size_t)h->O * sizeof *state);
}

// N different numbers below n, every set equally likely (Floyd)
static void choose_distinct(int64_t *chosen, int N, int64_t n, bex_rng *rng) {
    for (int i = 0; i < N; i++) {
        int64_t last = n - N + i, pick = (int64_t)bex_rng_below(rng, (uint64_t)last + 1);
        for (int j = 0; j < i; j++)
            if (chosen[j] == pick) {
                pick = last;
                break;
            }
        chosen[i] = pick;
    }
}

static void draw_uniform(const bex_memory *h, bex_real *out, bex_rng *rng) {
    int64_t n = used(h);
    if (n >= h->N)
        choose_distinct(h->chosen, h->N, n, rng);
    else
        for (int i = 0; i < h->N; i++) h->chosen[i] = (int64_t)bex_rng_below(rng, (uint64_t)n);
    for (int i = 0; i < h->N; i++) fill(h, out, i, i + 1, row(h, h->chosen[i]));
}

int bex_memory_sources(const bex_memory *h, bex_memory_source source[BEX_MEMORY_SOURCES]) {
    if (h->kind == BEX_MEMORY_FIRST || h->episodes == 0) return 0;
    if (h->kind != BEX_MEMORY_LAST3) {
        source[0] = (bex_memory_source){h->states, (long long)used(h), h->N};
        return 1;
    }
    int n = h->episodes < BEX_MEMORY_SOURCES ? h->episodes : BEX_MEMORY_SOURCES;
    for (int i = 0; i < n; i++) {
        const int64_t *at = h->start + h->episodes - n + i;
        source[i] = (bex_memory_source){row(h, at[0]), (long long)(at[1] - at[0]),
                                        (i + 1) * h->N / n - i * h->N / n};
    }
    return n;
}

static void draw_last(const bex_memory *h, bex_real *out, bex_rng *rng) {
    bex_memory_source source[BEX_MEMORY_SOURCES];
    int n = bex_memory_sources(h, source), at = 0;
    for (int i = 0; i < n; at += source[i++].places) {
        size_t pick = (size_t)bex_rng_below(rng, (uint64_t)source[i].n);
        fill(h, out, at, at + source[i].places, source[i].rows + pick * (size_t)h->O);
    }
}

void bex_memory_draw(const bex_memory *h, bex_real *out, bex_rng rng) {
    if (h->kind == BEX_MEMORY_FIRST || h->episodes == 0) {
        BEX_CHECK(h->kept > 0, "a history drawn before the first state of the first episode");
        fill(h, out, 0, h->N, h->running);
    } else if (h->kind == BEX_MEMORY_LAST3) {
        draw_last(h, out, &rng);
    } else {
        draw_uniform(h, out, &rng);
    }
}

unsigned long long bex_memory_revision(const bex_memory *h) {
    return h->revision;
}

int bex_memory_size(const bex_memory *h) {
    return h->N;
}

int bex_memory_episodes(const bex_memory *h) {
    return h->episodes;
}

long long bex_memory_played(const bex_memory *h) {
    return h->kind == BEX_MEMORY_FILE ? 0 : h->played;
}

bool bex_memory_loaded(bex_memory *h) {
    bool was = h->loaded && h->kind != BEX_MEMORY_FILE;
    h->loaded = false;
    return was;
}

long long bex_memory_states(const bex_memory *h) {
    return (long long)used(h);
}

const bex_real *bex_memory_rows(const bex_memory *h) {
    return h->states;
}

int bex_memory_stride(const bex_memory *h) {
    return h->stride;
}

// ---- files ----

int bex_memory_save(const bex_memory *h, const char *path) {
    bex_st_writer *w = bex_st_writer_new();
    int64_t states[2] = {used(h), h->O}, start[1] = {h->episodes + 1};
    char played[32];
    snprintf(played, sizeof played, "%lld", h->played);
    bex_st_add_metadata(w, "format", "bex history 1");
    bex_st_add_metadata(w, "episodes", played);
    bex_st_add_real(w, "history.states", 2, states, h->states);
    bex_st_add(w, "history.start", BEX_ST_I64, 1, start, h->start);
    int code = bex_st_save(w, path);
    bex_st_writer_free(w);
    return code < 0 ? bex_fail_in("history") : 0;
}

static int check_file(const bex_st_file *f, int O) {
    const bex_st_tensor *states = bex_st_find(f, "history.states");
    const bex_st_tensor *start = bex_st_find(f, "history.start");
    if (!states || !start) {
        bex_fail("no tensor '%s'", states ? "history.start" : "history.states");
        return bex_fail_hint("a history is saved by bex, not a model");
    }
    if (states->rank != 2 || start->rank != 1 || start->dtype != BEX_ST_I64 || start->dim[0] < 1)
        return bex_fail("history.states must be (N, O), history.start (E + 1) of I64");
    if (states->dim[1] != O)
        return bex_fail("states of %lld values, expected %d", (long long)states->dim[1], O);
    const int64_t *at = start->data, last = start->dim[0] - 1;
    if (at[0] != 0 || at[last] != states->dim[0])
        return bex_fail("history.start runs from %lld to %lld, not from 0 to %lld states",
                        (long long)at[0], (long long)at[last], (long long)states->dim[0]);
    for (int64_t e = 0; e < last; e++)
        if (at[e + 1] <= at[e])
            return bex_fail("episode %lld of history.start has no states", (long long)e);
    return last < 1 << 30 ? 0 : bex_fail("%lld episodes", (long long)last);
}

static int check_states(const bex_memory *h, const bex_real *states, int64_t n) {
    for (int64_t i = 0; h->normaliser && i < n; i++)
        if (bex_normaliser_check(h->normaliser, states + (size_t)i * (size_t)h->O, BEX_FARTHEST) <
            0)
            return bex_fail_in("state %lld", (long long)i);
    return 0;
}

// files of before do not say: at least those that are in it
static long long played_of(const bex_st_file *f, int episodes) {
    const char *text = bex_st_metadata(f, "episodes");
    long long n = text ? strtoll(text, NULL, 10) : 0;
    return n > episodes ? n : episodes;
}

static int read_file(bex_memory *h, const bex_st_file *f) {
    if (check_file(f, h->O) < 0) return -1;
    const bex_st_tensor *start = bex_st_find(f, "history.start");
    const int64_t *at = start->data, dim[2] = {at[start->dim[0] - 1], h->O};
    bex_memory next = {.O = h->O, .capacity = h->capacity, .places = 64};
    bex_real *states = malloc((size_t)(dim[0] + 1) * (size_t)h->O * sizeof *states);
    next.start = calloc((size_t)next.places, sizeof *next.start);
    int code = states && next.start ? 0 : bex_fail("out of memory");
    if (code == 0) code = bex_st_read_real(f, "history.states", states, 2, dim);
    if (code == 0) code = check_states(h, states, dim[0]);
    for (int64_t e = 0; code == 0 && e + 1 < start->dim[0]; e++)
        code = append(&next, states + (size_t)at[e] * (size_t)h->O, at[e + 1] - at[e]);
    if (code == 0) {
        free(h->states), free(h->start);
        h->states = next.states, h->room = next.room;
        h->start = next.start, h->episodes = next.episodes, h->places = next.places;
        h->revision++;
        h->played = played_of(f, h->episodes);
        h->loaded = true;
    } else {
        free(next.states), free(next.start);
    }
    free(states);
    return code;
}

int bex_memory_load(bex_memory *h, const char *path) {
    bex_st_file *f = bex_st_load(path);
    if (!f) return bex_fail_in("history"); // the path is in the message
    int code = read_file(h, f);
    bex_st_free(f);
    return code < 0 ? bex_fail_in("history '%s'", path) : 0;
}
