/* demo/tabletop/moves.c - moves, each in the frame of what it handles. */
#include "demo/tabletop/moves.h"

#include "demo/tabletop/grasps.h"

#include <math.h>
#include <string.h>

enum { WAYS = 8 };

static void turned(const bex_pose *p, const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = p->R[3 * i] * v[0] + p->R[3 * i + 1] * v[1] + p->R[3 * i + 2] * v[2];
}

static void placed(const bex_pose *p, const double v[3], double out[3]) {
    turned(p, v, out);
    for (int i = 0; i < 3; i++) out[i] += p->p[i];
}

static void add(double out[3], const double a[3], double scale, const double b[3]) {
    for (int i = 0; i < 3; i++) out[i] = a[i] + scale * b[i];
}

// rise, if need be, before going sideways
static void rise(bex_hand *h, double z) {
    double up[3] = {h->where[0], h->where[1], z};
    if (h->where[2] < z - 0.02) bex_hand_go(h, up, NULL, 0.025, 40);
}

/* World z above which a corridor from here to there is free of everything but the thing held or wanted. */
static double clear_height(const bex_hand *h, const double to[3], int except) {
    enum { POINTS = 9 };
    double dx = to[0] - h->where[0], dy = to[1] - h->where[1], n = hypot(dx, dy) + 1e-9;
    double z = h->scene->room->top + 0.02, top = z + 0.5;
    for (; z < top; z += 0.025) {
        bool free = true;
        for (int i = 0; i < POINTS && free; i++)
            for (int side = -1; side <= 1 && free; side++) {
                double t = (double)i / (POINTS - 1), off = 0.05 * side;
                double p[3] = {h->where[0] + t * dx - off * dy / n, h->where[1] + t * dy + off * dx / n, z};
                free = bex_pose_clearance(h->goals, h->sim, p, except) > 0.02;
            }
        if (free) return z;
    }
    return top;
}

/* Over everything to above `to`, as what hangs `low` below the grip site allows. */
static void travel(bex_hand *h, const double to[3], const double R[9], double low, int except) {
    double z = fmax(to[2], clear_height(h, to, except) + low + 0.01);
    double over[3] = {to[0], to[1], z};
    rise(h, z);
    bex_hand_go(h, over, R, 0.025, 110);
}

// how many places of an open hand would be inside something: fingers, and the palm above them
static int crowded(const bex_hand *h, int thing, const double at[3], const double along[3]) {
    static const struct {
        double across, up, radius;
    } parts[] = {{0.05, 0.012, 0.012},  {-0.05, 0.012, 0.012}, {0.085, 0.075, 0.045}, {-0.085, 0.075, 0.045},
                 {0.045, 0.075, 0.045}, {-0.045, 0.075, 0.045}, {0, 0.08, 0.045}, {0, 0.12, 0.05}};
    double n = hypot(along[0], along[1]);
    int count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double p[3] = {at[0] + parts[i].across * along[0] / n, at[1] + parts[i].across * along[1] / n,
                       at[2] + parts[i].up};
        count += bex_pose_clearance(h->goals, h->sim, p, thing) < parts[i].radius;
    }
    return count;
}

// one of the kind's grasps, drawn among those least in the way of others and nearest to what is wanted
static const bex_grasp *choose(bex_hand *h, int thing, const double *along) {
    const char *kind = h->scene->thing[thing].kind->name;
    const bex_grasp *good[WAYS], *g;
    bex_pose p = bex_pose_thing(h->goals, h->sim, thing);
    int count = 0, best = 1 << 20;
    for (int i = 0; (g = bex_grasp_of(kind, i)); i++) {
        double at[3], way[3];
        placed(&p, g->at, at);
        turned(&p, g->along, way);
        int cost = crowded(h, thing, at, way);
        if (along && fabs(way[0] * along[0] + way[1] * along[1]) < 0.7) cost += 100;
        if (g == h->tried) cost += 2;
        if (cost < best) best = cost, count = 0;
        if (cost == best && count < WAYS) good[count++] = g;
    }
    return count ? good[bex_rng_below(&h->rng, (uint64_t)count)] : NULL;
}

