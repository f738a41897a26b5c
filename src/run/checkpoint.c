/* run/checkpoint.c - directories that appear by rename. */
#include "run/checkpoint.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "host/folder.h"
#include "host/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 1024 };
static const char MODEL[] = "model.safetensors", STATE[] = "state.safetensors";
static const char CARD[] = "checkpoint.json", HALF[] = ".tmp";

static int join(char *out, size_t size, const char *a, const char *b) {
    int n = snprintf(out, size, "%s/%s", a, b);
    return n >= 0 && (size_t)n < size ? 0 : bex_fail("path too long: '%.60s...'", a);
}

static int folder_of(char *out, size_t size, const char *run) {
    return join(out, size, run, "checkpoints");
}

static int path_of(char *out, size_t size, const char *run, long long step, const char *ending) {
    int n = snprintf(out, size, "%s/checkpoints/%lld%s", run, step, ending);
    return n >= 0 && (size_t)n < size ? 0 : bex_fail("path too long: '%.60s...'", run);
}

int bex_checkpoint_path(char *out, size_t size, const char *run, long long step) {
    return path_of(out, size, run, step, "");
}

static bool has_file(const char *folder, const char *name) {
    char path[PATH_SIZE];
    struct stat st;
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
}

/* ---- read ---- */
static double score_of(const char *folder) {
    char path[PATH_SIZE];
    double score = NAN;
    if (join(path, sizeof path, folder, CARD) < 0 || access(path, R_OK) < 0) return (double)NAN;
    json_t *card = bex_json_load(path);
    const json_t *value = json_object_get(card, "score");
    if (json_is_number(value)) score = json_number_value(value);
    json_decref(card);
    return score;
}

static int by_step(const void *a, const void *b) {
    long long x = ((const bex_checkpoint *)a)->step, y = ((const bex_checkpoint *)b)->step;
    return (x > y) - (x < y);
}

int bex_checkpoint_list(bex_checkpoint **list, const char *run) {
    char folder[PATH_SIZE], path[PATH_SIZE], **names;
    *list = NULL;
    if (folder_of(folder, sizeof folder, run) < 0) return -1;
    if (!bex_folder_exists(folder)) return 0;
    int count = bex_folder_list(&names, folder), found = 0;
    if (count < 0) return -1;
    bex_checkpoint *all = malloc(((size_t)count + 1) * sizeof *all);
    for (int i = 0; i < count && all; i++) {
        long long step;
        // digits only: not .tmp, not the links, not a stranger's "007"
        char plain[24];
        if (bex_integer_parse(&step, names[i]) < 0 || step < 0) continue;
        snprintf(plain, sizeof plain, "%lld", step);
        if (strcmp(plain, names[i]) != 0 || join(path, sizeof path, folder, names[i]) < 0) continue;
        if (!has_file(path, MODEL)) continue;
        all[found++] = (bex_checkpoint){step, score_of(path), has_file(path, STATE)};
    }
    free(names);
    if (!all) return bex_fail("out of memory for checkpoints of '%s'", run);
    qsort(all, (size_t)found, sizeof *all, by_step);
    *list = all;
    return found;
}

// index of the lowest score, the earlier of equals; -1 if none is scored
static int best_of(const bex_checkpoint *list, int count) {
    int best = -1;
    for (int i = 0; i < count; i++)
        if (!isnan(list[i].score) && (best < 0 || list[i].score < list[best].score)) best = i;
    return best;
}

int bex_checkpoint_model(char *out, size_t size, const char *path, bool best) {
    char folder[PATH_SIZE];
    struct stat st;
    if (stat(path, &st) < 0) return bex_fail("'%s': %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) {
        int n = snprintf(out, size, "%s", path);
        return n >= 0 && (size_t)n < size ? 0 : bex_fail("path too long: '%.60s...'", path);
    }
    if (has_file(path, MODEL)) return join(out, size, path, MODEL);
    bex_checkpoint *list;
    int count = bex_checkpoint_list(&list, path);
    if (count < 0) return -1;
    int which = best ? best_of(list, count) : count - 1;
    long long step = which < 0 ? 0 : list[which].step;
    free(list);
    if (folder_of(folder, sizeof folder, path) < 0) return -1;
    if (count == 0 && !bex_folder_exists(folder))
        return bex_fail("'%s' is neither a run nor a checkpoint", path);
    if (count == 0) return bex_fail("run '%s' has no checkpoint yet", path);
    if (which < 0) return bex_fail("run '%s' has no scored checkpoint", path);
    if (path_of(folder, sizeof folder, path, step, "") < 0) return -1;
    return join(out, size, folder, MODEL);
}

/* ---- links ---- */
// checkpoints/<name> -> <step>, in one move; file systems without links go without
static void point(const char *run, const char *name, long long step) {
    char link[PATH_SIZE], fresh[PATH_SIZE], target[24];
    snprintf(link, sizeof link, "%s/checkpoints/%s", run, name);
    snprintf(fresh, sizeof fresh, "%s/checkpoints/%s%s", run, name, HALF);
    snprintf(target, sizeof target, "%lld", step);
    unlink(fresh);
    if (symlink(target, fresh) == 0 && rename(fresh, link) == 0) return;
    bex_log(BEX_LOG_DEBUG, "no link '%s': %s", link, strerror(errno));
    unlink(fresh);
}

