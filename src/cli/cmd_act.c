/* cli/cmd_act.c - `bex act`: the policy as a pipe, states in, action chunks out, one file each.
 *
 *   in   states (B,O)   history (N,O) or (B,N,O)   step (B)              only states is required,
 *        pictures (B,cameras,height,width,3) bytes                       and these by policies that see
 *        noise (B,K,columns) or (B,candidates,K,columns)
 *   out  actions (B,K,A), in the units of the demonstrations
 *
 * A row depends on nothing but itself: its noise is of (seed, row), whatever the threads or the other
 * rows. */
#include "cli/command.h"
#include "cli/deploy_options.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "base/path.h"
#include "kernel/random.h"
#include "policy/control.h"
#include "policy/deploy.h"
#include "run/checkpoint.h"
#include "run/provenance.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIXELS = 4096 }; // of a picture's side

static const char *in, *out;
static long long seed, task, scene;
static bool best, force;

static const bex_option options[] = {
    {"in", BEX_OPTION_TEXT, &in, "FILE", "safetensors with states (B,O)", 0, 0},
    {"out", BEX_OPTION_TEXT, &out, "FILE", "safetensors for actions (B,K,A)", 0, 0},
    {"seed", BEX_OPTION_INTEGER, &seed, "N", "of the noise, where the file has none", 0, 9e15},
    {"task", BEX_OPTION_INTEGER, &task, "N", "label, for policies that take one", 0, 1e6},
    {"scene", BEX_OPTION_INTEGER, &scene, "N", "label, for policies that take one", 0, 1e6},
    {"best", BEX_OPTION_FLAG, &best, NULL, "the run's best checkpoint, not its newest", 0, 0},
    {"force", BEX_OPTION_FLAG, &force, NULL, "replace the output if it is there", 0, 0},
};
static const bex_usage usage = {
    .command = "act",
    .synopsis = "RUN --in X.safetensors --out Y.safetensors [options]",
    .about =
        "Action chunks of a policy for a file of states. RUN: a run, a checkpoint or a model file.\n"
        "The input holds 'states' (B,O) and, if wanted, 'history' (N,O) or (B,N,O), the states of\n"
        "earlier episodes (default: each row's own state, as in a first episode); 'noise'\n"
        "(B,K,columns) or (B,candidates,K,columns), standard normal, what denoising starts from: the\n"
        "columns of a chunk are its action and, where the policy has them, its waypoint; 'step' (B),\n"
        "time in the episode; 'pictures' (B,cameras,height,width,3), bytes, for a policy that sees, its\n"
        "cameras in its own order (bex show), lying as in the demonstrations; the states of a history\n"
        "then have columns 'seen', if the policy does. The output holds 'actions' (B,K,A), in the\n"
        "demonstrations' units, without the noise that a deployment may add.",
    .example = "bex act runs/be --in states.safetensors --out actions.safetensors --exp q:0.95",
    .options = options,
    .count = sizeof options / sizeof *options,
    .settings = bex_deploy_sections,
};

typedef struct request {
    bex_policy *policy;
    bex_deploy_config deploy;
    int B;
    bool shared;             // one history for all rows
    unsigned char *pictures; // (B,cameras,height,width,3); NULL: no cameras
    int height, width;
    bex_real *states, *history, *noise, *step; // step: whole numbers; history, step: may be NULL
    bex_real *actions;
    int pieces;
} request;

static void request_fini(request *r) {
    bex_policy_free(r->policy);
    free(r->states), free(r->history), free(r->noise), free(r->step);
    free(r->actions), free(r->pictures);
}

/* ---- the input ---- */

static int check_names(const bex_st_file *f) {
    static const char *const names[] = {"states", "history", "noise", "step", "pictures"};
    enum { NAMES = sizeof names / sizeof *names };
    for (int i = 0; i < bex_st_count(f); i++) {
        const char *name = bex_st_at(f, i)->name;
        bool known = false;
        for (int k = 0; k < NAMES; k++) known = known || !strcmp(name, names[k]);
        if (known) continue;
        bex_fail("%s: tensor '%.60s' means nothing to act", in, name);
        const char *near = bex_nearest(name, names, NAMES, sizeof *names);
        return near ? bex_fail_hint("did you mean %s?", near)
                    : bex_fail_hint("states, history, noise, step, pictures");
    }
    return 0;
}

