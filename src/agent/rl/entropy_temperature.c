#include "agent/rl/entropy_temperature.h"

#include <math.h>

void bex_entropy_temperature_init(bex_entropy_temperature *t, double alpha, double target) {
    *t = (bex_entropy_temperature){.params = bex_params_new(), .target = target};
    bex_param_add(t->params, BEX_INIT_ZERO, 1, (const int[]){1}, "log_temperature");
    BEX_CHECK(bex_params_build(t->params, 1, bex_rng_seed(0)) == 0, "%s", bex_error());
    t->params->value[0] = R(log(alpha));
}

void bex_entropy_temperature_fini(bex_entropy_temperature *t) {
    bex_params_free(t->params);
    *t = (bex_entropy_temperature){0};
}

double bex_entropy_temperature_value(const bex_entropy_temperature *t) {
    return exp((double)t->params->value[0]);
}

void bex_entropy_temperature_step(bex_entropy_temperature *t, double entropy, double lr) {
    static const bex_adam adam = BEX_ADAM_INIT;
    t->params->grad[0] = R(bex_entropy_temperature_value(t) * (entropy - t->target));
    bex_adam_step(t->params, &adam, lr, 1);
}
