/* agent/rl/replay_buffer.c - a ring, and its file. */
#include "agent/rl/replay_buffer.h"

#include "base/error.h"

#include <string.h>

int bex_replay_buffer_init(bex_replay_buffer *r, int O, int A, int capacity) {
    BEX_CHECK(capacity > 0, "a replay of %d", capacity);
    *r = (bex_replay_buffer){0};
    return bex_transitions_init(&r->rows, O, A, capacity);
}

void bex_replay_buffer_fini(bex_replay_buffer *r) {
    bex_transitions_fini(&r->rows);
}

void bex_replay_buffer_add(bex_replay_buffer *r, const bex_step *step) {
    bex_transitions_set(&r->rows, (int)(r->added++ % r->rows.n), step);
    if (r->size < r->rows.n) r->size++;
}

void bex_replay_buffer_draw(const bex_replay_buffer *r, bex_rng *rng, bex_transitions *out,
                            int first, int count) {
    const bex_transitions *t = &r->rows;
    BEX_CHECK(r->size > 0 && out->O == t->O && out->A == t->A && first + count <= out->n,
              "draw %d of %d transitions (%d, %d) into (%d, %d)", count, r->size, t->O, t->A,
              out->O, out->A);
    for (int i = first; i < first + count; i++) {
        size_t from = (size_t)bex_rng_below(rng, (uint64_t)r->size);
#define COPY(member, per)                                                                          \
    memcpy(out->member + (size_t)i * (size_t)(per), t->member + from * (size_t)(per),              \
           (size_t)(per) * sizeof *t->member);
        BEX_TRANSITION_FIELDS(COPY, t)
#undef COPY
    }
}

void bex_replay_buffer_save(const bex_replay_buffer *r, bex_st_writer *w) {
    static const int64_t one = 1;
    const bex_transitions *t = &r->rows;
#define ADD(member, per)                                                                           \
    bex_st_add_real(w, "replay." #member, 2, (const int64_t[]){r->size, per}, t->member);
    BEX_TRANSITION_FIELDS(ADD, t)
#undef ADD
    bex_st_add(w, "replay.added", BEX_ST_I64, 1, &one, &r->added);
}

int bex_replay_buffer_load(bex_replay_buffer *r, const bex_st_file *f) {
    static const int64_t one = 1;
    bex_transitions *t = &r->rows;
    int64_t added;
    if (bex_st_read(f, "replay.added", BEX_ST_I64, &added, 1, &one) < 0) return -1;
    const bex_st_tensor *reward = bex_st_find(f, "replay.reward");
    int64_t size = added < t->n ? added : t->n;
    if (added < 0 || !reward || reward->rank != 2 || reward->dim[0] != size)
        return bex_fail("%lld transitions do not fit a replay of %d", (long long)added, t->n);
#define READ(member, per)                                                                          \
    if (bex_st_read_real(f, "replay." #member, t->member, 2, (const int64_t[]){size, per}) < 0)    \
        return -1;
    BEX_TRANSITION_FIELDS(READ, t)
#undef READ
    r->size = (int)size;
    r->added = added;
    return 0;
}
