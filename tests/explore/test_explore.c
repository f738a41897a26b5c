/* The protocol with scripted actors: who is called when, what is counted, equal bits on any number of
 * threads, what ends up in results.json and in the file of trajectories. */
#include "base/error.h"
#include "data/load.h"
#include "env/mj.h"
#include "explore/explore.h"
#include "explore/metrics.h"
#include "explore/results.h"
#include "explore/trajectories.h"

#include "test.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>

enum { TRIALS = 5, EPISODES = 3, LENGTH = 40 };

// pushes in its own direction, turning each episode and by all it has learned; counts its calls
typedef struct scripted {
    bex_actor base;
    int number, begun, ended, acted, since, last, fail_at; // last: steps of the episode that ended
    int seen, timeouts;
    double learned;   // from what came of its actions
    bex_real next[4]; // state it was told of
    bex_rng rng;
} scripted;

static int begin(bex_actor *actor) {
    scripted *a = (scripted *)actor;
    assert_int_equal(a->begun, a->ended); // never twice in a row
    a->begun++, a->since = 0, a->next[0] = R(NAN);
    return 0;
}

static int act(bex_actor *actor, const bex_observation *obs, bex_real *action) {
    scripted *a = (scripted *)actor;
    assert_int_equal(a->begun, a->ended + 1);
    assert_true(isfinite(obs->state[0]));
    if (++a->acted == a->fail_at) return bex_fail("lost my way");
    if (a->since++) assert_memory_equal(obs->state, a->next, sizeof a->next);
    double angle = a->number + 2.1 * a->begun + a->learned + 0.3 * bex_rng_normal(&a->rng);
    action[0] = R(cos(angle)), action[1] = R(sin(angle));
    return 0;
}

static int saw(bex_actor *actor, const bex_step *step) {
    scripted *a = (scripted *)actor;
    assert_int_equal(++a->seen, a->acted);
    assert_false(step->terminal && step->timeout);
    a->timeouts += step->timeout;
    a->learned += 0.1 * (double)(step->next.state[0] - step->obs.state[0]) * (double)step->act[1] +
                  0.01 * (double)step->reward;
    memcpy(a->next, step->next.state, sizeof a->next);
    return 0;
}

static int end(bex_actor *actor) {
    scripted *a = (scripted *)actor;
    a->last = a->since;
    a->ended++;
    return 0;
}

static int recall(bex_actor *actor, const bex_episode *e) {
    bex_real action[2];
    begin(actor);
    for (int t = 0; t < e->steps; t++) {
        bex_step step = bex_episode_step(e, t);
        act(actor, &step.obs, action);
        assert_memory_equal(action, step.act, sizeof action);
        saw(actor, &step);
    }
    return end(actor);
}

static void nothing(bex_actor *actor) {
    (void)actor;
}

static const bex_actor_class scripted_class = {.name = "scripted",
                                               .begin = begin,
                                               .act = act,
                                               .saw = saw,
                                               .end = end,
                                               .recall = recall,
                                               .free = nothing};

static bex_world *world;
static scripted cast[TRIALS];

static void set_the_stage(bex_actor **actors, int fail_at) {
    for (int i = 0; i < TRIALS; i++) {
        cast[i] = (scripted){.base = {&scripted_class}, .number = i};
        cast[i].rng = bex_rng_split(bex_rng_seed(9), "actor", (uint64_t)i);
        cast[i].fail_at = i == 3 ? fail_at : 0;
        actors[i] = &cast[i].base;
    }
}

static int explore(bex_explored *e, int threads, int fail_at) {
    bex_actor *actors[TRIALS];
    set_the_stage(actors, fail_at);
    return bex_explore(e, &(bex_explore_options){.world = world,
                                                 .actors = actors,
                                                 .trials = TRIALS,
                                                 .episodes = EPISODES,
                                                 .seed = 4,
                                                 .threads = threads});
}

