/* demo/tabletop/script.c - order, and where to put what. */
#include "demo/tabletop/script.h"

#include "demo/tabletop/moves.h"

#include <math.h>
#include <string.h>

static const char *kind_of(const bex_hand *h, int thing) {
    const bex_kind *k = h->scene->thing[thing].kind;
    return k ? k->name : "";
}

static bool is(const bex_hand *h, int thing, const char *kind) {
    return !strcmp(kind_of(h, thing), kind);
}

static bool ends_in(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static double draw(bex_hand *h, double least, double most) {
    return least + (most - least) * bex_rng_uniform(&h->rng);
}

// a vector of a pose's own axes, in the world
static void turned(const bex_pose *p, const double v[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = p->R[3 * i] * v[0] + p->R[3 * i + 1] * v[1] + p->R[3 * i + 2] * v[2];
}

static void placed(const bex_pose *p, const double v[3], double out[3]) {
    turned(p, v, out);
    for (int i = 0; i < 3; i++) out[i] += p->p[i];
}

static double height_of(const bex_hand *h, int thing) {
    double below, above;
    bex_pose_extent(h->goals, h->sim, thing, &below, &above);
    return below;
}

// onto another object: the middle of a plate, into a bowl
static void put_on_thing(bex_hand *h, int a, int b) {
    double below = height_of(h, a);
    if (!bex_move_pick(h, a, NULL, 0.12)) return;
    bex_pose under = bex_pose_thing(h->goals, h->sim, b);
    double lift = is(h, b, "plate") ? 0.012 : 0.028;
    bex_put put = {.at = {under.p[0], under.p[1], under.p[2] + lift + below}};
    put.over = put.at[2] + 0.09;
    bex_move_put(h, &put);
}

// onto a region of the table, or of the top of something
static void put_on_region(bex_hand *h, int a, int region) {
    const bex_bddl_region *r = &h->scene->region[region];
    double half[3], below = height_of(h, a);
    bex_pose site = bex_pose_region(h->goals, h->sim, region, half);
    bool table = r->target >= h->scene->things;
    double z = table ? h->scene->room->top : site.p[2] + half[2];
    if (is(h, r->target, "flat_stove")) z += 0.025;
    double along[3] = {1, 0, 0};
    bool shelf = is(h, r->target, "wooden_two_layer_shelf");
    if (!bex_move_pick(h, a, is(h, a, "moka_pot") ? along : NULL, shelf ? 0.2 : 0.14)) return;
    site = bex_pose_region(h->goals, h->sim, region, half);
    double spread = fmin(0.02, 0.3 * fmin(half[0], half[1]));
    bex_put put = {.at = {site.p[0] + draw(h, -spread, spread),
                          site.p[1] + draw(h, -spread, spread), z + below + 0.008}};
    put.over = fmax(put.at[2] + 0.07, h->scene->room->top + 0.14);
    bex_move_put(h, &put);
}

// a bottle lying on the rack, its foot at the lower end
static void put_on_rack(bex_hand *h, int bottle, int region) {
    static const double across[3] = {1, 0, 0}, foot[3] = {0, 0.022, 0.026};
    double R[9], toward[3];
    if (!bex_move_pick(h, bottle, across, 0.22)) return;
    bex_pose rack = bex_pose_thing(h->goals, h->sim, h->scene->region[region].target);
    bex_pose site = bex_pose_region(h->goals, h->sim, region, NULL);
    turned(&rack, (const double[3]){0, -1, 0}, toward);
    bex_hand_down(h, R, across);
    bex_hand_lean(R, toward, 1.02);
    turned(&rack, foot, toward);
    bex_put put = {.at = {site.p[0] + toward[0], site.p[1] + toward[1], site.p[2] + toward[2]},
                   .R = R};
    put.over = put.at[2] + 0.09;
    bex_move_put(h, &put);
}

// dropped into a box with walls: basket, tray
static void put_in_box(bex_hand *h, int a, int region, double walls) {
    double half[3], below = height_of(h, a);
    int box = h->scene->region[region].target;
    if (!bex_move_pick(h, a, NULL, 0.16)) return;
    bex_pose site = bex_pose_region(h->goals, h->sim, region, half);
    bex_pose at = bex_pose_thing(h->goals, h->sim, box);
    double x = 0, y = 0;
    if (is(h, box, "wooden_tray")) x = draw(h, -0.06, 0.06), y = draw(h, -0.01, 0.01);
    bex_put put = {.at = {site.p[0] + x, site.p[1] + y, at.p[2] + 0.02 + below},
                   .least = at.p[2] + walls - 0.015};
    put.over = at.p[2] + walls + below + 0.03;
    bex_move_put(h, &put);
}

// into an open drawer: hand across its front, so that it stays clear of the cabinet
static void put_in_drawer(bex_hand *h, int a, int region) {
    static const double across[3] = {1, 0, 0};
    double half[3], below = height_of(h, a), R[9], out[3];
    int cabinet = h->scene->region[region].target;
    bool lying = is(h, a, "ketchup");
    if (!bex_move_pick(h, a, lying ? (const double[3]){0, 1, 0} : NULL, 0.2)) return;
    bex_pose site = bex_pose_region(h->goals, h->sim, region, half),
             body = bex_pose_thing(h->goals, h->sim, cabinet);
    turned(&body, (const double[3]){0, -1, 0}, out);
    double floor = site.p[2] - 0.0265,
           push = ends_in(h->scene->region[region].name, "bottom_region") ? 0.015 : 0.008;
    bex_put put = {
        .at = {site.p[0] + push * out[0], site.p[1] + push * out[1], floor + 0.012 + below}};
    put.over =
        body.p[2] + (ends_in(h->scene->region[region].name, "bottom_region") ? 0.16 : 0.27) + below;
    if (lying) {
        bex_hand_down(h, R, (const double[3]){0, 1, 0});
        bex_hand_lean(R, across, 0.95);
        put.at[0] += 0.015, put.at[2] = floor + 0.075;
        put.over = put.at[2] + 0.12;
        put.least = body.p[2] + 0.235;
    } else {
        bex_hand_down(h, R, across);
        put.least = site.p[2] + 0.012;
    }
    put.R = R;
    bex_move_put(h, &put);
}

// a book between the walls of the caddy, let go above them
static void put_in_caddy(bex_hand *h, int book, int region) {
    double R[9], middle[3];
    if (!bex_move_pick(h, book, NULL, 0.26)) return;
    bex_pose site = bex_pose_region(h->goals, h->sim, region, NULL);
    bex_pose caddy = bex_pose_thing(h->goals, h->sim, h->scene->region[region].target);
    bool front = ends_in(h->scene->region[region].name, "front_contain_region");
    bex_hand_down(h, R, (const double[3]){1, 0, 0}); // the book's long side along y
    bex_put put = {.at = {site.p[0], site.p[1], caddy.p[2] + 0.03},
                   .R = R,
                   .least = caddy.p[2] + (front ? 0.155 : 0.2)};
    put.over = caddy.p[2] + 0.2;
    bex_move_carry(h, (const double[3]){site.p[0], site.p[1], put.over}, R);
    // its middle, not its origin, in the middle of the compartment: a centimetre is all the room there is
    bex_pose b = bex_pose_thing(h->goals, h->sim, book);
    bex_pose_middle(h->goals, h->sim, book, middle);
    for (int i = 0; i < 2; i++) put.at[i] -= middle[i] - b.p[i];
    bex_move_put(h, &put);
}

// a place in the frame of a shelf, its opening towards -y
static void before_shelf(const bex_pose *shelf, double x, double y, double z, double out[3]) {
    placed(shelf, (const double[3]){x, y, 0}, out);
    out[2] = z;
}

// a pan, by its handle, straight in through the front
static void put_pan_in_shelf(bex_hand *h, int pan, const bex_pose *shelf, double floor, bool low) {
    static const double across[3] = {1, 0, 0};
    double R[9], p[3], below = height_of(h, pan),
                       lift = low ? 0.03 : floor + 0.09 - h->scene->room->top;
    if (!bex_move_pick(h, pan, across, lift)) return;
    bex_hand_down(h, R, across);
    before_shelf(shelf, 0.005, -0.25, floor + below + 0.014, p);
    bex_move_bring(h, p, R, 0.012, 90);
    if (!low) below = height_of(h, pan); // it hangs from its handle: the far rim is lowest
    before_shelf(shelf, 0.005, -0.25, floor + below + 0.014, p);
    if (!low) bex_move_bring(h, p, R, 0.012, 20);
    before_shelf(shelf, 0.005, -0.015, floor + below + 0.014, p);
    bex_move_bring(h, p, R, 0.01, 80);
    bex_hand_open(h, 8);
    double up[3] = {h->where[0], h->where[1], h->where[2] + 0.06};
    bex_hand_go(h, up, NULL, 0.02, 20);
}

// a book on edge, foot first: its thin side between the fingers across the shelf
static void put_book_in_shelf(bex_hand *h, int book, const bex_pose *shelf, double floor) {
    double R[9], p[3], in[3], below, above;
    if (!bex_move_pick(h, book, NULL, 0.17)) return;
    turned(shelf, (const double[3]){0, 1, 0}, in);
    bex_hand_down(h, R, (const double[3]){1, 0, 0});
    bex_hand_lean(R, in, 1.35);
    before_shelf(shelf, 0.005, -0.13, floor + 0.075, p);
    bex_move_carry(h, p, R);
    bex_move_bring(h, p, R, 0.015, 50);
    bex_pose_extent(h->goals, h->sim, book, &below, &above);
    before_shelf(shelf, 0.005, 0.03, floor + below + 0.01, p);
    bex_move_bring(h, p, R, 0.01, 60);
    bex_hand_open(h, 8);
    double back[3] = {h->where[0], h->where[1] - 0.1 * in[1], h->where[2] + 0.02};
    bex_hand_go(h, back, NULL, 0.02, 25);
}

// a book leaning, foot first under the lowest board; let go, it falls flat
static void put_book_under_shelf(bex_hand *h, int book, const bex_pose *shelf) {
    double R[9], p[3], in[3], z = h->scene->room->top + 0.022;
    if (!bex_move_pick(h, book, NULL, 0.15)) return;
    turned(shelf, (const double[3]){0, 1, 0}, in);
    bex_hand_down(h, R, in);
    bex_hand_lean(R, in, 0.8);
    before_shelf(shelf, 0.005, -0.13, z + 0.03, p);
    bex_move_carry(h, p, R);
    bex_move_bring(h, p, R, 0.015, 50);
    before_shelf(shelf, 0.005, -0.12, z, p);
    bex_move_bring(h, p, R, 0.012, 30);
    before_shelf(shelf, 0.005, -0.042, z, p);
    bex_move_bring(h, p, R, 0.01, 40);
    bex_hand_open(h, 8);
    double back[3] = {h->where[0], h->where[1] - 0.1 * in[1], h->where[2] + 0.05};
    bex_hand_go(h, back, NULL, 0.02, 25);
}

static void put_in_shelf(bex_hand *h, int a, int region) {
    bool low = ends_in(h->scene->region[region].name, "bottom_region");
    bex_pose shelf = bex_pose_thing(h->goals, h->sim, h->scene->region[region].target);
    double floor = low ? h->scene->room->top : shelf.p[2] + 0.0711;
    if (is(h, a, "chefmate_8_frypan"))
        put_pan_in_shelf(h, a, &shelf, floor, low);
    else if (low)
        put_book_under_shelf(h, a, &shelf);
    else
        put_book_in_shelf(h, a, &shelf, floor);
}

static void put_in(bex_hand *h, int a, int region) {
    int target = h->scene->region[region].target;
    if (is(h, target, "basket"))
        put_in_box(h, a, region, 0.146);
    else if (is(h, target, "wooden_tray"))
        put_in_box(h, a, region, 0.081);
    else if (is(h, target, "desk_caddy"))
        put_in_caddy(h, a, region);
    else if (is(h, target, "wooden_two_layer_shelf"))
        put_in_shelf(h, a, region);
    else
        put_in_drawer(h, a, region);
}

static void bring_about(bex_hand *h, const bex_bddl_fact *f) {
    bool microwave = f->a >= 0 && is(h, f->a, "microwave");
    switch (f->predicate) {
    case BEX_PREDICATE_ON:
        if (f->b >= 0)
            put_on_thing(h, f->a, f->b);
        else if (is(h, h->scene->region[-1 - f->b].target, "wine_rack"))
            put_on_rack(h, f->a, -1 - f->b);
        else
            put_on_region(h, f->a, -1 - f->b);
        break;
    case BEX_PREDICATE_IN:
        put_in(h, f->a, -1 - f->b);
        break;
    case BEX_PREDICATE_OPEN:
        if (microwave)
            bex_move_open_microwave(h, f->a);
        else
            bex_move_open_drawer(h, -1 - f->a);
        break;
    case BEX_PREDICATE_CLOSE:
        if (microwave)
            bex_move_close_microwave(h, f->a);
        else
            bex_move_close_drawer(h, -1 - f->a);
        break;
    default:
        bex_move_turn_knob(h, f->a, f->predicate == BEX_PREDICATE_TURNON);
    }
}

/* Later facts wait for earlier ones: what is put into a drawer before it is closed, what something else
 * is put on before that. */
static int rank(const bex_bddl_task *t, int i) {
    const bex_bddl_fact *f = &t->goal[i];
    for (int k = 0; k < t->facts; k++) {
        const bex_bddl_fact *other = &t->goal[k];
        if (k == i) continue;
        if (f->predicate == BEX_PREDICATE_CLOSE && other->predicate == BEX_PREDICATE_IN &&
            other->b == f->a)
            return 1;
        if (f->predicate == BEX_PREDICATE_ON && f->b >= 0 && other->a == f->b) return 1;
    }
    return 0;
}

// does all that comes first hold? A drawer is not closed before something is in it
static bool first_done(const bex_hand *h, const bex_bddl_task *t) {
    for (int i = 0; i < t->facts; i++)
        if (rank(t, i) == 0 && !bex_goals_fact(h->goals, h->sim, &t->goal[i])) return false;
    return true;
}

bool bex_script_play(bex_hand *h) {
    const bex_bddl_task *t = &h->scene->task[h->task];
    for (int attempt = 0; attempt < 4 && !bex_hand_over(h); attempt++) {
        for (int r = 0; r < 2 && (r == 0 || first_done(h, t)); r++)
            for (int i = 0; i < t->facts && !bex_hand_over(h); i++)
                if (rank(t, i) == r && !bex_goals_fact(h->goals, h->sim, &t->goal[i]))
                    bring_about(h, &t->goal[i]);
        bex_hand_wait(h, BEX_HAND_HOLD);
    }
    return h->held >= BEX_HAND_HOLD;
}
