/* cli/compare_evaluations.c - two evaluations, episode by episode: windows of one episode are alike, so
 * episodes are what is counted.
 *
 * Episodes are known by their identity (data/dataset.h), so runs that held out others, or see other columns
 * of the same demonstrations, are compared on those that both have. */
#include "cli/comparison.h"
#include "cli/evaluation.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *episodes_of(const bex_compared *s) {
    return json_object_get(s->results, "episodes");
}

static const char *identity(const bex_compared *s, int e) {
    const char *text =
        json_string_value(json_object_get(json_array_get(episodes_of(s), (size_t)e), "identity"));
    return text ? text : "";
}

static bool is_evaluation(const json_t *results) {
    return json_object_get(results, "error") && json_object_get(results, "windows");
}

static int look(bex_compared *s) {
    s->seed = -1;
    s->of = json_string_value(json_object_get(s->results, "of"));
    s->episodes = (int)json_array_size(episodes_of(s));
    if (!s->of || !s->episodes) {
        bex_fail("'%s' says nothing of single episodes", s->path);
        return bex_fail_hint("made by an older bex: bex eval --json anew");
    }
    s->at = calloc((size_t)s->episodes, sizeof *s->at);
    if (!s->at) return bex_fail("out of memory: %d episodes", s->episodes);
    for (int e = 0; e < s->episodes; e++) s->at[e] = e;
    s->n = s->episodes;
    return 0;
}

// the episodes that both have, in the order of the first; none: all of each
static void pair(bex_comparison *c) {
    bex_compared *a = &c->side[0], *b = &c->side[1];
    int both = 0;
    int *at[2] = {calloc((size_t)a->n, sizeof *at[0]), calloc((size_t)a->n, sizeof *at[0])};
    BEX_CHECK(at[0] && at[1], "out of memory: %d episodes", a->n);
    for (int i = 0; i < a->episodes; i++)
        for (int k = 0; k < b->episodes; k++)
            if (!strcmp(identity(a, i), identity(b, k))) {
                at[0][both] = i, at[1][both++] = k;
                break;
            }
    c->paired = both > 0;
    for (int s = 0; s < 2; s++) {
        if (!both) {
            free(at[s]);
            continue;
        }
        free(c->side[s].at);
        c->side[s].at = at[s], c->side[s].n = both;
    }
}

static const json_t *error_of(const bex_compared *s, int i, const char *variant) {
    const json_t *e = json_array_get(episodes_of(s), (size_t)s->at[i]);
    return json_object_get(json_object_get(e, "error"), variant);
}

static void add_error(bex_comparison *c, const char *variant, bex_open_loop_kind kind,
                      const char *name) {
    const char *key = bex_open_loop_names[kind];
    for (int s = 0; s < 2; s++)
        if (!json_object_get(error_of(&c->side[s], 0, variant), key)) return;
    bex_measure *m = bex_comparison_add(c, false);
    if (!m) return;
    snprintf(m->name, sizeof m->name, "%s", name);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < c->side[s].n; i++)
            m->value[s][i] =
                json_number_value(json_object_get(error_of(&c->side[s], i, variant), key));
}

// of the episodes, how many have the lesser value of the row before
static void add_lesser(bex_comparison *c, const char *name) {
    const bex_measure *of = &c->row[c->rows - 1];
    bex_measure *m = c->paired ? bex_comparison_add(c, true) : NULL;
    if (!m) return;
    snprintf(m->name, sizeof m->name, "%s", name);
    for (int i = 0; i < c->side[0].n; i++) {
        m->value[0][i] = of->value[0][i] < of->value[1][i];
        m->value[1][i] = of->value[1][i] < of->value[0][i];
    }
}

static int measure(bex_comparison *c, bool unpaired) {
    long long chunks[2] = {0};
    for (int s = 0; s < 2; s++) {
        const bex_compared *of = &c->side[s];
        if (bex_json_get_integer(of->results, "chunks", &chunks[s]) < 0)
            return bex_fail_in("%s", of->path);
        for (int i = 0; i < of->n; i++)
            if (!error_of(of, i, bex_evaluation_names[0]))
                return bex_fail("'%s' has no error of episode %d", of->path, i);
    }
    if (!unpaired) pair(c);
    const char *trained = bex_evaluation_names[0];
    add_error(c, trained, BEX_OPEN_LOOP_ONE, "error of a chunk");
    add_lesser(c, "episodes with the lesser one");
    if (chunks[0] == chunks[1]) { // the nearest of more is nearer
        add_error(c, trained, BEX_OPEN_LOOP_MEAN, "error of the mean of chunks");
        add_lesser(c, "episodes with the lesser mean's");
        add_error(c, trained, BEX_OPEN_LOOP_NEAREST, "error of the nearest chunk");
    }
    add_error(c, trained, BEX_OPEN_LOOP_SPREAD, "two chunks apart");
    add_error(c, trained, BEX_OPEN_LOOP_NOTHING, "error of the mean action");
    for (int v = 1; v < BEX_EVALUATION_VARIANTS; v++) {
        char name[BEX_COMPARED_NAME];
        snprintf(name, sizeof name, "of a chunk, %s", bex_evaluation_names[v]);
        add_error(c, bex_evaluation_names[v], BEX_OPEN_LOOP_ONE, name);
    }
    return 0;
}

// error of the mean of chunks by action of the chunk
static void draw(const bex_comparison *c, bex_panel *panel) {
    for (int s = 0; s < 2; s++) {
        const json_t *steps = json_object_get(c->side[s].results, "by_step");
        size_t n = json_array_size(steps);
        double *x = bex_comparison_numbers(2 * (long long)n + 1), *y = x + n;
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)k + 1;
            y[k] = json_number_value(
                json_object_get(json_array_get(steps, k), bex_open_loop_names[BEX_OPEN_LOOP_MEAN]));
        }
        bex_panel_line(panel, x, y, NULL, (int)n,
                       &(bex_mark){.label = c->side[s].name, .colour = bex_palette(s)});
        free(x);
    }
    bex_panel_labels(panel, "Error of the mean of chunks", "action of the chunk", NULL);
}

const bex_comparison_kind bex_compare_evaluations = {
    .name = "evaluation",
    .unit = "episode",
    .why = "they have no episode in common",
    .is = is_evaluation,
    .look = look,
    .measure = measure,
    .draw = draw,
};
