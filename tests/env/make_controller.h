/* tests/env/make_controller.h - a small walking network with random weights, as a file. */
#ifndef BEX_TESTS_ENV_MAKE_CONTROLLER_H
#define BEX_TESTS_ENV_MAKE_CONTROLLER_H

#include "base/rng.h"
#include "nn/safetensors.h"
#include "test.h"

enum { SMALL_WIDTH = 12 };

typedef struct small_controller {
    bex_real w0[SMALL_WIDTH * 29], b0[SMALL_WIDTH];
    bex_real w1[SMALL_WIDTH * SMALL_WIDTH], b1[SMALL_WIDTH];
    bex_real wm[8 * SMALL_WIDTH], bm[8], ws[8 * SMALL_WIDTH], bs[8];
} small_controller;

// every weight N(0, 0.3^2); the file holds the tensors of ant_controller.h, without `leave` if given
static inline const char *make_controller(small_controller *c, const char *name,
                                          const char *leave) {
    const struct {
        const char *name;
        bex_real *data;
        int64_t dim[2];
    } all[] = {
        {"fc0.weight", c->w0, {SMALL_WIDTH, 29}},          {"fc0.bias", c->b0, {SMALL_WIDTH, 0}},
        {"fc1.weight", c->w1, {SMALL_WIDTH, SMALL_WIDTH}}, {"fc1.bias", c->b1, {SMALL_WIDTH, 0}},
        {"mean.weight", c->wm, {8, SMALL_WIDTH}},          {"mean.bias", c->bm, {8, 0}},
        {"log_std.weight", c->ws, {8, SMALL_WIDTH}},       {"log_std.bias", c->bs, {8, 0}}};
    bex_rng rng = bex_rng_seed(11);
    bex_st_writer *w = bex_st_writer_new();
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        int64_t n = all[i].dim[0] * (all[i].dim[1] ? all[i].dim[1] : 1);
        for (int64_t k = 0; k < n; k++) all[i].data[k] = R(0.3 * bex_rng_normal(&rng));
        if (!leave || strcmp(leave, all[i].name))
            bex_st_add_real(w, all[i].name, all[i].dim[1] ? 2 : 1, all[i].dim, all[i].data);
    }
    const char *path = scratch_path(name);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    return path;
}

#endif
