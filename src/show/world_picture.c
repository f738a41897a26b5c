/* show/world_picture.c - shapes and rows to marks. */
#include "show/world_picture.h"

#include "base/error.h"
#include "draw/animation.h"
#include "draw/walls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PARTS = 5, TAIL = 60, DELAY = 6, REST = 150 }; // map places a cell side; rows; centiseconds
#define PANEL 300.0                                   // points

typedef struct scene {
    const bex_world *world;
    bex_env_shape *shapes;
    int count;
    double left, right, top, bottom; // of all walls, which are squares of a grid
    bex_wall *walls;                 // all walls, as draw/walls.h takes them
    int wall_count;
    double *x, *y; // scratch for one path
} scene;

static void scene_fini(scene *s) {
    free(s->shapes);
    free(s->walls);
    free(s->x);
    free(s->y);
}

static int row_of(const scene *s, const bex_env_shape *h) {
    return (int)((h->down - s->top) / (2 * h->half_down));
}

static int column_of(const scene *s, const bex_env_shape *h) {
    return (int)((h->right - s->left) / (2 * h->half_right));
}

static int scene_init(scene *s, const bex_world *world, int longest) {
    *s = (scene){.world = world, .left = 1e300, .right = -1e300, .top = 1e300, .bottom = -1e300};
    if (!world->class->draw) return bex_fail("%s has no picture from above", world->name);
    s->count = world->class->draw(world, NULL, 0);
    s->shapes = malloc((size_t)(s->count + 1) * sizeof *s->shapes);
    s->x = malloc((size_t)(longest + 64) * sizeof *s->x);
    s->y = malloc((size_t)(longest + 64) * sizeof *s->y);
    s->walls = malloc((size_t)(s->count + 1) * sizeof *s->walls);
    if (!s->shapes || !s->walls || !s->x || !s->y) return scene_fini(s), bex_fail("out of memory");
    world->class->draw(world, s->shapes, s->count);
    for (int i = 0; i < s->count; i++) {
        const bex_env_shape *h = &s->shapes[i];
        if (h->kind != BEX_ENV_SHAPE_WALL) continue;
        s->walls[s->wall_count++] = (bex_wall){h->right, h->down, h->half_right, h->half_down};
        s->left = fmin(s->left, h->right - h->half_right);
        s->right = fmax(s->right, h->right + h->half_right);
        s->top = fmin(s->top, h->down - h->half_down);
        s->bottom = fmax(s->bottom, h->down + h->half_down);
    }
    return 0;
}

static void draw_walls(const scene *s, bex_panel *p) {
    bex_panel_walls(p, s->walls, s->wall_count);
}

// row and column numbers on the outer walls: what --start and --rare speak of
static void draw_numbers(const scene *s, bex_panel *p) {
    for (int i = 0; i < s->count; i++) {
        const bex_env_shape *h = &s->shapes[i];
        int row = row_of(s, h), col = column_of(s, h);
        if (h->kind != BEX_ENV_SHAPE_WALL || (row && col) || row + col == 0) continue;
        char text[16];
        snprintf(text, sizeof text, "%d", row ? row : col);
        bex_panel_text(p, h->right, -h->down, text, 0, &(bex_mark){.colour = 0xC8D0DA, .size = 9});
    }
}

// the outline of a rectangle with round corners: a disc if they are all of it
static void draw_rounded(bex_panel *p, const bex_env_shape *h) {
    enum { CORNER = 12 };
    double x[4 * (CORNER + 1) + 1], y[4 * (CORNER + 1) + 1];
    int n = 0;
    for (int k = 0; k < 4; k++) {
        int right = k == 0 || k == 3 ? 1 : -1, up = k < 2 ? 1 : -1;
        for (int i = 0; i <= CORNER; i++, n++) {
            double angle = (k + (double)i / CORNER) * 1.5707963267948966;
            x[n] = h->right + right * (h->half_right - h->round) + h->round * cos(angle);
            y[n] = -h->down + up * (h->half_down - h->round) + h->round * sin(angle);
        }
    }
    x[n] = x[0], y[n] = y[0];
    bex_panel_path(p, x, y, n + 1,
                   &(bex_mark){.colour = BEX_VERMILION, .width = 1, .dashed = true});
}

