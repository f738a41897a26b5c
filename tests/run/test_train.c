/* `bex train` to the end, however it is interrupted: the same bytes after Ctrl-C, SIGTERM, kill -9 and a
 * full disk as without; metrics and events that agree; failures that leave the run usable. */
#include "run/train.h"

#include "data/writer.h"
#include "host/folder.h"
#include "run/checkpoint.h"

#include "agent/walks.h"
#include "run/event_reader.h"
#include "run/run_files.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { STEPS = 120, PATH = 700 };

static char root[512], data[PATH], whole[PATH]; // whole: the run nobody disturbed

static const char *in_root(const char *name) {
    static char path[8][PATH];
    static int at;
    at = (at + 1) % 8;
    snprintf(path[at], PATH, "%s/%s", root, name);
    return path[at];
}

/* ---- the program in a child ---- */

typedef struct options {
    const char *run, *more; // more: settings apart by spaces
    bool resume;
    long long most_bytes; // of a file; 0: no limit
} options;

static int add_words(char **argv, int n, char *text) {
    char *rest = NULL;
    for (char *w = strtok_r(text, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) argv[n++] = w;
    return n;
}

static pid_t start(const options *o) {
    static char settings[WALK_SETTINGS][80], more[1024];
    char *argv[64] = {BEX_BINARY_DIR "/bin/bex", "train"}, steps[40];
    int n = 2;
    snprintf(steps, sizeof steps, "--train.steps=%d", STEPS);
    snprintf(more, sizeof more, "%s", o->more ? o->more : "");
    if (o->resume) {
        argv[n++] = "--resume", argv[n++] = (char *)o->run;
    } else {
        argv[n++] = "--out", argv[n++] = (char *)o->run, argv[n++] = "--data", argv[n++] = data;
        for (int i = 0; i < WALK_SETTINGS; i++) {
            snprintf(settings[i], sizeof settings[i], "--%s", walk_settings[i]);
            argv[n++] = settings[i];
        }
        argv[n++] = steps;
    }
    add_words(argv, n, more);
    pid_t child = fork();
    if (child) return child;
    const char *log = in_root("log");
    int fd = open(log, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(fd, 1), dup2(fd, 2);
    if (o->most_bytes) {
        struct rlimit limit = {(rlim_t)o->most_bytes, (rlim_t)o->most_bytes};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    execv(argv[0], argv);
    _exit(127);
}

static int finish(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void must(const options *o, int code, const char *part) {
    int got = finish(start(o));
    const char *log = text_of(root, "log");
    if (got != code || (part && !strstr(log, part)))
        fail_msg("code %d, expected %d and '%s': %s", got, code, part ? part : "", log);
}

static void wait_ms(long ms) {
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

// until the run has written this file, or the child is gone
static void wait_for(pid_t child, const char *run, const char *name) {
    siginfo_t info = {0};
    for (int i = 0; i < 20000 && !exists(run, name) && info.si_pid != child; i++) {
        wait_ms(2);
        waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT);
    }
}

/* ---- comparison ---- */

static void same_file(const char *a, const char *b, const char *name) {
    char *text[2], path[2 * PATH];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/checkpoints/last/%s", i ? b : a, name);
        if (bex_file_read(&text[i], &size[i], path, 1 << 26) < 0) fail_msg("%s", bex_error());
    }
    if (size[0] != size[1] || memcmp(text[0], text[1], size[0]))
        fail_msg("%s differs between %s and %s", name, a, b);
    free(text[0]), free(text[1]);
}

// the rows without the two columns of time
static void timeless(char *out, const char *csv) {
    while (*csv) {
        size_t n = strcspn(csv, "\n"), keep = n;
        for (int comma = 0; comma < 2;)
            if (csv[--keep] == ',') comma++;
        memcpy(out, csv, keep), out += keep, *out++ = '\n';
        csv += n + (csv[n] == '\n');
    }
    *out = 0;
}

static void same_run(const char *a, const char *b) {
    static char rows[2][1 << 17];
    same_file(a, b, "model.safetensors");
    same_file(a, b, "state.safetensors");
    same_file(a, b, "checkpoint.json");
    timeless(rows[0], text_of(a, "metrics.csv"));
    timeless(rows[1], text_of(b, "metrics.csv"));
    assert_string_equal(rows[0], rows[1]);
    assert_string_equal(text_of(b, "status"), "finished\n");
}

/* ---- tests ---- */

static void a_run_is_a_function_of_its_config(void **state) {
    (void)state;
    options o = {.run = whole};
    must(&o, 0, "done: ");
    assert_non_null(strstr(text_of(root, "log"), "parameters "));
    assert_true(exists(whole, "checkpoints/best/model.safetensors"));
    o = (options){.run = in_root("threads"), .more = "--train.threads=3"};
    must(&o, 0, NULL);
    same_run(whole, o.run);
    // and the resolved config alone repeats it
    char command[4 * PATH];
    const char *again = in_root("again");
    snprintf(command, sizeof command, "%s/bin/bex train %s/config.ini --out %s --quiet >/dev/null",
             BEX_BINARY_DIR, whole, again);
    assert_int_equal(system(command), 0);
    same_run(whole, again);
}

static void metrics_have_every_column(void **state) {
    (void)state;
    char *csv = text_of(whole, "metrics.csv"), *rest = NULL;
    char *line = strtok_r(csv, "\n", &rest);
    assert_string_equal(line, "step,loss,held_out,other_history,no_coverage,lr,grad_norm,"
                              "windows_per_second,data_share");
    int rows = 0, judged = 0;
    while ((line = strtok_r(NULL, "\n", &rest))) {
        double step, loss, held, other, none, lr, norm, rate, share;
        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &step, &loss, &held,
                                &other, &none, &lr, &norm, &rate, &share),
                         9);
        assert_true(isnan(held) == isnan(other) && isnan(held) == isnan(none));
        assert_true(loss > 0 && loss < 20 && lr >= 0 && lr <= 1e-3 && norm > 0);
        assert_true(rate > 0 && share > 0 && share < 1);
        bool due = (int)step % 8 == 0 || (int)step % 10 == 0;
        assert_true(due ? held > 0 : isnan(held));
        rows++, judged += due;
    }
    assert_int_equal(rows, 36); // multiples of 4 or 10 up to 120
    assert_int_equal(judged, 24);
}

static const char *const tags[] = {"loss", "held_out",  "other_history",      "no_coverage",
                                   "lr",   "grad_norm", "windows_per_second", "data_share"};
enum { TAGS = sizeof tags / sizeof *tags };

// all files' scalars by (step, tag) against the rows of metrics.csv; returns the rows
static int events_agree(const char *run) {
    static double value[STEPS + 1][TAGS];
    char **names, path[2 * PATH], *text;
    for (int i = 0; i <= STEPS; i++)
        for (int k = 0; k < TAGS; k++) value[i][k] = (double)NAN;
    int files = bex_folder_list(&names, run), summaries = 0;
    for (int i = 0; i < files; i++) {
        if (strncmp(names[i], "events.", 7)) continue;
        snprintf(path, sizeof path, "%s/%s", run, names[i]);
        for (span s = load(&text, path); s.at < s.end;) {
            event e = read_event(next_record(&s));
            if (!e.summary.at) continue;
            summaries++;
            for (field f; next_field(&e.summary, &f);) {
                field tag = {0}, number = {0};
                assert_true(next_field(&f.bytes, &tag) && next_field(&f.bytes, &number));
                for (int k = 0; k < TAGS; k++) {
                    if (!is(tag.bytes, tags[k])) continue;
                    assert_true(isnan(value[e.step][k])); // one branch only
                    value[e.step][k] = number.real;
                }
            }
        }
        free(text);
    }
    free(names);
    char *rest = NULL, *csv = text_of(run, "metrics.csv");
    strtok_r(csv, "\n", &rest);
    int rows = 0;
    for (char *line; (line = strtok_r(NULL, "\n", &rest)); rows++) {
        char *at = line;
        long step = strtol(at, &at, 10);
        for (int k = 0; k < TAGS; k++) {
            double x = strtod(at + 1, &at), y = value[step][k];
            if (!(isnan(x) && isnan(y)) && !(fabs(x - y) <= 1e-6 * fabs(x)))
                fail_msg("step %ld, %s: %g in metrics.csv, %g in events", step, tags[k], x, y);
        }
    }
    assert_int_equal(rows, summaries);
    return rows;
}

static void events_and_metrics_agree(void **state) {
    (void)state;
    assert_int_equal(events_agree(whole), 36);
}

// asked to stop at a moment of chance, then the command it printed
static void stopped_by(int number, const char *name, unsigned delay) {
    options o = {.run = in_root(name)};
    bex_folder_remove(o.run);
    pid_t child = start(&o);
    wait_for(child, o.run, "metrics.csv");
    wait_ms(delay);
    kill(child, number);
    int code = finish(child);
    if (code != 0) fail_msg("code %d: %s", code, text_of(root, "log"));
    char *log = text_of(root, "log"), *printed = strstr(log, "go on with: ");
    if (!printed) return; // it was done before
    assert_non_null(strstr(log, "stopped and saved"));
    char command[4 * PATH], bex[PATH] = "";
    assert_int_equal(sscanf(printed, "go on with: %690[^\n]", bex), 1);
    assert_string_equal(text_of(o.run, "status"), "stopped\n");
    snprintf(command, sizeof command, "PATH=%s/bin:$PATH %s --quiet > /dev/null", BEX_BINARY_DIR,
             bex);
    assert_int_equal(system(command), 0);
    same_run(whole, o.run);
    assert_int_equal(events_agree(o.run), 36);
}

static void ctrl_c_and_sigterm_lose_nothing(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        stopped_by(SIGINT, "int", 17 * i);
        stopped_by(SIGTERM, "term", 11 * i);
    }
}