bool bex_move_pick(bex_hand *h, int thing, const double *along, double lift) {
    double at[3], way[3], R[9], above[3];
    if (bex_hand_over(h)) return false;
    if (h->grip > 0) bex_hand_open(h, 4);
    h->grip = -1;
    const bex_grasp *g = choose(h, thing, along);
    if (!g) return false;
    h->tried = g;
    bex_pose p = bex_pose_thing(h->goals, h->sim, thing);
    placed(&p, g->at, at);
    turned(&p, g->along, way);
    bex_hand_down(h, R, way);
    add(above, at, 0.07, (const double[3]){0, 0, 1});
    travel(h, above, R, 0.015, thing);
    p = bex_pose_thing(h->goals, h->sim, thing);
    placed(&p, g->at, at);
    add(above, at, 0.045, (const double[3]){0, 0, 1});
    bex_hand_go(h, above, R, 0.012, 30);
    bex_hand_go(h, at, R, 0.006, 20);
    bex_hand_close(h, 9);
    bex_hand_hold(h, thing);
    double up[3] = {h->where[0], h->where[1], h->where[2] + lift};
    bex_hand_go(h, up, R, 0.03, 45);
    bex_hand_hold(h, thing);
    // it came along
    bex_pose now = bex_pose_thing(h->goals, h->sim, thing);
    if (now.p[2] > p.p[2] + 0.3 * lift) return true;
    h->holding = -1;
    return false;
}

void bex_move_put(bex_hand *h, const bex_put *put) {
    double R[9], above[3], at[3], p[3] = {put->at[0], put->at[1], put->over};
    if (bex_hand_over(h) || h->holding < 0) return;
    memcpy(R, put->R ? put->R : h->R, sizeof R);
    if (!put->R) bex_hand_down(h, R, (const double[3]){h->R[0], h->R[3], 0});
    bex_hand_for(h, above, R, p);
    above[2] = fmax(above[2], put->least);
    double below, over;
    bex_pose_extent(h->goals, h->sim, h->holding, &below, &over);
    bex_pose held = bex_pose_thing(h->goals, h->sim, h->holding);
    travel(h, above, R, fmax(0.015, h->where[2] - held.p[2] + below), h->holding);
    bex_hand_hold(h, h->holding);
    bex_hand_for(h, at, R, put->at);
    at[2] = fmax(at[2], put->least);
    bex_hand_go(h, at, R, 0.009, 45);
    bex_hand_open(h, 8);
    double away = hypot(hypot(put->away[0], put->away[1]), put->away[2]);
    const double up[3] = {0, 0, 0.1};
    add(at, h->where, 1, away > 0 ? put->away : up);
    bex_hand_go(h, at, NULL, 0.03, 30);
}

// ---- drawers: the cabinet's frame, its front towards -y

typedef struct drawer {
    bex_pose cabinet;
    double out[3];    // where it opens to
    double handle[3]; // middle of its bar now, world
    bex_bddl_fact joint;
    bool low; // other handles are right above it
} drawer;

static drawer drawer_of(const bex_hand *h, int region) {
    const bex_bddl_region *r = &h->scene->region[region];
    drawer d = {.cabinet = bex_pose_thing(h->goals, h->sim, r->target), .joint = {BEX_PREDICATE_OPEN, -1 - region, 0}};
    bool top = strstr(r->name, "top_region"), middle = strstr(r->name, "middle_region");
    double q = bex_goals_joint(h->goals, h->sim, &d.joint);
    const double bar[3] = {-0.0028, -0.1016 + q, top ? 0.1839 : middle ? 0.1104 : 0.0411};
    turned(&d.cabinet, (const double[3]){0, -1, 0}, d.out);
    placed(&d.cabinet, bar, d.handle);
    d.low = !top;
    return d;
}

static double drawer_at(const bex_hand *h, const drawer *d) {
    return bex_goals_joint(h->goals, h->sim, &d->joint);
}

