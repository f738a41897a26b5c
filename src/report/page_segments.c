/* report/page_segments.c - after the paper: rollouts given different history segments. */
#include "report/map.h"
#include "report/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, SEGMENTS = 8 };

typedef struct choice {
    const bex_exploration *of[MOST];
    int segment[MOST]; // from 1
    int count;
    const char *history[SEGMENTS]; // distinct, in order of appearance
    int histories;
} choice;

static int segment_number(choice *c, const char *history) {
    for (int i = 0; i < c->histories; i++)
        if (!strcmp(c->history[i], history)) return i + 1;
    if (c->histories == SEGMENTS) return 0;
    c->history[c->histories++] = history;
    return c->histories;
}

// in rows of one agent: BE with segments 1, 2, .. then BC with the same
static void sort(choice *c) {
    for (int i = 1; i < c->count; i++)
        for (int k = i; k > 0; k--) {
            const bex_exploration *a = c->of[k - 1], *b = c->of[k];
            int order = strcmp(b->label, a->label); // BE before BC before others
            if (order < 0 || (order == 0 && c->segment[k - 1] <= c->segment[k])) break;
            c->of[k - 1] = b, c->of[k] = a;
            int s = c->segment[k - 1];
            c->segment[k - 1] = c->segment[k], c->segment[k] = s;
        }
}

static void gather(choice *c, const bex_record *r, const char *environment) {
    *c = (choice){0};
    for (int i = 0; i < r->exploration_count && c->count < MOST; i++) {
        const bex_exploration *e = &r->explorations[i];
        if (!bex_exploration_given(e) || strcmp(e->s.environment, environment) != 0) continue;
        if (!e->s.rollout_trials) continue;
        int number = segment_number(c, e->s.agent.history);
        if (number) c->of[c->count] = e, c->segment[c->count++] = number;
    }
    sort(c);
}

static void agent_of(char out[80], const bex_exploration *e) {
    snprintf(out, 80, "%.70s", e->label);
    char *comma = strstr(out, ", given history");
    if (comma) *comma = 0;
}

static void draw(bex_panel *p, const bex_exploration *e, int segment) {
    char title[128], agent[80];
    agent_of(agent, e);
    snprintf(title, sizeof title, "%s, past %d", agent, segment);
    bex_panel_labels(p, title, NULL, NULL);
    bool be = !strcmp(e->s.agent.name, "be");
    bex_map_path(p, &e->s.segment, &(bex_mark){.colour = BEX_BLACK, .width = 5, .alpha = 0.28});
    const bex_path *next = e->s.rollouts;
    for (int i = 0; i < e->s.rollout_trials; i++)
        for (int k = 0; k < e->s.rollout_episodes[i]; k++)
            bex_map_path(
                p, next++,
                &(bex_mark){.colour = be ? BEX_BLUE : BEX_VERMILION, .width = 0.9, .alpha = 0.55});
    bex_map_walls(p, &e->s);
}

// the exploration of an agent with a segment, NULL if there is none
static const bex_exploration *find(const choice *c, const char *label, int segment) {
    for (int i = 0; i < c->count; i++)
        if (c->segment[i] == segment && !strcmp(c->of[i]->label, label)) return c->of[i];
    return NULL;
}

static void show_overlaps(bex_page *p, const choice *c) {
    char text[SEGMENTS][24], align[SEGMENTS + 2] = "l";
    const char *names[SEGMENTS + 1] = {"overlap with the past"};
    bool any = false;
    for (int i = 0; i < c->count; i++) any |= isfinite(c->of[i]->s.overlap.mean);
    if (!any) return;
    for (int k = 0; k < c->histories; k++) {
        snprintf(text[k], sizeof text[k], "past %d", k + 1);
        names[k + 1] = text[k], align[k + 1] = 'r', align[k + 2] = 0;
    }
    bex_page_table_begin(p, names, align, c->histories + 1);
    for (int i = 0; i < c->count; i++) {
        if (i && !strcmp(c->of[i]->label, c->of[i - 1]->label)) continue;
        char agent[80];
        agent_of(agent, c->of[i]);
        bex_page_cell(p, "%s", agent);
        for (int k = 0; k < c->histories; k++) {
            const bex_exploration *e = find(c, c->of[i]->label, k + 1);
            if (e && isfinite(e->s.overlap.mean))
                bex_page_cell(p, "%.2f \u00b1 %.2f", e->s.overlap.mean, e->s.overlap.error);
            else
                bex_page_cell(p, "\u2013");
        }
    }
    bex_page_table_end(p);
    bex_page_text(p, "Overlap: the share of an episode\u2019s regions that the given past had "
                     "visited, mean and standard error over trials.");
}

void bex_page_segments(bex_page *p, const bex_record *r, const char *environment) {
    choice c;
    char name[128];
    gather(&c, r, environment);
    bex_page_heading(p, "Rollouts given a past");
    if (c.count == 0) {
        bex_page_note(p, "Left out: no exploration here was given a past "
                         "(bex explore --history file:F).");
        return;
    }
    int columns = c.count < 4 ? c.count : 4;
    bex_figure *all = bex_figure_new((c.count + columns - 1) / columns, columns, 170, 170);
    bool segments = true;
    for (int i = 0; i < c.count; i++) segments &= c.of[i]->s.segment.n > 0;
    bex_page_figure_begin(p, columns,
                          segments
                              ? "An agent that uses its past keeps away from the grey path it was "
                                "given; one that does not, follows it as often as not."
                              : "An agent that uses its past goes elsewhere with each past; one "
                                "that does not, goes the same ways with all.");
    for (int i = 0; i < c.count; i++) {
        char alt[200], agent[80];
        agent_of(agent, c.of[i]);
        bex_figure *one = bex_figure_new(1, 1, 170, 170);
        draw(bex_figure_panel(one, 0, 0), c.of[i], c.segment[i]);
        draw(bex_figure_panel(all, i / columns, i % columns), c.of[i], c.segment[i]);
        snprintf(alt, sizeof alt, "Rollouts of %s given past %d", agent, c.segment[i]);
        bex_page_show(p, one, alt);
        bex_figure_free(one);
    }
    for (int i = c.count; i % columns; i++)
        bex_panel_hide_axes(bex_figure_panel(all, i / columns, i % columns));
    bex_page_keep(p, all, bex_figure_name(name, environment, "segments"));
    bex_figure_free(all);
    bex_page_figure_end(p, "Rollouts of the first trials (coloured) given a past%s.",
                        segments ? " (the broad grey path)" : "");
    if (!segments)
        bex_page_note(p, "The given pasts themselves are not in results.json and so not drawn.");
    show_overlaps(p, &c);
}
