/* run/train.c - the loop, and its own small part of a checkpoint.
 *
 * A row of metrics.csv is a mean over the updates since the row before. A run may stop between two
 * rows, so the sums are saved with each checkpoint (loop.json) and the row comes out as if it had
 * not. Rows and best scores are part of "bit for bit"; only the two columns of time are not. */
#include "run/train.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/path.h"
#include "base/ranks.h"
#include "data/load.h"
#include "host/interrupt.h"
#include "host/json.h"
#include "host/progress.h"
#include "nn/safetensors.h"
#include "policy/seen.h"
#include "run/run.h"
#include "suggest/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int load_data(bex_dataset **out, const bex_data_config *c) {
    bex_load_options o = BEX_LOAD_INIT;
    if (!c->path[0]) return bex_fail("no demonstrations: data.path is empty");
    if (c->format[0]) o.format = c->format;
    if (c->obs_keys[0]) o.keys = c->obs_keys;
    if (c->filter[0]) o.filter = c->filter;
    if (c->split_at[0] && bex_split_parse(&o.split.rules, c->split_at) < 0)
        return bex_fail_in("data.split_at");
    o.split.length = (int)c->episode_length;
    o.split.jump = c->jump;
    char rest;
    if (c->position[0] &&
        (sscanf(c->position, "%9d,%9d%c", &o.split.position[0], &o.split.position[1], &rest) != 2 ||
         o.split.position[0] < 0 || o.split.position[1] < 0))
        return bex_fail("data.position takes two column numbers such as 0,1, not '%s'",
                        c->position);
    o.limit = (int)c->limit;
    if (c->images[0]) o.images = c->images;
    o.pictures.size = (int)c->image_size;
    o.pictures.flip = (bex_flip)c->flip;
    o.pictures.memory = (unsigned long long)c->image_memory << 20;
    *out = bex_dataset_load(c->path, &o);
    if (*out && c->images[0] && !(*out)->pictures) {
        bex_dataset_free(*out), *out = NULL;
        bex_fail("data '%s': there are no pictures, data.images = %s", c->path, c->images);
    }
    return *out ? 0 : -1;
}

static int open_world(bex_world **out, const bex_env_config *e) {
    char keys[2 * sizeof e->maze + sizeof e->keys];
    bex_world_options o = {.time_limit = (int)e->time_limit, .keys = keys};
    if (!e->name[0]) {
        bex_fail("no world to learn in: env.name is empty");
        return bex_fail_hint("bex env --list");
    }
    snprintf(keys, sizeof keys, "%s%s%s%s%s", e->maze[0] ? "maze=" : "", e->maze,
             e->maze[0] ? "\n" : "", e->dense ? "dense=true\n" : "", e->keys);
    return bex_world_open(out, e->name, &o);
}

int bex_train_ranks(const bex_train_config *c) {
    int ranks = bex_ranks_count();
    if (ranks > 1 && !bex_agent_class_of(c)->spreads)
        return bex_fail("agent %s trains in one process, not under mpirun", bex_train_agent(c));
    if (ranks <= c->train.lanes) return 0;
    bex_fail("%d ranks for %lld lanes: a rank takes whole lanes", ranks, c->train.lanes);
    return bex_fail_hint("mpirun -n %lld, or more train.lanes", c->train.lanes);
}

int bex_train_sources(bex_sources *out, const bex_train_config *c) {
    unsigned needs = bex_agent_class_of(c)->needs;
    *out = (bex_sources){0};
    int code = needs & BEX_NEEDS_DATA ? load_data(&out->data, &c->data) : 0;
    if (!code && bex_agent_class_of(c)->widens && c->policy.vision.columns)
        code = bex_dataset_widen(out->data, (int)c->policy.vision.columns, BEX_SEEN_KEY);
    if (!code && needs & BEX_NEEDS_WORLD) code = open_world(&out->world, &c->env);
    if (code < 0) bex_sources_fini(out);
    return code;
}