static void draw_goal(const scene *s, bex_panel *p) {
    for (int i = 0; i < s->count; i++) {
        const bex_env_shape *h = &s->shapes[i];
        if (h->kind == BEX_ENV_SHAPE_START)
            bex_panel_symbol(p, h->right, -h->down,
                             &(bex_mark){.colour = BEX_BLACK, .start = true});
        if (h->kind != BEX_ENV_SHAPE_GOAL) continue;
        draw_rounded(p, h);
        bex_panel_symbol(p, h->right, -h->down,
                         &(bex_mark){.colour = BEX_VERMILION, .goal = true, .size = 12});
    }
}

static void prepare(const scene *s, bex_panel *p, const char *title) {
    bex_panel_labels(p, title, NULL, NULL);
    bex_panel_x_range(p, s->left, s->right);
    bex_panel_y_range(p, -s->bottom, -s->top);
    bex_panel_aspect(p, 1);
    bex_panel_hide_axes(p);
}

// rows first..last-1 of path i into the scratch
static int place_rows(const scene *s, const bex_paths *paths, int i, int first, int last) {
    int n = 0;
    for (int t = first > 0 ? first : 0; t < last && t < paths->length[i]; t++, n++) {
        const bex_real *obs = paths->obs[i] + (size_t)t * (size_t)paths->stride;
        s->x[n] = (double)obs[s->world->right];
        s->y[n] = -(double)obs[s->world->down];
    }
    return n;
}

static void draw_paths(const scene *s, bex_panel *p, const bex_paths *paths) {
    double alpha = paths->count <= 8 ? 0.9 : paths->count <= 40 ? 0.65 : 0.3;
    for (int i = 0; i < paths->count; i++) {
        int n = place_rows(s, paths, i, 0, paths->length[i]);
        if (n)
            bex_panel_path(p, s->x, s->y, n,
                           &(bex_mark){.colour = bex_palette(i), .alpha = alpha, .width = 1.3});
    }
    for (int i = 0; i < paths->count; i++)
        if (place_rows(s, paths, i, 0, 1))
            bex_panel_symbol(p, s->x[0], s->y[0],
                             &(bex_mark){.colour = bex_palette(i), .start = true, .size = 6});
}

// log10 of rows in each small square; blank where none
static int draw_map(const scene *s, bex_panel *p, const bex_paths *paths) {
    double unit = 2 * s->shapes[0].half_right / PARTS;
    int columns = (int)lround((s->right - s->left) / unit);
    int rows = (int)lround((s->bottom - s->top) / unit);
    double *values = calloc((size_t)rows * (size_t)columns, sizeof *values);
    if (!values) return bex_fail("out of memory");
    for (int t = 0; t < paths->all_rows; t++) {
        const bex_real *obs = paths->all + (size_t)t * (size_t)paths->stride;
        double c = ((double)obs[s->world->right] - s->left) / unit;
        double r = (s->bottom - (double)obs[s->world->down]) / unit; // row 0 at the bottom
        if (c >= 0 && c < columns && r >= 0 && r < rows) values[(int)r * columns + (int)c]++;
    }
    for (int i = 0; i < rows * columns; i++)
        values[i] = values[i] > 0 ? log10(values[i]) : (double)NAN;
    bex_panel_heat(p, values, rows, columns, s->left, s->right, -s->bottom, -s->top, 0, 0,
                   "log10 of rows there");
    free(values);
    return 0;
}

static int longest(const bex_paths *paths) {
    int most = 0;
    for (int i = 0; paths && i < paths->count; i++)
        if (paths->length[i] > most) most = paths->length[i];
    return most;
}

