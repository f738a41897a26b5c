/* exp/train.c */
#include "exp/train.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/progress.h"
#include "data/load.h"
#include "exp/run.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t asked_to_stop;

static void on_signal(int number) {
    (void)number;
    asked_to_stop = 1;
}

// once: a second Ctrl-C ends the process at once
static void listen(struct sigaction before[2]) {
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    asked_to_stop = 0;
    sigaction(SIGINT, &a, &before[0]);
    sigaction(SIGTERM, &a, &before[1]);
}

static void listen_no_more(const struct sigaction before[2]) {
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
}

bex_dataset *bex_train_data(const bex_data_config *c) {
    bex_load_options o = BEX_LOAD_INIT;
    if (!c->path[0]) return bex_fail("no demonstrations: data.path is empty"), NULL;
    if (c->format[0]) o.format = c->format;
    if (c->keys[0]) o.keys = c->keys;
    if (c->filter[0]) o.filter = c->filter;
    if (c->split[0] && bex_split_parse(&o.split.rules, c->split) < 0)
        return bex_fail_in("data.split"), NULL;
    o.limit = (int)c->limit;
    return bex_dataset_load(c->path, &o);
}

static const char *const columns[] = {"loss",      "held_out",           "lr",
                                      "grad_norm", "windows_per_second", "data_share"};
enum { LOSS, HELD_OUT, LR, GRAD_NORM, RATE, DATA_SHARE, COLUMNS };

typedef struct {
    const bex_train_config *config;
    bex_agent *agent;
    bex_run *run;
    bex_progress progress;
    double held_out;     // the last one measured
    double sum[COLUMNS]; // since the last row
    long long updates;
    double since; // seconds at the last row
} loop;

static int save(loop *l, int64_t step) {
    char folder[BEX_RUN_PATH_SIZE];
    if (bex_run_checkpoint_begin(l->run, step, folder) < 0) return -1;
    if (l->agent->class->save(l->agent, folder) < 0) {
        bex_run_checkpoint_discard(l->run, step);
        return -1;
    }
    return bex_run_checkpoint_commit(l->run, step, l->held_out);
}

static int log_row(loop *l, int64_t step, bool evaluated) {
    double row[COLUMNS], n = (double)l->updates;
    for (int i = 0; i < COLUMNS; i++) row[i] = l->sum[i] / n;
    row[HELD_OUT] = evaluated ? l->held_out : (double)NAN;
    row[RATE] = n * (double)l->config->train.batch / (bex_seconds() - l->since);
    memset(l->sum, 0, sizeof l->sum);
    l->updates = 0;
    l->since = bex_seconds();
    return bex_run_log(l->run, step, row);
}

// update number `step`, and what is due after it
static int one_step(loop *l, int64_t step) {
    const bex_optimiser_config *t = &l->config->train;
    bex_update u;
    if (l->agent->class->update(l->agent, step, &u) < 0) return -1;
    double share = u.lane_seconds > 0 ? u.data_seconds / u.lane_seconds : 0;
    l->sum[LOSS] += u.loss, l->sum[LR] += u.lr, l->sum[GRAD_NORM] += u.grad_norm;
    l->sum[DATA_SHARE] += share;
    l->updates++;
    int64_t done = step + 1;
    bool last = done == t->steps, evaluated = done % t->evaluate_every == 0 || last;
    if (evaluated && l->agent->class->evaluate(l->agent, &l->held_out) < 0) return -1;
    if ((evaluated || done % t->log_every == 0) && log_row(l, done, evaluated) < 0) return -1;
    bex_progress_update(&l->progress, done, "loss %.4f  held out %.4f  lr %.1e  data %.0f%%",
                        u.loss, l->held_out, u.lr, 100 * share);
    if (done % t->save_every == 0 || last) return save(l, done);
    return 0;
}

static int run_steps(loop *l, int64_t first, bex_train_end *end) {
    const bex_optimiser_config *t = &l->config->train;
    int code = 0;
    int64_t step = first;
    while (code == 0 && step < t->steps && !asked_to_stop) code = one_step(l, step++);
    *end = step == t->steps ? BEX_TRAIN_FINISHED : BEX_TRAIN_STOPPED;
    if (code == 0 && *end == BEX_TRAIN_STOPPED && step % t->save_every) {
        if (l->updates && log_row(l, step, false) < 0) return -1;
        code = save(l, step);
    }
    return code;
}

static int train(loop *l, const bex_train_options *o, const bex_dataset *data, bex_train_end *end) {
    const bex_train_config *c = l->config;
    bex_run_setup setup = {.path = o->run,
                           .schema = &bex_train_schema,
                           .config = c,
                           .command = o->command,
                           .seed = c->train.seed,
                           .columns = columns,
                           .column_count = COLUMNS,
                           .keep = (int)c->train.keep,
                           .force = o->force};
    bex_run_start start = {.step = -1};
    l->agent = bex_agent_class_of(c)->new (c, data);
    if (!l->agent) return -1;
    if (o->about) l->agent->class->describe(l->agent, o->about);
    l->run = o->resume ? bex_run_resume(&setup, &start) : bex_run_create(&setup);
    if (!l->run) return -1;
    int code = 0;
    int64_t first = start.step > 0 ? start.step : 0;
    if (start.folder[0]) code = l->agent->class->load(l->agent, start.folder);
    bex_progress_start(&l->progress, o->progress,
                       c->policy.model.agent == BEX_AGENT_BE ? "be" : "bc", c->train.steps);
    bex_progress_resume(&l->progress, first);
    l->since = bex_seconds();
    struct sigaction before[2];
    listen(before);
    if (!code) code = run_steps(l, first, end);
    listen_no_more(before);
    bex_progress_finish(&l->progress);
    char why[512] = "";
    if (code) snprintf(why, sizeof why, "%s", bex_error());
    int closed = bex_run_close(l->run,
                               code                         ? BEX_RUN_FAILED
                               : *end == BEX_TRAIN_FINISHED ? BEX_RUN_FINISHED
                                                            : BEX_RUN_STOPPED,
                               code ? why : NULL);
    return code ? bex_fail("%s", why) : closed;
}

int bex_train(const bex_train_config *config, const bex_train_options *options,
              bex_train_end *end) {
    loop l = {.config = config, .held_out = NAN};
    bex_dataset *data = bex_train_data(&config->data);
    if (!data) return -1;
    int code = train(&l, options, data, end);
    if (l.agent) l.agent->class->free(l.agent);
    bex_dataset_free(data);
    return code;
}
