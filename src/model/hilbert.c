/* model/hilbert.c - networks, and the losses that share their passes. */
#include "model/hilbert.h"

#include "base/error.h"
#include "kernel/vmath.h"

#include <string.h>

#define CLOSEST     1e-6 // squared: where a distance has no gradient
#define MOST_WEIGHT R(100)

static bex_mlp network(bex_params *p, const char *prefix, const bex_hilbert_options *o, int in,
                       int out, int members) {
    bex_mlp_options m = {.in = in,
                         .out = out,
                         .members = members,
                         .act = BEX_ACTIVATION_GELU,
                         .layernorm = true,
                         .norm_last = true,
                         .eps = 1e-6,
                         .xavier = true};
    memcpy(m.hidden, o->hidden, sizeof m.hidden);
    return bex_mlp_add(p, prefix, m);
}

bex_hilbert bex_hilbert_add(bex_params *p, bex_hilbert_options o) {
    bex_hilbert net = {.o = o};
    bex_diagonal_gaussian_options actor = {
        .in = o.O + o.Z, .out = o.A, .low = -5, .high = 2, .free = true};
    memcpy(actor.hidden, o.hidden, sizeof o.hidden);
    net.phi = network(p, "phi", &o, o.O, o.Z, BEX_HILBERT_HEADS);
    net.value = network(p, "value", &o, o.O + o.Z, 1, 0);
    net.critic = network(p, "critic", &o, o.O + o.Z + o.A, 1, BEX_HILBERT_HEADS);
    net.actor = bex_diagonal_gaussian_add(p, "actor", actor);
    return net;
}

bex_tensor *bex_hilbert_place(bex_tape *tape, const bex_hilbert *net, bex_tensor *states) {
    bex_mlp_member one;
    return bex_mlp_run(tape, bex_mlp_take_member(&one, &net->phi, 0), states);
}

static bex_tensor *rows(bex_tape *tape, const bex_real *of, int n, int w) {
    return bex_constant(tape, of, 2, BEX_DIMS(n, w));
}

// V_i(s,g), (2,n), of places of which s begin at row `from` and g at row `to`
static bex_tensor *values(bex_tape *tape, bex_tensor *places, int from, int to, int n) {
    bex_tensor *s = bex_slice(tape, places, 1, from, n), *g = bex_slice(tape, places, 1, to, n);
    return bex_affine(tape, bex_norm(tape, bex_sub(tape, s, g), CLOSEST), -1, 0);
}

// constants of the losses
typedef struct {
    bex_real *target;    // (2,n) r + gamma m Vt_i(s',g)
    bex_real *advantage; // (n), twice: its sign weighs both heads
    bex_real *least;     // (n) min Qt(s,z,a)
    bex_real *bootstrap; // (2,n) rho + gamma V(s',z), for both critics
} known;

static void know_distances(bex_tape *tape, const bex_hilbert *target, const bex_hilbert_batch *b,
                           known *k) {
    int n = b->n, O = target->o.O;
    bex_tensor *next = rows(tape, b->next, n, O), *goal = rows(tape, b->goal, n, O);
    bex_tensor *all =
        bex_concat(tape, bex_concat(tape, next, goal, 0), rows(tape, b->obs, n, O), 0);
    bex_tensor *places = bex_mlp_run(tape, &target->phi, all); // (2,3n,Z): s', g, s
    const bex_real *after = values(tape, places, 0, n, n)->data;
    const bex_real *now = values(tape, places, 2 * n, n, n)->data;
    for (int i = 0; i < n; i++) {
        bex_real step = R(target->o.discount) * b->mask[i], least = after[i];
        if (after[n + i] < least) least = after[n + i];
        k->target[i] = b->reward[i] + step * after[i];
        k->target[n + i] = b->reward[i] + step * after[n + i];
        k->advantage[i] = b->reward[i] + step * least - (now[i] + now[n + i]) / R(2);
        k->advantage[n + i] = k->advantage[i];
    }
}

static void know_skills(bex_tape *tape, const bex_hilbert *net, const bex_hilbert *target,
                        const bex_hilbert_batch *b, known *k) {
    int n = b->n, O = net->o.O, A = net->o.A, Z = net->o.Z;
    bex_tensor *s = rows(tape, b->obs, n, O), *next = rows(tape, b->next, n, O);
    bex_tensor *z = rows(tape, b->skill, n, Z), *a = rows(tape, b->act, n, A);
    bex_tensor *sza = bex_concat(tape, bex_concat(tape, s, z, 1), a, 1);
    bex_tensor *q = bex_mlp_run(tape, &target->critic, sza); // (2,n,1)
    const bex_real *after = bex_mlp_run(tape, &net->value, bex_concat(tape, next, z, 1))->data;
    const bex_real *from = bex_hilbert_place(tape, net, s)->data;
    const bex_real *to = bex_hilbert_place(tape, net, next)->data;
    for (int i = 0; i < n; i++) {
        bex_real rho = 0;
        for (int j = 0; j < Z; j++) rho += (to[i * Z + j] - from[i * Z + j]) * b->skill[i * Z + j];
        k->least[i] = q->data[i] < q->data[n + i] ? q->data[i] : q->data[n + i];
        k->bootstrap[i] = k->bootstrap[n + i] = rho + R(net->o.discount) * after[i];
    }
}

