/* env/batch.c - step, account, reset. */
#include "env/batch.h"

#include "base/error.h"
#include "base/parallel.h"

#include <stdlib.h>
#include <string.h>

// every array of the batch, once: member, elements per instance
#define ARRAYS(X)                                                                                  \
    X(obs, b->O)                                                                                   \
    X(act, b->A)                                                                                   \
    X(reward, 1)                                                                                   \
    X(terminated, 1)                                                                               \
    X(truncated, 1)                                                                                \
    X(final_obs, b->O)                                                                             \
    X(length, 1)                                                                                   \
    X(sum, 1)                                                                                      \
    X(visited, 1)                                                                                  \
    X(occupancy, b->regions)                                                                       \
    X(final_length, 1)                                                                             \
    X(final_sum, 1)                                                                                \
    X(final_visited, 1)                                                                            \
    X(final_occupancy, b->regions)                                                                 \
    X(final_measures, BEX_ENV_MEASURES)                                                            \
    X(episodes, 1)                                                                                 \
    X(env, 1)

void bex_env_batch_free(bex_env_batch *b) {
    if (!b) return;
    if (b->env)
        for (int i = 0; i < b->B; i++) b->world->class->free(b->env[i]);
#define FREE(member, per) free(b->member);
    ARRAYS(FREE)
#undef FREE
    for (int c = 0; c < BEX_CAMERAS; c++) free(b->images[c]), free(b->final_images[c]);
    free(b);
}

static size_t picture(const bex_env_batch *b) {
    return bex_picture_bytes(b->world->spec.height, b->world->spec.width);
}

static bool allocate_pictures(bex_env_batch *b) {
    bool whole = true;
    for (int c = 0; c < b->world->spec.cameras; c++) {
        b->images[c] = calloc((size_t)b->B, picture(b));
        b->final_images[c] = calloc((size_t)b->B, picture(b));
        whole = whole && b->images[c] && b->final_images[c];
    }
    return whole;
}

// where instance i writes what it sees
static bex_frame frame(const bex_env_batch *b, int i) {
    bex_frame f = {.state = b->obs + (size_t)i * (size_t)b->O};
    for (int c = 0; c < b->world->spec.cameras; c++)
        f.image[c] = b->images[c] + (size_t)i * picture(b);
    return f;
}

bex_rng bex_env_stream(uint64_t seed, int instance, long long episode) {
    bex_rng own = bex_rng_split(bex_rng_seed(seed), "env", (uint64_t)instance);
    return bex_rng_split(own, "episode", (uint64_t)episode);
}

int bex_env_batch_new(bex_env_batch **out, const bex_world *world, int B, uint64_t seed) {
    BEX_CHECK(B >= 1, "a batch of %d", B);
    BEX_CHECK(world->spec.cameras <= BEX_CAMERAS, "%d cameras", world->spec.cameras);
    *out = NULL;
    if (world->instances_most && B > world->instances_most) {
        bex_fail("%s: %d instances asked for, there can be %d", world->name, B,
                 world->instances_most);
        return bex_misused();
    }
    bex_env_batch *b = calloc(1, sizeof *b);
    if (!b) return bex_fail("out of memory");
    *b = (bex_env_batch){.world = world,
                         .B = B,
                         .O = world->spec.state,
                         .A = world->A,
                         .regions = world->regions,
                         .seed = seed};
    bool whole = true;
#define ALLOCATE(member, per)                                                                      \
    b->member = calloc((size_t)B * (size_t)(per), sizeof *b->member);                              \
    whole = whole && b->member;
    ARRAYS(ALLOCATE)
#undef ALLOCATE
    whole = whole && allocate_pictures(b);
    if (!whole) return bex_env_batch_free(b), bex_fail("out of memory for %d instances", B);
    for (int i = 0; i < B; i++) {
        b->env[i] = world->class->new (world);
        if (!b->env[i]) return bex_env_batch_free(b), bex_fail_in("instance %d", i);
    }
    if (bex_env_batch_reset(b) < 0) return bex_env_batch_free(b), -1;
    *out = b;
    return 0;
}

// the state in obs[i] counts towards the running episode
static void account(bex_env_batch *b, int i, const bex_real *obs) {
    int region = b->world->class->region(b->world, obs);
    if (region < 0) return;
    if (!b->occupancy[(size_t)i * (size_t)b->regions + (size_t)region]++) b->visited[i]++;
}