static void everyone_is_called_in_turn(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    for (int i = 0; i < TRIALS; i++) {
        assert_int_equal(cast[i].begun, EPISODES);
        assert_int_equal(cast[i].ended, EPISODES);
        assert_int_equal(cast[i].last, LENGTH);
        assert_int_equal(cast[i].acted, EPISODES * LENGTH);
        assert_int_equal(cast[i].seen, EPISODES * LENGTH);
        assert_int_equal(cast[i].timeouts, EPISODES);
        assert_true(cast[i].learned != 0);
        const bex_trial *trial = &e.trial[i];
        assert_int_equal(trial->steps, EPISODES * LENGTH);
        assert_int_equal(trial->episodes, EPISODES);
        for (int k = 0; k <= EPISODES; k++) assert_int_equal(trial->start[k], k * LENGTH);
        for (int t = 0; t < trial->steps; t++) {
            assert_int_equal(trial->timeout[t], t % LENGTH == LENGTH - 1);
            assert_int_equal(trial->terminal[t], 0);
        }
    }
    bex_explored_fini(&e);
}

// from the recorded states alone: s_0 .. s_T of every episode
static void regions_are_counted_right(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    assert_int_equal(e.regions, 26 * 4);
    for (int i = 0; i < TRIALS; i++) {
        const bex_trial *trial = &e.trial[i];
        int first[104], episode_of[104], total = 0;
        unsigned count[104] = {0};
        memset(first, -1, sizeof first);
        for (int k = 0; k < EPISODES; k++)
            for (int t = 0; t <= LENGTH; t++) {
                int row = k * LENGTH + t;
                const bex_real *obs =
                    t < LENGTH ? trial->obs + row * e.O : trial->final_obs + k * e.O;
                int region = world->class->region(world, obs);
                assert_true(region >= 0);
                assert_int_equal(trial->visited[k * e.regions + region], 1);
                if (first[region] < 0) first[region] = row, episode_of[region] = k;
                count[region]++;
                int after = 0;
                for (int r = 0; r < e.regions; r++) after += first[r] >= 0;
                // the next episode's first state shares its step number with this one's last
                if (t < LENGTH && t > 0)
                    assert_int_equal(bex_explored_after_steps(&e, i, row), after);
                if (t == LENGTH) assert_int_equal(bex_explored_after_episodes(&e, i, k + 1), after);
                total = after;
            }
        for (int r = 0; r < e.regions; r++) {
            assert_int_equal(trial->first_step[r], first[r]);
            if (first[r] >= 0) assert_int_equal(trial->first_episode[r], episode_of[r]);
            assert_int_equal(trial->occupancy[r], count[r]);
        }
        assert_true(total > 3); // the balls do move
    }
    bex_explored_fini(&e);
}

static void assert_same_trial(const bex_explored *e, const bex_trial *a, const bex_trial *b) {
    size_t rows = (size_t)a->steps, O = (size_t)e->O, A = (size_t)e->A, R = (size_t)e->regions;
    size_t episodes = (size_t)a->episodes;
    assert_int_equal(a->steps, b->steps);
    assert_int_equal(a->episodes, b->episodes);
    assert_memory_equal(a->obs, b->obs, rows * O * sizeof *a->obs);
    assert_memory_equal(a->act, b->act, rows * A * sizeof *a->act);
    assert_memory_equal(a->reward, b->reward, rows * sizeof *a->reward);
    assert_memory_equal(a->timeout, b->timeout, rows);
    assert_memory_equal(a->start, b->start, (episodes + 1) * sizeof *a->start);
    assert_memory_equal(a->final_obs, b->final_obs, episodes * O * sizeof *a->obs);
    assert_memory_equal(a->visited, b->visited, episodes * R);
    assert_memory_equal(a->first_step, b->first_step, R * sizeof *a->first_step);
    assert_memory_equal(a->occupancy, b->occupancy, R * sizeof *a->occupancy);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    bex_explored one, three;
    omp_set_num_threads(1);
    assert_int_equal(explore(&one, 1, 0), 0);
    omp_set_num_threads(3);
    assert_int_equal(explore(&three, 3, 0), 0);
    for (int i = 0; i < TRIALS; i++) assert_same_trial(&one, &one.trial[i], &three.trial[i]);
    bex_explored_fini(&one), bex_explored_fini(&three);
}

