#include "cli/explore_summary.h"

#include <stdio.h>

static double number(const json_t *from, const char *key) {
    return json_number_value(json_object_get(from, key));
}

static double number_at(const json_t *curve, const char *key, size_t i) {
    return json_number_value(json_array_get(json_object_get(curve, key), i));
}

// episodes 1, 2, 3, 5, 8, 12, 20, 30, 40 ... and the last
static void print_episodes(const bex_explored *e, const json_t *results) {
    static const int shown[] = {1, 2, 3, 5, 8, 12, 20, 30, 40, 60, 100};
    const json_t *c = json_object_get(json_object_get(results, "by_episode"), "regions");
    int episodes = bex_explored_least_episodes(e);
    printf("  episodes   regions visited\n");
    for (size_t i = 0; i <= sizeof shown / sizeof *shown; i++) {
        bool last = i == sizeof shown / sizeof *shown || shown[i] >= episodes;
        int n = last ? episodes : shown[i];
        printf("  %8d   %5.1f +- %.1f\n", n, number_at(c, "mean", (size_t)n - 1),
               number_at(c, "error", (size_t)n - 1));
        if (last) break;
    }
}

// a twentieth, a tenth, a quarter ... of the budget: the nearest points of the curves
static void print_steps(const json_t *results) {
    static const double parts[] = {0.05, 0.1, 0.25, 0.5, 0.75, 1};
    const json_t *by = json_object_get(results, "by_step");
    const json_t *regions = json_object_get(by, "regions"), *goals = json_object_get(by, "goals");
    size_t points = json_array_size(json_object_get(regions, "step"));
    printf("     steps   regions visited%s\n", goals ? "   goals found" : "");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t at = (size_t)(parts[i] * (double)(points - 1) + 0.5);
        char text[40];
        snprintf(text, sizeof text, "%5.1f +- %.1f", number_at(regions, "mean", at),
                 number_at(regions, "error", at));
        printf("  %8.0f   %-15s", number_at(regions, "step", at), text);
        if (goals)
            printf("   %.3f +- %.3f", number_at(goals, "mean", at), number_at(goals, "error", at));
        printf("\n");
    }
}

static void print_goals(const bex_explored *e, const json_t *results) {
    const json_t *goals = json_object_get(results, "goals");
    const json_t *found = json_object_get(goals, "found");
    if (!goals) return;
    printf("  goals found: %.3f +- %.3f of %d\n", number(found, "mean"), number(found, "error"),
           e->G);
    if (!e->budget) return;
    for (int g = 0; g < e->G; g++)
        printf("    %-16s in %.2f of the trials\n",
               json_string_value(json_array_get(json_object_get(goals, "names"), (size_t)g)),
               number_at(goals, "reached", (size_t)g));
}

static void print_conduct(const json_t *results) {
    const json_t *shown = json_object_get(json_object_get(results, "demonstrations"), "conduct");
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(results, "conduct"), key, value) {
        printf("  %-26s %.3g +- %.2g", key, number(value, "mean"), number(value, "error"));
        if (shown) printf("   demonstrations %.3g", number(shown, key));
        printf("\n");
    }
}

void bex_explore_print(const bex_explored *e, const json_t *results, const char *who) {
    if (e->budget) {
        printf("%s, %s: %d trials of %d steps, episodes of %d, %d regions\n", who, e->world->name,
               e->trials, e->budget, e->world->time_limit, e->R);
        print_steps(results);
    } else {
        printf("%s, %s: %d trials, %d episodes of %d steps, %d regions\n", who, e->world->name,
               e->trials, e->limit, e->world->time_limit, e->R);
        print_episodes(e, results);
    }
    print_goals(e, results);
    print_conduct(results);
    const json_t *overlap = json_object_get(results, "overlap");
    if (overlap)
        printf("  overlap with the history: %.3f +- %.3f\n", number(overlap, "mean"),
               number(overlap, "error"));
}
