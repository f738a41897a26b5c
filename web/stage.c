#include "web/stage.h"

#include "base/error.h"
#include "env/d4rl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = STAGE_STATE + STAGE_ACTION };
static const double SPACING = 0.03; // of a drawn past: 0.01 s at 3 m/s
static const bex_real DRAWN_SPEED = R(3);

int stage_take_policy(stage *s, const void *bytes, size_t size) {
    bex_policy *p = bex_policy_parse(bytes, size);
    if (!p) return -1;
    if (p->O != STAGE_STATE || p->A != STAGE_ACTION) {
        bex_fail("this policy has states of %d and actions of %d numbers, the ball %d and %d", p->O,
                 p->A, STAGE_STATE, STAGE_ACTION);
        return bex_policy_free(p), -1;
    }
    bool imitates = !p->dit.o.N && !p->dit.o.coverage;
    bex_policy **at = imitates ? &s->imitates : &s->explores;
    bex_policy_free(*at);
    *at = p;
    s->revision++;
    return imitates ? STAGE_IMITATES : STAGE_EXPLORES;
}

static unsigned read16(const unsigned char *at) {
    return at[0] | (unsigned)at[1] << 8;
}

// the rows of one episode, column by column
static const unsigned char *read_rows(bex_dataset *d, int episode, int rows, const float *low,
                                      const float *high, const unsigned char *from) {
    for (int c = 0; c < COLUMNS; c++) {
        unsigned value = 0;
        for (int t = 0; t < rows; t++, from += 2) {
            value = (value + read16(from)) & 0xffff;
            bex_real x = low[c] + (high[c] - low[c]) * (bex_real)value / R(65535);
            size_t row = (size_t)(episode * rows + t);
            if (c < STAGE_STATE)
                d->observations[row * STAGE_STATE + (size_t)c] = x;
            else
                d->actions[row * STAGE_ACTION + (size_t)(c - STAGE_STATE)] = x;
        }
    }
    return from;
}

static int read_demonstrations(bex_dataset *d, const unsigned char *bytes, size_t size) {
    int32_t head[2];
    float range[2 * COLUMNS];
    size_t header = sizeof head + sizeof range;
    if (size < header) return bex_fail("demonstrations: the file is too short");
    memcpy(head, bytes, sizeof head);
    memcpy(range, bytes + sizeof head, sizeof range);
    int episodes = head[0], rows = head[1];
    if (episodes < 1 || rows < 1 || episodes > 100000 || rows > 100000 ||
        size - header != (size_t)episodes * (size_t)rows * COLUMNS * 2)
        return bex_fail("demonstrations: %d episodes of %d rows are not %zu bytes", episodes, rows,
                        size);
    for (int c = 0; c < COLUMNS; c++)
        if (!isfinite(range[c]) || !isfinite(range[COLUMNS + c]))
            return bex_fail("demonstrations: a range that is not finite");
    int *start = malloc((size_t)(episodes + 1) * sizeof *start);
    if (!start) return bex_fail("demonstrations: out of memory");
    for (int e = 0; e <= episodes; e++) start[e] = e * rows;
    size_t all = (size_t)episodes * (size_t)rows;
    if (bex_dataset_allocate(d, all, STAGE_STATE, STAGE_ACTION, 0, (size_t)1 << 30) < 0)
        return free(start), -1;
    if (bex_dataset_take_episodes(d, start, episodes) < 0) return -1;
    bytes += header;
    for (int e = 0; e < episodes; e++) bytes = read_rows(d, e, rows, range, range + COLUMNS, bytes);
    return 0;
}

int stage_take_demonstrations(stage *s, const unsigned char *bytes, size_t size) {
    bex_dataset *d = bex_dataset_new();
    bex_retrieval *r = NULL;
    static const int dims[2] = {0, 1};
    bex_retrieval_options o = BEX_RETRIEVAL_INIT;
    o.phi.dims = dims, o.phi.dims_count = 2;
    if (d && read_demonstrations(d, bytes, size) == 0) r = bex_retrieval_new(d, &o);
    if (!r) return bex_dataset_free(d), -1;
    bex_retrieval_free(s->retrieval);
    bex_dataset_free(s->demonstrations);
    s->demonstrations = d, s->retrieval = r;
    s->revision++;
    return 0;
}

