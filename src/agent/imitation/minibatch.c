/* agent/imitation/minibatch.c - rows gathered by number. */
#include "agent/imitation/minibatch.h"

#include "agent/sight/pixels.h"

#include <string.h>

int bex_minibatch_group(const bex_imitation *a) {
    return a->policy->dit.o.N ? (int)a->config.train.samples_per_history : 1;
}

// what a micro-batch is made of
typedef struct {
    bex_window_groups group;
    bex_window *window;  // (groups,S)
    int *history;        // (groups,N)
    bex_real *value;     // (groups,S) coverage inputs known already; else NULL
    unsigned char *best; // (groups,S), with value: drawn for its coverage
} drawn;

static void *take(bex_tape *tape, size_t bytes) {
    return bex_arena_alloc(tape->arena, bytes);
}

// the same groups come back, in a cycle that goes on from step to step
static int group_index(const bex_minibatch_windows *what, int group) {
    if (!what->fixed) return group;
    int groups = what->fixed / what->S > 0 ? what->fixed / what->S : 1;
    return (int)((what->cycle + group) % groups);
}

/* ---- pictures ---- */

// features of frozen networks, row by row of the tokens' constants
static void gather_features(bex_tape *tape, const bex_policy *p, const bex_features *f,
                            const int *frames, int B, bex_minibatch *b) {
    size_t one = (size_t)p->vision.places * (size_t)p->vision.features;
    for (int c = 0; c < p->vision.o.cameras; c++) {
        b->seen[c] =
            bex_tensor_new(tape, 3, BEX_DIMS(B, p->vision.places, p->vision.features), false);
        for (int i = 0; i < B; i++)
            memcpy(b->seen[c]->data + (size_t)i * one,
                   bex_features_at(f, frames[i]) + (size_t)c * one, one * sizeof(bex_real));
    }
}

// of windows `first` .. of the batch; without their own pictures, those of the window behind half the batch
static int gather_pictures(bex_tape *tape, const bex_minibatch_draw *draw, const int *rows,
                           int first, int B, bex_minibatch *b) {
    const bex_imitation_part *part = draw->what.part;
    const bex_policy *p = draw->a->policy;
    if (!p->vision.o.cameras) return 0;
    const bex_optimiser_config *t = &draw->a->config.train;
    int *frames = take(tape, (size_t)B * sizeof *frames),
        *number = take(tape, (size_t)B * sizeof *number);
    for (int i = 0; i < B; i++) {
        int row = rows[i];
        if (draw->without.other_pictures)
            row = (int)(((int64_t)row + part->data->rows / 2) % part->data->rows);
        frames[i] = part->frames[row], number[i] = first + i;
    }
    if (part->features) {
        gather_features(tape, p, part->features, frames, B, b);
        return 0;
    }
    size_t picture = bex_vision_picture(&p->vision), all = (size_t)p->vision.o.cameras * (size_t)B;
    const bex_augmentation change = {t->crop, t->blur, t->colour};
    bex_rng root = bex_rng_split(bex_rng_seed((uint64_t)t->seed), "pictures", draw->what.t);
    b->pixels = take(tape, all * picture * sizeof *b->pixels);
    size_t before = (size_t)first * (size_t)p->vision.o.cameras * picture;
    return bex_pixels_gather(b->pixels, tape->arena,
                             &(bex_pixels_request){
                                 .pictures = part->data->pictures,
                                 .frames = frames,
                                 .number = number,
                                 .B = B,
                                 .ready = draw->ready ? draw->ready + before : NULL,
                                 .augment = draw->how.augment ? &change : NULL,
                                 .rng = bex_rng_split(root, "cycle", (uint64_t)draw->what.cycle),
                             });
}

void bex_minibatch_see(bex_tape *tape, const bex_policy *p, bex_minibatch *b) {
    if (b->pixels) bex_vision_run(tape, &p->vision, b->pixels, b->input.B, b->seen);
    b->input.seen = b->seen;
}

static const bex_real *gather(bex_tape *tape, const bex_real *rows_of, int width, const int *rows,
                              int n) {
    bex_real *out = take(tape, (size_t)n * (size_t)width * sizeof *out);
    for (int i = 0; i < n; i++)
        memcpy(out + (size_t)i * (size_t)width, rows_of + (size_t)rows[i] * (size_t)width,
               (size_t)width * sizeof *out);
    return out;
}

