/* SAC in a small world: it learns, gives the same bits on any number of threads and after loading, allocates
 * nothing, remembers what happened, and refuses what it cannot do; and `bex train` with it, stopped and
 * resumed. */
#include "agent/rl/sac.h"

#include "base/file.h"
#include "env/mj.h"
#include "host/folder.h"
#include "run/train.h"

#include "agent/point.h"
#include "malloc_count.h"
#include "scratch_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const char *const common[] = {
    "train.agent=sac", "env.instances=4", "sac.actor=24,24",         "sac.critic=24,24",
    "sac.replay=5000", "sac.start=200",   "sac.updates=2",           "sac.evaluate_episodes=16",
    "train.batch=32",  "train.lanes=2",   "sac.temperature=0.1",     "sac.critic_lr=3e-3",
    "train.threads=1", "train.seed=1",    "sac.temperature_lr=1e-2", "sac.actor_lr=3e-3",
};

// `settings`: "section.key=value" apart by spaces, after those above
static bex_train_config config_of(const char *settings) {
    bex_train_config c;
    char text[1024], *rest = NULL;
    bex_config_defaults(&bex_train_schema, &c);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (bex_config_set(&bex_train_schema, &c, common[i]) < 0) fail_msg("%s", bex_error());
    snprintf(text, sizeof text, "%s", settings);
    for (char *s = strtok_r(text, " ", &rest); s; s = strtok_r(NULL, " ", &rest))
        if (bex_config_set(&bex_train_schema, &c, s) < 0) fail_msg("%s", bex_error());
    return c;
}

static bex_agent *agent_in(const bex_env_class *class, const char *settings) {
    bex_train_config c = config_of(settings);
    bex_agent *a = bex_agent_new(&c, &(bex_sources){.world = point_open(class)});
    if (!a) fail_msg("%s: %s", settings, bex_error());
    return a;
}

static bex_update update(bex_agent *a, int64_t step) {
    bex_update u;
    if (a->class->update(a, step, &u) < 0) fail_msg("step %lld: %s", (long long)step, bex_error());
    return u;
}

static bex_evaluation judge(bex_agent *a) {
    bex_evaluation e;
    if (a->class->evaluate(a, &e) < 0) fail_msg("%s", bex_error());
    return e;
}

static void same_block(const bex_params *a, const bex_params *b) {
    assert_int_equal(a->step, b->step);
    assert_memory_equal(a->value, b->value, a->count * sizeof *a->value);
}

static void same_agents(bex_agent *a, bex_agent *b) {
    const bex_sac *s = (const bex_sac *)a, *t = (const bex_sac *)b;
    same_block(s->learner->params, t->learner->params);
    same_block(s->learner->critics.params, t->learner->critics.params);
    same_block(s->learner->critics.targets, t->learner->critics.targets);
    same_block(s->learner->temperature.params, t->learner->temperature.params);
    assert_int_equal(s->online.replay.added, t->online.replay.added);
    size_t states = (size_t)s->online.replay.size * (size_t)s->online.world->spec.state;
    assert_memory_equal(s->online.replay.rows.next, t->online.replay.rows.next,
                        states * sizeof(bex_real));
}

static void it_learns(void **state) {
    (void)state;
    static const bex_env_class *const worlds[] = {&point_class, &point_home_class};
    static const char *const methods[] = {
        "", "sac.critics=4 sac.subset=1 sac.layernorm=true sac.entropy_backup=false "
            "sac.objective=mean sac.actor_every=2 sac.temperature=0.05"};
    for (int w = 0; w < 2; w++)
        for (int m = 0; m < 2; m++) {
            bex_agent *a = agent_in(worlds[w], methods[m]);
            bex_evaluation before = judge(a);
            for (int i = 0; i < 600; i++) update(a, i);
            bex_evaluation after = judge(a);
            // the shortest way to the mark costs 0.8 on average, a point that stays 13
            if (!(after.more[0] > -2.5 && before.more[0] < -5 && after.more[2] > 0.9))
                fail_msg("%s, '%s': return %g to %g, near %g", worlds[w]->name, methods[m],
                         before.more[0], after.more[0], after.more[2]);
            assert_true(after.score == -after.more[0]);
            if (!w) assert_true(after.more[1] == 20);
            if (w) assert_true(after.more[1] < 8);
            a->class->free(a);
        }
}

