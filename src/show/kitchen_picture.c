/* show/kitchen_picture.c - rectangles for the furniture, kinematics for the hand. No renderer needed. */
#include "show/kitchen_picture.h"

#include "base/error.h"
#include "draw/figure.h"
#include "env/kitchen/kitchen.h"
#include "env/mj.h"

#include <stdlib.h>

enum { NO_TASK = -1, HEIGHT = 300 };
#define LEFT   (-1.3)
#define RIGHT  0.8
#define BOTTOM 1.4
#define TOP    2.85

// metres seen from the front: x and z of the middle, half sizes. Later ones are in front.
static const struct {
    const char *name;
    int task; // of bex_kitchen_tasks
    double x, z, half_x, half_z;
    double name_x, name_z;
} things[] = {
    {"", NO_TASK, -0.955, 1.5, 0.463, 0.1, 0, 0},
    {"", NO_TASK, 0.8, 1.5, 0.3, 0.1, 0, 0},
    {"stove", NO_TASK, -0.002, 1.509, 0.5, 0.109, 0.3, 1.5},
    {"", NO_TASK, 0, 2.284, 0.502, 0.12, 0, 0},
    {"hinge cabinet", 4, -0.604, 2.6, 0.4, 0.2, -0.85, 2.74},
    {"slide cabinet", 3, 0.3, 2.6, 0.45, 0.2, 0.3, 2.74},
    {"microwave", 5, -0.85, 1.787, 0.35, 0.187, -0.95, 1.92},
    {"kettle", 6, -0.269, 1.735, 0.122, 0.116, -0.269, 1.67},
    {"", NO_TASK, -0.683, 2.6, 0.02, 0.16, 0, 0},
    {"", 4, -0.526, 2.6, 0.02, 0.16, 0, 0},
    {"", 3, -0.109, 2.6, 0.02, 0.16, 0, 0},
    {"", 5, -0.642, 1.792, 0.02, 0.13, 0, 0},
    {"", 6, -0.269, 1.878, 0.132, 0.032, 0, 0},
    {"light switch", 2, -0.369, 2.28, 0.045, 0.02, -0.65, 2.28},
    {"bottom burner", 0, -0.256, 2.226, 0.045, 0.045, 0.13, 2.2},
    {"top burner", 1, -0.256, 2.34, 0.045, 0.045, 0.13, 2.36},
    {"", NO_TASK, -0.133, 2.226, 0.045, 0.045, 0, 0},
    {"", NO_TASK, -0.133, 2.34, 0.045, 0.045, 0, 0},
};
enum { THINGS = sizeof things / sizeof *things };

static void outline(bex_panel *p, int i, bex_colour colour, double width) {
    double x0 = things[i].x - things[i].half_x, x1 = things[i].x + things[i].half_x;
    double z0 = things[i].z - things[i].half_z, z1 = things[i].z + things[i].half_z;
    double x[] = {x0, x1, x1, x0, x0}, z[] = {z0, z0, z1, z1, z0};
    bex_panel_path(p, x, z, 5, &(bex_mark){.colour = colour, .width = width});
}

// furniture grey, what the world's tasks are about coloured
static void draw_things(bex_panel *p, unsigned goals) {
    for (int i = 0; i < THINGS; i++) {
        bool goal = things[i].task >= 0 && goals >> things[i].task & 1;
        bex_panel_rectangle(p, things[i].x - things[i].half_x, things[i].z - things[i].half_z,
                            things[i].x + things[i].half_x, things[i].z + things[i].half_z,
                            &(bex_mark){.colour = goal ? 0xFBE3D6 : 0xECEFF2});
        outline(p, i, goal ? BEX_VERMILION : 0x9AA5B1, goal ? 1.2 : 0.8);
    }
}

static void draw_names(bex_panel *p, unsigned goals) {
    for (int i = 0; i < THINGS; i++) {
        bool goal = things[i].task >= 0 && goals >> things[i].task & 1;
        if (*things[i].name)
            bex_panel_text(p, things[i].name_x, things[i].name_z, things[i].name, 0,
                           &(bex_mark){.colour = goal ? 0xA03A00 : 0x5B6570, .size = 9});
    }
}