// loss, held_out, the agent's of an evaluation; then these, and the agent's of an update
static const char *const late[] = {"lr", "grad_norm", "windows_per_second", "data_share"};
enum { LOSS, HELD_OUT, JUDGED };
enum { LR, GRAD_NORM, RATE, DATA_SHARE, MORE };
enum { COLUMNS_MOST = JUDGED + MORE + 2 * BEX_AGENT_COLUMNS };

typedef struct {
    const bex_train_config *config;
    bex_suggestions chosen; // from the data
    bex_agent *agent;
    bex_run *run; // NULL on ranks but 0
    bex_progress progress;
    const char *columns[COLUMNS_MOST];
    int late, count;              // where the columns of `late` begin; all
    bex_evaluation evaluation;    // the last one
    int64_t measured;             // at this step
    double sum[COLUMNS_MOST];     // since the last row, of numbers only
    long long seen[COLUMNS_MOST]; // numbers in it
    long long updates;            // since the last row
    long long samples;            // of updates since `since`
    double since;                 // seconds at the last row
    long long checkpoint;         // the newest; -1: none
} loop;

static void name_columns(loop *l) {
    const char *const *more = l->agent->columns, *const *judged = l->agent->judged;
    int n = JUDGED;
    l->columns[LOSS] = "loss", l->columns[HELD_OUT] = "held_out";
    for (int i = 0; judged && judged[i]; i++) l->columns[n++] = judged[i];
    l->late = n;
    for (int i = 0; i < MORE; i++) l->columns[n++] = late[i];
    for (int i = 0; more && more[i]; i++) l->columns[n++] = more[i];
    l->count = n;
}

/* ---- checkpoints ---- */

