#include "agent/actors/retrieval.h"

#include "base/error.h"
#include "base/number.h"
#include "coverage/coverage.h"
#include "coverage/prefix.h"
#include "coverage/state_sum.h"
#include "data/column_statistics.h"
#include "data/neighbours.h"
#include "data/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bex_retrieval {
    const bex_dataset *data;
    bex_retrieval_options o;
    bex_windows *windows;
    int starts, D;  // rows that may be chosen; observation columns that vary
    int *row;       // (starts)
    int *column;    // (D)
    bex_real *mean; // (O)
    bex_real *std;  // (O), 1 for a column that does not vary
    bex_neighbours *near;
    bex_feature *phi;
    bex_prefix *sums;
};

int bex_retrieval_parse_choice(int *among, const char *text) {
    long long n;
    if (!strcmp(text, "best")) return *among = 1, 0;
    if (!strcmp(text, "random")) return *among = 0, 0;
    if (!strncmp(text, "top:", 4) && bex_integer_parse(&n, text + 4) == 0 && n >= 1 && n <= 1 << 20)
        return *among = (int)n, 0;
    bex_fail("no choice '%s'", text);
    return bex_fail_hint("best, top:N or random");
}

void bex_retrieval_free(bex_retrieval *r) {
    if (!r) return;
    bex_prefix_free(r->sums);
    bex_feature_free(r->phi);
    bex_neighbours_free(r->near);
    bex_windows_free(r->windows);
    free(r->row);
    free(r->column);
    free(r->mean);
    free(r->std);
    free(r);
}

// ---- building ----

static int measure_columns(bex_retrieval *r, bex_column_statistics *columns) {
    bex_statistics_columns(columns, r->data->observations, r->data->rows, r->data->O);
    for (int c = 0; c < r->data->O; c++) {
        r->mean[c] = (bex_real)columns[c].mean;
        r->std[c] = columns[c].constant ? 1 : (bex_real)columns[c].deviation;
        if (!columns[c].constant) r->column[r->D++] = c;
    }
    return r->D ? 0 : bex_fail("every observation is the same");
}

static void standardise(const bex_retrieval *r, const bex_real *obs, bex_real *out) {
    for (int i = 0; i < r->D; i++) {
        int c = r->column[i];
        out[i] = (obs[c] - r->mean[c]) / r->std[c];
    }
}

static int index_starts(bex_retrieval *r) {
    bex_window_options w = BEX_WINDOW_INIT;
    w.chunk = r->o.chunk, w.future = r->o.future;
    r->windows = bex_windows_new(r->data, &w);
    if (!r->windows) return -1;
    r->starts = (int)bex_windows_starts(r->windows);
    if (r->starts < r->o.k)
        return bex_fail("%d rows have a future of %d states, %d neighbours are asked for",
                        r->starts, r->o.future + 1, r->o.k);
    r->row = malloc((size_t)r->starts * sizeof *r->row);
    bex_real *points = malloc((size_t)r->starts * (size_t)r->D * sizeof *points);
    if (r->row && points) {
        for (int j = 0; j < r->starts; j++) {
            r->row[j] = bex_windows_at(r->windows, j).row;
            standardise(r, r->data->observations + (size_t)r->row[j] * (size_t)r->data->O,
                        points + (size_t)j * (size_t)r->D);
        }
        r->near = bex_neighbours_new(points, r->starts, r->D);
    } else {
        bex_fail("out of memory for %d rows", r->starts);
    }
    free(points);
    return r->near ? 0 : -1;
}

// the grid of one-hot cells over the data's range
static int lay_grid(bex_feature_options *phi, const bex_retrieval *r,
                    const bex_column_statistics *columns, bex_real *low, bex_real *bin, int *bins) {
    for (int i = 0; i < phi->dims_count; i++) {
        const bex_column_statistics *c = &columns[phi->dims[i]];
        low[i] = (bex_real)c->least;
        bin[i] = (bex_real)r->o.bin;
        double cells = floor((c->most - c->least) / r->o.bin) + 1;
        if (!(cells <= BEX_GRAM_CELLS)) return bex_fail("cells of %g: too many", r->o.bin);
        bins[i] = (int)cells;
    }
    phi->low = low, phi->bin = bin, phi->bins = bins;
    phi->out = 0;
    return 0;
}

static int make_phi(bex_retrieval *r, const bex_column_statistics *columns) {
    bex_feature_options phi = r->o.phi;
    bex_real low[BEX_FEATURE_DIMS], bin[BEX_FEATURE_DIMS];
    int bins[BEX_FEATURE_DIMS], all[BEX_FEATURE_DIMS], O = r->data->O;
    phi.input = O;
    for (int i = 0; i < phi.dims_count; i++)
        if (phi.dims[i] < 0 || phi.dims[i] >= O)
            return bex_fail("phi of dim %d; states have %d, from 0", phi.dims[i], O);
    if (phi.kind && !strcmp(phi.kind, "onehot")) {
        if (!phi.dims) {
            if (O > BEX_FEATURE_DIMS) return bex_fail("one-hot features of %d dims", O);
            for (int i = 0; i < O; i++) all[i] = i;
            phi.dims = all, phi.dims_count = O;
        }
        if (lay_grid(&phi, r, columns, low, bin, bins) < 0) return -1;
    } else if (!r->o.raw) {
        phi.mean = r->mean, phi.std = r->std;
    }
    r->phi = bex_feature_new(&phi);
    if (!r->phi) return -1;
    r->sums = bex_prefix_new(r->phi, r->data->observations, r->data->rows,
                             &(bex_prefix_options){.threads = r->o.threads});
    return r->sums ? 0 : -1;
}

