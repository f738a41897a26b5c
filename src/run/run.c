/* run/run.c - make a run directory, or go on in one. */
#include "run/run.h"

#include "base/error.h"
#include "base/file.h"
#include "base/path.h"
#include "host/csv.h"
#include "host/folder.h"
#include "host/json.h"
#include "host/lock.h"
#include "host/nofollow.h"
#include "host/staging.h"
#include "run/checkpoint.h"
#include "run/events.h"
#include "run/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const state_names[] = {"running", "finished", "stopped", "failed"};

struct bex_run {
    char path[BEX_PATH_SIZE];
    const char *const *columns;
    int column_count, keep;
    int lock;
    bex_csv *metrics;
    bex_events *events;
};

// a path in the run; the room is there: path_set checked the run's own length
static const char *in_run(char out[BEX_PATH_SIZE], const char *run, const char *name) {
    if (bex_path_join(out, run, "%s", name) < 0) out[0] = 0;
    return out;
}

// without slashes at its end; a link to a directory is that directory
static int path_set(char out[BEX_PATH_SIZE], const char *path) {
    struct stat st;
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/') n--;
    if (n == 0) return bex_fail("a run needs a name");
    if (n > BEX_PATH_SIZE - 200) return bex_fail("path too long: '%.60s...'", path);
    if (bex_path_print(out, "%.*s", (int)n, path) < 0) return -1;
    if (lstat(out, &st) < 0 || !S_ISLNK(st.st_mode)) return 0;
    char *real = realpath(out, NULL);
    int code = real ? bex_path_print(out, "%s", real) : bex_fail("'%s': %s", out, strerror(errno));
    free(real);
    return code;
}

static bool is_run(const char *path) {
    char file[BEX_PATH_SIZE];
    return access(in_run(file, path, "provenance.json"), F_OK) == 0;
}

/* ---- files ---- */
static int write_text(const char *path, const char *text) {
    bex_file_out out;
    if (bex_file_create(&out, path, 1) < 0) return -1;
    fputs(text, out.stream);
    return bex_file_commit(&out);
}

