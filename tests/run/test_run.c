/* The run directory: what a user finds in it, what is refused, and what is left after a kill, a full
 * disk and a second process. */
#include "run/run.h"

#include "base/error.h"
#include "base/file.h"
#include "host/folder.h"
#include "host/json.h"
#include "run/checkpoint.h"
#include "run/provenance.h"

#include "run/run_files.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

typedef struct train_config {
    long long steps;
} train_config;
typedef struct config {
    train_config train;
} config;
static const bex_config_row train_rows[] = {
    BEX_CONFIG_INTEGER(train_config, steps, "1000", 1, 1e9, "optimiser steps"), BEX_CONFIG_END};
static const bex_config_section sections[] = {{"train", train_rows, 0, "optimisation"}};
static const bex_config_schema schema = {.sections = sections, .count = 1};
static const char *const columns[] = {"loss", "held_out_loss"};

static config defaults = {{1000}};
static char root[512];

static bex_run_setup setup_of(const char *name) {
    static char path[4][700];
    static int at;
    at = (at + 1) % 4;
    snprintf(path[at], sizeof path[at], "%s/%s", root, name);
    return (bex_run_setup){.path = path[at],
                           .schema = &schema,
                           .config = &defaults,
                           .command = "bex train --data x.hdf5",
                           .seed = 7,
                           .columns = columns,
                           .column_count = 2,
                           .keep = 2};
}

static int put(const char *folder, const char *name, long long step) {
    char path[1400];
    bex_file_out out;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (bex_file_create(&out, path, 1) < 0) return -1;
    for (int i = 0; i < 500; i++) fprintf(out.stream, "%lld\n", step);
    return bex_file_commit(&out);
}

static int save(bex_run *run, long long step, double score) {
    char folder[BEX_RUN_PATH_SIZE];
    if (bex_run_checkpoint_begin(run, step, folder) < 0) return -1;
    if (put(folder, "model.safetensors", step) < 0 || put(folder, "state.safetensors", step) < 0) {
        bex_run_checkpoint_discard(run, step);
        return -1;
    }
    return bex_run_checkpoint_commit(run, step, score);
}

static int train(bex_run *run, long long first, long long last, long long every) {
    for (long long step = first; step <= last; step++) {
        double values[] = {1.0 / (double)step, step % every ? (double)NAN : 2.0 / (double)step};
        if (bex_run_log(run, step, values) < 0) return -1;
        if (step % every == 0 && save(run, step, values[1]) < 0) return -1;
    }
    return 0;
}

static void a_user_finds_everything(void **state) {
    (void)state;
    bex_run_setup s = setup_of("new/deeper/full/");
    bex_run *run = bex_run_create(&s);
    if (!run) fail_msg("%s", bex_error());
    assert_string_equal(text_of(s.path, "status"), "running\n");
    assert_int_equal(train(run, 1, 5, 2), 0);
    assert_int_equal(bex_run_close(run, BEX_RUN_FINISHED, NULL), 0);
    assert_string_equal(text_of(s.path, "status"), "finished\n");
    assert_string_equal(text_of(s.path, "command.txt"), "bex train --data x.hdf5\n");
    assert_string_equal(text_of(s.path, "metrics.csv"),
                        "step,loss,held_out_loss\n1,1,nan\n2,0.5,1\n3,0.333333333,nan\n"
                        "4,0.25,0.5\n5,0.2,nan\n");
    char path[1400];
    config c;
    bex_config_defaults(&schema, &c);
    snprintf(path, sizeof path, "%s/provenance.json", s.path);
    json_t *p = bex_json_load(path);
    static const char *const texts[] = {"command", "version", "commit", "compiler", "started"};
    for (int i = 0; i < 5; i++) assert_true(json_is_string(json_object_get(p, texts[i])));
    assert_int_equal(json_integer_value(json_object_get(p, "seed")), 7);
    assert_true(json_is_object(json_object_get(p, "machine")));
    assert_true(strlen(bex_build_commit()) >= 7);
    json_decref(p);
    assert_int_equal(bex_run_config(s.path, &schema, &c), 0);
    assert_int_equal(c.train.steps, 1000);
}

