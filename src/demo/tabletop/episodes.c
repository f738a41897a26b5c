/* demo/tabletop/episodes.c - record, and waves of attempts. */
#include "demo/tabletop/episodes.h"

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "demo/tabletop/script.h"
#include "env/tabletop/objects.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 128, WAVE = 16 };

// every array of an episode, once: member, elements a row
#define ARRAYS(X)                                                                                  \
    X(actions, 7)                                                                                  \
    X(states, e->width)                                                                            \
    X(robot_states, 9)                                                                             \
    X(joints, 7)                                                                                   \
    X(fingers, 2)                                                                                  \
    X(ee_pos, 3)                                                                                   \
    X(ee_ori, 3)                                                                                   \
    X(timestep, 1)                                                                                 \
    X(pose, e->poses)                                                                              \
    X(object, e->objects)                                                                          \
    X(agentview, 3 * e->image * e->image)                                                          \
    X(eye_in_hand, 3 * e->image * e->image)

void bex_tabletop_episode_fini(bex_tabletop_episode *e) {
#define FREE(member, per) free(e->member);
    ARRAYS(FREE)
#undef FREE
    free(e->init_state);
    *e = (bex_tabletop_episode){.success = false};
}

static int grow(bex_tabletop_episode *e) {
    int room = e->room ? 2 * e->room : FIRST;
    bool whole = true;
#define GROW(member, per)                                                                          \
    {                                                                                              \
        void *grown = realloc(e->member, (size_t)room * (size_t)(per) * sizeof *e->member + 1);    \
        if (grown)                                                                                 \
            e->member = grown;                                                                     \
        else                                                                                       \
            whole = false;                                                                         \
    }
    ARRAYS(GROW)
#undef GROW
    if (!whole) return bex_fail("out of memory for an episode of %d rows", room);
    e->room = room;
    return 0;
}

static int record(bex_env *env, const double *action, void *payload) {
    bex_tabletop_episode *e = payload;
    bex_libero_seen s;
    if (e->rows == e->room && grow(e) < 0) return -1;
    size_t t = (size_t)e->rows;
    bex_libero_see(env, &s);
    memcpy(e->actions + 7 * t, action, 7 * sizeof *action);
    bex_libero_read(env, e->states + (size_t)e->width * t);
    memcpy(e->robot_states + 9 * t, s.robot_states, sizeof s.robot_states);
    memcpy(e->joints + 7 * t, s.posture, 7 * sizeof *s.posture);
    memcpy(e->fingers + 2 * t, s.posture + 7, 2 * sizeof *s.posture);
    memcpy(e->ee_pos + 3 * t, s.at, sizeof s.at);
    bex_libero_axis_angle(s.quat, e->ee_ori + 3 * t);
    e->timestep[t] = (double)t;
    memcpy(e->pose + (size_t)e->poses * t, e->states + (size_t)e->width * t + 1 + BEX_LIBERO_ROBOT,
           (size_t)e->poses * sizeof *e->pose);
    bex_libero_see_objects(env, s.at, e->object + (size_t)e->objects * t);
    if (e->image) {
        size_t bytes = 3 * (size_t)e->image * (size_t)e->image;
        const bex_frame f = {.image = {e->agentview + bytes * t, e->eye_in_hand + bytes * t}};
        if (bex_libero_look(env, &f) < 0) return -1;
    }
    e->rows++;
    return 0;
}