static void a_normal_stop_can_go_on(void **state) {
    (void)state;
    // the rate's schedule knows the last step, so half a run is one that was stopped there
    options o = {.run = in_root("more"), .more = "--train.steps=60"};
    must(&o, 0, "done: ");
    o = (options){.run = o.run, .resume = true, .more = "--train.steps=120"};
    must(&o, 0, "done: ");
    assert_non_null(strstr(text_of(o.run, "config.ini"), "steps = 120"));
    assert_string_equal(text_of(o.run, "status"), "finished\n");
    // finished: nothing to do, nothing changes
    options again = {.run = whole, .resume = true};
    static char before[1 << 17];
    snprintf(before, sizeof before, "%s", text_of(whole, "metrics.csv"));
    must(&again, 0, "done: ");
    assert_string_equal(text_of(whole, "metrics.csv"), before);
    again.more = "--train.steps=50 --train.warmup=1";
    must(&again, 1, "is at step 120, past train.steps 50");
    assert_string_equal(text_of(whole, "status"), "finished\n");
}

static void random_kills_lose_nothing(void **state) {
    (void)state;
    bex_rng g = bex_rng_seed(5);
    options o = {.run = in_root("killed"), .more = "--train.save_every=3 --train.keep=1"};
    const char *calm = in_root("calm");
    options c = {.run = calm, .more = o.more};
    must(&c, 0, NULL);
    int kills = 0;
    for (int i = 0; i < 14; i++) {
        options now = o;
        now.resume = exists(o.run, "provenance.json");
        if (now.resume) now.more = NULL;
        pid_t child = start(&now);
        wait_for(child, o.run, "provenance.json");
        wait_ms((long)bex_rng_below(&g, 60));
        kill(child, SIGKILL);
        kills += finish(child) == -SIGKILL;
    }
    assert_true(kills > 3);
    o.resume = true, o.more = NULL;
    must(&o, 0, "done: ");
    same_run(calm, o.run);
    events_agree(o.run);
    char **names, path[2 * PATH];
    snprintf(path, sizeof path, "%s/checkpoints", o.run);
    int count = bex_folder_list(&names, path);
    for (int i = 0; i < count; i++) assert_null(strstr(names[i], ".tmp"));
    free(names);
}