static void keep_spares_last_and_best(void **state) {
    (void)state;
    bex_run_setup s = setup_of("keep");
    bex_run *run = bex_run_create(&s);
    const double scores[] = {5, 2, 3, NAN, 4, 2.5};
    for (int i = 0; i < 6; i++) {
        assert_int_equal(save(run, 10 * (i + 1), scores[i]), 0);
        if (i == 0)
            assert_string_equal(text_of(s.path, "checkpoints/best/checkpoint.json"),
                                "{\n  \"step\": 10,\n  \"score\": 5.0\n}\n");
    }
    bex_checkpoint *list;
    assert_int_equal(bex_checkpoint_list(&list, s.path), 3);
    assert_true(list[0].step == 20 && list[1].step == 50 && list[2].step == 60);
    assert_true(list[0].score == 2 && list[0].resumable);
    free(list);
    char model[1400];
    assert_int_equal(bex_checkpoint_model(model, sizeof model, s.path, false), 0);
    assert_non_null(strstr(model, "checkpoints/60/model.safetensors"));
    assert_int_equal(bex_checkpoint_model(model, sizeof model, s.path, true), 0);
    assert_non_null(strstr(model, "checkpoints/20/model.safetensors"));
    assert_int_equal(strncmp(text_of(s.path, "checkpoints/last/model.safetensors"), "60\n", 3), 0);
    assert_int_equal(strncmp(text_of(s.path, "checkpoints/best/model.safetensors"), "20\n", 3), 0);
    // the links serve as paths, and a model file means itself
    char last[1400];
    snprintf(last, sizeof last, "%s/checkpoints/last", s.path);
    assert_int_equal(bex_checkpoint_model(model, sizeof model, last, false), 0);
    assert_int_equal(bex_checkpoint_model(last, sizeof last, model, false), 0);
    assert_string_equal(last, model);
    // the same step again: kept
    assert_int_equal(save(run, 60, NAN), 0);
    assert_int_equal(bex_checkpoint_list(&list, s.path), 3);
    assert_true(list[2].score == 2.5);
    free(list);
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    assert_string_equal(text_of(s.path, "status"), "stopped\n");

    assert_int_equal(bex_checkpoint_model(model, sizeof model, root, false), -1);
    assert_message("is neither a run nor a checkpoint");
    assert_int_equal(bex_checkpoint_model(model, sizeof model, "/no/such", false), -1);
    assert_message("/no/such");
}

static void never_overwritten_without_force(void **state) {
    (void)state;
    bex_run_setup s = setup_of("force");
    bex_run *run = bex_run_create(&s);
    assert_int_equal(train(run, 1, 4, 2), 0);
    assert_null(bex_run_create(&s));
    assert_message("force' exists (--resume ");
    s.force = true;
    assert_null(bex_run_create(&s)); // it is being written
    assert_message("is in use by process ");
    bex_run_start start;
    s.force = false;
    assert_null(bex_run_resume(&s, &start));
    assert_message("is in use by process ");
    bex_run_close(run, BEX_RUN_FAILED, "loss is nan\nat step 4");
    assert_string_equal(text_of(s.path, "status"), "failed: loss is nan at step 4\n");
    assert_null(bex_run_create(&s));
    assert_true(exists(s.path, "checkpoints/4/model.safetensors"));

    s.force = true;
    assert_non_null(run = bex_run_create(&s));
    assert_string_equal(text_of(s.path, "metrics.csv"), "step,loss,held_out_loss\n");
    assert_false(exists(s.path, "checkpoints/4"));
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    char **names;
    int count = bex_folder_list(&names, root);
    for (int i = 0; i < count; i++) assert_null(strstr(names[i], "replaced"));
    free(names);

    // a directory of something else is nobody's run, force or not
    s = setup_of("papers");
    bex_folder_make(s.path);
    put(s.path, "thesis.tex", 1);
    for (int force = 0; force < 2; force++) {
        s.force = force;
        assert_null(bex_run_create(&s));
        assert_message("papers' exists and is not a run");
    }
    assert_true(exists(s.path, "thesis.tex"));
    assert_null(bex_run_resume(&s, &start));
    assert_message("papers' is not a run");
    config c;
    assert_int_equal(bex_run_config(s.path, &schema, &c), -1);
    // an empty one is as good as none
    s = setup_of("empty");
    bex_folder_make(s.path);
    assert_non_null(run = bex_run_create(&s));
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    s = setup_of("papers/thesis.tex");
    assert_null(bex_run_create(&s));
    assert_message("is a file, not a run");
    s.path = "";
    assert_null(bex_run_create(&s));
    assert_message("a run needs a name");
}