static void a_failing_actor_is_named(void **state) {
    (void)state;
    bex_explored e;
    assert_true(explore(&e, 2, LENGTH + 8) < 0);
    assert_message("trial 3: episode 2, step 7: lost my way");
    bex_explored_fini(&e);
}

static double number(const json_t *from, const char *a, const char *b, const char *c, size_t i) {
    const json_t *v = json_object_get(json_object_get(from, a), b);
    if (c) v = json_object_get(v, c);
    return json_number_value(json_is_array(v) ? json_array_get(v, i) : v);
}

static void same_curve(const bex_curve *a, const bex_curve *b) {
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++)
        if (a->x[i] != b->x[i] || a->mean[i] != b->mean[i] || a->error[i] != b->error[i])
            fail_msg("point %d of a curve is another", i);
}

// results.json, after it was read back: what a report sees is what was filled in
static json_t *results_of(const bex_explored *e, const bex_explore_about *about) {
    bex_exploration_summary s, back;
    if (bex_explore_summarise(&s, e, about) < 0) fail_msg("%s", bex_error());
    json_t *r = bex_explore_results(&s, about);
    if (bex_exploration_summary_read(&back, r) < 0) fail_msg("%s", bex_error());
    assert_string_equal(s.environment, back.environment);
    assert_true(s.trials == back.trials && s.episodes == back.episodes && s.seed == back.seed);
    assert_true(s.regions == back.regions && s.length == back.length && s.goals == back.goals);
    same_curve(&s.by_episode, &back.by_episode);
    same_curve(&s.repeated, &back.repeated);
    same_curve(&s.by_step, &back.by_step);
    same_curve(&s.goals_by_step, &back.goals_by_step);
    same_curve(&s.goals_by_episode, &back.goals_by_episode);
    for (int g = 0; g < s.goals; g++) {
        same_curve(&s.goal[g], &back.goal[g]);
        assert_string_equal(s.goal_name[g], back.goal_name[g]);
        assert_true(s.goal_share[g] == back.goal_share[g]);
    }
    assert_true(s.final.mean == back.final.mean && s.final.error == back.final.error);
    assert_true(isnan(s.overlap.mean) ? isnan(back.overlap.mean)
                                      : s.overlap.mean == back.overlap.mean);
    assert_int_equal(s.conducts, back.conducts);
    for (int c = 0; c < s.conducts; c++)
        assert_true(s.conduct[c].value.mean == back.conduct[c].value.mean);
    assert_true(s.map == back.map && s.walls.n == back.walls.n && s.segment.n == back.segment.n);
    assert_true(s.visits.rows == back.visits.rows && s.visits.columns == back.visits.columns);
    for (int i = 0; i < s.visits.rows * s.visits.columns; i++)
        assert_true(s.visits.count[i] == back.visits.count[i]);
    assert_int_equal(s.rollout_trials, back.rollout_trials);
    for (int k = 0; s.rollout_trials && k < s.rollout_episodes[0]; k++)
        assert_int_equal(s.rollouts[k].n, back.rollouts[k].n);
    bex_exploration_summary_fini(&s);
    bex_exploration_summary_fini(&back);
    return r;
}

