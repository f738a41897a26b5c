#include "web/ball.h"

#include <math.h>

#define PI          3.14159265358979323846
#define RADIUS      0.1
#define MASS        (4.0 / 3 * PI * RADIUS * RADIUS * RADIUS * 1000)
#define STEP        0.01
#define DAMPING     1.0
#define GEAR        100.0
#define SPEED_LIMIT 5.0
#define MARGIN      0.002
#define CELL_BEGINS 0.7 // cell r begins at x = r - 0.7
// MuJoCo's defaults: solref 0.02 1, solimp 0.9 0.95 0.001 0.5 2
#define TIME_CONSTANT 0.02
#define LEAST         0.9
#define MOST          0.95
#define WIDTH         0.001

enum { CONTACTS = 6 }; // a ball of 0.2 touches at most four cells of 1

typedef struct {
    double normal[2]; // away from the wall
    double weight;    // D
    double wanted;    // r: the acceleration along the normal that the contact asks for
} contact;

static bool is_wall(const ball_walls *w, int r, int c) {
    return r < 0 || c < 0 || r >= w->rows || c >= w->cols || w->wall[r * w->cols + c];
}

static int cell_of(double x) {
    return (int)floor(x + CELL_BEGINS);
}

bool ball_in_wall(const ball_walls *w, double x, double y) {
    return is_wall(w, cell_of(x), cell_of(y));
}

static double clip(double x, double most) {
    return x > most ? most : x < -most ? -most : x;
}

// how hard a contact is at this depth: a smooth rise from LEAST to MOST over WIDTH
static double impedance(double depth) {
    double x = fabs(depth) / WIDTH;
    if (x >= 1) return MOST;
    double y = x <= 0.5 ? 2 * x * x : 1 - 2 * (1 - x) * (1 - x);
    return LEAST + y * (MOST - LEAST);
}

// from inside a wall cell: out through its nearest side
static double leave(const double *at, const double *middle, double *normal) {
    int axis = fabs(at[0] - middle[0]) >= fabs(at[1] - middle[1]) ? 0 : 1;
    normal[axis] = at[axis] >= middle[axis] ? 1 : -1;
    normal[1 - axis] = 0;
    return fabs(at[axis] - middle[axis]) - 0.5;
}

// the contact with wall cell (r,c); false: too far away
static bool touch(contact *out, const ball *b, int r, int c) {
    const double middle[2] = {r - CELL_BEGINS + 0.5, c - CELL_BEGINS + 0.5};
    double away[2], gap;
    for (int i = 0; i < 2; i++)
        away[i] = b->position[i] - (middle[i] + clip(b->position[i] - middle[i], 0.5));
    gap = sqrt(away[0] * away[0] + away[1] * away[1]);
    if (gap > RADIUS + MARGIN) return false;
    if (gap > 1e-15)
        out->normal[0] = away[0] / gap, out->normal[1] = away[1] / gap;
    else
        gap = leave(b->position, middle, out->normal);
    double depth = gap - RADIUS - MARGIN, hard = impedance(depth);
    double speed = out->normal[0] * b->velocity[0] + out->normal[1] * b->velocity[1];
    double stiffness = 1 / (MOST * MOST * TIME_CONSTANT * TIME_CONSTANT),
           rate = 2 / (MOST * TIME_CONSTANT);
    // MuJoCo weighs a contact by the mean over three axes of the body's 1 / mass, of which it moves along two
    out->weight = hard / (1 - hard) * 1.5 * MASS;
    out->wanted = -rate * speed - stiffness * hard * depth;
    return true;
}

static int find_contacts(contact *found, const ball *b, const ball_walls *walls) {
    int n = 0, r = cell_of(b->position[0]), c = cell_of(b->position[1]);
    for (int i = r - 1; i <= r + 1; i++)
        for (int j = c - 1; j <= c + 1; j++)
            if (n < CONTACTS && is_wall(walls, i, j)) n += touch(&found[n], b, i, j);
    return n;
}

// the minimum if the contacts of `active` push; true if just these then do
static bool solve(const contact *k, int n, unsigned active, const double *a0, double *a) {
    double xx = MASS, xy = 0, yy = MASS, x = MASS * a0[0], y = MASS * a0[1];
    for (int i = 0; i < n; i++) {
        if (!(active >> i & 1)) continue;
        const double *d = k[i].normal;
        xx += k[i].weight * d[0] * d[0], xy += k[i].weight * d[0] * d[1],
            yy += k[i].weight * d[1] * d[1];
        x += k[i].weight * d[0] * k[i].wanted, y += k[i].weight * d[1] * k[i].wanted;
    }
    double det = xx * yy - xy * xy;
    a[0] = (yy * x - xy * y) / det, a[1] = (xx * y - xy * x) / det;
    for (int i = 0; i < n; i++) {
        bool pushes = k[i].normal[0] * a[0] + k[i].normal[1] * a[1] < k[i].wanted;
        if (pushes != (bool)(active >> i & 1)) return false;
    }
    return true;
}

// force of all contacts, given the acceleration without them
static void push(const contact *k, int n, const double *a0, double *force) {
    double a[2];
    force[0] = force[1] = 0;
    unsigned active = 0;
    while (active < 1u << n && !solve(k, n, active, a0, a)) active++;
    for (int i = 0; i < n; i++) {
        double f = k[i].weight * (k[i].wanted - k[i].normal[0] * a[0] - k[i].normal[1] * a[1]);
        if (f > 0) force[0] += f * k[i].normal[0], force[1] += f * k[i].normal[1];
    }
}

void ball_step(ball *b, const ball_walls *walls, const bex_real *action) {
    contact found[CONTACTS];
    double motor[2], a0[2], force[2];
    for (int i = 0; i < 2; i++) {
        motor[i] = isfinite(action[i]) ? GEAR * clip((double)action[i], 1) : 0;
        b->velocity[i] = clip(b->velocity[i], SPEED_LIMIT);
        a0[i] = (motor[i] - DAMPING * b->velocity[i]) / MASS;
    }
    push(found, find_contacts(found, b, walls), a0, force);
    for (int i = 0; i < 2; i++) {
        double a = (motor[i] - DAMPING * b->velocity[i] + force[i]) / (MASS + STEP * DAMPING);
        b->velocity[i] += STEP * a;
        b->position[i] += STEP * b->velocity[i];
    }
}

void ball_observe(const ball *b, bex_real *state) {
    for (int i = 0; i < 2; i++) {
        state[i] = (bex_real)b->position[i];
        state[2 + i] = (bex_real)b->velocity[i];
    }
}