static int save_loop(const loop *l, const char *folder) {
    char path[BEX_RUN_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/loop.json", folder);
    json_t *j = json_pack("{s:I}", "updates", (json_int_t)l->updates);
    json_t *seen = json_object();
    for (int i = 0; i < l->count; i++) {
        json_object_set_new(j, l->columns[i], json_real(l->sum[i]));
        json_object_set_new(seen, l->columns[i], json_integer((json_int_t)l->seen[i]));
    }
    json_object_set_new(j, "seen", seen);
    double held_out = l->evaluation.score;
    if (isfinite(held_out)) json_object_set_new(j, "last_held_out", json_real(held_out));
    int code = bex_json_save(j, path);
    json_decref(j);
    return code;
}

static int load_loop(loop *l, const char *folder) {
    char path[BEX_RUN_PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/loop.json", folder);
    json_t *j = bex_json_load(path);
    if (!j) return -1;
    int code = bex_json_get_integer(j, "updates", &l->updates);
    const json_t *seen = json_object_get(j, "seen");
    for (int i = 0; i < l->count && !code; i++) {
        code = bex_json_get_number(j, l->columns[i], &l->sum[i]);
        l->seen[i] = l->updates; // a run of before the counts were kept
        if (!code && seen) code = bex_json_get_integer(seen, l->columns[i], &l->seen[i]);
    }
    const json_t *held_out = json_object_get(j, "last_held_out");
    if (held_out) l->evaluation.score = json_number_value(held_out);
    json_decref(j);
    return code ? bex_fail_in("%s", path) : 0;
}

static int save(loop *l, int64_t step) {
    char folder[BEX_RUN_PATH_SIZE];
    if (!l->run) {
        l->checkpoint = step;
        return 0;
    }
    if (bex_run_checkpoint_begin(l->run, step, folder) < 0) return -1;
    if (l->agent->class->save(l->agent, folder) < 0 || save_loop(l, folder) < 0) {
        bex_run_checkpoint_discard(l->run, step);
        return -1;
    }
    // a score is of these weights or there is none
    double score = l->measured == step ? l->evaluation.score : (double)NAN;
    if (bex_run_checkpoint_commit(l->run, step, score) < 0) return -1;
    l->checkpoint = step;
    return 0;
}

static int load(loop *l, const bex_run_start *start) {
    if (!start->folder[0]) return 0;
    if (l->agent->class->load(l->agent, start->folder) < 0) return -1;
    l->checkpoint = start->step;
    return load_loop(l, start->folder);
}

/* ---- steps ---- */

static void count(loop *l, int column, double value) {
    if (!isfinite(value)) return;
    l->sum[column] += value;
    l->seen[column]++;
}

static int log_row(loop *l, int64_t step, bool evaluated) {
    double row[COLUMNS_MOST], now = bex_seconds();
    for (int i = 0; i < l->count; i++)
        row[i] = l->seen[i] ? l->sum[i] / (double)l->seen[i] : (double)NAN;
    for (int i = HELD_OUT; evaluated && i < l->late; i++)
        row[i] = i == HELD_OUT ? l->evaluation.score : l->evaluation.more[i - JUDGED];
    row[l->late + RATE] = (double)l->samples / (now - l->since);
    memset(l->sum, 0, sizeof l->sum);
    memset(l->seen, 0, sizeof l->seen);
    l->updates = l->samples = 0;
    l->since = now;
    return l->run ? bex_run_log(l->run, step, row) : 0;
}

static void show(loop *l, int64_t done, const bex_update *u, double share) {
    const bex_evaluation *e = &l->evaluation;
    char held_out[64] = "";
    if (l->agent->class->needs & BEX_NEEDS_WORLD && l->measured >= 0)
        snprintf(held_out, sizeof held_out, "  %s %.4g", l->columns[JUDGED], e->more[0]);
    else if (isfinite(e->score))
        snprintf(held_out, sizeof held_out, "  held out %.4f", e->score);
    bex_progress_update(&l->progress, done, "loss %.4f%s  lr %.1e  data %.0f%%", u->loss, held_out,
                        u->lr, 100 * share);
}

// update number `step`, and what is due after it. A checkpoint that is due is judged too: `best`
static int one_step(loop *l, int64_t step) {
    const bex_optimiser_config *t = &l->config->train;
    bex_update u;
    if (l->agent->class->update(l->agent, step, &u) < 0) {
        // the weights are those of `step` updates, with nothing due: no work is lost with the rank
        if (bex_ranks_lost() && step > 0 && l->checkpoint != step) save(l, step);
        return -1;
    }
    double share = u.lane_seconds > 0 ? u.data_seconds / u.lane_seconds : 0;
    const double numbers[MORE] = {u.lr, u.grad_norm, (double)NAN, share};
    count(l, LOSS, u.loss);
    for (int i = 0; l->late + i < l->count; i++)
        count(l, l->late + i, i < MORE ? numbers[i] : u.more[i - MORE]);
    l->updates++, l->samples += u.samples;
    int64_t done = step + 1;
    bool last = done == t->steps, save_due = done % t->save_every == 0 || last;
    bool evaluated = done % t->evaluate_every == 0 || save_due;
    if (evaluated) {
        if (l->agent->class->evaluate(l->agent, &l->evaluation) < 0) return -1;
        l->measured = done;
    }
    if ((evaluated || done % t->log_every == 0) && log_row(l, done, evaluated) < 0) return -1;
    show(l, done, &u, share);
    return save_due ? save(l, done) : 0;
}

static int run_steps(loop *l, int64_t first, bex_train_end *end) {
    const bex_optimiser_config *t = &l->config->train;
    int code = 0;
    int64_t step = first;
    l->since = bex_seconds();
    // ranks stop, or fail, together
    while ((code = bex_ranks_settle(code < 0 ? code : bex_interrupted())) == 0 && step < t->steps)
        code = one_step(l, step++);
    *end = step == t->steps ? BEX_TRAIN_FINISHED : BEX_TRAIN_STOPPED;
    if (code > 0) code = 0;
    if (code == 0 && step > first && l->checkpoint != step) code = save(l, step);
    return code;
}

/* ---- resuming ---- */

// "[section]" and "key = ..." of the first line that differs in two texts of one schema
static int first_difference(const char *was, const char *now, char *what, size_t size) {
    char section[64] = "";
    while (*was && *now) {
        size_t n = strcspn(was, "\n"), m = strcspn(now, "\n");
        if (n != m || memcmp(was, now, n)) {
            const char *line =
                n ? was : now; // a key that only one of them has ends the other's section
            snprintf(what, size, "%s.%.*s", section, (int)strcspn(line, " =\n"), line);
            return 1;
        }
        if (*was == '[')
            snprintf(section, sizeof section, "%.*s", (int)strcspn(was + 1, "]"), was + 1);
        was += n + (was[n] == '\n'), now += m + (now[m] == '\n');
    }
    const char *more = *was ? was : now; // a key of the world that only one of them has
    if (*more) snprintf(what, size, "%s.%.*s", section, (int)strcspn(more, " =\n"), more);
    return *more != 0;
}

// what the checkpoint itself says of its policy: config.ini may have been edited since
static int read_own_config(bex_train_config *c, const bex_run_start *start) {
    char path[BEX_PATH_SIZE];
    if (!start->folder[0]) return 0;
    if (bex_path_join(path, start->folder, "model.safetensors") < 0) return -1;
    bex_st_file *f = bex_st_load(path);
    if (!f) return -1;
    const char *text = bex_st_metadata(f, "config"); // of a policy; an actor has none
    int code =
        text ? bex_config_parse(&bex_policy_schema, &c->policy, text, strlen(text), path) : 0;
    bex_st_free(f);
    return code;
}

// weights fit one network and one way to read them; how they are trained on or deployed may change
static int check_same_policy(const bex_train_config *c, const char *run,
                             const bex_run_start *start) {
    bex_train_config was;
    char key[160];
    bex_config_defaults(&bex_train_schema, &was);
    // what the checkpoint itself says comes last: config.ini may have been edited
    if (bex_run_config(run, &bex_train_schema, &was) < 0 || bex_agent_settle(&was) < 0 ||
        read_own_config(&was, start) < 0)
        return -1;
    was.policy.deploy = c->policy.deploy;
    char *old = bex_config_text(&bex_train_fixed_schema, &was);
    char *now = bex_config_text(&bex_train_fixed_schema, c);
    BEX_CHECK(old && now, "%s", bex_error());
    int differs = first_difference(old, now, key, sizeof key);
    free(old);
    free(now);
    return differs ? bex_fail("run '%s': %s cannot change when a run is resumed", run, key) : 0;
}

// everything that can be refused is refused before the run is touched
static int look(loop *l, const char *run, bex_run_start *start) {
    long long steps = l->config->train.steps;
    if (bex_run_find_start(start, run) < 0 || check_same_policy(l->config, run, start) < 0)
        return -1;
    if (start->step > steps)
        return bex_fail("run '%s' is at step %lld, past train.steps %lld", run, start->step, steps);
    return load(l, start);
}

static bex_run *resume(loop *l, const bex_run_setup *setup, bex_run_start *start) {
    bex_run_start now;
    bex_run *run = bex_run_resume(setup, &now);
    if (!run || now.step == start->step) return run;
    // someone trained on between the look and the lock
    *start = now;
    if (load(l, start) == 0) return run;
    bex_run_close(run, BEX_RUN_STOPPED, NULL);
    return NULL;
}

/* ---- a run ---- */

// ranks that read other files would compute another gradient and not notice
static int check_alike(const bex_train_config *c, const bex_dataset *d) {
    if (bex_ranks_count() == 1 || !d) return 0;
    bex_train_config mine = *c;
    mine.train.threads = 0, mine.data.path[0] = 0; // may differ: no part of the result
    char *text = bex_config_text(&bex_train_schema, &mine);
    BEX_CHECK(text, "%s", bex_error());
    size_t row = (size_t)d->rows * sizeof *d->observations;
    int code = bex_ranks_alike("settings", text, strlen(text));
    free(text);
    if (code < 0 || bex_ranks_alike("states", d->observations, row * (size_t)d->O) < 0) return -1;
    return bex_ranks_alike("actions", d->actions, row * (size_t)d->A);
}

static int close_run(loop *l, const char *run, int code, bex_train_end end) {
    bex_failure failure;
    bex_failure_take(&failure);
    bex_run_state state = code                        ? BEX_RUN_FAILED
                          : end == BEX_TRAIN_FINISHED ? BEX_RUN_FINISHED
                                                      : BEX_RUN_STOPPED;
    int closed = bex_run_close(l->run, state, code ? failure.message : NULL);
    if (!code) return closed;
    bex_failure_restore(&failure);
    if (l->checkpoint < 0) return -1;
    return bex_fail_hint("the checkpoint of step %lld is intact: --resume %s", l->checkpoint, run);
}

static int train(loop *l, const bex_train_options *o, bex_sources *sources, bex_train_end *end) {
    const bex_train_config *c = l->config;
    bex_run_setup setup = {.path = o->run,
                           .schema = &bex_train_schema,
                           .config = c,
                           .command = o->command,
                           .seed = c->train.seed,
                           .columns = l->columns,
                           .keep = (int)c->train.keep,
                           .force = o->force};
    bex_run_start start = {.step = -1};
    char cache[BEX_PATH_SIZE];
    if (bex_path_print(cache, "%s.features", o->run) < 0) return -1;
    sources->cache = cache;
    l->agent = bex_agent_new(c, sources);
    int code = l->agent ? 0 : -1;
    if (l->agent) {
        name_columns(l);
        setup.column_count = l->count;
        if (o->resume) code = look(l, o->run, &start);
    }
    if (bex_ranks_settle(code) < 0) return -1;
    if (o->about) {
        bex_suggestions_print(&l->chosen, o->about);
        l->agent->class->describe(l->agent, o->about);
        fflush(o->about);
    }
    bex_interrupt_begin();
    if (bex_ranks_rank() == 0) {
        l->run = o->resume ? resume(l, &setup, &start) : bex_run_create(&setup);
        code = l->run ? 0 : -1;
    }
    code = bex_ranks_settle(code);
    if (code == 0) code = bex_ranks_alike("checkpoints", &start.step, sizeof start.step);
    if (code == 0) {
        int64_t first = start.step > 0 ? start.step : 0;
        bex_progress_start(&l->progress, o->progress, bex_train_agent(c), c->train.steps);
        bex_progress_resume(&l->progress, first);
        code = run_steps(l, first, end);
        bex_progress_finish(&l->progress);
    }
    if (l->run) code = close_run(l, o->run, code, *end);
    bex_interrupt_end();
    return code;
}

int bex_train(const bex_train_config *config, const bex_train_options *options,
              bex_train_end *end) {
    bex_train_config settled = *config; // as it is written down
    loop l = {.config = &settled, .evaluation.score = NAN, .measured = -1, .checkpoint = -1};
    bex_sources sources = {0};
    if (bex_train_ranks(config) < 0 || bex_agent_settle(&settled) < 0) return -1;
    int code = bex_train_sources(&sources, &settled);
    if (code == 0) code = bex_suggest_settle(&settled, sources.data, &l.chosen);
    code = bex_ranks_settle(code);
    if (code == 0) code = check_alike(&settled, sources.data);
    if (code == 0) code = train(&l, options, &sources, end);
    bex_sources_fini(&sources);
    bex_suggestions_fini(&l.chosen);
    if (l.agent) l.agent->class->free(l.agent);
    return code;
}
