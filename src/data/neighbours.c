#include "data/neighbours.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKET = 64 };

typedef struct node {
    int first, count; // its points, as numbered in `point`
    int child;        // the first of two neighbours; 0: a bucket
} node;

struct bex_neighbours {
    int n, D, nodes;
    node *node;
    bex_real *box;     // (nodes, 2, D): least and most of each column
    int *point;        // (n) the caller's numbers, bucket by bucket
    bex_real *columns; // (n * D): a bucket of `count` points is (D, count) from first * D on
};

void bex_neighbours_free(bex_neighbours *t) {
    if (!t) return;
    free(t->node);
    free(t->box);
    free(t->point);
    free(t->columns);
    free(t);
}

// ---- building ----

typedef struct builder {
    bex_neighbours *t;
    const bex_real *points; // (n, D)
} builder;

static bex_real at(const builder *b, int i, int column) {
    return b->points[(size_t)b->t->point[i] * (size_t)b->t->D + (size_t)column];
}

static void measure_box(const builder *b, const node *v, bex_real *box) {
    int D = b->t->D;
    for (int c = 0; c < D; c++) {
        bex_real least = at(b, v->first, c), most = least;
        for (int i = v->first + 1; i < v->first + v->count; i++) {
            bex_real x = at(b, i, c);
            if (x < least) least = x;
            if (x > most) most = x;
        }
        box[c] = least, box[D + c] = most;
    }
}

static int widest(const bex_real *box, int D) {
    int best = 0;
    for (int c = 1; c < D; c++)
        if (box[D + c] - box[c] > box[D + best] - box[best]) best = c;
    return best;
}

// order point[lo..hi] so that the `middle` smallest of the column come first (Hoare's selection)
static void select_median(const builder *b, int lo, int hi, int middle, int column) {
    int *point = b->t->point;
    while (lo < hi) {
        bex_real pivot = at(b, lo + (hi - lo) / 2, column);
        int i = lo, j = hi;
        while (i <= j) {
            while (at(b, i, column) < pivot) i++;
            while (at(b, j, column) > pivot) j--;
            if (i > j) break;
            int swap = point[i];
            point[i++] = point[j];
            point[j--] = swap;
        }
        if (middle <= j)
            hi = j;
        else if (middle >= i)
            lo = i;
        else
            return;
    }
}

static void fill_bucket(const builder *b, const node *v) {
    bex_real *columns = b->t->columns + (size_t)v->first * (size_t)b->t->D;
    for (int c = 0; c < b->t->D; c++)
        for (int i = 0; i < v->count; i++)
            columns[(size_t)c * (size_t)v->count + (size_t)i] = at(b, v->first + i, c);
}

// nodes in order of creation: a node's children come after it, side by side
static void build(builder *b) {
    bex_neighbours *t = b->t;
    t->node[0] = (node){0, t->n, 0};
    t->nodes = 1;
    for (int k = 0; k < t->nodes; k++) {
        node *v = &t->node[k];
        bex_real *box = t->box + (size_t)k * 2 * (size_t)t->D;
        measure_box(b, v, box);
        if (v->count <= BUCKET) {
            fill_bucket(b, v);
            continue;
        }
        int half = v->count / 2, middle = v->first + half;
        select_median(b, v->first, v->first + v->count - 1, middle, widest(box, t->D));
        v->child = t->nodes;
        t->node[t->nodes++] = (node){v->first, half, 0};
        t->node[t->nodes++] = (node){middle, v->count - half, 0};
    }
}