// the history rows of a group, once (prefix) or once for each of its windows (full)
static const bex_real *gather_history(bex_tape *tape, const bex_minibatch_draw *draw,
                                      const int *rows, int groups) {
    const bex_dit_options *o = &draw->a->policy->dit.o;
    int copies = o->mode == BEX_DIT_PREFIX ? 1 : draw->what.S, N = o->N, O = o->O;
    size_t size = (size_t)N * (size_t)O;
    bex_real *out = take(tape, (size_t)groups * (size_t)copies * size * sizeof *out);
    for (int g = 0; g < groups; g++) {
        bex_real *first = out + (size_t)g * (size_t)copies * size;
        for (int i = 0; i < N; i++)
            memcpy(first + (size_t)i * (size_t)O,
                   draw->what.part->states + (size_t)rows[g * N + i] * (size_t)O,
                   (size_t)O * sizeof *out);
        for (int c = 1; c < copies; c++)
            memcpy(first + (size_t)c * size, first, size * sizeof *out);
    }
    return out;
}

// columns of chunk row k behind the actions: the state (k + 1) F / K steps on, or the episode's last
static void waypoint_of(const bex_policy *p, const bex_imitation_part *part, const bex_window *w,
                        int k, bex_real *to) {
    int64_t last = part->data->start[w->episode + 1] - 1;
    int64_t row = w->row + (k + 1) * p->config.coverage.future / p->dit.o.K;
    const bex_real *s = part->states + (size_t)(row < last ? row : last) * (size_t)p->dit.o.O;
    const bex_real *now = part->states + (size_t)w->row * (size_t)p->dit.o.O;
    for (int i = 0; i < p->chunk.W; i++)
        to[i] = bex_waypoint_encode(&p->chunk, k, s[p->chunk.dim[i]], now[p->chunk.dim[i]]);
}

void bex_minibatch_chunk(const bex_policy *p, const bex_imitation_part *part, const bex_window *w,
                         bex_real *chunk, bex_real *mask) {
    size_t A = (size_t)p->A, wide = (size_t)p->chunk.columns;
    for (int k = 0; k < p->dit.o.K; k++) {
        int row = bex_window_action(w, k, &mask[k]);
        bex_real *to = chunk + (size_t)k * wide;
        memcpy(to, part->actions + (size_t)row * A, A * sizeof *to);
        if (p->chunk.W) waypoint_of(p, part, w, k, to + A);
    }
}

static void gather_chunks(bex_tape *tape, const bex_minibatch_draw *draw, const bex_window *w,
                          int B, bex_minibatch *b) {
    const bex_policy *p = draw->a->policy;
    size_t K = (size_t)p->dit.o.K, chunk = K * (size_t)p->chunk.columns;
    b->clean = take(tape, (size_t)B * chunk * sizeof *b->clean);
    b->mask = take(tape, (size_t)B * K * sizeof *b->mask);
    for (size_t i = 0; i < (size_t)B; i++)
        bex_minibatch_chunk(p, draw->what.part, &w[i], b->clean + i * chunk, b->mask + i * K);
}

static void gather_labels(bex_tape *tape, const bex_minibatch_draw *draw, const bex_window *w,
                          int B, bex_minibatch *b) {
    const bex_dit_options *o = &draw->a->policy->dit.o;
    const bex_dataset *d = draw->what.part->data;
    int *task = take(tape, (size_t)B * sizeof *task),
        *scene = take(tape, (size_t)B * sizeof *scene);
    bex_real *time = take(tape, (size_t)B * sizeof *time);
    for (int i = 0; i < B; i++) {
        task[i] = d->task[w[i].episode], scene[i] = d->scene[w[i].episode];
        time[i] = (bex_real)(w[i].row - d->start[w[i].episode]) /
                  (bex_real)draw->a->config.policy.model.horizon;
    }
    if (o->tasks) b->input.task = task;
    if (o->scenes) b->input.scene = scene;
    b->input.timestep = time;
}

// histories of the step that belong to no group of the batch
static const int *others(bex_tape *tape, const bex_minibatch_draw *draw, int first, int groups) {
    int N = draw->a->policy->dit.o.N;
    int *history = take(tape, (size_t)groups * (size_t)N * sizeof *history);
    for (int g = 0; g < groups; g++)
        bex_training_history_draw(&draw->what.part->history, draw->what.t,
                                  draw->what.windows / draw->what.S + first + g, history + g * N);
    return history;
}