static int fill(bex_retrieval *r) {
    size_t O = (size_t)r->data->O;
    bex_column_statistics *columns = malloc(O * sizeof *columns);
    r->column = malloc(O * sizeof *r->column);
    r->mean = malloc(O * sizeof *r->mean);
    r->std = malloc(O * sizeof *r->std);
    int code = -1;
    if (!columns || !r->column || !r->mean || !r->std)
        bex_fail("out of memory");
    else if (measure_columns(r, columns) == 0 && index_starts(r) == 0)
        code = make_phi(r, columns);
    free(columns);
    return code;
}

bex_retrieval *bex_retrieval_new(const bex_dataset *dataset, const bex_retrieval_options *o) {
    if (o->k < 1 || o->chunk < 1 || o->future < 0 || !(o->lambda > 0) || o->among < 0) {
        bex_fail("retrieval of %d neighbours, %d actions, %d future states, lambda %g", o->k,
                 o->chunk, o->future, o->lambda);
        return NULL;
    }
    if (o->among > o->k) {
        bex_fail("the top %d of %d neighbours", o->among, o->k);
        return NULL;
    }
    bex_retrieval *r = calloc(1, sizeof *r);
    if (!r) return bex_fail("out of memory"), NULL;
    r->data = dataset, r->o = *o;
    if (fill(r) == 0) return r;
    bex_fail_in("retrieval");
    return bex_retrieval_free(r), NULL;
}

int bex_retrieval_starts(const bex_retrieval *r) {
    return r->starts;
}

const bex_feature *bex_retrieval_feature(const bex_retrieval *r) {
    return r->phi;
}

// ---- acting ----

typedef struct retrieval_actor {
    bex_actor base;
    const bex_retrieval *r;
    bex_memory *memory;
    bex_rng rng, choice; // of the stream; of the running episode
    uint64_t episode;    // begun so far
    int played;          // actions of the chunk; K: look up again
    int window;          // being played; -1: none yet
    bex_gram_shape wide, shape;
    bex_neighbour *found; // (k)
    int *order;           // (k) best future first
    double *cov;          // (k)
    double *history;      // (wide) sum over the episode's history
    double *futures;      // (k, shape)
    bex_real *states;     // (N, O)
    bex_real *query;      // (D)
    bex_real *chunk;      // (K, A)
} retrieval_actor;

static int actor_begin(bex_actor *actor) {
    retrieval_actor *a = (retrieval_actor *)actor;
    bex_memory_abandon(a->memory);
    a->choice = bex_rng_split(a->rng, "choice", a->episode);
    a->played = a->r->o.chunk, a->window = -1;
    a->episode++;
    return 0;
}

static int actor_end(bex_actor *actor) {
    return bex_memory_end(((retrieval_actor *)actor)->memory);
}

static int actor_recall(bex_actor *actor, const bex_episode *e) {
    retrieval_actor *a = (retrieval_actor *)actor;
    actor_begin(actor);
    for (int t = 0; t < e->steps; t++) bex_memory_push(a->memory, bex_episode_step(e, t).obs.state);
    return actor_end(actor);
}

// once an episode, when its first state is known
static int draw_history(retrieval_actor *a) {
    bex_memory_draw(a->memory, a->states, bex_rng_split(a->rng, "history", a->episode - 1));
    bex_gram_zero(a->wide, a->history);
    return bex_state_sum_add(a->r->phi, a->history, a->states, (size_t)bex_memory_size(a->memory));
}

// cov of history and each neighbour's future; relative features are seen from the future's own start
static int rate_futures(retrieval_actor *a) {
    const bex_retrieval *r = a->r;
    size_t size = bex_gram_size(a->shape);
    bool relative = bex_feature_relative(r->phi);
    double sum[BEX_GRAM_MOST];
    for (int i = 0; i < r->o.k; i++) {
        int64_t row = r->row[a->found[i].point];
        double *future = a->futures + (size_t)i * size, *into = relative ? sum : future;
        bex_gram_zero(a->wide, into);
        if (relative) bex_gram_union(a->wide, into, a->history);
        bex_prefix_add_window(r->sums, into, row, r->o.future + 1);
        if (relative) bex_prefix_contract(r->sums, future, into, row);
    }
    bex_coverage_batch(a->cov, a->shape, relative ? NULL : a->history, a->futures, (size_t)r->o.k,
                       r->o.lambda);
    for (int i = 0; i < r->o.k; i++)
        if (!isfinite(a->cov[i])) return bex_coverage_fail(r->o.lambda);
    return 0;
}

