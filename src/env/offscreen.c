/* env/offscreen.c - an EGL context without a surface, and MuJoCo's renderer in it. */
#include "env/offscreen.h"

#include "base/error.h"

#if defined(BEX_HAVE_MUJOCO) && defined(BEX_HAVE_EGL)

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <mujoco/mujoco.h>

#include <stdlib.h>
#include <string.h>

enum { GEOMS = 2000, LEAST = 16, MOST = 4096 };

struct bex_offscreen {
    int width, height;
    EGLDisplay display;
    EGLContext context;
    mjModel own;        // the borrowed model's arrays, with our size of picture and what follows
    int *site_group;    // (nsite)
    bex_mj_model model; // own
    bex_mj_sim sim;     // its positions are those drawn
    mjvScene scene;
    mjrContext gl;
    bool has_scene, has_gl;
    unsigned char *upside_down;

    // of the picture being drawn
    const bex_mj_sim *seen;
    const bex_camera *camera;
    int named; // a camera of the model; -1: `camera`
    const bool *show;
    bool plain, looks, bare;
};

// every display worth trying: without a surface, then whatever the machine calls its default
static EGLDisplay open_display(void) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay tries[2] = {EGL_NO_DISPLAY, EGL_NO_DISPLAY};
    if (get) tries[0] = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    tries[1] = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    for (int i = 0; i < 2; i++)
        if (tries[i] != EGL_NO_DISPLAY && eglInitialize(tries[i], NULL, NULL)) return tries[i];
    return EGL_NO_DISPLAY;
}