static int start_episode(bex_env_batch *b, int i) {
    bex_frame out = frame(b, i);
    bex_rng rng = bex_env_stream(b->seed, i, b->episodes[i]);
    if (b->world->class->reset(b->env[i], rng, &out) < 0) return -1;
    b->length[i] = b->visited[i] = 0;
    b->sum[i] = 0;
    memset(b->occupancy + (size_t)i * (size_t)b->regions, 0,
           (size_t)b->regions * sizeof *b->occupancy);
    account(b, i, out.state);
    return 0;
}

static int end_episode(bex_env_batch *b, int i) {
    size_t O = (size_t)b->O, regions = (size_t)b->regions, n = (size_t)i;
    memcpy(b->final_obs + n * O, b->obs + n * O, O * sizeof *b->obs);
    for (int c = 0; c < b->world->spec.cameras; c++)
        memcpy(b->final_images[c] + n * picture(b), b->images[c] + n * picture(b), picture(b));
    memcpy(b->final_occupancy + n * regions, b->occupancy + n * regions,
           regions * sizeof *b->occupancy);
    b->final_length[i] = b->length[i];
    b->final_sum[i] = b->sum[i];
    b->final_visited[i] = b->visited[i];
    if (b->world->class->measures)
        b->world->class->measure(b->env[i], b->final_measures + n * BEX_ENV_MEASURES);
    b->episodes[i]++;
    return start_episode(b, i);
}

static int step_one(bex_env_batch *b, int i) {
    bex_frame out = frame(b, i);
    if (b->world->class->step(b->env[i], b->act + (size_t)i * (size_t)b->A, &out, &b->reward[i],
                              &b->terminated[i]) < 0)
        return bex_fail_in("step %d of episode %lld", b->length[i], b->episodes[i]);
    b->length[i]++;
    b->sum[i] += (double)b->reward[i];
    account(b, i, out.state);
    b->truncated[i] =
        !b->terminated[i] && b->world->time_limit > 0 && b->length[i] >= b->world->time_limit;
    return b->terminated[i] || b->truncated[i] ? end_episode(b, i) : 0;
}

// all instances, on all threads
static int each(const bex_env_batch *b, bex_piece_fn *work, void *payload) {
    if (bex_try_parallel(0, b->B, work, payload) < 0) return bex_fail_in("%s", b->world->name);
    return 0;
}

static int step_work(long instance, int worker, void *payload) {
    (void)worker;
    if (step_one(payload, (int)instance) < 0) return bex_fail_in("instance %ld", instance);
    return 0;
}

int bex_env_batch_step(bex_env_batch *b) {
    return each(b, step_work, b);
}

// as dear as steps where a world settles first
static int reset_work(long instance, int worker, void *payload) {
    bex_env_batch *b = payload;
    (void)worker;
    b->episodes[instance] = 0;
    b->terminated[instance] = b->truncated[instance] = false;
    b->reward[instance] = 0;
    if (start_episode(b, (int)instance) < 0) return bex_fail_in("instance %ld", instance);
    return 0;
}

int bex_env_batch_reset(bex_env_batch *b) {
    return each(b, reset_work, b);
}

typedef struct {
    bex_env_batch *b;
    const long long *episodes;
    const int *length;
    const bex_real *acts;
    int most;
} replay_job;

static int replay_one(const replay_job *j, int i) {
    bex_env_batch *b = j->b;
    size_t A = (size_t)b->A;
    const bex_real *act = j->acts + (size_t)i * (size_t)j->most * A;
    b->episodes[i] = j->episodes[i];
    b->terminated[i] = b->truncated[i] = false;
    if (start_episode(b, i) < 0) return -1;
    for (int t = 0; t < j->length[i]; t++) {
        memcpy(b->act + (size_t)i * A, act + (size_t)t * A, A * sizeof *act);
        if (step_one(b, i) < 0) return -1;
        if (b->episodes[i] != j->episodes[i])
            return bex_fail("episode %lld ended after %d of %d steps", j->episodes[i], t + 1,
                            j->length[i]);
    }
    return 0;
}

static int replay_work(long instance, int worker, void *payload) {
    (void)worker;
    if (replay_one(payload, (int)instance) < 0) return bex_fail_in("instance %ld", instance);
    return 0;
}

int bex_env_batch_replay(bex_env_batch *b, const long long *episodes, const int *length,
                         const bex_real *acts, int most) {
    for (int i = 0; i < b->B; i++)
        BEX_CHECK(length[i] >= 0 && length[i] <= most, "%d of %d actions", length[i], most);
    return each(b, replay_work, &(replay_job){b, episodes, length, acts, most});
}