static void it_remembers_what_happened(void **state) {
    (void)state;
    bex_agent *a = agent_in(&point_home_class, "sac.start=1000000");
    const bex_sac *s = (const bex_sac *)a;
    int ends = 0, timeouts = 0, reported = 0;
    for (int i = 0; i < 500; i++) {
        bex_update u = update(a, i);
        assert_true(isnan(u.loss)); // nothing is learned yet
        reported += !isnan(u.more[4]);
    }
    assert_int_equal(s->online.replay.size, 2000);
    for (int i = 0; i < s->online.replay.size; i++) {
        const bex_real *x = s->online.replay.rows.obs + 2 * i,
                       *y = s->online.replay.rows.next + 2 * i;
        double moved =
            fmax(-1.5, fmin(1.5, (double)x[0] + 0.3 * (double)s->online.replay.rows.act[i]));
        bool home = fabs(moved - (double)x[1]) < 0.1;
        assert_true(fabs(moved - (double)y[0]) < 1e-5 && x[1] == y[1]);
        assert_true(fabs((double)s->online.replay.rows.reward[i] + fabs(moved - (double)x[1])) <
                    1e-5);
        assert_true(s->online.replay.rows.mask[i] == (home ? R(0) : R(1)));
        ends += home;
    }
    for (int i = 0; i < 4; i++) timeouts += (int)s->online.rollout->batch->episodes[i];
    timeouts -= ends;
    assert_true(ends > 20 && timeouts > 20 && reported > 40);
    a->class->free(a);
}

static void same_bits_on_any_number_of_threads(void **state) {
    (void)state;
    bex_agent *a[3];
    bex_evaluation e[3];
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "train.lanes=3 train.threads=%d", i + 1);
        a[i] = agent_in(&point_home_class, text);
        for (int n = 0; n < 80; n++) update(a[i], n);
        e[i] = judge(a[i]);
        if (!i) continue;
        same_agents(a[0], a[i]);
        assert_memory_equal(&e[0], &e[i], sizeof e[0]);
    }
    for (int i = 0; i < 3; i++) a[i]->class->free(a[i]);
}

static void loading_continues_bit_for_bit(void **state) {
    (void)state;
    static const int stops[] = {3, 49,
                                77}; // while looking around, as learning starts, in the middle
    const char *folder = scratch_folder("sac");
    for (int k = 0; k < 3; k++) {
        bex_agent *a = agent_in(&point_home_class, ""), *b = agent_in(&point_home_class, "");
        for (int i = 0; i < stops[k]; i++) update(a, i);
        judge(a);
        assert_int_equal(a->class->save(a, folder), 0);
        if (b->class->load(b, folder) < 0) fail_msg("%s", bex_error());
        for (int i = stops[k]; i < stops[k] + 40; i++) update(a, i), update(b, i);
        same_agents(a, b);
        assert_true(judge(a).score == judge(b).score);
        a->class->free(a), b->class->free(b);
    }
    static const char *const others[][2] = {
        {"sac.actor=20,20", "actor.fc0.weight"},
        {"sac.critics=3", "critics.critic.0.weight"},
        {"sac.replay=100", "do not fit a replay of 100"},
        {"env.instances=5", "rollout.episode"},
        {"train.seed=2", "or another seed"},
    };
    for (int k = 0; k < 5; k++) {
        bex_agent *c = agent_in(&point_home_class, others[k][0]);
        assert_int_equal(c->class->load(c, folder), -1);
        assert_message("state.safetensors: ");
        assert_message(others[k][1]);
        c->class->free(c);
    }
    bex_folder_remove(folder);
}