static void resume_ignores_what_a_kill_left(void **state) {
    (void)state;
    bex_run_setup s = setup_of("killed");
    bex_run *run = bex_run_create(&s);
    assert_int_equal(train(run, 1, 7, 2), 0);
    bex_run_close(run, BEX_RUN_RUNNING, NULL); // as a kill leaves it
    char path[1400];
    snprintf(path, sizeof path, "%s/checkpoints/8.tmp", s.path);
    bex_folder_make(path);
    put(path, "model.safetensors", 8);
    snprintf(path, sizeof path, "%s/checkpoints/9", s.path); // a model someone copied in
    bex_folder_make(path);
    put(path, "model.safetensors", 9);
    snprintf(path, sizeof path, "%s/checkpoints/10", s.path);
    bex_folder_make(path);
    snprintf(path, sizeof path, "%s/metrics.csv", s.path);
    FILE *f = fopen(path, "ab");
    fputs("8,0.1", f);
    fclose(f);

    bex_run_start start;
    config more = {{2000}};
    s.config = &more;
    s.command = "bex train --resume killed";
    assert_non_null(run = bex_run_resume(&s, &start));
    assert_int_equal(start.step, 6);
    assert_non_null(strstr(start.folder, "killed/checkpoints/6"));
    assert_true(exists(start.folder, "state.safetensors"));
    assert_false(exists(s.path, "checkpoints/8.tmp"));
    assert_int_equal(train(run, 7, 10, 2), 0);
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    char resumed[4096];
    snprintf(resumed, sizeof resumed, "%s", text_of(s.path, "metrics.csv"));
    assert_string_equal(text_of(s.path, "command.txt"),
                        "bex train --data x.hdf5\nbex train --resume killed\n");
    assert_non_null(strstr(text_of(s.path, "config.ini"), "2000"));
    snprintf(path, sizeof path, "%s/provenance.json", s.path);
    json_t *p = bex_json_load(path);
    json_t *entry = json_array_get(json_object_get(p, "resumed"), 0);
    assert_int_equal(json_integer_value(json_object_get(entry, "step")), 6);
    assert_string_equal(json_string_value(json_object_get(p, "command")),
                        "bex train --data x.hdf5");
    json_decref(p);

    // as if never interrupted
    s = setup_of("whole");
    run = bex_run_create(&s);
    train(run, 1, 10, 2);
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    assert_string_equal(resumed, text_of(s.path, "metrics.csv"));
    // other columns are another experiment
    s.column_count = 1;
    assert_null(bex_run_resume(&s, &start));
    assert_message("metrics.csv:1: another header");
}

static void resume_without_a_checkpoint_begins_anew(void **state) {
    (void)state;
    bex_run_setup s = setup_of("young");
    bex_run *run = bex_run_create(&s);
    assert_int_equal(bex_run_log(run, 0, (double[]){1, 2}), 0);
    bex_run_close(run, BEX_RUN_RUNNING, NULL);
    bex_run_start start;
    assert_non_null(run = bex_run_resume(&s, &start));
    assert_int_equal(start.step, -1);
    assert_string_equal(start.folder, "");
    assert_string_equal(text_of(s.path, "metrics.csv"), "step,loss,held_out_loss\n");
    char model[1400];
    assert_int_equal(bex_checkpoint_model(model, sizeof model, s.path, false), -1);
    assert_message("has no checkpoint yet");
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
}