// fingers above and below the bar, then out
static void pull_drawer(bex_hand *h, int region) {
    drawer d = drawer_of(h, region);
    double R[9], at[3], in[3] = {-d.out[0], -d.out[1], 0};
    bex_hand_down(h, R, d.out);
    bex_hand_lean(R, in, 1.3);
    h->grip = -1;
    add(at, d.handle, 0.14, d.out);
    at[2] += 0.03;
    bex_hand_go(h, at, R, 0.04, 70);
    add(at, d.handle, 0.05, d.out);
    bex_hand_go(h, at, R, 0.012, 50);
    bex_hand_go(h, d.handle, R, 0.008, 30);
    bex_hand_close(h, 9);
    add(at, d.handle, 0.2, d.out);
    for (int n = 0; n < 45 && drawer_at(h, &d) > -0.152 && !bex_hand_over(h); n++) bex_hand_go(h, at, R, 0, 1);
    bex_hand_open(h, 6);
    add(at, h->where, 0.07, d.out);
    bex_hand_go(h, at, R, 0.02, 20);
}

// closed fingers on the bar from above and behind, pressed down and drawn out
static void drag_drawer(bex_hand *h, int region) {
    drawer d = drawer_of(h, region);
    double R[9], at[3], in[3] = {-d.out[0], -d.out[1], 0};
    bex_hand_down(h, R, (const double[3]){-d.out[1], d.out[0], 0});
    bex_hand_lean(R, in, 1.15);
    h->grip = 1;
    add(at, d.handle, 0.12, d.out);
    at[2] += 0.06;
    bex_hand_go(h, at, R, 0.03, 90);
    add(at, d.handle, 0.035, d.out);
    at[2] += 0.034;
    bex_hand_go(h, at, R, 0.01, 40);
    add(at, d.handle, -0.004, d.out);
    at[2] += 0.026;
    bex_hand_go(h, at, R, 0.008, 25);
    at[2] -= 0.02;
    bex_hand_go(h, at, R, 0.004, 8);
    for (int n = 0; n < 60 && drawer_at(h, &d) > -0.15 && !bex_hand_over(h); n++) {
        add(at, h->where, 0.045, d.out);
        at[2] = d.handle[2] - 0.015;
        bex_hand_go(h, at, R, 0, 1);
    }
    add(at, h->where, 0.02, d.out);
    at[2] += 0.06;
    bex_hand_go(h, at, R, 0.02, 20);
}

void bex_move_open_drawer(bex_hand *h, int region) {
    drawer d = drawer_of(h, region);
    rise(h, d.handle[2] + 0.05);
    for (int n = 0; n < 3 && drawer_at(h, &d) > -0.142 && !bex_hand_over(h); n++)
        (d.low ? drag_drawer : pull_drawer)(h, region);
}

void bex_move_close_drawer(bex_hand *h, int region) {
    drawer d = drawer_of(h, region);
    double R[9], at[3], in[3] = {-d.out[0], -d.out[1], 0};
    bex_hand_down(h, R, (const double[3]){-d.out[1], d.out[0], 0});
    bex_hand_lean(R, in, d.low ? 0.65 : 0.3);
    h->grip = 1;
    rise(h, d.cabinet.p[2] + (d.low ? 0.14 : 0.27));
    add(at, d.handle, 0.075, d.out);
    at[2] = h->where[2];
    bex_hand_go(h, at, R, 0.03, 80);
    d = drawer_of(h, region);
    add(at, d.handle, 0.06, d.out);
    bex_hand_go(h, at, R, 0.015, 50);
    for (int n = 0; n < 70 && drawer_at(h, &d) < 0.006 && !bex_hand_over(h); n++) {
        d = drawer_of(h, region);
        add(at, d.handle, -0.04, d.out);
        bex_hand_go(h, at, R, 0, 1);
    }
    bex_hand_wait(h, 2);
    add(at, h->where, 0.08, d.out);
    bex_hand_go(h, at, NULL, 0.02, 20);
}

// ---- stove

