/* demo/tabletop/moves.c - moves, each in the frame of what it handles. */
#include "demo/tabletop/moves.h"

#include "demo/tabletop/grasps.h"

#include <math.h>
#include <string.h>

#define FAR   0.7
#define NEAR  0.42
#define LEAN  0.4
#define TWIST 0.3
#define LOW   0.035 // metres above a grasp where a hand comes in from the side
#define OVER  0.055 // the same where a finger comes in over the thing

enum { WAY = 6 };

enum { WAYS = 16 };

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
                double p[3] = {h->where[0] + t * dx - off * dy / n,
                               h->where[1] + t * dy + off * dx / n, z};
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

/* How many places of an open hand would be inside something on its way to a grasp: fingers, palm, wrist.
 * `off` is where it is on the way, seen from the grasp. */
static int crowded(const bex_hand *h, int thing, const double at[3], const double R[9],
                   const double off[3]) {
    static const struct {
        double across, up, radius;
    } parts[] = {{0.05, 0.008, 0.014},   {-0.05, 0.008, 0.014},  {0.056, 0.035, 0.014},
                 {-0.056, 0.035, 0.014}, {0.085, 0.075, 0.04},   {-0.085, 0.075, 0.04},
                 {0.045, 0.075, 0.045},  {-0.045, 0.075, 0.045}, {0, 0.08, 0.045},
                 {0, 0.13, 0.05},        {0, 0.2, 0.05}};
    int count = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = at[k] + off[k] + parts[i].across * R[3 * k] - parts[i].up * R[3 * k + 2];
        count += bex_pose_clearance(h->goals, h->sim, p, thing) < parts[i].radius;
    }
    return count;
}

typedef struct choice {
    const bex_grasp *grasp;
    double at[3], R[9];
    int way; // of make_choice
    bool leans;
    double side[3]; // where it comes in from, low above the thing; zero: straight along the hand
} choice;

// the way to a grasp backwards, seen from it: point 0 is the grasp itself
static void way_in(const choice *c, int i, double off[3]) {
    static const double up[WAY] = {0, 0, 0, 0, 0.07, 0.14},
                        out[WAY] = {0, 0, 0.06, 0.12, 0.12, 0.12};
    bool slides = c->side[0] != 0 || c->side[1] != 0;
    // along the fingers' way one of them passes over the thing
    bool over = fabs(c->side[0] * c->R[0] + c->side[1] * c->R[3]) > 0.5;
    double low = i ? up[i] + (over ? OVER : LOW) : 0;
    for (int k = 0; k < 3; k++)
        off[k] = slides ? out[i] * c->side[k] + (k == 2) * low : -0.035 * i * c->R[3 * k + 2];
}

static int cost_of(const bex_hand *h, int thing, const choice *c) {
    int cost = 0;
    for (int i = 0; i < WAY; i++) {
        double off[3];
        way_in(c, i, off);
        cost += 2 * crowded(h, thing, c->at, c->R, off);
    }
    if (c->grasp == h->tried) cost += c->way == h->tried_way ? 8 : 4;
    // an arm stretched out straight does not come back
    const double *base = h->scene->room->base;
    double far[3];
    way_in(c, 3, far); // the farthest out it goes
    double wrist[2] = {c->at[0] - 0.2 * c->R[2] - base[0], c->at[1] - 0.2 * c->R[5] - base[1]};
    double reach = hypot(wrist[0], wrist[1]);
    if (!c->leans) reach = fmax(reach, hypot(wrist[0] + far[0], wrist[1] + far[1]));
    if (reach > FAR) cost += (int)ceil((reach - FAR) / 0.01);
    // nor does one reach down close to its own foot
    if (reach < NEAR && c->at[2] < base[2] + 0.08) cost += (int)ceil((NEAR - reach) / 0.01);
    return cost;
}

/* The ways to take one grasp: straight down, twisted a little, in from four sides, leaning to four sides. */
static void make_choice(const bex_hand *h, const bex_pose *p, const bex_grasp *g, int way,
                        choice *c) {
    double along[3], side[3];
    *c = (choice){.grasp = g, .way = way, .leans = way > 6};
    placed(p, g->at, c->at);
    turned(p, g->along, along);
    bex_hand_down(h, c->R, along);
    if (way == 1 || way == 2) bex_hand_yaw(c->R, way == 1 ? TWIST : -TWIST);
    if (way < 3) return;
    for (int i = 0; i < 3; i++)
        side[i] = (way & 1 ? 1 : -1) * ((way - 3) % 4 > 1 ? c->R[3 * i + 1] : c->R[3 * i]);
    if (c->leans)
        bex_hand_lean(c->R, side, LEAN);
    else
        memcpy(c->side, side, sizeof side);
}

// one of the kind's grasps, drawn among those least in the way of others and nearest to what is wanted
static bool choose(bex_hand *h, int thing, const double *along, choice *out) {
    const char *kind = h->scene->thing[thing].kind->name;
    const bex_grasp *g;
    choice good[WAYS], c;
    bex_pose p = bex_pose_thing(h->goals, h->sim, thing);
    int count = 0, best = 1 << 20;
    for (int way = 0; way < 11 && (way == 0 || best >= 2); way++)
        for (int i = 0; (g = bex_grasp_of(kind, i)); i++) {
            make_choice(h, &p, g, way, &c);
            int cost = cost_of(h, thing, &c) + 2 * c.leans + (way > 0);
            if (along && fabs(c.R[0] * along[0] + c.R[3] * along[1]) < 0.7) cost += 100;
            if (cost < best) best = cost, count = 0;
            if (cost == best && count < WAYS) good[count++] = c;
        }
    if (count) *out = good[bex_rng_below(&h->rng, (uint64_t)count)];
    return count > 0;
}