// the first `most` of a->order: best future first, the nearer of two equal ones before
static void order_futures(retrieval_actor *a, int most) {
    int count = 0;
    for (int i = 0; i < a->r->o.k; i++) {
        int at = count < most ? count++ : most;
        for (; at > 0 && a->cov[a->order[at - 1]] < a->cov[i]; at--)
            if (at < most) a->order[at] = a->order[at - 1];
        if (at < most) a->order[at] = i;
    }
}

static int look_up(retrieval_actor *a, const bex_real *obs) {
    const bex_retrieval *r = a->r;
    int pick;
    standardise(r, obs, a->query);
    bex_neighbours_find(r->near, a->query, r->o.k, a->found);
    if (r->o.among == 0) {
        pick = (int)bex_rng_below(&a->choice, (uint64_t)r->o.k);
    } else {
        if (rate_futures(a) < 0) return -1;
        order_futures(a, r->o.among);
        pick = a->order[bex_rng_below(&a->choice, (uint64_t)r->o.among)];
    }
    a->window = a->found[pick].point;
    bex_window w = bex_windows_at(r->windows, a->window);
    bex_windows_chunk(r->windows, &w, a->chunk, NULL);
    a->played = 0;
    return 0;
}

static int actor_act(bex_actor *actor, const bex_observation *seen, bex_real *action) {
    retrieval_actor *a = (retrieval_actor *)actor;
    const bex_retrieval *r = a->r;
    const bex_real *obs = seen->state;
    if (bex_observation_check(seen, 0) < 0) return -1;
    for (int c = 0; c < r->data->O; c++)
        if (!isfinite(obs[c])) return bex_fail("observation %d is %g", c, (double)obs[c]);
    bex_memory_push(a->memory, obs);
    if (a->window < 0 && draw_history(a) < 0) return -1;
    if (a->played == r->o.chunk && look_up(a, obs) < 0) return -1;
    size_t A = (size_t)r->data->A;
    memcpy(action, a->chunk + (size_t)a->played++ * A, A * sizeof *action);
    return 0;
}

static void actor_free(bex_actor *actor) {
    retrieval_actor *a = (retrieval_actor *)actor;
    if (!a) return;
    bex_memory_free(a->memory);
    free(a->found);
    free(a->order);
    free(a->cov);
    free(a->history);
    free(a->futures);
    free(a->states);
    free(a->query);
    free(a->chunk);
    free(a);
}

static const bex_actor_class retrieval_class = {.name = "retrieval",
                                                .begin = actor_begin,
                                                .act = actor_act,
                                                .end = actor_end,
                                                .recall = actor_recall,
                                                .free = actor_free};

bex_actor *bex_retrieval_actor_new(const bex_retrieval *r, const bex_memory_options *history,
                                   bex_rng rng) {
    bex_memory_options h = *history;
    retrieval_actor *a = calloc(1, sizeof *a);
    if (!a) return bex_fail("out of memory"), NULL;
    a->base.class = &retrieval_class;
    a->r = r, a->rng = rng, a->played = r->o.chunk, a->window = -1;
    h.O = r->data->O;
    a->memory = bex_memory_new(&h);
    if (!a->memory) return actor_free(&a->base), NULL;
    a->wide = bex_feature_wide(r->phi), a->shape = bex_feature_shape(r->phi);
    size_t k = (size_t)r->o.k;
    a->found = malloc(k * sizeof *a->found);
    a->order = malloc(k * sizeof *a->order);
    a->cov = malloc(k * sizeof *a->cov);
    a->history = malloc(bex_gram_size(a->wide) * sizeof *a->history);
    a->futures = malloc(k * bex_gram_size(a->shape) * sizeof *a->futures);
    a->states = malloc((size_t)h.N * (size_t)h.O * sizeof *a->states);
    a->query = malloc((size_t)r->D * sizeof *a->query);
    a->chunk = malloc((size_t)r->o.chunk * (size_t)r->data->A * sizeof *a->chunk);
    if (a->found && a->order && a->cov && a->history && a->futures && a->states && a->query &&
        a->chunk)
        return &a->base;
    bex_fail("out of memory");
    return actor_free(&a->base), NULL;
}

bex_memory *bex_retrieval_actor_history(bex_actor *actor) {
    return ((retrieval_actor *)actor)->memory;
}

int bex_retrieval_actor_row(const bex_actor *actor) {
    const retrieval_actor *a = (const retrieval_actor *)actor;
    return a->window < 0 ? -1 : a->r->row[a->window];
}

int bex_retrieval_actor_neighbour(const bex_actor *actor, int i, double *cov) {
    const retrieval_actor *a = (const retrieval_actor *)actor;
    BEX_CHECK(a->window >= 0 && i >= 0 && i < a->r->o.k && a->r->o.among, "neighbour %d", i);
    *cov = a->cov[i];
    return a->r->row[a->found[i].point];
}