static void the_model_file_is_a_controller(void **state) {
    (void)state;
    const char *folder = scratch_folder("controller");
    char path[600];
    bex_agent *a = agent_in(&point_class, "");
    assert_int_equal(a->class->save(a, folder), 0);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    bex_st_file *f = bex_st_load(path);
    assert_non_null(f);
    assert_int_equal(bex_st_count(f), 8);
    assert_non_null(bex_st_expect(f, "fc0.weight", 2, (int64_t[]){24, 2}));
    assert_non_null(bex_st_expect(f, "fc1.bias", 1, (int64_t[]){24}));
    assert_non_null(bex_st_expect(f, "mean.weight", 2, (int64_t[]){1, 24}));
    assert_non_null(bex_st_expect(f, "log_std.bias", 1, (int64_t[]){1}));
    assert_string_equal(bex_st_metadata(f, "world"), "point");
    assert_string_equal(bex_st_metadata(f, "format"), "bex-actor-1");
    bex_st_free(f);
    unlink(path); // training on needs the state alone: files of before had no format
    if (a->class->load(a, folder) < 0) fail_msg("%s", bex_error());
    bex_folder_remove(folder);
    a->class->free(a);
}

static void a_steady_update_allocates_nothing(void **state) {
    (void)state;
    if (!malloc_counted()) skip();
    bex_agent *a = agent_in(&point_home_class, "train.threads=2");
    for (int i = 0; i < 55; i++) update(a, i);
    judge(a);
    long before = malloc_calls();
    for (int i = 55; i < 75; i++) update(a, i);
    judge(a);
    assert_int_equal(malloc_calls(), before);
    a->class->free(a);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    static const char *const wrong[][2] = {
        {"", "no world to learn in: env.name is empty"},
        {"env.name=maze3d", "no environment 'maze3d'"},
        {"env.name=maze2d-umaze env.strt=3,1", "did you mean env.start?"},
        {"env.name=maze2d-umaze env.start=0,0", "start 0,0 is a wall"},
        {"env.name=maze2d-umaze sac.actor=12,x", "sac.actor: widths '12,x'"},
        {"env.name=maze2d-umaze sac.critic=", "sac.critic: widths ''"},
        {"env.name=maze2d-umaze sac.subset=3", "the least of 3 of 2 critics"},
        {"env.name=maze2d-umaze train.batch=2 train.lanes=4", "2 transitions for 4 lanes"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (i > 1 && !bex_mj_version()) break;
        bex_train_config c = config_of(wrong[i][0]);
        bex_sources sources;
        assert_true(bex_train_sources(&sources, &c) < 0 || !bex_agent_new(&c, &sources));
        assert_message(wrong[i][1]);
    }
    bex_agent *a = agent_in(&point_class, "");
    bex_update u;
    bex_replay_buffer *replay = &((bex_sac *)a)->online.replay;
    for (int i = 0; i < 50; i++) update(a, i);
    for (int i = 0; i < replay->size; i++) replay->rows.reward[i] = R(NAN);
    assert_int_equal(a->class->update(a, 50, &u), -1);
    assert_message("step 50: the critics' loss is");
    a->class->free(a);
}

/* ---- bex train ---- */

enum { STEPS = 300, PATH = 600 };

static pid_t start(const char *path, bool resume) {
    static char words[64][80];
    char *argv[64] = {BEX_BINARY_DIR "/bin/bex", "train", resume ? "--resume" : "--out",
                      (char *)(uintptr_t)path, "--quiet"};
    static const char *const more[] = {"env.name=maze2d-umaze", "env.time_limit=30",
                                       "train.log_every=7",     "train.evaluate_every=50",
                                       "train.save_every=80",   "train.keep=1"};
    int n = 5;
    size_t first = sizeof common / sizeof *common, all = first + sizeof more / sizeof *more;
    for (size_t i = 0; !resume && i < all; i++) {
        snprintf(words[n], sizeof words[n], "--%s", i < first ? common[i] : more[i - first]);
        argv[n] = words[n], n++;
    }
    snprintf(words[n], sizeof words[n], "--train.steps=%d", STEPS);
    argv[n] = words[n];
    pid_t child = fork();
    if (child) return child;
    if (!freopen("/dev/null", "w", stdout)) _exit(126);
    execv(argv[0], argv);
    _exit(127);
}

static void finish(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("status %d", status);
}

// until the run is being written, then a little
static void interrupt(pid_t child, const char *path) {
    char metrics[PATH + 16];
    siginfo_t info = {0};
    snprintf(metrics, sizeof metrics, "%s/metrics.csv", path);
    for (int i = 0; i < 20000 && access(metrics, F_OK) != 0 && info.si_pid != child; i++) {
        nanosleep(&(struct timespec){0, 2000000}, NULL);
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
    }
    nanosleep(&(struct timespec){0, 60000000}, NULL);
    kill(child, SIGINT);
}

static char *text_of(const char *run, const char *name, size_t *size) {
    char path[PATH + 80], *text;
    snprintf(path, sizeof path, "%s/%s", run, name);
    if (bex_file_read(&text, size, path, 1 << 26) < 0) fail_msg("%s", bex_error());
    return text;
}

// all but the two columns of time
static void same_metrics(const char *a, const char *b) {
    size_t n;
    char *x = text_of(a, "metrics.csv", &n), *y = text_of(b, "metrics.csv", &n);
    char *p = x, *q = y;
    int rows = 0;
    for (int column = 0; *p && *q; column++) {
        size_t i = strcspn(p, ",\n"), j = strcspn(q, ",\n");
        if (column != 7 && column != 8 && (i != j || memcmp(p, q, i) != 0))
            fail_msg("row %d, column %d: %.*s and %.*s", rows, column, (int)i, p, (int)j, q);
        assert_int_equal(p[i], q[j]);
        if (p[i] == '\n') rows++, column = -1;
        p += i + 1, q += j + 1;
    }
    assert_true(!*p && !*q && rows > 40);
    free(x);
    free(y);
}

static void a_run_stopped_and_resumed_is_the_same_run(void **state) {
    (void)state;
    if (!bex_mj_version()) skip();
    static const char *const files[] = {"model.safetensors", "state.safetensors"};
    char whole[PATH], halves[PATH];
    snprintf(whole, sizeof whole, "%s", scratch_path("sac-whole"));
    snprintf(halves, sizeof halves, "%s", scratch_path("sac-halves"));
    bex_folder_remove(whole), bex_folder_remove(halves);
    finish(start(whole, false));
    pid_t child = start(halves, false);
    interrupt(child, halves);
    finish(child);
    finish(start(halves, true));
    same_metrics(whole, halves);
    for (int i = 0; i < 2; i++) {
        char name[64];
        size_t n, m;
        snprintf(name, sizeof name, "checkpoints/%d/%s", STEPS, files[i]);
        char *x = text_of(whole, name, &n), *y = text_of(halves, name, &m);
        assert_int_equal(n, m);
        assert_memory_equal(x, y, n);
        free(x);
        free(y);
    }
    size_t n;
    char *csv = text_of(whole, "metrics.csv", &n);
    assert_non_null(
        strstr(csv, "step,loss,held_out,eval_return,eval_length,lr,grad_norm,windows_per_second,"
                    "data_share,actor_loss,q,entropy,temperature,"));
    free(csv);
    // the world cannot change under way
    bex_train_config c = config_of("env.name=maze2d-medium env.time_limit=30");
    bex_train_end end;
    bex_train_options o = {.run = whole, .command = "test", .resume = true};
    assert_int_equal(bex_train(&c, &o, &end), -1);
    assert_message("env.name cannot change when a run is resumed");
    c = config_of("env.name=maze2d-umaze env.time_limit=30 env.start=3,1");
    assert_int_equal(bex_train(&c, &o, &end), -1);
    assert_message("env.start cannot change when a run is resumed");
    bex_folder_remove(whole), bex_folder_remove(halves);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_learns),
        cmocka_unit_test(it_remembers_what_happened),
        cmocka_unit_test(same_bits_on_any_number_of_threads),
        cmocka_unit_test(loading_continues_bit_for_bit),
        cmocka_unit_test(the_model_file_is_a_controller),
        cmocka_unit_test(a_steady_update_allocates_nothing),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_run_stopped_and_resumed_is_the_same_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