// where the hand of each row is, from the front
static int find_hand(bex_env *env, const bex_real *obs, int stride, int rows, double *x,
                     double *z) {
    bex_mj_sim *sim = env->world->class->sim(env);
    for (int t = 0; t < rows; t++, obs += stride) {
        double at[3];
        for (int i = 0; i < BEX_KITCHEN_QPOS; i++) sim->qpos[i] = (double)obs[i];
        if (bex_mj_sim_pose(sim) < 0) return -1;
        BEX_CHECK(bex_mj_sim_site(sim, "hand", at), "the kitchen has no hand");
        x[t] = at[0], z[t] = at[2];
    }
    return 0;
}

static int draw_hands(bex_panel *p, const bex_world *w, const bex_paths *paths, int longest) {
    bex_env *env = w->class->new (w);
    double *x = malloc((size_t)longest * sizeof *x), *z = malloc((size_t)longest * sizeof *z);
    double alpha = paths->count <= 8 ? 0.9 : 0.5;
    int code = env ? 0 : -1;
    if (code == 0 && (!x || !z)) code = bex_fail("out of memory");
    for (int i = 0; i < paths->count && code == 0; i++) {
        int n = paths->length[i];
        code = find_hand(env, paths->obs[i], paths->stride, n, x, z);
        if (code == 0)
            bex_panel_path(p, x, z, n,
                           &(bex_mark){.colour = bex_palette(i), .alpha = alpha, .width = 1});
    }
    free(x);
    free(z);
    w->class->free(env);
    return code;
}

// the share of trajectories that have done a task by each row
static int draw_times(bex_panel *p, const bex_world *w, const bex_paths *paths, int longest) {
    double *x = malloc((size_t)longest * sizeof *x),
           *share = malloc((size_t)longest * sizeof *share);
    int *first = malloc((size_t)longest * sizeof *first), code = 0;
    if (!x || !share || !first) code = bex_fail("out of memory");
    for (int k = 0; k < BEX_KITCHEN_TASKS && code == 0; k++) {
        int done = 0;
        for (int t = 0; t < longest; t++) first[t] = 0, x[t] = t * w->dt;
        for (int i = 0; i < paths->count; i++)
            for (int t = 0; t < paths->length[i]; t++)
                if (bex_kitchen_done(paths->obs[i] + (size_t)t * (size_t)paths->stride) >> k & 1) {
                    first[t]++;
                    break;
                }
        for (int t = 0; t < longest; t++) share[t] = (double)(done += first[t]) / paths->count;
        bex_panel_line(p, x, share, NULL, longest,
                       &(bex_mark){.label = bex_kitchen_tasks[k].name,
                                   .colour = bex_palette(k),
                                   .dashed = !(bex_kitchen_goals(w) >> k & 1)});
    }
    bex_panel_labels(p, "Trajectories that have done a task", "seconds", "share");
    bex_panel_y_range(p, 0, 1);
    bex_panel_legend(p, BEX_LEGEND_OUTSIDE);
    free(x);
    free(share);
    free(first);
    return code;
}

int bex_kitchen_picture(const bex_world *world, const bex_paths *paths, const char *title,
                        const char *path) {
    unsigned goals = bex_kitchen_goals(world);
    int longest = 1, code = 0;
    for (int i = 0; paths && i < paths->count; i++)
        if (paths->length[i] > longest) longest = paths->length[i];
    bex_figure *f =
        bex_figure_new(1, paths ? 2 : 1, HEIGHT * (RIGHT - LEFT) / (TOP - BOTTOM), HEIGHT);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    bex_panel_labels(p, title, NULL, NULL);
    bex_panel_x_range(p, LEFT, RIGHT);
    bex_panel_y_range(p, BOTTOM, TOP);
    bex_panel_aspect(p, 1);
    bex_panel_hide_axes(p);
    draw_things(p, goals);
    if (paths) code = draw_hands(p, world, paths, longest);
    draw_names(p, goals);
    if (code == 0 && paths) code = draw_times(bex_figure_panel(f, 0, 1), world, paths, longest);
    if (code == 0) code = bex_figure_save(f, path);
    bex_figure_free(f);
    return code;
}