static void unpoint(const char *run, const char *name) {
    char link[PATH_SIZE];
    snprintf(link, sizeof link, "%s/checkpoints/%s", run, name);
    unlink(link);
}

static void set_links(const char *run, const bex_checkpoint *list, int count) {
    int best = best_of(list, count);
    if (count)
        point(run, "last", list[count - 1].step);
    else
        unpoint(run, "last");
    if (best >= 0)
        point(run, "best", list[best].step);
    else
        unpoint(run, "best");
}

/* ---- write ---- */
int bex_checkpoint_begin(char *out, size_t size, const char *run, long long step) {
    BEX_CHECK(step >= 0, "checkpoint of step %lld", step);
    if (path_of(out, size, run, step, HALF) < 0) return -1;
    if (bex_folder_remove(out) < 0) return -1; // left by a kill
    return bex_folder_make(out);
}

void bex_checkpoint_discard(const char *run, long long step) {
    char half[PATH_SIZE];
    if (path_of(half, sizeof half, run, step, HALF) == 0) bex_folder_remove(half);
}

static int save_card(const char *folder, long long step, double score) {
    char path[PATH_SIZE];
    if (join(path, sizeof path, folder, CARD) < 0) return -1;
    json_t *card = json_pack("{s:I, s:o}", "step", (json_int_t)step, "score",
                             isfinite(score) ? json_real(score) : json_null());
    int code = bex_json_save(card, path);
    json_decref(card);
    return code;
}

// the files' bytes, then their names
static int sync_all(const char *folder) {
    char **names, path[PATH_SIZE];
    int count = bex_folder_list(&names, folder), bad = count < 0;
    for (int i = 0; i < count && !bad; i++)
        bad = join(path, sizeof path, folder, names[i]) < 0 || bex_folder_sync(path) < 0;
    free(names);
    return bad ? -1 : bex_folder_sync(folder);
}

static int publish(const char *run, long long step, double score) {
    char half[PATH_SIZE], whole[PATH_SIZE], folder[PATH_SIZE];
    if (path_of(half, sizeof half, run, step, HALF) < 0 ||
        path_of(whole, sizeof whole, run, step, "") < 0 ||
        folder_of(folder, sizeof folder, run) < 0)
        return -1;
    if (!has_file(half, MODEL) || !has_file(half, STATE))
        return bex_fail("checkpoint '%s' lacks %s or %s", whole, MODEL, STATE);
    if (save_card(half, step, score) < 0 || sync_all(half) < 0) return -1;
    if (has_file(whole, MODEL) && has_file(whole, STATE)) {
        if (!isnan(score) && isnan(score_of(whole)) && save_card(whole, step, score) < 0) return -1;
        return bex_folder_remove(half);
    }
    if (bex_folder_remove(whole) < 0) return -1; // someone took a file out of it
    if (rename(half, whole) < 0) return bex_fail("cannot name '%s': %s", whole, strerror(errno));
    return bex_folder_sync(folder);
}

// renamed first: what is half deleted must not look whole
static int drop(const char *run, long long step) {
    char half[PATH_SIZE], whole[PATH_SIZE];
    if (path_of(half, sizeof half, run, step, HALF) < 0 ||
        path_of(whole, sizeof whole, run, step, "") < 0 || bex_folder_remove(half) < 0)
        return -1;
    if (rename(whole, half) < 0) return bex_fail("cannot move '%s': %s", whole, strerror(errno));
    return bex_folder_remove(half);
}

int bex_checkpoint_commit(const char *run, long long step, double score, int keep) {
    bex_checkpoint *list;
    if (publish(run, step, score) < 0) {
        bex_checkpoint_discard(run, step);
        return -1;
    }
    int count = bex_checkpoint_list(&list, run), bad = count < 0;
    if (bad) return -1;
    set_links(run, list, count);
    int best = best_of(list, count);
    for (int i = 0; keep > 0 && i < count - keep && !bad; i++)
        if (i != best) bad = drop(run, list[i].step) < 0;
    free(list);
    return bad ? -1 : 0;
}

int bex_checkpoint_tidy(const char *run) {
    char folder[PATH_SIZE], path[PATH_SIZE], **names;
    bex_checkpoint *list;
    if (folder_of(folder, sizeof folder, run) < 0) return -1;
    if (bex_folder_make(folder) < 0) return -1;
    int count = bex_folder_list(&names, folder), bad = count < 0;
    for (int i = 0; i < count && !bad; i++) {
        size_t n = strlen(names[i]), h = sizeof HALF - 1;
        if (n <= h || strcmp(names[i] + n - h, HALF) != 0) continue;
        bad = join(path, sizeof path, folder, names[i]) < 0 || bex_folder_remove(path) < 0;
    }
    free(names);
    if (bad || (count = bex_checkpoint_list(&list, run)) < 0) return -1;
    set_links(run, list, count);
    free(list);
    return 0;
}
