/* The tokens of the network: parameters, counts and arithmetic follow from one table; a hidden coverage is
 * not seen; each token reaches the output, and no other. */
#include "model/dit.h"

#include "test.h"

#include <math.h>

enum {
    O = 3,
    A = 2,
    K = 4,
    C = 8,
    FEEDFORWARD = 12,
    N = 5,
    B = 4,
    BLOCKS = 2,
    TASKS = 3,
    SCENES = 2
};

static bex_dit_options sizes(void) {
    return (bex_dit_options){.O = O,
                             .columns = A,
                             .K = K,
                             .C = C,
                             .feedforward = FEEDFORWARD,
                             .heads = 2,
                             .blocks = BLOCKS,
                             .time_width = 8,
                             .mode = BEX_DIT_FULL};
}

static bex_dit_options all_tokens(void) {
    bex_dit_options o = sizes();
    o.coverage = o.timestep = true;
    o.tasks = TASKS, o.scenes = SCENES, o.N = N;
    return o;
}

// published files hold these names, initial values are drawn in this order
static void names_in_order(void **state) {
    (void)state;
    static const char *const every[] = {"token.state.weight",
                                        "token.state.bias",
                                        "token.coverage.weight",
                                        "token.coverage.bias",
                                        "token.null",
                                        "token.task.weight",
                                        "token.task.bias",
                                        "token.scene.weight",
                                        "token.scene.bias",
                                        "token.timestep.weight",
                                        "token.timestep.bias",
                                        "token.history.weight",
                                        "token.history.bias",
                                        "encoder.0.self_attn.in_proj_weight"};
    static const char *const least[] = {"token.state.weight", "token.state.bias",
                                        "encoder.0.self_attn.in_proj_weight"};
    bex_params *p = bex_params_new();
    bex_dit d = bex_dit_add(p, all_tokens());
    for (size_t i = 0; i < sizeof every / sizeof *every; i++)
        assert_string_equal(p->param[i]->name, every[i]);
    assert_int_equal(d.Q, 5);
    assert_int_equal(d.token[BEX_TOKEN_TASK].w->dim[1], TASKS);
    assert_int_equal(d.token[BEX_TOKEN_HISTORY].w->dim[1], O);
    bex_params_free(p);
    p = bex_params_new();
    d = bex_dit_add(p, sizes());
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        assert_string_equal(p->param[i]->name, least[i]);
    assert_int_equal(d.Q, 1);
    assert_null(d.token[BEX_TOKEN_COVERAGE].w);
    bex_params_free(p);
}

// each option adds its token, and its tokens' share of the arithmetic
static void counts_follow(void **state) {
    (void)state;
    const double row = 8 * C * C + 4 * C * FEEDFORWARD;
    for (int mask = 0; mask < 16; mask++) {
        bex_dit_options o = sizes();
        o.coverage = mask & 1, o.timestep = mask & 2;
        o.tasks = mask & 4 ? TASKS : 0, o.scenes = mask & 8 ? SCENES : 0;
        o.N = mask & 1 ? N : 0;
        int Q = 1 + !!(mask & 1) + !!(mask & 2) + !!(mask & 4) + !!(mask & 8), T = Q + o.N;
        double encoder, decoder;
        assert_int_equal(bex_dit_queries(&o), Q);
        bex_dit_flops(&o, 1, &encoder, &decoder);
        assert_true(encoder == BLOCKS * (T * row + 4 * T * T * C));
        assert_true(decoder == BLOCKS * (K * row + 4 * K * K * C + 12 * C * C));
    }
}

typedef struct {
    bex_params *params;
    bex_dit dit;
    bex_arena *arena;
    bex_tape tape;
    bex_real states[B * O], coverage[B], timestep[B], history[B * N * O];
    unsigned char hidden[B];
    int task[B], scene[B];
    bex_real out[B * C];
} network;

static network *network_new(void) {
    network *n = calloc(1, sizeof *n);
    bex_rng g = bex_rng_seed(7);
    n->params = bex_params_new();
    n->dit = bex_dit_add(n->params, all_tokens());
    bex_params_build(n->params, 0, bex_rng_seed(1));
    n->arena = bex_arena_new();
    bex_tape_init(&n->tape, n->arena);
    for (int i = 0; i < B * O; i++) n->states[i] = R(bex_rng_normal(&g));
    for (int i = 0; i < B * N * O; i++) n->history[i] = R(bex_rng_normal(&g));
    for (int i = 0; i < B; i++) n->coverage[i] = R(0.3), n->timestep[i] = R(0.5);
    return n;
}

static void network_free(network *n) {
    bex_params_free(n->params);
    bex_arena_free(n->arena);
    free(n);
}

// the last block's pooled vectors
static const bex_real *run(network *n) {
    bex_tensor *pooled[BLOCKS];
    bex_dit_input in = {.B = B,
                        .G = B,
                        .state = n->states,
                        .coverage = n->coverage,
                        .hidden = n->hidden,
                        .history = n->history,
                        .timestep = n->timestep,
                        .task = n->task,
                        .scene = n->scene};
    bex_dit_encode(&n->tape, &n->dit, &in, pooled);
    memcpy(n->out, pooled[BLOCKS - 1]->data, sizeof n->out);
    bex_tape_reset(&n->tape);
    return n->out;
}

// window 1 changes and no other: rows of B that differ, as bits
static unsigned changed(const bex_real *before, const bex_real *after) {
    unsigned bits = 0;
    for (int i = 0; i < B; i++)
        if (memcmp(before + i * C, after + i * C, C * sizeof *before) != 0) bits |= 1u << i;
    return bits;
}

static void every_token_is_seen(void **state) {
    (void)state;
    network *n = network_new();
    bex_real before[B * C];
    memcpy(before, run(n), sizeof before);
#define SEEN(member, value)                                                                        \
    do {                                                                                           \
        __typeof__(member) kept = member;                                                          \
        member = value;                                                                            \
        assert_int_equal(changed(before, run(n)), 2);                                              \
        member = kept;                                                                             \
    } while (0)
    SEEN(n->states[O + 1], R(9));
    SEEN(n->coverage[1], R(9));
    SEEN(n->task[1], TASKS - 1);
    SEEN(n->scene[1], SCENES - 1);
    SEEN(n->timestep[1], R(1));
    SEEN(n->history[N * O + 2], R(9));
    SEEN(n->hidden[1], 1);
#undef SEEN
    assert_int_equal(changed(before, run(n)), 0);
    network_free(n);
}

static void a_hidden_coverage_is_not_seen(void **state) {
    (void)state;
    network *n = network_new();
    bex_real before[B * C];
    n->hidden[1] = n->hidden[2] = 1;
    memcpy(before, run(n), sizeof before);
    n->coverage[1] = R(9), n->coverage[3] = R(9);
    assert_int_equal(changed(before, run(n)), 8);
    network_free(n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_order),
        cmocka_unit_test(counts_follow),
        cmocka_unit_test(every_token_is_seen),
        cmocka_unit_test(a_hidden_coverage_is_not_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
