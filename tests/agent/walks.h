/* tests/agent/walks.h - small demonstrations and a small network, for tests of training.
 *
 * Walks in the plane: state (x, y, dx, dy), action = the next step's direction. Every episode has a
 * task (its number modulo 3) and a scene (modulo 2). */
#ifndef BEX_TESTS_AGENT_WALKS_H
#define BEX_TESTS_AGENT_WALKS_H

#include "agent/train_config.h"
#include "base/error.h"
#include "base/rng.h"
#include "data/dataset.h"

#include "test.h"

#include <math.h>

enum { WALKS = 24, WALK_ROWS = 40 };

static inline bex_dataset *walks_new(uint64_t seed) {
    int *start = malloc((WALKS + 1) * sizeof *start), rows = WALKS * WALK_ROWS;
    bex_dataset *d = bex_dataset_new();
    assert_int_equal(bex_dataset_allocate(d, (unsigned)rows, 4, 2, 0, 0), 0);
    for (int e = 0; e <= WALKS; e++) start[e] = e * WALK_ROWS;
    assert_int_equal(bex_dataset_take_episodes(d, start, WALKS), 0);
    for (int e = 0; e < WALKS; e++) {
        bex_rng g = bex_rng_split(bex_rng_seed(seed), "walk", (uint64_t)e);
        double x = 0, y = 0, angle = 6.28 * bex_rng_uniform(&g);
        for (int t = 0; t < WALK_ROWS; t++) {
            size_t row = (size_t)(e * WALK_ROWS + t);
            double dx = 0.2 * cos(angle), dy = 0.2 * sin(angle);
            bex_real *s = d->observations + 4 * row, *a = d->actions + 2 * row;
            s[0] = R(x), s[1] = R(y), s[2] = R(dx), s[3] = R(dy);
            angle += 0.6 * (bex_rng_uniform(&g) - 0.5);
            a[0] = R(cos(angle)), a[1] = R(sin(angle));
            x += dx, y += dy;
        }
        char task[8], scene[8];
        snprintf(task, sizeof task, "task %d", e % 3);
        snprintf(scene, sizeof scene, "scene %d", e % 2);
        d->task[e] = bex_names_add(&d->tasks, task);
        d->scene[e] = bex_names_add(&d->scenes, scene);
    }
    return d;
}

static const char *const walk_settings[] = {
    "model.width=16",       "model.heads=2",       "model.blocks=2",
    "model.feedforward=32", "model.time_width=16", "model.chunk=4",
    "model.history=6",      "coverage.dims=0,1",   "coverage.features=8",
    "coverage.future=12",   "coverage.bank=8",     "train.batch=32",
    "train.lanes=4",        "train.micro=8",       "train.samples_per_history=4",
    "train.steps=1000",     "train.warmup=5",      "train.evaluate_windows=32",
    "data.held_out=0.2",    "train.log_every=4",   "train.evaluate_every=8",
    "train.save_every=10",  "train.threads=1",
};
enum { WALK_SETTINGS = sizeof walk_settings / sizeof *walk_settings };

// `settings`: "section.key=value" apart by spaces, after those above
static inline bex_train_config walk_config(const char *settings) {
    bex_train_config c;
    char text[1024], *rest = NULL;
    bex_config_defaults(&bex_train_schema, &c);
    for (int i = 0; i < WALK_SETTINGS; i++)
        assert_int_equal(bex_config_set(&bex_train_schema, &c, walk_settings[i]), 0);
    snprintf(text, sizeof text, "%s", settings);
    for (char *s = strtok_r(text, " ", &rest); s; s = strtok_r(NULL, " ", &rest))
        if (bex_config_set(&bex_train_schema, &c, s) < 0) fail_msg("%s", bex_error());
    return c;
}

#endif
