/* tests/policy/tiny_control.h - a control stream with a few settings changed, by name in the struct. */
#ifndef BEX_TESTS_POLICY_TINY_CONTROL_H
#define BEX_TESTS_POLICY_TINY_CONTROL_H

#include "base/number.h"
#include "policy/control.h"
#include "policy/deploy.h"

#include <math.h>

typedef struct tiny_settings {
    const char *exp, *history;           // NULL: the policy's own
    double guidance, noise, temperature; // NAN: the policy's own
    int act, candidates, commit, ddim;   // 0: the policy's own
    uint64_t seed;
    int task, scene;
} tiny_settings;
#define TINY_SETTINGS ((tiny_settings){.guidance = NAN, .noise = NAN, .temperature = NAN})

// negative with a message where the table or the policy refuses one
static inline int tiny_deploy(const bex_policy *p, tiny_settings o, bex_deploy_config *d) {
    const struct {
        const char *key;
        double value;
        bool asked;
    } number[] = {{"guidance", o.guidance, !isnan(o.guidance)},
                  {"noise", o.noise, !isnan(o.noise)},
                  {"temperature", o.temperature, !isnan(o.temperature)},
                  {"action_steps", o.act, o.act != 0},
                  {"candidates", o.candidates, o.candidates != 0},
                  {"commit", o.commit, o.commit != 0},
                  {"denoising_steps", o.ddim, o.ddim != 0}};
    char text[BEX_NUMBER_SIZE];
    *d = p->config.deploy;
    if (o.exp && bex_deploy_set(d, "exp", o.exp) < 0) return -1;
    if (o.history && bex_deploy_set(d, "history", o.history) < 0) return -1;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].asked &&
            bex_deploy_set(d, number[i].key, bex_number_format(text, number[i].value)) < 0)
            return -1;
    return 0;
}

static inline bex_control *tiny_control(const bex_policy *p, tiny_settings o) {
    bex_deploy_config d;
    if (tiny_deploy(p, o, &d) < 0) return NULL;
    bex_control *c = bex_control_new(p, &d, o.seed);
    if (c && bex_control_set_task(c, o.task, o.scene) == 0) return c;
    bex_control_free(c);
    return NULL;
}

#endif