static int write_status(const char *run, bex_run_state state, const char *message) {
    char file[BEX_PATH_SIZE], line[1024];
    snprintf(line, sizeof line - 1, "%s%s%s", state_names[state], message ? ": " : "",
             message ? message : "");
    // one line, whatever the message held
    for (char *c = line; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    strcat(line, "\n");
    return write_text(in_run(file, run, "status"), line);
}

static int append_command(const char *run, const char *command) {
    char file[BEX_PATH_SIZE];
    int fd = bex_open_nofollow(in_run(file, run, "command.txt"), O_WRONLY | O_CREAT | O_APPEND);
    if (fd < 0) return -1;
    int bad = dprintf(fd, "%s\n", command) < 0;
    if (close(fd)) bad = 1;
    return bad ? bex_fail("cannot write '%s': %s", file, strerror(errno)) : 0;
}

static int save_provenance(const bex_run_setup *s, const char *run) {
    char file[BEX_PATH_SIZE];
    json_t *p = bex_provenance(s->command, s->seed, NULL);
    int code = bex_json_save(p, in_run(file, run, "provenance.json"));
    json_decref(p);
    return code;
}

// a resume is one more entry: the first command stays the run's own
static int add_resume(const bex_run_setup *s, const char *run, long long step) {
    char file[BEX_PATH_SIZE];
    json_t *p = bex_json_load(in_run(file, run, "provenance.json"));
    if (!p) return -1;
    json_t *list = json_object_get(p, "resumed");
    if (!list) json_object_set_new(p, "resumed", list = json_array());
    json_t *entry = bex_provenance(s->command, s->seed, NULL);
    json_object_del(entry, "seed");
    json_object_set_new(entry, "step", json_integer(step));
    json_array_append_new(list, entry);
    int code = json_is_object(p) && json_is_array(list)
                   ? bex_json_save(p, file)
                   : bex_fail("'%s' is not what a run writes", file);
    json_decref(p);
    return code;
}

/* ---- create ---- */
static bex_run *new_run(const bex_run_setup *s, const char *path) {
    bex_run *run = calloc(1, sizeof *run);
    BEX_CHECK(run, "out of memory");
    BEX_CHECK(s->schema && s->config && s->command && s->keep >= 0, "run '%s' without setup", path);
    strcpy(run->path, path);
    run->columns = s->columns, run->column_count = s->column_count, run->keep = s->keep;
    run->lock = -1;
    return run;
}

static void free_run(bex_run *run) {
    if (!run) return;
    bex_csv_close(run->metrics);
    bex_events_close(run->events);
    if (run->lock >= 0) close(run->lock);
    free(run);
}

// metrics and events, to go on after `step`
static int open_files(bex_run *run, long long step) {
    char file[BEX_PATH_SIZE];
    run->metrics = bex_csv_resume(in_run(file, run->path, "metrics.csv"), run->columns,
                                  run->column_count, step);
    if (!run->metrics) return -1;
    run->events = bex_events_resume(run->path, step);
    return run->events ? 0 : -1;
}

// everything of a new run
static int fill(const bex_run_setup *s, const char *folder) {
    char file[BEX_PATH_SIZE];
    if (bex_config_save(s->schema, s->config, in_run(file, folder, "config.ini"), 0) < 0) return -1;
    if (append_command(folder, s->command) < 0) return -1;
    bex_csv *metrics =
        bex_csv_create(in_run(file, folder, "metrics.csv"), s->columns, s->column_count);
    int code = metrics ? bex_csv_sync(metrics) : -1;
    bex_csv_close(metrics);
    if (code < 0 || bex_checkpoint_tidy(folder, 0) < 0) return -1;
    if (write_status(folder, BEX_RUN_RUNNING, NULL) < 0) return -1;
    return save_provenance(s, folder);
}

// 1: it holds something, 0: empty or not there
static int occupied(const char *path) {
    if (access(path, F_OK) < 0) return 0;
    if (!bex_folder_exists(path)) return bex_fail("'%s' is a file, not a run", path);
    char **names;
    int count = bex_folder_list(&names, path);
    free(names);
    return count < 0 ? -1 : count > 0;
}

// the lock of the run that is in the way, which may be replaced; negative with a message
static int lock_old(const bex_run_setup *s, const char *path) {
    if (!is_run(path)) {
        bex_fail("'%s' exists and is not a run", path);
        return bex_fail_hint(s->force ? "--force replaces runs only" : "choose another name");
    }
    if (!s->force) {
        bex_fail("run '%s' exists", path);
        return bex_fail_hint("--resume %s goes on with it, --force replaces it", path);
    }
    return bex_lock_take(path, "run");
}

bex_run *bex_run_create(const bex_run_setup *s) {
    char path[BEX_PATH_SIZE];
    if (path_set(path, s->path) < 0) return NULL;
    if (bex_staging_tidy(path, "run", is_run(path)) < 0) return NULL;
    int there = occupied(path), old = there > 0 ? lock_old(s, path) : -1;
    if (there < 0 || (there && old < 0)) return NULL;
    bex_staging staging;
    bex_run *run = NULL;
    if (bex_staging_begin(&staging, path, "run") < 0) goto done;
    if (fill(s, staging.fresh) == 0 && bex_staging_publish(&staging, there) == 0) {
        run = new_run(s, path);
        run->lock = staging.lock;
        if (open_files(run, -1) == 0) {
            bex_staging_end(&staging);
            goto done;
        }
        run->lock = -1; // the staging's again
        free_run(run), run = NULL;
    }
    bex_staging_undo(&staging);
done:
    if (old >= 0) close(old);
    return run;
}

/* ---- resume ---- */
// a run; one that a kill kept from being replaced is put back
static int check_run(const char *path) {
    if (is_run(path)) return 0;
    bool begun = bex_staging_left(path);
    if (bex_staging_tidy(path, "run", false) < 0) return -1;
    if (is_run(path)) return 0;
    bex_fail("'%s' is not a run", path);
    if (begun && !bex_folder_exists(path))
        return bex_fail_hint("it was stopped before it began: start it again with --out");
    return bex_fail_hint("a run has provenance.json, metrics.csv and checkpoints");
}

int bex_run_config(const char *path, const bex_config_schema *schema, void *config) {
    char run[BEX_PATH_SIZE], file[BEX_PATH_SIZE];
    if (path_set(run, path) < 0) return -1;
    if (check_run(run) < 0) return -1;
    return bex_config_load(schema, config, in_run(file, run, "config.ini"));
}

int bex_run_find_start(bex_run_start *start, const char *run) {
    bex_checkpoint *list;
    *start = (bex_run_start){.step = -1};
    int count = bex_checkpoint_list(&list, run);
    for (int i = 0; i < count; i++)
        if (list[i].resumable) start->step = list[i].step;
    free(list);
    if (count < 0 || start->step < 0) return count < 0 ? -1 : 0;
    return bex_checkpoint_path(start->folder, run, start->step);
}

// config.ini as it is now, if that is not what it says
static int renew_config(const bex_run_setup *s, const char *run) {
    char file[BEX_PATH_SIZE], *old = NULL, *now = bex_config_text(s->schema, s->config);
    size_t size;
    BEX_CHECK(now, "%s", bex_error());
    int code = bex_file_read(&old, &size, in_run(file, run, "config.ini"), 1 << 20);
    if (code == 0 && strcmp(old, now) != 0) code = bex_config_save(s->schema, s->config, file, 1);
    free(old);
    free(now);
    return code;
}

bex_run *bex_run_resume(const bex_run_setup *s, bex_run_start *start) {
    char path[BEX_PATH_SIZE];
    if (path_set(path, s->path) < 0 || check_run(path) < 0) return NULL;
    bex_run *run = new_run(s, path);
    if ((run->lock = bex_lock_take(path, "run")) < 0) goto done;
    if (bex_staging_tidy(path, "run", true) < 0 || bex_folder_tidy(path) < 0) goto done;
    if (bex_checkpoint_tidy(path, run->keep) < 0) goto done;
    if (bex_run_find_start(start, path) < 0 || open_files(run, start->step) < 0) goto done;
    if (renew_config(s, path) < 0 || append_command(path, s->command) < 0) goto done;
    if (add_resume(s, path, start->step) < 0) goto done;
    if (write_status(path, BEX_RUN_RUNNING, NULL) < 0) goto done;
    return run;
done:
    free_run(run);
    return NULL;
}

/* ---- use ---- */
int bex_run_log(bex_run *run, long long step, const double *values) {
    if (bex_csv_row(run->metrics, step, values) < 0) return -1;
    return bex_events_scalars(run->events, step, run->columns, values, run->column_count);
}

int bex_run_checkpoint_begin(bex_run *run, long long step, char folder[BEX_PATH_SIZE]) {
    return bex_checkpoint_begin(folder, run->path, step);
}

int bex_run_checkpoint_commit(bex_run *run, long long step, double score) {
    if (bex_csv_sync(run->metrics) < 0 || bex_events_sync(run->events) < 0) {
        bex_checkpoint_discard(run->path, step);
        return -1;
    }
    return bex_checkpoint_commit(run->path, step, score, run->keep);
}

void bex_run_checkpoint_discard(bex_run *run, long long step) {
    bex_checkpoint_discard(run->path, step);
}

const char *bex_run_path(const bex_run *run) {
    return run->path;
}

bex_events *bex_run_events(bex_run *run) {
    return run->events;
}

int bex_run_close(bex_run *run, bex_run_state state, const char *message) {
    if (!run) return 0;
    int code = write_status(run->path, state, message);
    free_run(run);
    return code;
}