static void a_full_disk_spares_the_last_checkpoint(void **state) {
    (void)state;
    bex_run_setup s = setup_of("disk");
    bex_run *run = bex_run_create(&s);
    assert_int_equal(train(run, 1, 2, 2), 0);
    struct rlimit was, small;
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = 900; // enough for metrics, not for a model
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    int code = save(run, 4, 0.1);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_int_equal(code, -1);
    assert_message("File too large");
    assert_false(exists(s.path, "checkpoints/4"));
    assert_false(exists(s.path, "checkpoints/4.tmp"));
    assert_int_equal(strncmp(text_of(s.path, "checkpoints/last/state.safetensors"), "2\n", 2), 0);
    bex_run_close(run, BEX_RUN_FAILED, bex_error());
    // a caller that commits without a model is told
    bex_run_start start;
    char folder[BEX_RUN_PATH_SIZE];
    assert_non_null(run = bex_run_resume(&s, &start));
    assert_int_equal(start.step, 2);
    assert_int_equal(bex_run_checkpoint_begin(run, 3, folder), 0);
    assert_int_equal(bex_run_checkpoint_commit(run, 3, NAN), -1);
    assert_message("lacks model.safetensors or state.safetensors");
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    // a run that cannot even begin leaves nothing
    s = setup_of("never");
    small.rlim_cur = 10;
    setrlimit(RLIMIT_FSIZE, &small);
    run = bex_run_create(&s);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_null(run);
    assert_message("File too large");
    assert_false(bex_folder_exists(s.path));
}

// a child trains as fast as it can and is killed wherever it happens to be
static void random_kills_lose_no_checkpoint(void **state) {
    (void)state;
    bex_run_setup s = setup_of("kills");
    bex_run *run = bex_run_create(&s);
    bex_run_close(run, BEX_RUN_RUNNING, NULL);
    bex_run_start start;
    long long reached = -1;
    for (int round = 0; round < 12; round++) {
        pid_t child = fork();
        if (child == 0) {
            run = bex_run_resume(&s, &start);
            if (run) train(run, start.step < 0 ? 1 : start.step + 1, 1 << 30, 3);
            _exit(1);
        }
        nanosleep(&(struct timespec){0, 3000000L + 7000000L * (round % 5)}, NULL);
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        assert_true(WIFSIGNALED(status));
        bex_checkpoint *list;
        int count = bex_checkpoint_list(&list, s.path);
        assert_true(count >= 0);
        long long newest = count ? list[count - 1].step : -1;
        assert_true(newest >= reached);
        for (int i = 0; i < count; i++) {
            char name[64];
            assert_true(list[i].resumable);
            snprintf(name, sizeof name, "checkpoints/%lld/state.safetensors", list[i].step);
            assert_int_equal(atoll(text_of(s.path, name)), list[i].step);
        }
        free(list);
        reached = newest;
    }
    assert_non_null(run = bex_run_resume(&s, &start));
    assert_int_equal(start.step, reached);
    long long goal = (reached < 0 ? 0 : reached) + 5;
    assert_int_equal(train(run, reached < 0 ? 1 : reached + 1, goal, 3), 0);
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    // the metrics of twelve killed runs are those of one
    char killed[1400];
    size_t size, other;
    char *a, *b;
    snprintf(killed, sizeof killed, "%s/metrics.csv", s.path);
    assert_int_equal(bex_file_read(&a, &size, killed, 1 << 26), 0);
    s = setup_of("unkilled");
    run = bex_run_create(&s);
    for (long long step = 1; step <= goal; step++)
        bex_run_log(run, step,
                    (double[]){1.0 / (double)step, step % 3 ? (double)NAN : 2.0 / (double)step});
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    snprintf(killed, sizeof killed, "%s/metrics.csv", s.path);
    assert_int_equal(bex_file_read(&b, &other, killed, 1 << 26), 0);
    assert_true(size == other && !memcmp(a, b, size));
    free(a), free(b);
}

static int entries(const char *part) {
    char **names;
    int count = bex_folder_list(&names, root), found = 0;
    for (int i = 0; i < count; i++) found += strstr(names[i], part) != NULL;
    free(names);
    return found;
}