// back along the way in, the thing in the hand
static void lift_out(bex_hand *h, const choice *c, double lift) {
    double from[3], to[3], off[3];
    memcpy(from, h->where, sizeof from);
    for (int i = 1; i < 4 && c->side[0] * c->side[0] + c->side[1] * c->side[1] > 0; i += 2) {
        way_in(c, i, off);
        add(to, from, 1, off);
        bex_hand_go(h, to, c->R, 0.02, 25);
    }
    const double up[3] = {0, 0, 1}, back[3] = {-c->R[2], -c->R[5], -c->R[8]};
    add(to, h->where, lift, c->leans ? back : up);
    bex_hand_go(h, to, c->R, fmin(0.03, 0.25 * lift), 45);
}

bool bex_move_pick(bex_hand *h, int thing, const double *along, double lift) {
    double to[3], off[3];
    choice c;
    if (bex_hand_over(h)) return false;
    if (h->grip > 0) bex_hand_open(h, 4);
    h->grip = -1;
    if (!choose(h, thing, along, &c)) return false;
    bool slides = c.side[0] != 0 || c.side[1] != 0;
    h->tried = c.grasp, h->tried_way = c.way, h->leans = c.leans;
    way_in(&c, slides ? WAY - 2 : c.leans ? 4 : 2, off);
    add(to, c.at, 1, off);
    travel(h, to, c.R, 0.015, thing);
    bex_pose p = bex_pose_thing(h->goals, h->sim, thing);
    placed(&p, c.grasp->at, c.at);
    for (int i = slides ? 3 : 1; i > 0; i -= 2) {
        way_in(&c, i, off);
        add(to, c.at, 1, off);
        bex_hand_go(h, to, c.R, 0.012, 30);
    }
    bex_hand_go(h, c.at, c.R, 0.006, 20);
    bex_hand_close(h, 9);
    bex_hand_hold(h, thing);
    lift_out(h, &c, lift);
    bex_hand_hold(h, thing);
    memcpy(h->taken, c.R, sizeof c.R);
    // it came along
    bex_pose now = bex_pose_thing(h->goals, h->sim, thing);
    if (now.p[2] > p.p[2] + 0.3 * lift) return true;
    h->holding = -1;
    return false;
}

// how far what is held reaches below the grip site
static double hangs(const bex_hand *h) {
    double below, over;
    if (h->holding < 0) return 0.015;
    bex_pose_extent(h->goals, h->sim, h->holding, &below, &over);
    bex_pose held = bex_pose_thing(h->goals, h->sim, h->holding);
    return fmax(0.015, h->where[2] - held.p[2] + below);
}

void bex_move_carry(bex_hand *h, const double at[3], const double R[9]) {
    double to[3];
    bex_hand_for(h, to, R, at);
    travel(h, to, R, hangs(h), h->holding);
}

void bex_move_bring(bex_hand *h, const double at[3], const double R[9], double near, int most) {
    double to[3];
    if (h->holding >= 0) bex_hand_hold(h, h->holding);
    bex_hand_for(h, to, R, at);
    bex_hand_go(h, to, R, near, most);
}

void bex_move_put(bex_hand *h, const bex_put *put) {
    double R[9], above[3], at[3], p[3] = {put->at[0], put->at[1], put->over};
    if (bex_hand_over(h) || h->holding < 0) return;
    memcpy(R, put->R ? put->R : h->R, sizeof R);
    if (!put->R) bex_hand_down(h, R, (const double[3]){h->R[0], h->R[3], 0});
    double least = put->least;
    if (h->leans) { // what stood upright in a leaning hand is put down by one
        memcpy(R, h->taken, sizeof R);
        if (least > 0) least += 0.03;
    }
    bex_hand_for(h, above, R, p);
    above[2] = fmax(above[2], least);
    travel(h, above, R, hangs(h), h->holding);
    bex_hand_hold(h, h->holding);
    bex_hand_for(h, at, R, put->at);
    at[2] = fmax(at[2], least);
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
    drawer d = {.cabinet = bex_pose_thing(h->goals, h->sim, r->target),
                .joint = {BEX_PREDICATE_OPEN, -1 - region, 0}};
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

/* Closed fingers on the bar from above and behind, pressed down and drawn out. A bar gripped between them
 * creeps out of the pads: of 48 pulls at the top drawer a quarter slipped off, of 96 by this one none. */
static void pull_drawer(bex_hand *h, int region) {
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
        pull_drawer(h, region);
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
    for (int n = 0; n < 60 && drawer_at(h, &d) < 0.001 && !bex_hand_over(h); n++) {
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
    const double p[3] = {door_hinge[0] + cos(q) * x - sin(q) * y,
                         door_hinge[1] + sin(q) * x + cos(q) * y, z};
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