static void results_say_what_happened(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    json_t *agent = json_pack("{s:s}", "name", "scripted");
    // the segment: trial 1's second episode. Trial 1's overlap with it is certain
    bex_explore_about about = {.command = "bex explore",
                               .seed = 4,
                               .agent = agent,
                               .segment = e.trial[1].obs + LENGTH * e.O,
                               .segment_rows = LENGTH};
    json_t *r = results_of(&e, &about);
    assert_non_null(r);
    double values[TRIALS];
    for (int k = 1; k <= EPISODES; k++) {
        for (int i = 0; i < TRIALS; i++) values[i] = bex_explored_after_episodes(&e, i, k);
        bex_estimate s = bex_estimate_of(values, TRIALS);
        assert_true(number(r, "by_episode", "regions", "mean", (size_t)k - 1) == s.mean);
        assert_true(number(r, "by_episode", "regions", "error", (size_t)k - 1) == s.error);
    }
    assert_true(number(r, "by_episode", "repeated", "mean", 0) == 0);
    assert_true(number(r, "by_episode", "repeated", "mean", 1) > 0); // the start, at least
    assert_true(number(r, "by_step", "regions", "mean", 0) == 1);
    assert_int_equal(json_array_size(json_object_get(json_object_get(r, "overlap"), "trials")),
                     TRIALS);
    double share = 0, in_grid = 0;
    const json_t *occupancy = json_object_get(r, "occupancy");
    for (int k = 0; k < e.regions; k++)
        share += json_number_value(json_array_get(json_object_get(occupancy, "share"), (size_t)k));
    assert_true(fabs(share - 1) < 1e-12);
    const json_t *counts = json_object_get(json_object_get(occupancy, "grid"), "counts");
    for (size_t i = 0; i < json_array_size(counts); i++)
        in_grid += json_number_value(json_array_get(counts, i));
    assert_int_equal((int)in_grid, TRIALS * EPISODES * LENGTH);
    assert_int_equal(json_array_size(json_object_get(r, "rollouts")), 4);
    // the goal is far: nobody gets there in forty steps
    assert_true(number(r, "attempts", "goal", "reached", 0) == 0);
    json_decref(r), json_decref(agent);
    bex_explored_fini(&e);
}

static void rewards_end_attempts(void **state) {
    (void)state;
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    assert_int_equal(bex_explored_attempts(&e, 2), 0);
    e.trial[2].reward[2 * LENGTH - 1] = 1; // the last step of the second episode
    assert_int_equal(bex_explored_attempts(&e, 2), 2);
    bex_explored_fini(&e);
}

static void trajectories_read_back(void **state) {
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", scratch_path("explored.hdf5"));
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    unlink(path);
    if (bex_trajectories_save(&e, "bex explore", path) < 0) {
        if (!strstr(bex_error(), "HDF5")) fail_msg("%s", bex_error());
        bex_explored_fini(&e);
        skip();
    }
    bex_load_options o = BEX_LOAD_INIT;
    bex_dataset *d = bex_dataset_load(path, &o);
    assert_non_null(d);
    assert_int_equal(d->episodes, TRIALS * EPISODES);
    assert_int_equal(d->rows, TRIALS * EPISODES * LENGTH);
    for (int i = 0; i < TRIALS; i++) {
        size_t rows = EPISODES * LENGTH, at = (size_t)i * rows;
        assert_memory_equal(d->observations + at * 4, e.trial[i].obs, rows * 4 * sizeof(bex_real));
        assert_memory_equal(d->actions + at * 2, e.trial[i].act, rows * 2 * sizeof(bex_real));
    }
    bex_dataset_free(d);
    bex_explored_fini(&e);
    unlink(path);
}

/* A goal beside the start is found by some trials, in some episode: recounted from the recorded states. */
static void goals_are_counted_right(void **state) {
    (void)state;
    bex_world *whole = world;
    bex_world_options o = {.time_limit = LENGTH, .keys = "start=3,3\ngoal=3,4"};
    assert_int_equal(bex_world_open(&world, "maze2d-medium", &o), 0);
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    assert_int_equal(e.goals, 1);
    double found = 0;
    for (int i = 0; i < TRIALS; i++) {
        int first = -1, step = -1;
        for (int k = EPISODES - 1; k >= 0; k--)
            for (int t = LENGTH; t >= 0; t--) {
                const bex_real *obs = t < LENGTH ? e.trial[i].obs + (k * LENGTH + t) * e.O
                                                 : e.trial[i].final_obs + k * e.O;
                if (world->class->found(world, obs)) first = k, step = k * LENGTH + t;
            }
        for (int k = 0; k <= EPISODES; k++)
            assert_true(bex_explored_goals(&e, i, k) == (first >= 0 && first < k));
        assert_int_equal(e.trial[i].goal_step[0], step);
        for (int n = 0; n <= EPISODES * LENGTH; n++)
            assert_true(bex_explored_goals_after_steps(&e, i, n) == (step >= 0 && step <= n));
        found += (double)(first >= 0) / TRIALS;
    }
    assert_true(found > 0);
    json_t *agent = json_object(),
           *r = results_of(&e, &(bex_explore_about){.command = "x", .agent = agent});
    const json_t *goals = json_object_get(r, "goals");
    const json_t *mean = json_object_get(json_object_get(goals, "found"), "mean");
    assert_true(fabs(json_number_value(mean) - found) < 1e-12);
    assert_int_equal(json_array_size(json_object_get(goals, "reached")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(goals, "names"), 0)),
                        "goal (3,4)");
    // one goal: the share of goals found and the share of trials that found it are one curve
    const json_t *by_step = json_object_get(json_object_get(r, "by_step"), "goals");
    const json_t *each = json_array_get(json_object_get(by_step, "each"), 0);
    size_t points = json_array_size(json_object_get(by_step, "mean"));
    assert_int_equal(json_array_size(each), points);
    for (size_t n = 0; n < points; n++)
        assert_true(fabs(number(r, "by_step", "goals", "mean", n) -
                         json_number_value(json_array_get(each, n))) < 1e-12);
    assert_true(number(r, "final", "goals", "mean", 0) ==
                json_number_value(json_array_get(each, points - 1)));
    assert_true(json_is_null(json_array_get(json_array_get(json_object_get(goals, "first_step"), 0),
                                            0)) == (e.trial[0].goal_step[0] < 0));
    json_decref(r), json_decref(agent);
    bex_explored_fini(&e);
    bex_world_close(world);
    world = whole;
}