// a tensor of this shape into *values, malloced
static int take(const bex_st_file *f, const char *name, int rank, const int64_t *dim,
                bex_real **values) {
    size_t count = 1;
    for (int i = 0; i < rank; i++) count *= (size_t)dim[i];
    if (!bex_st_expect(f, name, rank, dim)) return -1;
    *values = malloc(count * sizeof **values);
    return *values ? bex_st_read_real(f, name, *values, rank, dim) : bex_fail("out of memory");
}

static int read_states(request *r, const bex_st_file *f) {
    const bex_st_tensor *t = bex_st_find(f, "states");
    int given = r->policy->given;
    if (!t) return bex_fail("%s: no tensor 'states'", in), bex_fail_hint("(B,%d)", given);
    int64_t dim[] = {t->rank == 2 ? t->dim[0] : -1, given};
    if (t->rank != 2)
        return bex_fail("%s: tensor 'states' has %d dimensions, (B,%d) is needed", in, t->rank,
                        given);
    if (dim[0] < 1 || dim[0] > INT_MAX / 4096)
        return bex_fail("%s: tensor 'states' has %lld rows", in, (long long)dim[0]);
    r->B = (int)dim[0];
    return take(f, "states", 2, dim, &r->states);
}

// a moment's pictures are the cameras' one after the other
static int read_pictures(request *r, const bex_st_file *f) {
    const bex_st_tensor *t = bex_st_find(f, "pictures");
    const bex_policy *p = r->policy;
    int cameras = p->vision.o.cameras;
    if (!t && !cameras) return 0;
    if (!cameras) return bex_fail("%s: tensor 'pictures': this policy sees none", in);
    if (!t) {
        bex_fail("%s: no tensor 'pictures': the policy sees %s", in, p->config.vision.images);
        return bex_fail_hint("bytes (%d,%d,%d,%d,3), or of another size", r->B, cameras,
                             p->vision.o.height, p->vision.o.width);
    }
    bool sized = t->rank == 5 && t->dim[2] >= 1 && t->dim[2] <= PIXELS && t->dim[3] >= 1 &&
                 t->dim[3] <= PIXELS;
    if (t->dtype != BEX_ST_U8 || !sized || t->dim[0] != r->B || t->dim[1] != cameras ||
        t->dim[4] != 3)
        return bex_fail("%s: tensor 'pictures' is not of bytes (%d,%d,height,width,3)", in, r->B,
                        cameras);
    r->height = (int)t->dim[2], r->width = (int)t->dim[3];
    r->pictures = malloc(t->count);
    if (!r->pictures) return bex_fail("out of memory");
    memcpy(r->pictures, t->data, t->count);
    return 0;
}

static bex_observation moment(const request *r, int row) {
    bex_observation o = bex_observation_of(r->states + (size_t)row * (size_t)r->policy->given);
    int cameras = r->policy->vision.o.cameras;
    size_t picture = bex_picture_bytes(r->height, r->width);
    for (int c = 0; c < cameras; c++)
        o.image[c] = r->pictures + ((size_t)row * (size_t)cameras + (size_t)c) * picture;
    o.height = r->height, o.width = r->width;
    return o;
}

static int read_history(request *r, const bex_st_file *f) {
    const bex_st_tensor *t = bex_st_find(f, "history");
    int N = r->policy->dit.o.N, O = r->policy->O;
    if (!t) return 0;
    if (!N) return bex_fail("%s: tensor 'history': this policy has no history", in);
    if (t->rank != 2 && t->rank != 3)
        return bex_fail("%s: tensor 'history' has %d dimensions, (%d,%d) or (B,%d,%d) is needed",
                        in, t->rank, N, O, N, O);
    r->shared = t->rank == 2;
    int64_t dim[] = {r->B, N, O};
    return r->shared ? take(f, "history", 2, dim + 1, &r->history)
                     : take(f, "history", 3, dim, &r->history);
}