static int open_context(bex_offscreen *o) {
    static const EGLint wanted[] = {EGL_SURFACE_TYPE,
                                    EGL_PBUFFER_BIT,
                                    EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT,
                                    EGL_RED_SIZE,
                                    8,
                                    EGL_DEPTH_SIZE,
                                    24,
                                    EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    o->display = open_display();
    if (o->display == EGL_NO_DISPLAY) {
        bex_fail("no EGL display to draw on");
        return bex_fail_hint("Debian: libgl1-mesa-dri draws without a GPU");
    }
    if (!eglChooseConfig(o->display, wanted, &config, 1, &count) || count < 1 ||
        !eglBindAPI(EGL_OPENGL_API))
        return bex_fail("EGL has no OpenGL to draw with");
    o->context = eglCreateContext(o->display, config, EGL_NO_CONTEXT, NULL);
    if (o->context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
        return bex_fail("EGL gives no context (error 0x%x)", (unsigned)eglGetError());
    return 0;
}

static void make_renderer(void *payload) {
    bex_offscreen *o = payload;
    mjv_makeScene(o->model.handle, &o->scene, GEOMS);
    o->has_scene = true;
    mjr_makeContext(o->model.handle, &o->gl, mjFONTSCALE_100);
    o->has_gl = true;
    mjr_setBuffer(mjFB_OFFSCREEN, &o->gl);
}

static bool any_shadow(const mjModel *m) {
    for (int i = 0; i < m->nlight; i++)
        if (m->light_castshadow[i]) return true;
    return false;
}

/* Meshes and textures are many megabytes and only read: shared. Sites are shown and hidden. */
static int borrow(bex_offscreen *o, const bex_mj_model *model, int samples) {
    o->own = *model->handle;
    o->model = *model;
    o->model.handle = &o->own;
    o->site_group = malloc(((size_t)o->own.nsite + 1) * sizeof *o->site_group);
    o->upside_down = malloc(3 * (size_t)o->width * (size_t)o->height);
    if (!o->site_group || !o->upside_down) return bex_fail("out of memory for pictures");
    memcpy(o->site_group, o->own.site_group, (size_t)o->own.nsite * sizeof *o->site_group);
    o->own.site_group = o->site_group;
    o->own.vis.global.offwidth = o->width;
    o->own.vis.global.offheight = o->height;
    if (samples >= 0) o->own.vis.quality.offsamples = samples;
    if (!any_shadow(&o->own)) o->own.vis.quality.shadowsize = 0; // a map of 64 MB else
    return 0;
}

static int open_renderer(bex_offscreen *o, const bex_mj_model *model, int samples) {
    if (borrow(o, model, samples) < 0) return -1;
    if (bex_mj_sim_init(&o->sim, &o->model) < 0 || open_context(o) < 0) return -1;
    mjv_defaultScene(&o->scene);
    mjr_defaultContext(&o->gl);
    if (bex_mj_guarded(make_renderer, o) < 0) return -1;
    if (o->gl.currentBuffer != mjFB_OFFSCREEN) return bex_fail("OpenGL has no framebuffers");
    return 0;
}

static int take(bex_offscreen *o) {
    if (eglBindAPI(EGL_OPENGL_API) &&
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, o->context))
        return 0;
    return bex_fail("EGL does not give its context to this thread (error 0x%x)",
                    (unsigned)eglGetError());
}

static void give_back(bex_offscreen *o) {
    eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
}

int bex_offscreen_open(bex_offscreen **out, const bex_mj_model *model, int width, int height) {
    const bex_offscreen_options o = {.width = width, .height = height, .samples = -1};
    return bex_offscreen_open_as(out, model, &o);
}

int bex_offscreen_open_as(bex_offscreen **out, const bex_mj_model *model,
                          const bex_offscreen_options *options) {
    int width = options->width, height = options->height;
    BEX_CHECK(width >= LEAST && width <= MOST && height >= LEAST && height <= MOST, "%d x %d",
              width, height);
    *out = NULL;
    setenv("MUJOCO_GL", "egl", 0); // where MuJoCo looks for OpenGL's functions
    // Mesa's rasteriser would draw one picture with threads of its own: ours draw several at once
    setenv("LP_NUM_THREADS", "0", 0);
    bex_offscreen *o = calloc(1, sizeof *o);
    if (!o) return bex_fail("out of memory");
    o->width = width, o->height = height;
    o->plain = options->plain, o->looks = options->looks, o->bare = options->bare;
    o->display = EGL_NO_DISPLAY, o->context = EGL_NO_CONTEXT;
    if (open_renderer(o, model, options->samples) < 0) return bex_offscreen_close(o), -1;
    give_back(o);
    *out = o;
    return 0;
}

void bex_offscreen_close(bex_offscreen *o) {
    if (!o) return;
    if (o->has_gl) take(o);
    if (o->has_gl) mjr_freeContext(&o->gl);
    if (o->has_scene) mjv_freeScene(&o->scene);
    if (o->display != EGL_NO_DISPLAY) {
        eglMakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (o->context != EGL_NO_CONTEXT) eglDestroyContext(o->display, o->context);
        // the display is the process's, not ours: EGL hands out the same one again
    }
    bex_mj_sim_fini(&o->sim);
    free(o->site_group);
    free(o->upside_down);
    free(o);
}

static void draw_work(void *payload) {
    bex_offscreen *o = payload;
    mjModel *m = o->model.handle;
    mjData *d = o->sim.handle;
    mjvOption options;
    mjvCamera camera;
    mjv_defaultOption(&options);
    mjv_defaultFreeCamera(m, &camera);
    if (o->camera) {
        memcpy(camera.lookat, o->camera->at, sizeof camera.lookat);
        camera.distance = o->camera->distance;
        camera.azimuth = o->camera->azimuth;
        camera.elevation = o->camera->elevation;
    }
    if (o->named >= 0) {
        camera.type = mjCAMERA_FIXED;
        camera.fixedcamid = o->named;
    }
    if (o->looks) {
        memset(options.geomgroup, 0, sizeof options.geomgroup);
        options.geomgroup[1] = 1;
    }
    if (o->bare) memset(options.sitegroup, 0, sizeof options.sitegroup);
    for (int i = 0; o->show && i < m->nsite; i++) m->site_group[i] = o->show[i] ? 0 : mjNGROUP - 1;
    if (o->plain) o->scene.flags[mjRND_REFLECTION] = 0;
    memcpy(d->qpos, o->seen->qpos, (size_t)m->nq * sizeof *d->qpos);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_camlight(m, d);
    mjrRect whole = {0, 0, o->width, o->height};
    mjv_updateScene(m, d, &options, NULL, &camera, mjCAT_ALL, &o->scene);
    mjr_render(whole, &o->scene, &o->gl);
    mjr_readPixels(o->upside_down, NULL, whole, &o->gl);
}

static int draw(bex_offscreen *o, const bex_mj_sim *sim, unsigned char *rgb) {
    size_t row = 3 * (size_t)o->width;
    BEX_CHECK(sim->model->nq == o->model.nq, "%d positions, the renderer has %d", sim->model->nq,
              o->model.nq);
    o->seen = sim;
    if (take(o) < 0) return -1;
    int code = bex_mj_guarded(draw_work, o);
    give_back(o);
    if (code < 0) return -1;
    for (size_t y = 0; y < (size_t)o->height; y++) // OpenGL begins at the bottom
        memcpy(rgb + y * row, o->upside_down + ((size_t)o->height - 1 - y) * row, row);
    return 0;
}

int bex_offscreen_draw(bex_offscreen *o, const bex_mj_sim *sim, const bex_camera *camera,
                       unsigned char *rgb) {
    o->camera = camera, o->named = -1, o->show = NULL;
    return draw(o, sim, rgb);
}

int bex_offscreen_draw_named(bex_offscreen *o, const bex_mj_sim *sim, const char *camera,
                             const bool *show, unsigned char *rgb) {
    o->camera = NULL, o->show = show;
    o->named = mj_name2id(o->model.handle, mjOBJ_CAMERA, camera);
    if (o->named < 0) return bex_fail("the model has no camera '%s'", camera);
    return draw(o, sim, rgb);
}

#else

int bex_offscreen_open(bex_offscreen **out, const bex_mj_model *model, int width, int height) {
    (void)model, (void)width, (void)height;
    *out = NULL;
    bex_fail("this build cannot draw what a camera sees");
    return bex_fail_hint("install libmujoco-dev and libegl-dev, and build again");
}

int bex_offscreen_open_as(bex_offscreen **out, const bex_mj_model *model,
                          const bex_offscreen_options *options) {
    return bex_offscreen_open(out, model, options->width, options->height);
}

int bex_offscreen_draw_named(bex_offscreen *o, const bex_mj_sim *sim, const char *camera,
                             const bool *show, unsigned char *rgb) {
    (void)o, (void)sim, (void)camera, (void)show, (void)rgb;
    return bex_fail("this build cannot draw what a camera sees");
}

void bex_offscreen_close(bex_offscreen *o) {
    (void)o;
}

int bex_offscreen_draw(bex_offscreen *o, const bex_mj_sim *sim, const bex_camera *camera,
                       unsigned char *rgb) {
    (void)o, (void)sim, (void)camera, (void)rgb;
    return bex_fail("this build cannot draw what a camera sees");
}

#endif
