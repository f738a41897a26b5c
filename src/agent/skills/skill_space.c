#include "agent/skills/skill_space.h"

#include "kernel/random.h"
#include "kernel/vmath.h"

bex_real bex_inside(bex_real x) {
    static const bex_real most = R(1 - 1e-5);
    return x > most ? most : x < -most ? -most : x;
}

void bex_squash(bex_real *u, const bex_real *z, int n) {
    for (int i = 0; i < n; i++) u[i] = bex_inside(bex_tanh(z[i]));
}

void bex_unsquash(bex_real *z, const bex_real *u, int n) {
    for (int i = 0; i < n; i++) z[i] = R(atanh((double)bex_inside(u[i])));
}

void bex_skill_act(bex_tape *tape, const bex_diagonal_gaussian *net, bex_tensor *x, bex_rng *rng,
                   bex_real *action) {
    bex_tensor *mean, *log_std;
    bex_diagonal_gaussian_run(tape, net, x, &mean, &log_std);
    bex_tensor *noise = bex_tensor_like(tape, mean);
    bex_random_normal(noise->data, bex_count(noise), rng);
    const bex_real *a = bex_gaussian_sample(tape, mean, log_std, noise)->data;
    for (int i = 0; i < net->o.out; i++)
        action[i] = a[i] > R(1) ? R(1) : a[i] < R(-1) ? R(-1) : a[i];
}