int stage_set_maze(stage *s, const unsigned char *wall, int rows, int cols, int start_row,
                   int start_col) {
    if (rows < 1 || cols < 1 || rows > STAGE_SIDE || cols > STAGE_SIDE)
        return bex_fail("a maze of %d x %d, at most %d fit", rows, cols, STAGE_SIDE);
    if (start_row < 0 || start_col < 0 || start_row >= rows || start_col >= cols ||
        wall[start_row * cols + start_col])
        return bex_fail("the start %d,%d is no free cell", start_row, start_col);
    memcpy(s->wall, wall, (size_t)(rows * cols));
    s->walls = (ball_walls){rows, cols, s->wall};
    s->start[0] = start_row, s->start[1] = start_col;
    s->revision++;
    return 0;
}

void stage_set_seed(stage *s, uint64_t seed) {
    s->seed = seed;
    s->revision++;
}

int stage_remember(stage *s, const bex_real *states, int rows) {
    size_t size = (size_t)rows * STAGE_STATE * sizeof *states;
    BEX_CHECK(rows > 0 && rows <= STAGE_ROWS, "%d states", rows);
    if (s->episodes == STAGE_PAST)
        return bex_fail("%d episodes are remembered, no more fit", STAGE_PAST);
    bex_real *copy = malloc(size);
    if (!copy) return bex_fail("out of memory");
    memcpy(copy, states, size);
    s->past[s->episodes++] = (stage_episode){copy, rows};
    return 0;
}

void stage_forget(stage *s, int keep) {
    while (s->episodes > keep && s->episodes > 0) free(s->past[--s->episodes].states);
}

int stage_draw(stage *s, const float *points, int n) {
    bex_real *states = malloc(STAGE_ROWS * STAGE_STATE * sizeof *states);
    int rows = 0;
    if (!states) return bex_fail("out of memory");
    for (int i = 0; i + 1 < n; i++) {
        double x = (double)points[2 * i], y = (double)points[2 * i + 1];
        double dx = (double)points[2 * i + 2] - x, dy = (double)points[2 * i + 3] - y;
        double length = sqrt(dx * dx + dy * dy);
        int pieces = length < 100 ? (int)(length / SPACING) + 1 : 0;
        for (int k = 0; k < pieces && rows < STAGE_ROWS; k++) {
            double at = (double)k / pieces, px = x + at * dx, py = y + at * dy;
            if (ball_in_wall(&s->walls, px, py) || !(length > 0)) continue;
            bex_real *state = states + (size_t)rows++ * STAGE_STATE;
            state[0] = (bex_real)px, state[1] = (bex_real)py;
            state[2] = DRAWN_SPEED * (bex_real)(dx / length),
            state[3] = DRAWN_SPEED * (bex_real)(dy / length);
        }
    }
    int code = rows ? stage_remember(s, states, rows) : 0;
    free(states);
    return code < 0 ? code : rows;
}

unsigned stage_digest(const stage *s) {
    unsigned digest = 2166136261u; // FNV-1a
    for (int e = 0; e < s->episodes; e++) {
        const unsigned char *bytes = (const unsigned char *)s->past[e].states;
        size_t size = (size_t)s->past[e].rows * STAGE_STATE * sizeof(bex_real);
        for (size_t i = 0; i < size; i++) digest = (digest ^ bytes[i]) * 16777619u;
    }
    return digest;
}

const bex_policy *stage_policy(const stage *s, stage_kind kind) {
    return kind == STAGE_IMITATES ? s->imitates : kind == STAGE_LOOKS_UP ? NULL : s->explores;
}

ball stage_begin(const stage *s, int index) {
    ball b;
    bex_rng rng = bex_rng_split(bex_rng_seed(s->seed), "start", (uint64_t)index);
    for (int i = 0; i < 2; i++)
        b.position[i] = s->start[i] + BEX_RESET_NOISE * (2 * bex_rng_uniform(&rng) - 1);
    for (int i = 0; i < 2; i++) b.velocity[i] = BEX_RESET_SPEED * bex_rng_normal(&rng);
    return b;
}