// four at once: one has the run, whole, and the others have removed nothing of it
static void of_many_starts_one_wins(void **state) {
    (void)state;
    for (int round = 0; round < 25; round++) {
        bex_run_setup s = setup_of("race");
        pid_t child[4];
        int won = 0;
        for (int i = 0; i < 4; i++)
            if ((child[i] = fork()) == 0) {
                bex_run *run = bex_run_create(&s);
                if (!run) _exit(1);
                train(run, 1, 2, 2);
                _exit(bex_run_close(run, BEX_RUN_FINISHED, NULL) ? 2 : 0);
            }
        for (int i = 0; i < 4; i++) {
            int status;
            waitpid(child[i], &status, 0);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            won += WEXITSTATUS(status) == 0;
        }
        assert_int_equal(won, 1);
        static const char *const files[] = {"config.ini", "command.txt", "provenance.json", "lock",
                                            "checkpoints/2/model.safetensors"};
        for (int i = 0; i < 5; i++) assert_true(exists(s.path, files[i]));
        assert_string_equal(text_of(s.path, "metrics.csv"),
                            "step,loss,held_out_loss\n1,1,nan\n2,0.5,1\n");
        assert_string_equal(text_of(s.path, "status"), "finished\n");
        assert_int_equal(entries("race.new"), 0);
        bex_folder_remove(s.path);
    }
}