// panels of the world's proportions
static bex_figure *new_figure(const scene *s, int rows, int columns) {
    double w = s->right - s->left, h = s->bottom - s->top, side = PANEL / fmax(w, h);
    return bex_figure_new(rows, columns, w * side, h * side);
}

int bex_world_picture(const bex_world *world, const bex_paths *paths, const char *title,
                      const char *path) {
    scene s;
    if (scene_init(&s, world, longest(paths)) < 0) return -1;
    bool map = paths && paths->all;
    bex_figure *f = new_figure(&s, 1, map ? 2 : 1);
    bex_panel *p = bex_figure_panel(f, 0, 0);
    int code = 0;
    prepare(&s, p, title);
    draw_walls(&s, p);
    draw_numbers(&s, p);
    if (paths) draw_paths(&s, p, paths);
    draw_goal(&s, p);
    if (map) {
        p = bex_figure_panel(f, 0, 1);
        prepare(&s, p, "How often each place was visited");
        code = draw_map(&s, p, paths);
        draw_walls(&s, p);
        draw_goal(&s, p);
    }
    if (code == 0) code = bex_figure_save(f, path);
    bex_figure_free(f);
    scene_fini(&s);
    return code;
}

// everything up to row `now`: faint all of it, clear the last TAIL rows, a ball
static void draw_moment(const scene *s, bex_panel *p, const bex_paths *paths, int now) {
    for (int i = 0; i < paths->count; i++) {
        int n = place_rows(s, paths, i, 0, now);
        bex_panel_path(p, s->x, s->y, n,
                       &(bex_mark){.colour = bex_palette(i), .alpha = 0.3, .width = 1});
        int last = now < paths->length[i] ? now : paths->length[i];
        n = place_rows(s, paths, i, last - TAIL, last);
        bex_panel_path(p, s->x, s->y, n, &(bex_mark){.colour = bex_palette(i), .width = 2});
        if (n)
            bex_panel_scatter(p, s->x + n - 1, s->y + n - 1, 1,
                              &(bex_mark){.colour = bex_palette(i), .size = 8});
    }
}

int bex_world_animation(const bex_world *world, const bex_paths *paths, const char *title,
                        int every, const char *path) {
    scene s;
    bex_animation *a = NULL;
    int most = longest(paths);
    if (scene_init(&s, world, most) < 0) return -1;
    int code = bex_animation_open(&a, path);
    for (int now = 1; code == 0;) {
        char text[256];
        bex_figure *f = new_figure(&s, 1, 1);
        bex_panel *p = bex_figure_panel(f, 0, 0);
        snprintf(text, sizeof text, "%s: %.1f s", title, now * world->dt);
        prepare(&s, p, text);
        draw_walls(&s, p);
        draw_goal(&s, p);
        draw_moment(&s, p, paths, now);
        code = bex_animation_add(a, f, now >= most ? REST : DELAY);
        bex_figure_free(f);
        if (now >= most) break;
        now = now + every < most ? now + every : most;
    }
    if (code == 0) code = bex_animation_commit(a);
    bex_animation_free(a);
    scene_fini(&s);
    return code;
}

// ---- a race ----

enum { RACE_DELAY = 8, RACE_REST = 300 }; // centiseconds
#define RACE_PANEL 190.0                  // points

typedef struct race {
    scene s;
    const bex_racer *racer;
    int every;
    unsigned char *visited[2]; // (regions)
    int count[2];              // regions visited so far
} race;

// what rows first..last-1 of a racer's file visit
static void race_count(race *r, int who, int first, int last) {
    const bex_world *w = r->s.world;
    for (int t = first; t < last; t++) {
        const bex_real *obs = r->racer[who].obs + (size_t)t * (size_t)r->racer[who].stride;
        int region = w->class->region(w, obs);
        if (region < 0 || r->visited[who][region]) continue;
        r->visited[who][region] = 1;
        r->count[who]++;
    }
}