void bex_move_turn_knob(bex_hand *h, int stove, bool on) {
    const bex_bddl_fact joint = {BEX_PREDICATE_TURNON, stove, 0};
    bex_pose p = bex_pose_thing(h->goals, h->sim, stove);
    double q = bex_goals_joint(h->goals, h->sim, &joint), at[3], above[3], way[3], R[9];
    placed(&p, (const double[3]){-0.004, 0.0013, 0.036}, at);
    turned(&p, (const double[3]){-sin(q), cos(q), 0}, way);
    bex_hand_down(h, R, way);
    if (h->grip > 0) bex_hand_open(h, 4);
    h->grip = -1;
    rise(h, at[2] + 0.1);
    add(above, at, 0.09, (const double[3]){0, 0, 1});
    bex_hand_go(h, above, R, 0.02, 80);
    bex_hand_go(h, at, R, 0.007, 40);
    bex_hand_close(h, 8);
    double left = on ? 1.15 : -(q + 0.3);
    for (int n = 0; n < 60 && fabs(left) > 0 && !bex_hand_over(h); n++) {
        double part = fmax(-0.12, fmin(0.12, left));
        left -= part;
        bex_hand_yaw(R, part);
        bex_hand_go(h, at, R, 0, 1);
    }
    bex_hand_go(h, at, R, 0.01, 25);
    bex_hand_open(h, 7);
    bex_hand_go(h, above, NULL, 0.03, 20);
}

// ---- microwave

static const double door_hinge[3] = {-0.1725, -0.088, 0};

// a point of the door, seen from its hinge when shut, at angle q; and a direction
static void door_point(const bex_pose *m, double q, double x, double y, double z, double out[3]) {
    const double p[3] = {door_hinge[0] + cos(q) * x - sin(q) * y, door_hinge[1] + sin(q) * x + cos(q) * y, z};
    placed(m, p, out);
}

static void door_way(const bex_pose *m, double q, double out[3]) {
    turned(m, (const double[3]){cos(q), sin(q), 0}, out);
}

void bex_move_open_microwave(bex_hand *h, int microwave) {
    const bex_bddl_fact joint = {BEX_PREDICATE_OPEN, microwave, 0};
    bex_pose m = bex_pose_thing(h->goals, h->sim, microwave);
    double at[3], above[3], way[3], R[9], q = bex_goals_joint(h->goals, h->sim, &joint);
    h->grip = -1;
    door_way(&m, q, way);
    bex_hand_down(h, R, way);
    door_point(&m, q, 0.2375, -0.054, 0.142, at);
    add(above, at, 0.1, (const double[3]){0, 0, 1});
    bex_hand_go(h, above, R, 0.02, 80);
    bex_hand_go(h, at, R, 0.008, 30);
    bex_hand_close(h, 8);
    for (int n = 0; n < 110 && !bex_hand_over(h); n++) {
        q = bex_goals_joint(h->goals, h->sim, &joint);
        if (q < -1.45) break;
        door_way(&m, q - 0.12, way);
        bex_hand_down(h, R, way);
        door_point(&m, q - 0.3, 0.2375, -0.054, 0.142, at);
        bex_hand_go(h, at, R, 0, 1);
    }
    bex_hand_open(h, 7);
    add(above, h->where, 0.1, (const double[3]){0, 0, 1});
    bex_hand_go(h, above, NULL, 0.03, 20);
}

void bex_move_close_microwave(bex_hand *h, int microwave) {
    const bex_bddl_fact joint = {BEX_PREDICATE_CLOSE, microwave, 0};
    bex_pose m = bex_pose_thing(h->goals, h->sim, microwave);
    double at[3], above[3], way[3], R[9], q = bex_goals_joint(h->goals, h->sim, &joint);
    h->grip = 1;
    rise(h, m.p[2] + 0.3);
    door_way(&m, q, way);
    bex_hand_down(h, R, way);
    door_point(&m, q, 0.15, -0.08, 0.165, at);
    memcpy(above, at, sizeof at);
    above[2] = h->where[2];
    bex_hand_go(h, above, R, 0.03, 90);
    bex_hand_go(h, at, R, 0.012, 40);
    for (int n = 0; n < 130 && !bex_hand_over(h); n++) {
        q = bex_goals_joint(h->goals, h->sim, &joint);
        if (q > -0.003) break;
        door_way(&m, q, way);
        bex_hand_down(h, R, way);
        door_point(&m, q + 0.25, 0.15, -0.03, 0.165, at);
        bex_hand_go(h, at, R, 0, 1);
    }
    bex_hand_wait(h, 2);
    door_point(&m, 0, 0.15, -0.14, 0.165, at);
    bex_hand_go(h, at, NULL, 0.03, 25);
}
