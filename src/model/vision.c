/* model/vision.c - the cameras' networks. */
#include "model/vision.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

static void prefix_of(char out[32], const bex_vision *v, int camera) {
    if (v->o.shared)
        snprintf(out, 32, "vision.");
    else
        snprintf(out, 32, "vision.%d.", camera);
}

static int networks(const bex_vision *v) {
    return v->o.cameras && v->o.shared ? 1 : v->o.cameras;
}

bex_vision bex_vision_add(bex_params *p, bex_vision_options o) {
    bex_vision v = {.o = o};
    char prefix[32];
    if (!o.cameras) return v;
    for (int c = 0; c < o.cameras; c++) {
        prefix_of(prefix, &v, c);
        v.net[c] = c && o.shared ? v.net[0] : bex_resnet_add(p, prefix, o.net);
    }
    v.places = bex_resnet_places(&o.net, o.height, o.width);
    v.features = bex_resnet_features(&o.net);
    return v;
}

void bex_vision_run(bex_tape *tape, const bex_vision *v, const bex_real *pixels, int B,
                    bex_tensor **seen) {
    int n = v->o.cameras, H = v->o.height, W = v->o.width;
    if (n > 1 && v->o.shared) {
        bex_tensor *x = bex_constant(tape, pixels, 4, BEX_DIMS(n * B, H, W, 3));
        x = bex_resnet_run(tape, &v->net[0], x);
        for (int c = 0; c < n; c++) seen[c] = bex_slice(tape, x, 0, c * B, B);
        return;
    }
    for (int c = 0; c < n; c++) {
        const bex_real *own = pixels + (size_t)c * (size_t)B * bex_vision_picture(v);
        bex_tensor *x = bex_constant(tape, own, 4, BEX_DIMS(B, H, W, 3));
        seen[c] = bex_resnet_run(tape, &v->net[c], x);
    }
}

// a network's own file holds (N,kh,kw,C), one of torchvision (N,C,kh,kw)
static int read_ours(bex_params *p, const char *prefix, const bex_st_file *f, const char *from) {
    char name[160];
    size_t n = strlen(prefix);
    for (int i = 0; i < p->params; i++) {
        const bex_param *q = p->param[i];
        int64_t dim[4];
        if (strncmp(q->name, prefix, n) != 0) continue;
        // the running average, where there is one, is what acts
        snprintf(name, sizeof name, "ema.%s%s", from, q->name + n);
        if (!bex_st_find(f, name)) snprintf(name, sizeof name, "%s%s", from, q->name + n);
        for (int k = 0; k < q->rank; k++) dim[k] = q->dim[k];
        if (bex_st_read_real(f, name, bex_param_edit(q), q->rank, dim) < 0) return -1;
    }
    return 0;
}

int bex_vision_import(bex_params *p, const bex_vision *v, const bex_st_file *f) {
    char prefix[32];
    bool shared = bex_st_find(f, "vision.conv1.weight") != NULL;
    bool ours = shared || bex_st_find(f, "vision.0.conv1.weight") != NULL;
    for (int c = 0; c < networks(v); c++) {
        prefix_of(prefix, v, c);
        int code = !ours    ? bex_resnet_import(p, prefix, f, "")
                   : shared ? read_ours(p, prefix, f, "vision.")
                            : read_ours(p, prefix, f, v->o.shared ? "vision.0." : prefix);
        if (code < 0) return -1;
    }
    return 0;
}

double bex_vision_flops(const bex_vision *v) {
    return v->o.cameras * bex_resnet_flops(&v->o.net, v->o.height, v->o.width);
}
