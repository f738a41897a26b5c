/* nn/param_file.c - a parameter block to and from tensors of its names, under a prefix for each of its
 * copies. */
#include "nn/param_file.h"

#include <stdio.h>

static const int64_t STEPS_MOST = (int64_t)1 << 53; // exact as a double, in which Adam counts

typedef struct {
    char text[160];
    int64_t dim[4];
} key;

static key key_of(const bex_param *p, const char *prefix) {
    key k;
    snprintf(k.text, sizeof k.text, "%s%s", prefix, p->name);
    for (int i = 0; i < p->rank; i++) k.dim[i] = p->dim[i];
    return k;
}

static void add(const bex_params *p, bex_st_writer *w, const char *prefix, const bex_real *block) {
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        key k = key_of(q, prefix);
        bex_st_add_real(w, k.text, q->rank, k.dim, block + q->offset);
    }
}

static int read(const bex_params *p, const bex_st_file *f, const char *prefix, bex_real *block) {
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        key k = key_of(q, prefix);
        if (bex_st_read_real(f, k.text, block + q->offset, q->rank, k.dim) < 0) return -1;
    }
    return 0;
}

void bex_params_add_values(const bex_params *p, bex_st_writer *w) {
    add(p, w, "", p->value);
    if (p->ema) add(p, w, "ema.", p->ema);
}

int bex_params_add_half(const bex_params *p, bex_st_writer *w) {
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        key k = key_of(q, "");
        if (bex_st_add_half(w, k.text, q->rank, k.dim, p->value + q->offset) < 0) return -1;
    }
    return 0;
}

void bex_params_add_state(const bex_params *p, bex_st_writer *w) {
    if (!p->m) return;
    add(p, w, "adam.m.", p->m);
    add(p, w, "adam.v.", p->v);
    bex_st_add(w, "adam.step", BEX_ST_I64, 0, NULL, &p->step);
}

// prefix + what
static const char *under(char out[64], const char *prefix, const char *what) {
    snprintf(out, 64, "%s%s", prefix, what);
    return out;
}

void bex_params_add_learner(const bex_params *p, bex_st_writer *w, const char *prefix) {
    char name[64];
    add(p, w, prefix, p->value);
    if (!p->m) return;
    add(p, w, under(name, prefix, "adam.m."), p->m);
    add(p, w, under(name, prefix, "adam.v."), p->v);
    bex_st_add(w, under(name, prefix, "adam.step"), BEX_ST_I64, 0, NULL, &p->step);
}

int bex_params_fit(const bex_params *p, const bex_st_file *f) {
    for (int i = 0; i < p->params; i++) {
        key k = key_of(p->param[i], "");
        if (!bex_st_expect(f, k.text, p->param[i]->rank, k.dim)) return -1;
    }
    return 0;
}

int bex_params_read_values(bex_params *p, const bex_st_file *f) {
    bex_params_changed(p);
    if (read(p, f, "", p->value) < 0) return -1;
    key first = p->params ? key_of(p->param[0], "ema.") : (key){{0}, {0}};
    if (!bex_st_find(f, first.text)) return 0;
    if (bex_params_ema(p) < 0) return -1;
    return read(p, f, "ema.", p->ema);
}

int bex_params_open(bex_params *p, const bex_st_file *f) {
    if (bex_params_fit(p, f) < 0) return -1; // before the file decides how much memory
    if (bex_params_allocate(p, 0) < 0 || bex_params_read_values(p, f) < 0) return -1;
    return bex_params_pack(p, 1);
}

static int read_moments(bex_params *p, const bex_st_file *f, const char *prefix) {
    char name[64];
    if (bex_params_moments(p) < 0) return -1;
    const bex_st_tensor *step = bex_st_find(f, under(name, prefix, "adam.step"));
    if (!step || step->dtype != BEX_ST_I64 || step->count != 1)
        return bex_fail("tensor '%s' is missing or not one I64", name);
    int64_t done = *(const int64_t *)step->data;
    if (done < 0 || done > STEPS_MOST)
        return bex_fail("tensor '%s' is %lld, not a number of updates", name, (long long)done);
    p->step = (long)done;
    if (read(p, f, under(name, prefix, "adam.m."), p->m) < 0) return -1;
    return read(p, f, under(name, prefix, "adam.v."), p->v);
}

int bex_params_read_state(bex_params *p, const bex_st_file *f) {
    return read_moments(p, f, "");
}

int bex_params_read_learner(bex_params *p, const bex_st_file *f, const char *prefix) {
    char name[64];
    if (read(p, f, prefix, p->value) < 0) return -1;
    return bex_st_find(f, under(name, prefix, "adam.step")) ? read_moments(p, f, prefix) : 0;
}
