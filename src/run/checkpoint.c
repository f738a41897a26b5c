/* run/checkpoint.c - directories that appear by rename. */
#include "run/checkpoint.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/number.h"
#include "base/path.h"
#include "host/folder.h"
#include "host/json.h"
#include "host/nofollow.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MODEL[] = "model.safetensors", STATE[] = "state.safetensors";
static const char CARD[] = "checkpoint.json", HALF[] = ".tmp";

static int folder_of(char out[BEX_PATH_SIZE], const char *run) {
    return bex_path_join(out, run, "checkpoints");
}

static int path_of(char out[BEX_PATH_SIZE], const char *run, long long step, const char *ending) {
    return bex_path_join(out, run, "checkpoints/%lld%s", step, ending);
}

int bex_checkpoint_path(char out[BEX_PATH_SIZE], const char *run, long long step) {
    return path_of(out, run, step, "");
}

static bool has_file(const char *folder, const char *name) {
    char path[BEX_PATH_SIZE];
    struct stat st;
    return bex_path_join(path, folder, "%s", name) == 0 && stat(path, &st) == 0 &&
           S_ISREG(st.st_mode) && st.st_size > 0;
}

/* ---- read ---- */
static double score_of(const char *folder) {
    char path[BEX_PATH_SIZE];
    double score = NAN;
    if (bex_path_join(path, folder, "%s", CARD) < 0 || access(path, R_OK) < 0) return (double)NAN;
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
    char folder[BEX_PATH_SIZE], path[BEX_PATH_SIZE], **names;
    *list = NULL;
    if (folder_of(folder, run) < 0) return -1;
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
        if (strcmp(plain, names[i]) != 0 || bex_path_join(path, folder, "%s", names[i]) < 0)
            continue;
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

static int model_of(char out[BEX_PATH_SIZE], const char *path, bool best) {
    char folder[BEX_PATH_SIZE];
    struct stat st;
    if (stat(path, &st) < 0) return bex_fail("'%s': %s", path, strerror(errno));
    if (!S_ISDIR(st.st_mode)) return bex_path_print(out, "%s", path);
    if (has_file(path, MODEL)) return bex_path_join(out, path, "%s", MODEL);
    bex_checkpoint *list;
    int count = bex_checkpoint_list(&list, path);
    if (count < 0) return -1;
    int which = best ? best_of(list, count) : count - 1;
    long long step = which < 0 ? 0 : list[which].step;
    free(list);
    if (folder_of(folder, path) < 0) return -1;
    if (count == 0 && !bex_folder_exists(folder))
        return bex_fail("'%s' is neither a run nor a checkpoint", path);
    if (count == 0) return bex_fail("run '%s' has no checkpoint yet", path);
    if (which < 0) return bex_fail("run '%s' has no scored checkpoint", path);
    if (path_of(folder, path, step, "") < 0) return -1;
    return bex_path_join(out, folder, "%s", MODEL);
}

int bex_checkpoint_model(char *out, size_t size, const char *path, bool best) {
    char model[BEX_PATH_SIZE];
    if (model_of(model, path, best) < 0) return -1;
    if (strlen(model) >= size) return bex_fail("path too long: '%.60s...'", model);
    strcpy(out, model);
    return 0;
}

/* ---- links ---- */
// checkpoints/<name> -> <step>, in one move; file systems without links go without
static void point(const char *run, const char *name, long long step) {
    char link[BEX_PATH_SIZE], fresh[BEX_PATH_SIZE], target[24];
    if (bex_path_join(link, run, "checkpoints/%s", name) < 0 ||
        bex_path_join(fresh, run, "checkpoints/%s%s", name, HALF) < 0)
        return;
    snprintf(target, sizeof target, "%lld", step);
    unlink(fresh);
    if (symlink(target, fresh) == 0 && rename(fresh, link) == 0) return;
    bex_log(BEX_LOG_DEBUG, "no link '%s': %s", link, strerror(errno));
    unlink(fresh);
}

static void unpoint(const char *run, const char *name) {
    char link[BEX_PATH_SIZE];
    if (bex_path_join(link, run, "checkpoints/%s", name) == 0) unlink(link);
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
int bex_checkpoint_begin(char out[BEX_PATH_SIZE], const char *run, long long step) {
    BEX_CHECK(step >= 0, "checkpoint of step %lld", step);
    if (path_of(out, run, step, HALF) < 0) return -1;
    if (bex_folder_remove(out) < 0) return -1; // left by a kill
    return bex_folder_make(out);
}

void bex_checkpoint_discard(const char *run, long long step) {
    char half[BEX_PATH_SIZE];
    if (path_of(half, run, step, HALF) == 0) bex_folder_remove(half);
}

static int save_card(const char *folder, long long step, double score) {
    char path[BEX_PATH_SIZE];
    if (bex_path_join(path, folder, "%s", CARD) < 0) return -1;
    json_t *card = json_pack("{s:I, s:o}", "step", (json_int_t)step, "score",
                             isfinite(score) ? json_real(score) : json_null());
    int code = bex_json_save(card, path);
    json_decref(card);
    return code;
}

// the files' bytes, then their names
static int sync_all(const char *folder) {
    char **names, path[BEX_PATH_SIZE];
    int count = bex_folder_list(&names, folder), bad = count < 0;
    for (int i = 0; i < count && !bad; i++)
        bad = bex_path_join(path, folder, "%s", names[i]) < 0 || bex_folder_sync(path) < 0;
    free(names);
    return bad ? -1 : bex_folder_sync(folder);
}

static int publish(const char *run, long long step, double score) {
    char half[BEX_PATH_SIZE], whole[BEX_PATH_SIZE], folder[BEX_PATH_SIZE];
    if (path_of(half, run, step, HALF) < 0 || path_of(whole, run, step, "") < 0 ||
        folder_of(folder, run) < 0)
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
    char half[BEX_PATH_SIZE], whole[BEX_PATH_SIZE];
    if (path_of(half, run, step, HALF) < 0 || path_of(whole, run, step, "") < 0 ||
        bex_folder_remove(half) < 0)
        return -1;
    if (rename(whole, half) < 0) return bex_fail("cannot move '%s': %s", whole, strerror(errno));
    return bex_folder_remove(half);
}

// all but the `keep` newest and the best; none while the newest cannot be gone on from
static int drop_old(const char *run, const bex_checkpoint *list, int count, int keep) {
    int best = best_of(list, count), code = 0;
    if (keep == 0 || count == 0 || !list[count - 1].resumable) return 0;
    for (int i = 0; i < count - keep && code == 0; i++)
        if (i != best) code = drop(run, list[i].step);
    return code;
}

int bex_checkpoint_commit(const char *run, long long step, double score, int keep) {
    bex_checkpoint *list;
    if (publish(run, step, score) < 0) {
        bex_checkpoint_discard(run, step);
        return -1;
    }
    int count = bex_checkpoint_list(&list, run);
    if (count < 0) return -1;
    set_links(run, list, count);
    int code = drop_old(run, list, count, keep);
    free(list);
    return code;
}

int bex_checkpoint_tidy(const char *run, int keep) {
    char folder[BEX_PATH_SIZE], path[BEX_PATH_SIZE], **names;
    bex_checkpoint *list;
    if (folder_of(folder, run) < 0) return -1;
    // behind a link would be somebody else's directory, with names like ours perhaps
    if (bex_folder_nofollow(folder) < 0 || bex_folder_make(folder) < 0) return -1;
    int count = bex_folder_list(&names, folder), bad = count < 0;
    for (int i = 0; i < count && !bad; i++) {
        size_t n = strlen(names[i]), h = sizeof HALF - 1;
        if (n <= h || strcmp(names[i] + n - h, HALF) != 0) continue;
        bad = bex_path_join(path, folder, "%s", names[i]) < 0 || bex_folder_remove(path) < 0;
    }
    free(names);
    if (bad || (count = bex_checkpoint_list(&list, run)) < 0) return -1;
    set_links(run, list, count);
    for (int i = 0; i < count && !bad; i++)
        bad = path_of(path, run, list[i].step, "") < 0 || bex_folder_tidy(path) < 0;
    int code = bad ? -1 : drop_old(run, list, count, keep);
    free(list);
    return code;
}