static pid_t a_dead_process(void) {
    pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

// what a kill leaves in the middle of a start is in nobody's way
static void a_start_that_was_killed_is_begun_again(void **state) {
    (void)state;
    bex_run_setup s = setup_of("begun");
    bex_run_start start;
    char half[1400];
    for (int resume = 0; resume < 2; resume++) {
        snprintf(half, sizeof half, "%s.new-%d", s.path, (int)a_dead_process());
        bex_folder_make(half);
        put(half, "config.ini", 1), put(half, "lock", 1), put(half, "status.tmp-1-0", 1);
        if (resume) {
            assert_null(bex_run_resume(&s, &start));
            assert_message("begun' is not a run (it was stopped before it began: start it again");
        }
        bex_run *run = bex_run_create(&s);
        if (!run) fail_msg("%s", bex_error());
        bex_run_close(run, BEX_RUN_FINISHED, NULL);
        assert_int_equal(entries("begun.new"), 0);
        assert_false(exists(s.path, "status.tmp-1-0"));
        bex_folder_remove(s.path);
    }
    // one that is being made stays
    snprintf(half, sizeof half, "%s.new-1", s.path);
    bex_folder_make(half);
    bex_run *run = bex_run_create(&s);
    bex_run_close(run, BEX_RUN_FINISHED, NULL);
    assert_true(bex_folder_exists(half));
}

// --force that is killed between the old and the new: the old one is back
static void a_replacement_that_was_killed_is_undone(void **state) {
    (void)state;
    bex_run_setup s = setup_of("old");
    bex_run *run = bex_run_create(&s);
    assert_int_equal(train(run, 1, 4, 2), 0);
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    char aside[1400];
    bex_run_start start;
    snprintf(aside, sizeof aside, "%s.replaced-%d", s.path, (int)a_dead_process());
    assert_int_equal(rename(s.path, aside), 0);
    assert_null(bex_run_create(&s));
    assert_message("old' exists (--resume ");
    assert_int_equal(rename(s.path, aside), 0);
    assert_non_null(run = bex_run_resume(&s, &start));
    assert_int_equal(start.step, 4);
    assert_int_equal(entries("old.replaced"), 0);
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    // a place that was taken since: nothing is removed
    assert_int_equal(rename(s.path, aside), 0);
    bex_folder_make(s.path);
    put(s.path, "thesis.tex", 1);
    assert_null(bex_run_create(&s));
    assert_true(exists(s.path, "thesis.tex") && exists(aside, "provenance.json"));
}

// a directory from a stranger: what is written stays in it, what is removed was in it
static void links_in_a_run_are_not_followed(void **state) {
    (void)state;
    static const char *const names[] = {"lock", "command.txt", "metrics.csv"};
    char target[1400], link[1400];
    bex_run_start start;
    snprintf(target, sizeof target, "%s/precious", root);
    for (int i = 0; i < 3; i++) {
        bex_run_setup s = setup_of("links");
        bex_run *run = bex_run_create(&s);
        train(run, 1, 4, 2);
        bex_run_close(run, BEX_RUN_STOPPED, NULL);
        snprintf(link, sizeof link, "%s/%s", s.path, names[i]);
        unlink(target);
        assert_int_equal(rename(link, target), 0);
        FILE *f = fopen(target, "ab");
        fputs("5,1,", f); // a row that a resume would cut
        fclose(f);
        char *before = strdup(text_of(root, "precious"));
        assert_int_equal(symlink(target, link), 0);
        assert_null(bex_run_resume(&s, &start));
        assert_message("is a symbolic link");
        assert_string_equal(text_of(root, "precious"), before);
        free(before);
        bex_folder_remove(s.path);
    }
    bex_run_setup s = setup_of("links");
    bex_run *run = bex_run_create(&s);
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    snprintf(link, sizeof link, "%s/checkpoints", s.path);
    snprintf(target, sizeof target, "%s/elsewhere/notes.tmp", root);
    bex_folder_make(target);
    *strrchr(target, '/') = 0;
    bex_folder_remove(link);
    assert_int_equal(symlink(target, link), 0);
    assert_null(bex_run_resume(&s, &start));
    assert_message("checkpoints' is a symbolic link");
    assert_true(exists(target, "notes.tmp"));
    // the run itself may be one: to a larger disk, say
    snprintf(link, sizeof link, "%s/pointer", root);
    s = setup_of("keep");
    assert_int_equal(symlink(s.path, link), 0);
    s = setup_of("pointer");
    assert_non_null(run = bex_run_resume(&s, &start));
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
}

static void temporaries_of_a_kill_go(void **state) {
    (void)state;
    bex_run_setup s = setup_of("keep");
    char name[64];
    bex_run_start start;
    pid_t dead = a_dead_process();
    snprintf(name, sizeof name, "status.tmp-%d-0", (int)dead);
    put(s.path, name, 1);
    char card[64], path[1400];
    snprintf(card, sizeof card, "checkpoint.json.tmp-%d-0", (int)dead);
    snprintf(path, sizeof path, "%s/checkpoints/60", s.path);
    put(path, card, 1);
    bex_run *run = bex_run_resume(&s, &start);
    if (!run) fail_msg("%s", bex_error());
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    assert_false(exists(s.path, name));
    assert_false(exists(path, card));
}

static void commands_read_back(void **state) {
    (void)state;
    char *argv[] = {"train", "--data", "my file.hdf5", "it's", "", "--train.lr=3e-4"};
    char *text = bex_command_line(6, argv);
    assert_string_equal(text, "bex train --data 'my file.hdf5' 'it'\\''s' '' --train.lr=3e-4");
    free(text);
}

int main(void) {
    snprintf(root, sizeof root, "%s", scratch_path("runs"));
    bex_folder_make(root);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_finds_everything),
        cmocka_unit_test(keep_spares_last_and_best),
        cmocka_unit_test(never_overwritten_without_force),
        cmocka_unit_test(resume_ignores_what_a_kill_left),
        cmocka_unit_test(resume_without_a_checkpoint_begins_anew),
        cmocka_unit_test(a_full_disk_spares_the_last_checkpoint),
        cmocka_unit_test(random_kills_lose_no_checkpoint),
        cmocka_unit_test(of_many_starts_one_wins),
        cmocka_unit_test(a_start_that_was_killed_is_begun_again),
        cmocka_unit_test(a_replacement_that_was_killed_is_undone),
        cmocka_unit_test(links_in_a_run_are_not_followed),
        cmocka_unit_test(temporaries_of_a_kill_go),
        cmocka_unit_test(commands_read_back),
    };
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    bex_folder_remove(root);
    return code;
}
