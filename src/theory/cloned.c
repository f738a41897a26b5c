/* theory/cloned.c - exact coverage of behavioural cloning. */
#include "theory/cloned.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>

int bex_cloned_terminals(const bex_mdp *world, double *w) {
    double *flow = calloc((size_t)world->states, sizeof *flow);
    if (!flow) return bex_fail("out of memory for %d states", world->states);
    flow[world->start] = 1;
    for (int i = 0; i < world->reachable; i++) {
        int s = world->order[i], first = s * world->actions;
        for (int a = 0; a < world->actions && !world->terminal[s]; a++)
            if (world->beta[first + a] > 0)
                flow[world->next[first + a]] += flow[s] * world->beta[first + a];
    }
    for (int i = 0; i < world->n_beta; i++) w[i] = fmin(flow[world->omega[i]], 1);
    free(flow);
    return 0;
}

double bex_cloned_distinct(const double *w, int n, double episodes) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum -= expm1(episodes * log1p(-w[i])); // log1p(-1) = -inf is right
    return episodes > 0 ? sum : 0;
}

// 1 - prod_i (1 - e^{-w_i t}), also where the product is near 1
static double unseen(const double *w, int n, double t) {
    double log_product = 0;
    for (int i = 0; i < n; i++) log_product += log(-expm1(-w[i] * t));
    return -expm1(log_product);
}

double bex_cloned_episodes(const double *w, int n) {
    double rarest = 1;
    for (int i = 0; i < n; i++) rarest = fmin(rarest, w[i]);
    if (!(rarest > 0)) return INFINITY;
    // with t = e^u the integrand is smooth and falls off at both ends, fast enough that the
    // trapezoidal rule converges exponentially; the integrand is e^u where no coupon is likely
    const double step = 0.2, first = -26, last = log(60 / rarest);
    double sum = 0;
    for (double u = first; u < last; u += step) sum += unseen(w, n, exp(u)) * exp(u);
    return step * sum;
}

int bex_cloned_episode(const bex_mdp *world, bex_rng *rng) {
    int s = world->start;
    while (!world->terminal[s]) s = world->next[s * world->actions + bex_mdp_behave(world, s, rng)];
    return s;
}