static int play(bex_tabletop_episode *e, const bex_tabletop_job *job, bex_env *env, int attempt) {
    const bex_world *w = job->world;
    static const bex_real still[BEX_OSC_ACTION] = {0, 0, 0, 0, 0, 0, -1};
    bex_rng rng = bex_rng_split(bex_rng_split(bex_rng_seed(job->seed), "task", (uint64_t)job->task),
                                "attempt", (uint64_t)attempt);
    bex_real *state = malloc((size_t)w->spec.state * sizeof *state), reward;
    bool end;
    bex_hand h;
    int code = -1;
    e->init_state = malloc((size_t)e->width * sizeof *e->init_state);
    if (!state || !e->init_state) {
        bex_fail("out of memory");
        goto done;
    }
    if (bex_libero_fresh(env, bex_rng_split(rng, "start", 0), &(bex_frame){.state = state}) < 0)
        goto done;
    bex_libero_read(env, e->init_state);
    for (int i = 0; i < job->settle; i++)
        if (w->class->step(env, still, &(bex_frame){.state = state}, &reward, &end) < 0) goto done;
    if (bex_hand_begin(&h, env, job->task, bex_rng_split(rng, "hand", 0), job->noise, job->limit,
                       record, e) < 0)
        goto done;
    e->success = bex_script_play(&h);
    code = h.failed ? -1 : 0;
    bex_hand_end(&h);
done:
    free(state);
    return code;
}

int bex_tabletop_attempt(bex_tabletop_episode *e, const bex_tabletop_job *job, int attempt) {
    bex_env *env = job->world->class->new (job->world);
    *e = (bex_tabletop_episode){.width = bex_libero_state_width(job->world),
                                .image = job->world->spec.cameras ? job->world->spec.width : 0};
    if (!env) return -1;
    e->poses = job->world->class->sim(env)->model->nq - BEX_LIBERO_ROBOT;
    e->objects = bex_objects_width();
    int code = play(e, job, env, attempt);
    job->world->class->free(env);
    // contacts of parts this stiff sometimes blow up: an attempt that failed
    if (code < 0) bex_log(BEX_LOG_WARN, "attempt %d: %s", attempt, bex_error());
    e->success = e->success && code == 0;
    return 0;
}

typedef struct wave {
    const bex_tabletop_job *job;
    bex_tabletop_episode episode[WAVE];
    int first;
} wave;

static int attempt_work(long piece, int worker, void *payload) {
    wave *w = payload;
    (void)worker;
    return bex_tabletop_attempt(&w->episode[piece], w->job, w->first + (int)piece);
}

int bex_tabletop_demonstrate(bex_tabletop_tally *tally, const bex_tabletop_job *job, int wanted,
                             int most, int (*keep)(const bex_tabletop_episode *, void *),
                             void *payload) {
    *tally = (bex_tabletop_tally){0};
    int code = 0, side = bex_parallel_threads();
    while (code == 0 && tally->attempts < most && tally->kept < wanted) {
        wave w = {.job = job, .first = tally->attempts};
        int count = side < WAVE ? side : WAVE;
        if (count > most - tally->attempts) count = most - tally->attempts;
        code = bex_try_parallel(0, count, attempt_work, &w);
        for (int i = 0; i < count; i++) {
            const bex_tabletop_episode *e = &w.episode[i];
            if (code == 0 &&
                tally->kept < wanted) { // what comes behind the last one wanted was never asked for
                tally->attempts++;
                tally->successes += e->success;
                tally->steps += e->success ? e->rows : 0;
                if (e->success && keep) code = keep(e, payload);
                tally->kept += e->success;
            }
            bex_tabletop_episode_fini(&w.episode[i]);
        }
    }
    return code;
}

bex_libero_demo bex_tabletop_demo(const bex_tabletop_episode *e, const char *model_file) {
    return (bex_libero_demo){.rows = e->rows,
                             .width = e->width,
                             .poses = e->poses,
                             .objects = e->objects,
                             .image = e->image,
                             .actions = e->actions,
                             .states = e->states,
                             .robot_states = e->robot_states,
                             .joints = e->joints,
                             .fingers = e->fingers,
                             .ee_pos = e->ee_pos,
                             .ee_ori = e->ee_ori,
                             .timestep = e->timestep,
                             .pose = e->pose,
                             .object = e->object,
                             .agentview = e->agentview,
                             .eye_in_hand = e->eye_in_hand,
                             .model_file = model_file,
                             .init_state = e->init_state};
}
