/* Weights from elsewhere: a file with torchvision's names and layout fills a network, turned, whatever else
 * is in it; a policy's or an encoder's fills shared and separate networks; what is missing or of another size
 * is told. */
#include "model/vision.h"

#include "base/error.h"
#include "nn/param_file.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 16, SIDE = 32, CONVS = 20, CLASSES = 5 };

static char path[600];

typedef struct network {
    bex_params *params;
    bex_vision vision;
} network;

static network network_new(int width, bool shared, uint64_t seed) {
    network n = {.params = bex_params_new()};
    n.vision = bex_vision_add(
        n.params, (bex_vision_options){.cameras = 2,
                                       .height = SIDE,
                                       .width = SIDE,
                                       .shared = shared,
                                       .net = {.depth = 18, .width = width, .groups = 16}});
    assert_int_equal(bex_params_build(n.params, 0, bex_rng_seed(seed)), 0);
    return n;
}

/* As safetensors' save_file writes resnet18().state_dict(): (N,C,kh,kw), batch norm with running statistics
 * and a count of batches, a classifier. Element i of a tensor is value(its number, i). `lacks`: left out. */
static float value(int tensor, size_t i) {
    return (float)tensor + (float)(i % 97) / 128;
}

typedef struct {
    bex_st_writer *w;
    float *kept[8 * CONVS];
    int count;
    const char *lacks;
} state_dict;

static void put(state_dict *s, const char *name, int rank, const int64_t *dim) {
    size_t n = 1;
    for (int i = 0; i < rank; i++) n *= (size_t)dim[i];
    if (s->lacks && !strcmp(name, s->lacks)) return;
    float *x = s->kept[s->count] = malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = value(s->count, i);
    bex_st_add(s->w, name, BEX_ST_F32, rank, dim, x);
    s->count++;
}

static void put_layer(state_dict *s, const char *inside, const char *conv, const char *norm, int N,
                      int C, int k) {
    static const char *const of_norm[] = {"weight", "bias", "running_mean", "running_var"};
    static const int64_t batches = 7, none[1] = {0};
    const int64_t dim[4] = {N, C, k, k}, one[1] = {N};
    char name[100];
    snprintf(name, sizeof name, "%s%s.weight", inside, conv);
    put(s, name, 4, dim);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%s.%s", inside, norm, of_norm[i]);
        put(s, name, 1, one);
    }
    snprintf(name, sizeof name, "%s%s.num_batches_tracked", inside, norm);
    bex_st_add(s->w, name, BEX_ST_I64, 0, none, &batches);
}

static void write_torchvision(int width, const char *lacks) {
    state_dict s = {.w = bex_st_writer_new(), .lacks = lacks};
    put_layer(&s, "", "conv1", "bn1", width, 3, 7);
    for (int stage = 0, C = width; stage < 4; stage++)
        for (int i = 0; i < 2; i++) {
            char inside[40];
            int N = width << stage;
            snprintf(inside, sizeof inside, "layer%d.%d.", stage + 1, i);
            put_layer(&s, inside, "conv1", "bn1", N, C, 3);
            put_layer(&s, inside, "conv2", "bn2", N, N, 3);
            if (N != C) put_layer(&s, inside, "downsample.0", "downsample.1", N, C, 1);
            C = N;
        }
    put(&s, "fc.weight", 2, (const int64_t[]){CLASSES, 8 * width});
    put(&s, "fc.bias", 1, (const int64_t[]){CLASSES});
    assert_int_equal(bex_st_save(s.w, path), 0);
    bex_st_writer_free(s.w);
    for (int i = 0; i < s.count; i++) free(s.kept[i]);
}

static int import(network *n) {
    bex_st_file *f = bex_st_load(path);
    if (!f) fail_msg("%s", bex_error());
    int code = bex_vision_import(n->params, &n->vision, f);
    bex_st_free(f);
    return code;
}

// every parameter from the tensor of its name: convolutions turned to (N,kh,kw,C)
static void check_values(const network *n, const char *prefix) {
    bex_st_file *f = bex_st_load(path);
    int checked = 0;
    for (int i = 0; i < n->params->params; i++) {
        const bex_param *q = n->params->param[i];
        if (strncmp(q->name, prefix, strlen(prefix)) != 0) continue;
        const bex_st_tensor *t = bex_st_find(f, q->name + strlen(prefix));
        if (!t) fail_msg("no tensor for %s", q->name);
        const float *from = t->data;
        const bex_real *to = bex_param_value(q);
        int N = q->dim[0], taps = q->rank == 4 ? q->dim[1] * q->dim[2] : 1,
            C = q->rank == 4 ? q->dim[3] : 1;
        for (int a = 0; a < N; a++)
            for (int c = 0; c < C; c++)
                for (int k = 0; k < taps; k++)
                    if (to[(a * taps + k) * C + c] != R(from[(a * C + c) * taps + k]))
                        fail_msg("%s: output %d, channel %d, tap %d", q->name, a, c, k);
        checked++;
    }
    assert_int_equal(checked, 3 * CONVS);
    bex_st_free(f);
}

static void torchvisions_names_fill_a_network(void **state) {
    (void)state;
    write_torchvision(WIDTH, NULL);
    network one = network_new(WIDTH, true, 1), two = network_new(WIDTH, false, 2);
    if (import(&one) < 0 || import(&two) < 0) fail_msg("%s", bex_error());
    check_values(&one, "vision.");
    check_values(&two, "vision.0."), check_values(&two, "vision.1.");
    bex_params_free(one.params), bex_params_free(two.params);
}

static void what_does_not_fit_is_told(void **state) {
    (void)state;
    static const struct {
        int width;
        const char *lacks, *part;
    } cases[] = {{32, NULL, "conv1.weight"},
                 {WIDTH, "layer3.0.downsample.1.bias", "layer3.0.downsample.1.bias"},
                 {WIDTH, "layer4.1.conv2.weight", "layer4.1.conv2.weight"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        network n = network_new(WIDTH, true, 1);
        write_torchvision(cases[i].width, cases[i].lacks);
        assert_true(import(&n) < 0);
        assert_message(cases[i].part);
        bex_params_free(n.params);
    }
}

static void our_own_fill_shared_and_separate(void **state) {
    (void)state;
    network from = network_new(WIDTH, true, 5), same = network_new(WIDTH, true, 6),
            each = network_new(WIDTH, false, 7);
    bex_st_writer *w = bex_st_writer_new();
    bex_params_add_values(from.params, w);
    assert_int_equal(bex_st_save(w, path), 0);
    bex_st_writer_free(w);
    if (import(&same) < 0 || import(&each) < 0) fail_msg("%s", bex_error());
    assert_memory_equal(from.params->value, same.params->value,
                        from.params->count * sizeof *from.params->value);
    for (int i = 0; i < each.params->params; i++) {
        const bex_param *q = each.params->param[i],
                        *p = from.params->param[i % from.params->params];
        assert_memory_equal(bex_param_value(q), bex_param_value(p), q->count * sizeof(bex_real));
    }
    bex_params_free(from.params), bex_params_free(same.params), bex_params_free(each.params);
}

int main(void) {
    snprintf(path, sizeof path, "%s", scratch_path("vision.safetensors"));
    const struct CMUnitTest tests[] = {cmocka_unit_test(torchvisions_names_fill_a_network),
                                       cmocka_unit_test(what_does_not_fit_is_told),
                                       cmocka_unit_test(our_own_fill_shared_and_separate)};
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return code;
}
