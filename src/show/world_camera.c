/* show/world_camera.c - poses to pixels (env/offscreen.h), pixels to files (draw/). */
#include "show/world_camera.h"

#include "base/error.h"
#include "draw/picture.h"
#include "draw/video.h"
#include "env/offscreen.h"
#include "host/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAME_WIDTH = 960, FRAME_HEIGHT = 720, VIDEO_WIDTH = 640, VIDEO_HEIGHT = 480 };
#define FPS 25.0

typedef struct studio {
    const bex_world *world;
    bex_env *env;
    bex_mj_sim *sim;
    bex_offscreen *renderer;
    unsigned char *rgb;
} studio;

static void studio_fini(studio *s) {
    bex_offscreen_close(s->renderer);
    s->world->class->free(s->env);
    free(s->rgb);
}

static int studio_init(studio *s, const bex_world *world, int width, int height, uint64_t seed) {
    *s = (studio){.world = world};
    bex_real *state = malloc((size_t)world->spec.state * sizeof *state);
    s->rgb = malloc(3 * (size_t)width * (size_t)height);
    s->env = world->class->new (world);
    int code = -1;
    if (!state || !s->rgb) {
        bex_fail("out of memory");
    } else if (s->env && world->class->sim) {
        s->sim = world->class->sim(s->env);
        code = world->class->reset(s->env, bex_rng_seed(seed), &(bex_frame){.state = state});
        // a tabletop's marks are not for looking at; LIBERO's own parts are seen by their visual geoms
        bool tabletop = bex_world_is(world, "libero");
        const bex_offscreen_options look = {.width = width,
                                            .height = height,
                                            .samples = -1,
                                            .plain = tabletop,
                                            .bare = tabletop,
                                            .looks = tabletop && world->file};
        if (code == 0) code = bex_offscreen_open_as(&s->renderer, s->sim->model, &look);
    } else if (s->env) {
        bex_fail("%s has no physics to look at", world->name);
    }
    free(state);
    if (code < 0) studio_fini(s);
    return code;
}

static int pose(studio *s, const bex_real *obs) {
    if (!s->world->posed && !bex_world_is(s->world, "libero"))
        return bex_fail("an observation of %s does not tell where everything is", s->world->name);
    for (int i = 0; i < s->sim->model->nq; i++) s->sim->qpos[i] = (double)obs[i];
    return 0;
}

static int shoot(studio *s) {
    bex_camera camera;
    if (s->world->class->camera) s->world->class->camera(s->env, &camera);
    return bex_offscreen_draw(s->renderer, s->sim, s->world->class->camera ? &camera : NULL,
                              s->rgb);
}

int bex_world_frame(const bex_world *world, const bex_real *obs, uint64_t seed, const char *path) {
    studio s;
    if (studio_init(&s, world, FRAME_WIDTH, FRAME_HEIGHT, seed) < 0) return -1;
    int code = obs ? pose(&s, obs) : 0;
    if (code == 0) code = shoot(&s);
    if (code == 0) code = bex_picture_save(s.rgb, FRAME_WIDTH, FRAME_HEIGHT, path);
    studio_fini(&s);
    return code;
}

static int play(studio *s, bex_video *v, const bex_paths *paths, int every) {
    long long total = 0, done = 0;
    bex_progress p;
    int code = 0;
    for (int i = 0; i < paths->count; i++) total += (paths->length[i] + every - 1) / every;
    bex_progress_start(&p, stderr, "video", total);
    for (int i = 0; i < paths->count && code == 0; i++)
        for (int t = 0; t < paths->length[i] && code == 0; t += every) {
            code = pose(s, paths->obs[i] + (size_t)t * (size_t)paths->stride + paths->behind);
            if (code == 0) code = shoot(s);
            if (code == 0) code = bex_video_add(v, s->rgb);
            bex_progress_update(&p, ++done, "trajectory %d of %d", i + 1, paths->count);
        }
    bex_progress_finish(&p);
    return code;
}

int bex_world_video(const bex_world *world, const bex_paths *paths, int every, const char *path) {
    studio s;
    bex_video *v = NULL;
    int real_time = (int)ceil(1 / FPS / world->dt - 1e-9);
    if (studio_init(&s, world, VIDEO_WIDTH, VIDEO_HEIGHT, 0) < 0) return -1;
    int code = bex_video_open(&v, path, VIDEO_WIDTH, VIDEO_HEIGHT, 1 / (world->dt * real_time));
    if (code == 0) code = play(&s, v, paths, every ? every : real_time);
    if (code == 0) code = bex_video_commit(v);
    bex_video_free(v);
    studio_fini(&s);
    return code;
}