static void a_full_disk_keeps_the_last_checkpoint(void **state) {
    (void)state;
    options o = {.run = in_root("full")};
    do { // until the signal comes before the end
        bex_folder_remove(o.run);
        pid_t child = start(&o);
        wait_for(child, o.run, "checkpoints/last/model.safetensors");
        kill(child, SIGINT);
        assert_int_equal(finish(child), 0);
    } while (strcmp(text_of(o.run, "status"), "stopped\n") != 0);
    options full = {.run = o.run, .resume = true, .most_bytes = 30000};
    must(&full, 1, "File too large");
    assert_int_equal(strncmp(text_of(o.run, "status"), "failed: ", 8), 0);
    assert_non_null(strstr(text_of(root, "log"), " is intact: --resume "));
    bex_checkpoint *list;
    int count = bex_checkpoint_list(&list, o.run);
    assert_true(count > 0 && list[count - 1].resumable);
    free(list);
    options again = {.run = o.run, .resume = true};
    must(&again, 0, "done: ");
    same_run(whole, o.run);
    // from the start: no checkpoint, and no word of one
    options none = {.run = in_root("none"), .most_bytes = 30000};
    must(&none, 1, "File too large");
    assert_null(strstr(text_of(root, "log"), "intact"));
    none.resume = true, none.most_bytes = 0;
    must(&none, 0, "done: ");
    same_run(whole, none.run);
}

