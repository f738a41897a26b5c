#include "cli/explore_summary.h"

#include <math.h>
#include <stdio.h>

// episodes 1, 2, 3, 5, 8, 12, 20, 30, 40 ... and the last
static void print_episodes(const bex_curve *c) {
    static const int shown[] = {1, 2, 3, 5, 8, 12, 20, 30, 40, 60, 100};
    printf("  episodes   regions visited\n");
    for (size_t i = 0; i <= sizeof shown / sizeof *shown; i++) {
        bool last = i == sizeof shown / sizeof *shown || shown[i] >= c->n;
        int n = last ? c->n : shown[i];
        printf("  %8d   %5.1f +- %.1f\n", n, c->mean[n - 1], c->error[n - 1]);
        if (last) break;
    }
}

// a twentieth, a tenth, a quarter ... of the budget: the nearest points of the curves
static void print_steps(const bex_curve *regions, const bex_curve *goals) {
    static const double parts[] = {0.05, 0.1, 0.25, 0.5, 0.75, 1};
    printf("     steps   regions visited%s\n", goals->n ? "   goals found" : "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int at = (int)(parts[i] * (regions->n - 1) + 0.5);
        char text[40];
        snprintf(text, sizeof text, "%5.1f +- %.1f", regions->mean[at], regions->error[at]);
        printf("  %8.0f   %-15s", regions->x[at], text);
        if (goals->n) printf("   %.3f +- %.3f", goals->mean[at], goals->error[at]);
        printf("\n");
    }
}

static void print_goals(const bex_exploration_summary *s) {
    if (!s->goals) return;
    printf("  goals found: %.3f +- %.3f of %d\n", s->final_goals.mean, s->final_goals.error,
           s->goals);
    for (int g = 0; g < s->goals; g++) {
        int n = (int)s->trials, found = (int)lround(s->goal_share[g] * n);
        bex_interval w = bex_interval_wilson(found, n, 0.95);
        printf("    %-16s in %.2f of the trials [%.2f, %.2f]\n", s->goal_name[g], s->goal_share[g],
               w.low, w.high);
    }
    printf("    [ ]: Wilson's interval, 95 %%\n");
}

static void print_conduct(const bex_exploration_summary *s) {
    for (int c = 0; c < s->conducts; c++) {
        const bex_conduct *one = &s->conduct[c];
        printf("  %-26s %.3g +- %.2g", one->name, one->value.mean, one->value.error);
        if (s->shown_conduct) printf("   demonstrations %.3g", one->shown);
        printf("\n");
    }
}

void bex_explore_print(const bex_exploration_summary *s, const char *who) {
    printf("%s, %s: %lld trials", who, s->environment, s->trials);
    if (s->budget > 0) {
        printf(" of %lld steps, episodes of %lld, %lld regions\n", s->budget, s->length,
               s->regions);
        print_steps(&s->by_step, &s->goals_by_step);
    } else {
        printf(", %lld episodes of %lld steps, %lld regions\n", s->episodes, s->length, s->regions);
        print_episodes(&s->by_episode);
    }
    print_goals(s);
    print_conduct(s);
    if (!isnan(s->overlap.mean))
        printf("  overlap with the history: %.3f +- %.3f\n", s->overlap.mean, s->overlap.error);
}