// two whole episodes and a piece of one; the same steps as without a budget, up to there
static void a_budget_is_used_to_the_last_step(void **state) {
    (void)state;
    enum { BUDGET = 2 * LENGTH + 7 };
    bex_actor *actors[TRIALS];
    bex_explored whole, e;
    assert_int_equal(explore(&whole, 0, 0), 0);
    set_the_stage(actors, 0);
    bex_explore_options o = {
        .world = world, .actors = actors, .trials = TRIALS, .steps = BUDGET, .seed = 4};
    assert_int_equal(bex_explore(&e, &o), 0);
    assert_int_equal(e.budget, BUDGET);
    assert_int_equal(bex_explored_least_steps(&e), BUDGET);
    for (int i = 0; i < TRIALS; i++) {
        const bex_trial *t = &e.trial[i];
        assert_int_equal(t->steps, BUDGET);
        assert_int_equal(t->episodes, 3);
        assert_int_equal(t->start[2], 2 * LENGTH);
        assert_int_equal(t->start[3], BUDGET);
        assert_int_equal(cast[i].ended, 3);
        assert_int_equal(cast[i].last, 7);
        assert_int_equal(cast[i].timeouts, 3); // the end of the budget is one
        for (int n = 0; n < BUDGET; n++)
            assert_int_equal(t->timeout[n], n % LENGTH == LENGTH - 1 || n == BUDGET - 1);
        assert_memory_equal(t->act, whole.trial[i].act, (size_t)BUDGET * 2 * sizeof(bex_real));
        // the state after the last action: the next row of the longer trial
        assert_memory_equal(t->final_obs + 2 * e.O, whole.trial[i].obs + BUDGET * e.O,
                            (size_t)e.O * sizeof(bex_real));
    }
    json_t *agent = json_object(),
           *r = results_of(&e, &(bex_explore_about){.command = "x", .agent = agent});
    assert_int_equal(json_integer_value(json_object_get(r, "budget")), BUDGET);
    assert_int_equal(json_integer_value(json_object_get(r, "episodes")), 3);
    const json_t *steps =
        json_object_get(json_object_get(json_object_get(r, "by_step"), "regions"), "step");
    size_t last = json_array_size(steps) - 1;
    assert_int_equal(json_integer_value(json_array_get(steps, last)), BUDGET);
    assert_true(number(r, "by_step", "regions", "mean", last) ==
                json_number_value(json_object_get(json_object_get(r, "final"), "mean")));
    json_decref(r), json_decref(agent);
    bex_explored_fini(&e), bex_explored_fini(&whole);
}