// windows of whole groups with their histories, and, where they are drawn by it, their coverage inputs
static int draw_windows(bex_tape *tape, const bex_minibatch_draw *draw, int first, drawn *to) {
    const bex_imitation_part *part = draw->what.part;
    const bex_labeller *labeller = part->labeller;
    int S = to->group.S, N = to->group.N, groups = to->group.groups;
    size_t B = (size_t)groups * (size_t)S;
    to->window = take(tape, B * sizeof *to->window);
    to->history = take(tape, (size_t)groups * (size_t)(N ? N : 1) * sizeof *to->history);
    int *index = take(tape, (size_t)groups * sizeof *index);
    for (int g = 0; g < groups; g++) {
        index[g] = group_index(&draw->what, first + g);
        if (N)
            bex_training_history_draw(&part->history, draw->what.t, index[g], to->history + g * N);
    }
    to->group.history = to->history, to->group.window = to->window;
    bex_window_draw d = {groups, S, N, to->history, index, draw->what.t};
    if (draw->what.near) {
        labeller->draw_near(labeller, &d, to->window);
        return 0;
    }
    if (labeller && labeller->draw) {
        to->value = take(tape, B * sizeof *to->value);
        to->best = take(tape, B);
        return labeller->draw(labeller, tape->arena, &d, to->window, to->value, to->best);
    }
    for (int g = 0; g < groups; g++)
        for (int s = 0; s < S; s++)
            to->window[g * S + s] = bex_windows_draw(part->windows, draw->what.t, index[g] * S + s);
    return 0;
}

// coverage inputs, and where they are hidden: never of windows drawn for theirs, so of others the more often
static int gather_coverage(bex_tape *tape, const bex_minibatch_draw *draw, const drawn *from,
                           bex_rng *rng, bex_minibatch *b) {
    int B = b->input.B;
    const bex_labeller *labeller = draw->what.part->labeller;
    bex_real *value = from->value;
    unsigned char *hidden = take(tape, (size_t)B);
    double hide = draw->how.hide;
    if (!value) {
        value = take(tape, (size_t)B * sizeof *value);
        if (labeller->label(labeller, tape->arena, &from->group, value) < 0) return -1;
    } else {
        hide /= 1 - draw->a->config.train.best;
    }
    for (int i = 0; i < B; i++)
        hidden[i] = draw->without.no_coverage ||
                    (!(from->best && from->best[i]) && hide > 0 && bex_rng_uniform(rng) < hide) ||
                    (b->led && b->led[i]);
    b->input.coverage = value;
    b->input.hidden = hidden;
    return 0;
}

int bex_minibatch_frames(const bex_minibatch_draw *draw, bex_arena *arena, int *frames) {
    bex_tape tape;
    bex_tape_init(&tape, arena);
    int S = draw->what.S, groups = draw->what.windows / S;
    drawn all = {.group = {.groups = groups, .S = S, .N = draw->a->policy->dit.o.N}};
    int code = draw_windows(&tape, draw, 0, &all);
    for (int i = 0; i < draw->what.windows && code == 0; i++)
        frames[i] = draw->what.part->frames[all.window[i].row];
    bex_tape_reset(&tape);
    return code;
}

int bex_minibatch_take(bex_tape *tape, const bex_minibatch_draw *draw, int first, int groups,
                       bex_rng *rng, bex_minibatch *b) {
    const bex_dit_options *o = &draw->a->policy->dit.o;
    int S = draw->what.S, N = o->N, B = groups * S;
    drawn from = {.group = {.groups = groups, .S = S, .N = N}};
    int *row = take(tape, (size_t)B * sizeof *row);
    if (draw_windows(tape, draw, first, &from) < 0) return -1;
    for (int i = 0; i < B; i++) row[i] = from.window[i].row;
    *b = (bex_minibatch){.input = {.B = B, .G = o->mode == BEX_DIT_PREFIX ? groups : B},
                         .window = from.window};
    b->input.state = gather(tape, draw->what.part->states, o->O, row, B);
    if (gather_pictures(tape, draw, row, first * S, B, b) < 0) return -1;
    gather_chunks(tape, draw, from.window, B, b);
    gather_labels(tape, draw, from.window, B, b);
    if (N)
        b->input.history = gather_history(
            tape, draw,
            draw->without.other_history ? others(tape, draw, first, groups) : from.history, groups);
    if (draw->how.lead > 0) b->led = take(tape, (size_t)B);
    for (int i = 0; b->led && i < B; i++) b->led[i] = bex_rng_uniform(rng) < draw->how.lead;
    return o->coverage ? gather_coverage(tape, draw, &from, rng, b) : 0;
}