static void a_loss_that_is_not_finite_stops(void **state) {
    (void)state;
    options o = {.run = in_root("wild"),
                 .more = "--train.lr=1 --train.warmup=40 --model.waypoints=false "
                         "--model.features=false"};
    int code = finish(start(&o));
    char *log = text_of(root, "log");
    if (code != 1 || !strstr(log, " at step ") || !strstr(log, "a smaller train.lr"))
        fail_msg("code %d: %s", code, log);
    assert_non_null(strstr(log, " is intact: --resume "));
    char *status = text_of(o.run, "status");
    assert_int_equal(strncmp(status, "failed: ", 8), 0);
    assert_non_null(strstr(status, "at step "));
    options calm = {.run = o.run, .resume = true, .more = "--train.lr=1e-3"};
    must(&calm, 0, "done: ");
    assert_string_equal(text_of(o.run, "status"), "finished\n");
}

static void what_cannot_be_resumed_is_left_alone(void **state) {
    (void)state;
    static char config[1 << 16];
    snprintf(config, sizeof config, "%s", text_of(whole, "config.ini"));
    static const struct {
        const char *more, *part;
    } bad[] = {
        {"--model.width=32", "model.width cannot change when a run is resumed"},
        {"--model.mode=full", "model.mode cannot change"},
        {"--coverage.future=9", "coverage.future cannot change"},
        {"--train.seed=3", "trained on other demonstrations, or another part of them"},
        {"--data.path=/no/such.hdf5", "/no/such.hdf5"},
        {"--out elsewhere", "no --out"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options o = {.run = whole, .resume = true, .more = bad[i].more};
        int code = finish(start(&o));
        char *log = text_of(root, "log");
        if (code == 0 || code > 2 || !strstr(log, bad[i].part)) fail_msg("code %d: %s", code, log);
        assert_string_equal(text_of(whole, "config.ini"), config);
        assert_string_equal(text_of(whole, "status"), "finished\n");
    }
    options twice = {.run = whole};
    must(&twice, 1, "exists (--resume ");
    // how it acts may change
    options deploy = {.run = whole, .resume = true, .more = "--deploy.guidance=3"};
    must(&deploy, 0, "done: ");
}

// config.ini is a file that anybody may edit; the checkpoint knows what its weights are of
static void an_edited_config_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *was, *now, *part;
    } edits[] = {
        {"agent = be", "agent = bc-history", "cannot change when a run is resumed"},
        {"mode = prefix", "mode = full", "model.mode cannot change when a run is resumed"},
    };
    char path[700], *config = strdup(text_of(whole, "config.ini"));
    snprintf(path, sizeof path, "%s/config.ini", whole);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *at = strstr(config, edits[i].was);
        if (!at) fail_msg("no '%s' in %s", edits[i].was, config);
        FILE *f = fopen(path, "wb");
        fprintf(f, "%.*s%s%s", (int)(at - config), config, edits[i].now, at + strlen(edits[i].was));
        fclose(f);
        options o = {.run = whole, .resume = true};
        must(&o, 1, edits[i].part);
    }
    FILE *f = fopen(path, "wb");
    fputs(config, f);
    fclose(f);
    free(config);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("train"));
    bex_folder_remove(root);
    assert_int_equal(bex_folder_make(root), 0);
    snprintf(data, sizeof data, "%s", in_root("walks.hdf5"));
    snprintf(whole, sizeof whole, "%s", in_root("whole"));
    bex_dataset *walks = walks_new(0);
    int saved = bex_dataset_save(walks, data);
    bex_dataset_free(walks);
    if (saved < 0) {
        bex_folder_remove(root);
        return skip_all(bex_error());
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_a_function_of_its_config),
        cmocka_unit_test(metrics_have_every_column),
        cmocka_unit_test(events_and_metrics_agree),
        cmocka_unit_test(ctrl_c_and_sigterm_lose_nothing),
        cmocka_unit_test(random_kills_lose_nothing),
        cmocka_unit_test(a_full_disk_keeps_the_last_checkpoint),
        cmocka_unit_test(a_loss_that_is_not_finite_stops),
        cmocka_unit_test(a_normal_stop_can_go_on),
        cmocka_unit_test(what_cannot_be_resumed_is_left_alone),
        cmocka_unit_test(an_edited_config_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (!failed) bex_folder_remove(root);
    return failed;
}