// rows first..last-1, as one line
static int race_rows(const scene *s, const bex_racer *racer, int first, int last) {
    bex_paths one = {.count = 1,
                     .obs = (const bex_real *const[]){racer->obs},
                     .length = (const int[]){last},
                     .stride = racer->stride};
    return place_rows(s, &one, 0, first, last);
}

static void race_panel(const race *r, bex_panel *p, int who, int episode, int now) {
    const scene *s = &r->s;
    const bex_racer *racer = &r->racer[who];
    bex_colour colour = who ? BEX_VERMILION : BEX_BLUE;
    char title[96];
    snprintf(title, sizeof title, "%.48s: %d of %d", racer->name, r->count[who], s->world->regions);
    prepare(s, p, title);
    for (int k = 0; k < episode; k++) {
        int n = race_rows(s, racer, racer->start[k], racer->start[k + 1]);
        bex_panel_path(p, s->x, s->y, n, &(bex_mark){.colour = colour, .alpha = 0.3, .width = 1});
    }
    int n = race_rows(s, racer, racer->start[episode], now);
    bex_panel_path(p, s->x, s->y, n, &(bex_mark){.colour = colour, .width = 2});
    if (n)
        bex_panel_scatter(p, s->x + n - 1, s->y + n - 1, 1,
                          &(bex_mark){.colour = colour, .size = 8});
    draw_walls(s, p);
}

static int race_frame(const race *r, bex_animation *a, int episode, int step, int rest) {
    double w = r->s.right - r->s.left, h = r->s.bottom - r->s.top, side = RACE_PANEL / fmax(w, h);
    bex_figure *f = bex_figure_new(1, 2, w * side, h * side);
    char title[64];
    snprintf(title, sizeof title, "Regions visited, episode %d of %d", episode + 1,
             r->racer[0].episodes < r->racer[1].episodes ? r->racer[0].episodes
                                                         : r->racer[1].episodes);
    bex_figure_title(f, title);
    for (int who = 0; who < 2; who++) {
        const int *start = r->racer[who].start + episode;
        int now = start[0] + step < start[1] ? start[0] + step : start[1];
        race_panel(r, bex_figure_panel(f, 0, who), who, episode, now);
    }
    int code = bex_animation_add(a, f, rest);
    bex_figure_free(f);
    return code;
}

// one episode of both, side by side, until the longer one ends
static int race_episode(race *r, bex_animation *a, int episode, bool last) {
    int length[2], most, code = 0;
    for (int who = 0; who < 2; who++)
        length[who] = r->racer[who].start[episode + 1] - r->racer[who].start[episode];
    most = length[0] > length[1] ? length[0] : length[1];
    for (int step = 0; code == 0 && step < most;) {
        int next = step + r->every < most ? step + r->every : most;
        for (int who = 0; who < 2; who++) {
            int first = r->racer[who].start[episode], end = r->racer[who].start[episode + 1];
            race_count(r, who, first + step < end ? first + step : end,
                       first + next < end ? first + next : end);
            // the state after an episode's last action is in no row
            if (next == most && r->racer[who].after) r->count[who] = r->racer[who].after[episode];
        }
        step = next;
        code = race_frame(r, a, episode, step, last && step == most ? RACE_REST : RACE_DELAY);
    }
    return code;
}

int bex_world_race(const bex_world *world, const bex_racer racer[2], int every, const char *path) {
    race r = {.racer = racer, .every = every};
    bex_animation *a = NULL;
    int most = 0, code;
    int episodes = racer[0].episodes < racer[1].episodes ? racer[0].episodes : racer[1].episodes;
    for (int who = 0; who < 2; who++)
        for (int k = 0; k < racer[who].episodes; k++) {
            int length = racer[who].start[k + 1] - racer[who].start[k];
            if (length > most) most = length;
        }
    if (scene_init(&r.s, world, most) < 0) return -1;
    for (int who = 0; who < 2; who++) r.visited[who] = calloc((size_t)world->regions + 1, 1);
    code = r.visited[0] && r.visited[1] ? bex_animation_open(&a, path) : bex_fail("out of memory");
    for (int k = 0; code == 0 && k < episodes; k++)
        code = race_episode(&r, a, k, k + 1 == episodes);
    if (code == 0) code = bex_animation_commit(a);
    bex_animation_free(a);
    free(r.visited[0]), free(r.visited[1]);
    scene_fini(&r.s);
    return code;
}

