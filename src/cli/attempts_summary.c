#include "cli/attempts_summary.h"

#include <math.h>
#include <stdio.h>

static void print_curve(const bex_attempts *a) {
    printf("  attempts   success%s\n", a->shared ? "            tasks of a scene done" : "");
    for (int k = 1; k <= a->attempts; k++) {
        bool shown = k <= 3 || k == 6 || k == 10 || k == a->attempts;
        if (!shown) continue;
        bex_estimate e = bex_attempts_success(a, k);
        printf("  %8d   %.3f", k, e.mean);
        if (isfinite(e.error)) printf(" +- %.3f", e.error);
        if (a->shared)
            printf("%*s%.3f", isfinite(e.error) ? 5 : 14, "", bex_attempts_distinct(a, k));
        printf("\n");
    }
}

void bex_attempts_print(const bex_attempts *a) {
    print_curve(a);
    for (int i = 0; i < a->tasks; i++) {
        const bex_attempt_task *t = &a->task[i];
        bex_interval w = bex_attempts_interval(t, a->attempts);
        printf("  %-18s %-72s %.2f of %d [%.2f, %.2f]\n", t->scene, t->task,
               bex_attempts_share(t, a->attempts), t->trials, w.low, w.high);
    }
    printf("attempts needed, %d where a trial has no success: %.1f on average over %d tasks\n",
           a->attempts + 1, bex_attempts_needed(a), a->tasks);
}