static int read_step(request *r, const bex_st_file *f) {
    const bex_st_tensor *t = bex_st_find(f, "step");
    if (!t) return 0;
    if (!r->policy->dit.o.timestep)
        return bex_fail("%s: tensor 'step': this policy is not told the time", in);
    if (t->dtype == BEX_ST_I64) { // integers are the natural type; the network's is real
        if (!bex_st_expect(f, "step", 1, (int64_t[]){r->B})) return -1;
        r->step = malloc((size_t)r->B * sizeof *r->step);
        if (!r->step) return bex_fail("out of memory");
        for (int i = 0; i < r->B; i++) r->step[i] = (bex_real)((const int64_t *)t->data)[i];
    } else if (take(f, "step", 1, (int64_t[]){r->B}, &r->step) < 0) {
        return -1;
    }
    for (int i = 0; i < r->B; i++)
        if (!(r->step[i] >= 0 && r->step[i] <= R(1e9)))
            return bex_fail("%s: tensor 'step': row %d is %g", in, i, (double)r->step[i]);
    return 0;
}

// numbers that the denoising of one row starts from
static size_t noise_size(const request *r) {
    return (size_t)r->deploy.candidates * bex_chunk_size(&r->policy->chunk);
}

// from the file, or of (seed, row)
static int make_noise(request *r, const bex_st_file *f) {
    const bex_chunk_shape *c = &r->policy->chunk;
    size_t chunk = noise_size(r);
    int64_t one[] = {r->B, c->K, c->columns};
    int64_t several[] = {r->B, r->deploy.candidates, c->K, c->columns};
    if (bex_st_find(f, "noise"))
        return r->deploy.candidates == 1 ? take(f, "noise", 3, one, &r->noise)
                                         : take(f, "noise", 4, several, &r->noise);
    r->noise = malloc((size_t)r->B * chunk * sizeof *r->noise);
    if (!r->noise) return bex_fail("out of memory");
    bex_rng root = bex_rng_seed((uint64_t)seed);
    for (int i = 0; i < r->B; i++) {
        bex_rng g = bex_rng_split(root, "act", (uint64_t)i);
        bex_random_normal(r->noise + (size_t)i * chunk, chunk, &g);
    }
    return 0;
}

// each row by itself, without the noise that a deployment may add
static int take_settings(request *r, const bex_deploy_options *asked) {
    r->deploy = r->policy->config.deploy;
    if (bex_deploy_apply(&r->deploy, (const char *const *)asked->text, asked->count) < 0 ||
        bex_deploy_set(&r->deploy, "history", "first") < 0)
        return -1;
    r->deploy.noise = 0;
    return bex_deploy_check(r->policy, &r->deploy);
}

static int open_request(request *r, const char *run, const bex_deploy_options *asked) {
    char path[BEX_PATH_SIZE];
    if (bex_checkpoint_model(path, sizeof path, run, best) < 0) return -1;
    r->policy = bex_policy_load(path);
    if (!r->policy) return -1;
    if (take_settings(r, asked) < 0) return -1;
    bex_st_file *f = bex_st_load(in);
    if (!f) return -1;
    int code = check_names(f);
    if (!code) code = read_states(r, f);
    if (!code) code = read_pictures(r, f);
    if (!code) code = read_history(r, f);
    if (!code) code = read_step(r, f);
    if (!code) code = make_noise(r, f);
    bex_st_free(f);
    return code;
}

/* ---- acting ---- */