// an ant's walk, beside that of the demonstrations
static void ants_are_judged(void **state) {
    (void)state;
    bex_world *whole = world;
    bex_world_options o = {.time_limit = 15, .explore = true};
    assert_int_equal(bex_world_open(&world, "antmaze-umaze", &o), 0);
    bex_explored e;
    assert_int_equal(explore(&e, 0, 0), 0);
    json_t *agent = json_object();
    const bex_trial *t = &e.trial[0];
    bex_explore_about about = {.command = "x",
                               .agent = agent,
                               .demonstrations = t->obs,
                               .demonstration_rows = t->steps,
                               .demonstration_start = t->start,
                               .demonstration_episodes = t->episodes};
    json_t *r = results_of(&e, &about);
    double values[BEX_ENV_CONDUCT];
    assert_int_equal(world->class->judge(world, t->obs, t->start, t->episodes, values), 0);
    assert_true(values[2] > 0);
    const char *name = "metres_per_upright_step";
    const json_t *one = json_object_get(json_object_get(r, "conduct"), name);
    assert_int_equal(json_array_size(json_object_get(one, "trials")), TRIALS);
    assert_true(json_number_value(json_array_get(json_object_get(one, "trials"), 0)) == values[2]);
    assert_true(number(r, "demonstrations", "conduct", name, 0) == values[2]);
    assert_non_null(json_object_get(json_object_get(r, "demonstrations"), "grid"));
    json_decref(r), json_decref(agent);
    bex_explored_fini(&e);
    bex_world_close(world);
    world = whole;
}

static atomic_int patience;

static bool enough(void) {
    return atomic_fetch_sub(&patience, 1) <= 0;
}

// stopped again and again, at any step: the end is the same, bit for bit
static void a_stopped_exploration_goes_on(void **state) {
    (void)state;
    char folder[600];
    snprintf(folder, sizeof folder, "%s", scratch_path("stopped"));
    bex_actor *actors[TRIALS];
    bex_explored whole, e = {0};
    assert_int_equal(explore(&whole, 0, 0), 0);
    json_t *request = json_object();
    bex_explore_store *s = bex_explore_store_new(folder, request);
    json_decref(request);
    int code = BEX_EXPLORE_STOPPED, stops = 0;
    for (; code == BEX_EXPLORE_STOPPED; stops++) {
        bex_explored_fini(&e);
        bex_explore_store_free(s);
        s = bex_explore_store_open(folder);
        set_the_stage(actors, 0);
        atomic_store(&patience, TRIALS * LENGTH + 11 * stops);
        code = bex_explore(&e, &(bex_explore_options){.world = world,
                                                      .actors = actors,
                                                      .trials = TRIALS,
                                                      .episodes = EPISODES,
                                                      .seed = 4,
                                                      .threads = 1 + stops % 3,
                                                      .store = s,
                                                      .stop = enough});
        assert_true(stops < 20);
    }
    bex_explore_store_free(s);
    bex_explore_store_remove(folder);
    if (code < 0 && strstr(bex_error(), "HDF5")) {
        bex_explored_fini(&e), bex_explored_fini(&whole);
        skip();
    }
    if (code < 0) fail_msg("%s", bex_error());
    assert_true(stops > 2);
    for (int i = 0; i < TRIALS; i++) {
        assert_int_equal(cast[i].ended, EPISODES);
        assert_int_equal(cast[i].seen, EPISODES * LENGTH);
        assert_same_trial(&whole, &whole.trial[i], &e.trial[i]);
    }
    bex_explored_fini(&e), bex_explored_fini(&whole);
}

int main(void) {
    if (!bex_mj_version()) return skip_all("this build has no MuJoCo");
    bex_world_options o = {.time_limit = LENGTH, .keys = "splits=2\nstart=3,3"};
    if (bex_world_open(&world, "maze2d-medium", &o) < 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyone_is_called_in_turn),
        cmocka_unit_test(regions_are_counted_right),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(a_failing_actor_is_named),
        cmocka_unit_test(results_say_what_happened),
        cmocka_unit_test(rewards_end_attempts),
        cmocka_unit_test(trajectories_read_back),
        cmocka_unit_test(goals_are_counted_right),
        cmocka_unit_test(a_budget_is_used_to_the_last_step),
        cmocka_unit_test(ants_are_judged),
        cmocka_unit_test(a_stopped_exploration_goes_on),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_world_close(world);
    return code;
}
