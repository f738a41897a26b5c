/* agent/imitation/minibatch.c - rows gathered by number. */
#include "agent/imitation/minibatch.h"

#include "agent/sight/pixels.h"

#include <string.h>

int bex_minibatch_group(const bex_imitation *a) {
    return a->policy->dit.o.N ? (int)a->config.train.samples_per_history : 1;
}

static void *take(bex_tape *tape, size_t bytes) {
    return bex_arena_alloc(tape->arena, bytes);
}

// the same groups come back, in a cycle that goes on from step to step
static int group_index(const bex_minibatch_windows *what, int group) {
    if (!what->fixed) return group;
    int groups = what->fixed / what->S > 0 ? what->fixed / what->S : 1;
    return (int)((what->cycle + group) % groups);
}

void bex_minibatch_frames(const bex_minibatch_windows *what, int *frames) {
    for (int i = 0; i < what->windows; i++) {
        int index = group_index(what, i / what->S) * what->S + i % what->S;
        frames[i] = what->part->frames[bex_windows_draw(what->part->windows, what->t, index).row];
    }
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
    size_t A = (size_t)p->A, wide = (size_t)p->dit.o.columns;
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
    size_t K = (size_t)p->dit.o.K, chunk = K * (size_t)p->dit.o.columns;
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

int bex_minibatch_take(bex_tape *tape, const bex_minibatch_draw *draw, int first, int groups,
                       bex_rng *rng, bex_minibatch *b) {
    const bex_imitation *a = draw->a;
    const bex_dit_options *o = &a->policy->dit.o;
    int S = draw->what.S, N = o->N, B = groups * S;
    bex_window *w = take(tape, (size_t)B * sizeof *w);
    int *history = take(tape, (size_t)groups * (size_t)(N ? N : 1) * sizeof *history);
    int *row = take(tape, (size_t)B * sizeof *row);
    for (int g = 0; g < groups; g++) {
        int index = group_index(&draw->what, first + g);
        for (int s = 0; s < S; s++)
            w[g * S + s] = bex_windows_draw(draw->what.part->windows, draw->what.t, index * S + s);
        if (N)
            bex_training_history_draw(&draw->what.part->history, draw->what.t, index,
                                      history + g * N);
    }
    for (int i = 0; i < B; i++) row[i] = w[i].row;
    *b = (bex_minibatch){.input = {.B = B, .G = o->mode == BEX_DIT_PREFIX ? groups : B}};
    b->input.state = gather(tape, draw->what.part->states, o->O, row, B);
    if (gather_pictures(tape, draw, row, first * S, B, b) < 0) return -1;
    gather_chunks(tape, draw, w, B, b);
    gather_labels(tape, draw, w, B, b);
    if (N)
        b->input.history = gather_history(
            tape, draw, draw->without.other_history ? others(tape, draw, first, groups) : history,
            groups);
    if (draw->how.lead > 0) b->led = take(tape, (size_t)B);
    for (int i = 0; b->led && i < B; i++) b->led[i] = bex_rng_uniform(rng) < draw->how.lead;
    if (!o->coverage) return 0;
    bex_real *value = take(tape, (size_t)B * sizeof *value);
    unsigned char *hidden = take(tape, (size_t)B);
    const bex_labeller *labeller = draw->what.part->labeller;
    bex_window_groups group = {groups, S, N, history, w};
    if (labeller->label(labeller, tape->arena, &group, value) < 0) return -1;
    for (int i = 0; i < B; i++)
        hidden[i] = draw->without.no_coverage ||
                    (draw->how.hide > 0 && bex_rng_uniform(rng) < draw->how.hide) ||
                    (b->led && b->led[i]);
    b->input.coverage = value;
    b->input.hidden = hidden;
    return 0;
}