static int act_row(bex_control *c, request *r, int row, bex_real *repeated) {
    const bex_dit_options *n = &r->policy->dit.o;
    size_t O = (size_t)r->policy->O, N = (size_t)n->N, i = (size_t)row;
    size_t chunk = (size_t)n->K * (size_t)r->policy->A;
    const bex_real *history = r->history;
    bex_observation now = moment(r, row);
    if (!history) { // a first episode has only its first state to remember
        if (bex_control_row(c, &now, repeated) < 0) return -1;
        for (size_t k = 1; k < N; k++) memcpy(repeated + k * O, repeated, O * sizeof *repeated);
    }
    history = !history ? repeated : r->shared ? history : history + i * N * O;
    if (r->step && bex_control_set_step(c, (long long)r->step[row]) < 0) return -1;
    return bex_control_plan_from(c, &now, history, r->noise + i * noise_size(r),
                                 r->actions + i * chunk);
}

// rows [piece B / pieces, (piece + 1) B / pieces)
static int act_piece(long piece, int worker, void *payload) {
    (void)worker;
    request *r = payload;
    bex_real *repeated =
        calloc((size_t)(r->policy->dit.o.N + 1) * (size_t)r->policy->O, sizeof *repeated);
    bex_control *c = repeated ? bex_control_new(r->policy, &r->deploy, 0) : NULL;
    int code = c ? bex_control_set_task(c, (int)task, (int)scene) : -1;
    if (!repeated) bex_fail("out of memory");
    int first = (int)((long long)r->B * piece / r->pieces);
    int end = (int)((long long)r->B * (piece + 1) / r->pieces);
    for (int row = first; row < end && !code; row++) {
        code = act_row(c, r, row, repeated);
        if (code < 0) bex_fail_in("row %d", row);
    }
    bex_control_free(c);
    free(repeated);
    return code;
}

static int act(request *r) {
    size_t chunk = (size_t)r->policy->dit.o.K * (size_t)r->policy->A;
    int threads = bex_parallel_threads();
    r->pieces = r->B < threads ? r->B : threads;
    r->actions = malloc((size_t)r->B * chunk * sizeof *r->actions);
    if (!r->actions) return bex_fail("out of memory");
    return bex_try_parallel(0, r->pieces, act_piece, r);
}

static int save(const request *r, const char *command) {
    int64_t dim[] = {r->B, r->policy->dit.o.K, r->policy->A};
    bex_st_writer *w = bex_st_writer_new();
    bex_st_add_metadata(w, "command", command);
    bex_st_add_real(w, "actions", 3, dim, r->actions);
    int code = bex_st_save(w, out);
    bex_st_writer_free(w);
    return code;
}

int bex_cmd_act(int argc, char **argv) {
    char *command = bex_command_line(argc, argv);
    const char *run = NULL;
    request r = {0};
    bex_deploy_options asked;
    int given = 0, code = BEX_EXIT_USAGE;
    if (bex_deploy_options_take(&asked, &argc, argv) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
        goto done;
    }
    given = bex_options_parse(&usage, argc, argv, &run, 1);
    if (given < 0) {
        code = given == BEX_OPTIONS_HELP ? BEX_EXIT_OK : BEX_EXIT_USAGE;
        goto done;
    }
    if (!given || !in || !out) {
        bex_fail(!given ? "whose actions? (RUN, a checkpoint or a model)"
                 : !in  ? "for which states? (--in X.safetensors)"
                        : "where to? (--out Y.safetensors)");
        code = bex_command_fail(&usage, BEX_EXIT_USAGE);
        goto done;
    }
    if (!force && access(out, F_OK) == 0) {
        bex_fail("'%s' exists", out);
        bex_fail_hint("--force replaces it");
        code = bex_command_fail(&usage, BEX_EXIT_FAILED);
        goto done;
    }
    if (open_request(&r, run, &asked) < 0 || act(&r) < 0 || save(&r, command) < 0) {
        code = bex_command_fail(&usage, BEX_EXIT_FAILED);
        goto done;
    }
    printf("%s: %d chunks of %d actions of %d\n", out, r.B, r.policy->dit.o.K, r.policy->A);
    code = BEX_EXIT_OK;
done:
    request_fini(&r);
    bex_deploy_options_fini(&asked);
    free(command);
    return code;
}
