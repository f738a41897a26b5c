#include "agent/rl/rollout.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#define OTHER "another version of the world or of MuJoCo, or another seed"

static size_t log_size(const bex_rollout *r) {
    return (size_t)r->limit * (size_t)r->batch->A;
}

int bex_rollout_new(bex_rollout **out, const bex_world *world, int B, uint64_t seed) {
    *out = NULL;
    if (world->time_limit <= 0) {
        bex_fail("%s has no time limit", world->name);
        return bex_fail_hint("env.time_limit");
    }
    bex_rollout *r = calloc(1, sizeof *r);
    if (!r) return bex_fail("out of memory");
    r->limit = world->time_limit;
    if (bex_env_batch_new(&r->batch, world, B, seed) < 0) return bex_rollout_free(r), -1;
    size_t states = (size_t)B * (size_t)world->spec.state;
    r->before = calloc(states, sizeof *r->before);
    r->next = calloc(states, sizeof *r->next);
    r->acts = calloc((size_t)B * log_size(r), sizeof *r->acts);
    r->episode = calloc((size_t)B, sizeof *r->episode);
    r->length = calloc((size_t)B, sizeof *r->length);
    if (!r->before || !r->next || !r->acts || !r->episode || !r->length) {
        bex_rollout_free(r);
        return bex_fail("out of memory for %d instances of %d steps", B, world->time_limit);
    }
    *out = r;
    return 0;
}

void bex_rollout_free(bex_rollout *r) {
    if (!r) return;
    bex_env_batch_free(r->batch);
    free(r->before);
    free(r->next);
    free(r->acts);
    free(r->episode);
    free(r->length);
    free(r);
}

int bex_rollout_step(bex_rollout *r) {
    const bex_env_batch *b = r->batch;
    size_t A = (size_t)b->A, O = (size_t)b->O, log = log_size(r);
    memcpy(r->before, b->obs, (size_t)b->B * O * sizeof *b->obs);
    for (size_t i = 0; i < (size_t)b->B; i++)
        memcpy(r->acts + i * log + (size_t)b->length[i] * A, b->act + i * A, A * sizeof *b->act);
    if (bex_env_batch_step(r->batch) < 0) return -1;
    for (size_t i = 0; i < (size_t)b->B; i++) {
        bool ended = bex_rollout_ended(r, (int)i);
        memcpy(r->next + i * O, (ended ? b->final_obs : b->obs) + i * O, O * sizeof *b->obs);
        if (ended) memset(r->acts + i * log, 0, log * sizeof *r->acts);
    }
    return 0;
}

void bex_rollout_save(bex_rollout *r, bex_st_writer *w) {
    const bex_env_batch *b = r->batch;
    int64_t B = b->B;
    for (int i = 0; i < b->B; i++) r->episode[i] = b->episodes[i], r->length[i] = b->length[i];
    bex_st_add(w, "rollout.episode", BEX_ST_I64, 1, &B, r->episode);
    bex_st_add(w, "rollout.length", BEX_ST_I64, 1, &B, r->length);
    bex_st_add_real(w, "rollout.acts", 3, (const int64_t[]){B, r->limit, b->A}, r->acts);
    bex_st_add_real(w, "rollout.obs", 2, (const int64_t[]){B, b->O}, b->obs);
}

static int replay(bex_rollout *r) {
    int B = r->batch->B;
    int *length = malloc((size_t)B * sizeof *length), code = 0;
    long long *episode = malloc((size_t)B * sizeof *episode);
    if (!length || !episode) code = bex_fail("out of memory");
    for (int i = 0; !code && i < B; i++) {
        if (r->length[i] < 0 || r->length[i] >= r->limit || r->episode[i] < 0)
            code = bex_fail("rollout of %lld steps", (long long)r->length[i]);
        length[i] = (int)r->length[i], episode[i] = r->episode[i];
    }
    if (!code && bex_env_batch_replay(r->batch, episode, length, r->acts, r->limit) < 0)
        code = bex_fail_hint(OTHER);
    free(length);
    free(episode);
    return code;
}

int bex_rollout_load(bex_rollout *r, const bex_st_file *f) {
    const bex_env_batch *b = r->batch;
    int64_t B = b->B, O = b->O;
    if (bex_st_read(f, "rollout.episode", BEX_ST_I64, r->episode, 1, &B) < 0 ||
        bex_st_read(f, "rollout.length", BEX_ST_I64, r->length, 1, &B) < 0 ||
        bex_st_read_real(f, "rollout.acts", r->acts, 3, (const int64_t[]){B, r->limit, b->A}) < 0 ||
        bex_st_read_real(f, "rollout.obs", r->before, 2, (const int64_t[]){B, O}) < 0)
        return -1;
    if (replay(r) < 0) return -1;
    for (int i = 0; i < b->B; i++) {
        size_t at = (size_t)i * (size_t)O;
        if (memcmp(r->before + at, b->obs + at, (size_t)O * sizeof *b->obs) == 0) continue;
        bex_fail("%s: taking the actions of instance %d again leads elsewhere", b->world->name, i);
        return bex_fail_hint(OTHER);
    }
    return 0;
}