// ---- futures ----

// a future from the state on, into the scratch
static int place_future(const scene *s, const bex_futures *f, int i, int right, int down) {
    s->x[0] = (double)f->obs[s->world->right], s->y[0] = -(double)f->obs[s->world->down];
    for (int k = 0; k < f->K; k++) {
        const bex_real *place = f->places + ((size_t)i * (size_t)f->K + (size_t)k) * (size_t)f->W;
        s->x[k + 1] = (double)place[right], s->y[k + 1] = -(double)place[down];
    }
    return f->K + 1;
}

static void draw_futures(const scene *s, bex_panel *p, const bex_futures *f, int right, int down) {
    static const bex_mark impossible = {
        .label = "unsupported", .colour = BEX_GREY, .alpha = 0.35, .width = 0.6};
    static const bex_mark possible = {
        .label = "candidate", .colour = BEX_SKY, .alpha = 0.8, .width = 0.8};
    static const bex_mark blind = {
        .label = "chosen without the past", .colour = BEX_PURPLE, .width = 1.6, .dashed = true};
    static const bex_mark chosen = {.label = "chosen", .colour = BEX_VERMILION, .width = 2};
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0; i < f->n; i++)
            if (f->possible[i] == kind)
                bex_panel_path(p, s->x, s->y, place_future(s, f, i, right, down),
                               kind ? &possible : &impossible);
    bex_panel_path(p, s->x, s->y, place_future(s, f, f->chosen, right, down), &chosen);
    bex_panel_path(p, s->x, s->y, place_future(s, f, f->blind, right, down), &blind);
    for (int t = 0; t < f->rows; t++) {
        const bex_real *obs = f->obs + (size_t)t * (size_t)f->stride;
        s->x[t] = (double)obs[s->world->right], s->y[t] = -(double)obs[s->world->down];
    }
    bex_panel_path(
        p, s->x, s->y, f->rows,
        &(bex_mark){.label = "carried out", .colour = BEX_BLACK, .width = 1.4, .start = true});
}

int bex_world_futures(const bex_world *world, const bex_futures *choices, int count,
                      const char *title, const char *path) {
    int right = -1, down = -1, most = 0, columns = count < 4 ? count : 4;
    for (int i = 0; i < count; i++) {
        int rows = choices[i].rows > choices[i].K ? choices[i].rows : choices[i].K;
        if (rows > most) most = rows;
    }
    for (int w = 0; count && w < choices[0].W; w++) {
        if (choices[0].dims[w] == world->right) right = w;
        if (choices[0].dims[w] == world->down) down = w;
    }
    scene s;
    if (scene_init(&s, world, most) < 0) return -1;
    if (right < 0 || down < 0) {
        scene_fini(&s);
        return bex_fail("waypoints of this policy do not tell where it is (coverage.dims)");
    }
    bex_figure *f = new_figure(&s, (count + columns - 1) / columns, columns);
    bex_figure_title(f, title);
    for (int i = 0; i < count; i++) {
        bex_panel *p = bex_figure_panel(f, i / columns, i % columns);
        prepare(&s, p, choices[i].title);
        draw_walls(&s, p);
        draw_futures(&s, p, &choices[i], right, down);
        if (i + 1 == columns) bex_panel_legend(p, BEX_LEGEND_OUTSIDE);
    }
    for (int i = count; i % columns; i++)
        bex_panel_hide_axes(bex_figure_panel(f, i / columns, i % columns));
    int code = bex_figure_save(f, path);
    bex_figure_free(f);
    scene_fini(&s);
    return code;
}