bex_neighbours *bex_neighbours_new(const bex_real *points, int n, int D) {
    BEX_CHECK(n > 0 && D > 0, "%d points of %d columns", n, D);
    size_t most = 2; // buckets hold at least half of BUCKET: count nodes generously
    while (most * (BUCKET / 2) < 2 * (size_t)n) most *= 2;
    most *= 2;
    bex_neighbours *t = calloc(1, sizeof *t);
    if (!t) return bex_fail("out of memory"), NULL;
    t->n = n, t->D = D;
    t->node = malloc(most * sizeof *t->node);
    t->box = malloc(most * 2 * (size_t)D * sizeof *t->box);
    t->point = malloc((size_t)n * sizeof *t->point);
    t->columns = malloc((size_t)n * (size_t)D * sizeof *t->columns);
    if (!t->node || !t->box || !t->point || !t->columns) {
        bex_fail("out of memory for the neighbours of %d points", n);
        return bex_neighbours_free(t), NULL;
    }
    for (int i = 0; i < n; i++) t->point[i] = i;
    build(&(builder){t, points});
    return t;
}

// ---- finding ----

typedef struct search {
    const bex_neighbours *t;
    const bex_real *query;
    int k, count;
    bex_neighbour *heap; // the worst on top, until sorted at the end
} search;

static int worse(bex_neighbour a, bex_neighbour b) {
    return a.distance > b.distance || (a.distance == b.distance && a.point > b.point);
}

static void sink(bex_neighbour *heap, int count, int i) {
    bex_neighbour x = heap[i];
    for (int child; (child = 2 * i + 1) < count; i = child) {
        if (child + 1 < count && worse(heap[child + 1], heap[child])) child++;
        if (!worse(heap[child], x)) break;
        heap[i] = heap[child];
    }
    heap[i] = x;
}

static void offer(search *s, bex_neighbour x) {
    bex_neighbour *heap = s->heap;
    if (s->count == s->k) {
        if (!worse(heap[0], x)) return;
        heap[0] = x;
        sink(heap, s->k, 0);
        return;
    }
    int i = s->count++;
    for (; i > 0 && worse(x, heap[(i - 1) / 2]); i = (i - 1) / 2) heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
}

static bex_real box_distance(const search *s, int k) {
    int D = s->t->D;
    const bex_real *least = s->t->box + (size_t)k * 2 * (size_t)D, *most = least + D;
    bex_real sum = 0;
    for (int c = 0; c < D; c++) {
        bex_real below = least[c] - s->query[c], above = s->query[c] - most[c];
        bex_real gap = below > 0 ? below : above > 0 ? above : 0;
        sum += gap * gap;
    }
    return sum;
}

static void search_bucket(search *s, const node *v) {
    const bex_real *columns = s->t->columns + (size_t)v->first * (size_t)s->t->D;
    bex_real distance[BUCKET] = {0};
    for (int c = 0; c < s->t->D; c++, columns += v->count) {
        bex_real q = s->query[c];
        for (int i = 0; i < v->count; i++) {
            bex_real gap = columns[i] - q;
            distance[i] += gap * gap;
        }
    }
    for (int i = 0; i < v->count; i++)
        if (s->count < s->k || distance[i] <= s->heap[0].distance)
            offer(s, (bex_neighbour){distance[i], s->t->point[v->first + i]});
}

static void visit(search *s, int k, bex_real distance) {
    const node *v = &s->t->node[k];
    if (s->count == s->k && distance > s->heap[0].distance) return;
    if (!v->child) {
        search_bucket(s, v);
        return;
    }
    bex_real left = box_distance(s, v->child), right = box_distance(s, v->child + 1);
    int far = left <= right;
    visit(s, v->child + !far, far ? left : right);
    visit(s, v->child + far, far ? right : left);
}

void bex_neighbours_find(const bex_neighbours *t, const bex_real *query, int k,
                         bex_neighbour *found) {
    BEX_CHECK(k >= 1 && k <= t->n, "%d nearest of %d points", k, t->n);
    search s = {t, query, k, 0, found};
    visit(&s, 0, 0);
    for (int end = k - 1; end > 0; end--) {
        bex_neighbour x = found[0];
        found[0] = found[end];
        found[end] = x;
        sink(found, end, 0);
    }
}