static known know(bex_tape *tape, const bex_hilbert *net, const bex_hilbert *target,
                  const bex_hilbert_batch *b) {
    size_t n = (size_t)b->n;
    known k = {bex_scratch(tape, 2 * n), bex_scratch(tape, 2 * n), bex_scratch(tape, n),
               bex_scratch(tape, 2 * n)};
    know_distances(tape, target, b, &k);
    know_skills(tape, net, target, b, &k);
    return k;
}

static bex_tensor *representation_loss(bex_tape *tape, const bex_hilbert *net,
                                       const bex_hilbert_batch *b, const known *k, double factor,
                                       double parts[]) {
    int n = b->n, O = net->o.O;
    bex_tensor *both = bex_concat(tape, rows(tape, b->obs, n, O), rows(tape, b->goal, n, O), 0);
    bex_tensor *v = values(tape, bex_mlp_run(tape, &net->phi, both), 0, n, n), *sum = NULL;
    for (int i = 0; i < BEX_HILBERT_HEADS; i++) {
        bex_tensor *own = bex_slice(tape, v, 0, i, 1);
        bex_tensor *off =
            bex_sub(tape, bex_constant(tape, k->target + i * n, 2, BEX_DIMS(1, n)), own);
        bex_tensor *sign = bex_constant(tape, k->advantage + i * n, 2, BEX_DIMS(1, n));
        bex_tensor *loss = bex_expectile(tape, off, sign, net->o.representation_expectile, factor);
        parts[BEX_HILBERT_FIRST + i] = (double)loss->data[0];
        sum = sum ? bex_add(tape, sum, loss) : loss;
    }
    return sum;
}

// of the actor, weighed by what value says of the demonstrated action
static bex_tensor *actor_loss(bex_tape *tape, const bex_hilbert *net, const bex_hilbert_batch *b,
                              const known *k, bex_tensor *sz, const bex_tensor *value,
                              double factor) {
    bex_tensor *mean, *log_std;
    bex_diagonal_gaussian_run(tape, &net->actor, sz, &mean, &log_std);
    bex_tensor *logp = bex_gaussian_logp(tape, rows(tape, b->act, b->n, net->o.A), mean, log_std);
    bex_real *weight = bex_scratch(tape, (size_t)b->n);
    for (int i = 0; i < b->n; i++) {
        weight[i] = bex_exp(R(net->o.sharpness) * (k->least[i] - value->data[i]));
        if (weight[i] > MOST_WEIGHT) weight[i] = MOST_WEIGHT;
    }
    bex_tensor *weighed = bex_mul(tape, logp, bex_constant(tape, weight, 1, BEX_DIMS(b->n)));
    return bex_sum_all(tape, weighed, -factor);
}

bex_tensor *bex_hilbert_loss(bex_tape *tape, const bex_hilbert *net, const bex_hilbert *target,
                             const bex_hilbert_batch *b, const bex_params *train, double factor,
                             double parts[]) {
    int n = b->n;
    known k = know(tape, net, target, b);
    if (train) bex_tape_train(tape, train);
    bex_tensor *sz =
        bex_concat(tape, rows(tape, b->obs, n, net->o.O), rows(tape, b->skill, n, net->o.Z), 1);
    bex_tensor *sza = bex_concat(tape, sz, rows(tape, b->act, n, net->o.A), 1);
    bex_tensor *value = bex_reshape(tape, bex_mlp_run(tape, &net->value, sz), 1, BEX_DIMS(n));
    bex_tensor *above = bex_sub(tape, bex_constant(tape, k.least, 1, BEX_DIMS(n)), value);
    bex_tensor *of_value =
        bex_expectile(tape, above, bex_detach(tape, above), net->o.value_expectile, factor);
    bex_tensor *q = bex_mlp_run(tape, &net->critic, sza);
    bex_tensor *of_critics = bex_squared_error(
        tape, q, bex_constant(tape, k.bootstrap, 3, BEX_DIMS(BEX_HILBERT_HEADS, n, 1)), NULL,
        factor);
    bex_tensor *of_actor = actor_loss(tape, net, b, &k, sz, value, factor);
    bex_tensor *loss = representation_loss(tape, net, b, &k, factor, parts);
    parts[BEX_HILBERT_VALUE] = (double)of_value->data[0];
    parts[BEX_HILBERT_CRITICS] = (double)of_critics->data[0];
    parts[BEX_HILBERT_ACTOR] = (double)of_actor->data[0];
    return bex_add(tape, bex_add(tape, loss, of_value), bex_add(tape, of_critics, of_actor));
}
