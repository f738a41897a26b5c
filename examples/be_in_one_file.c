/* be_in_one_file.c - all of Behavioral Exploration (Wagenmaker, Zhou, Levine, 2025; arXiv 2507.09041).
 *
 *     cc -O3 examples/be_in_one_file.c -lm -o be && ./be        about ten seconds; ./be 2 for another seed
 *
 * What happens, in the order of the file:
 *   1. a grid world, and demonstrators who walk in it: mostly to near goals, seldom to far ones
 *   2. coverage: one number for how well a set of visited cells spans the world
 *   3. a small network with its gradients written by hand, and Adam
 *   4. training: imitate the demonstrator's next action, given the cell, a history of cells visited in other
 *      episodes, and c: how much the demonstrator's future added to that history
 *   5. exploring: episodes one after the other. The history is now what the policy itself has visited, and c
 *      is what we ask for. Nothing is learned any more: only the input changes.
 *   6. the table and the picture: BE beside behavioural cloning (BC), without its history, and asked for less
 *
 * What is simpler than in bex: actions are four directions, so a softmax predicts them where bex denoises
 * chunks of real numbers; the history is a count per cell, where bex has a transformer that reads states.
 * The rest is the method. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- 1. the world and its demonstrators ---- */

static const char *const maze[] = {
    "#############", //
    "#...#...#...#", //
    "#.#.#.#.#.#.#", //
    "#.#...#...#.#", //
    "#.####.####.#", //
    "#.....S.....#", //
    "#.####.####.#", //
    "#.#...#...#.#", //
    "#.#.#.#.#.#.#", //
    "#...#...#...#", //
    "#############", //
};
enum { ROWS = sizeof maze / sizeof *maze, COLUMNS = 13, CELLS_MOST = ROWS * COLUMNS, ACTIONS = 4 };
static const int row_step[ACTIONS] = {-1, 1, 0, 0}, column_step[ACTIONS] = {0, 0, -1, 1};

static int cells, start;                     // free cells, numbered 0 .. cells-1
static int cell_at[ROWS][COLUMNS];           // -1: wall
static int next_cell[CELLS_MOST][ACTIONS];   // where an action leads; into a wall: nowhere else
static int distance[CELLS_MOST][CELLS_MOST]; // steps between cells

static uint64_t random_state;
static double uniform(void) { // splitmix64
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static int below(int n) {
    return (int)(uniform() * n);
}
static int draw(const double *weight, int n) { // an index, with these chances
    double sum = 0;
    for (int i = 0; i < n; i++) sum += weight[i];
    double u = uniform() * sum;
    for (int i = 0; i < n - 1; i++)
        if ((u -= weight[i]) < 0) return i;
    return n - 1;
}

static void build_world(void) {
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            cell_at[r][c] = maze[r][c] == '#' ? -1 : cells++;
            if (maze[r][c] == 'S') start = cell_at[r][c];
        }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            for (int a = 0; cell_at[r][c] >= 0 && a < ACTIONS; a++) {
                int there = cell_at[r + row_step[a]][c + column_step[a]];
                next_cell[cell_at[r][c]][a] = there >= 0 ? there : cell_at[r][c];
            }
    // shortest ways, from every cell, by growing outwards
    for (int from = 0; from < cells; from++) {
        int queue[CELLS_MOST], head = 0, tail = 0;
        for (int i = 0; i < cells; i++) distance[from][i] = -1;
        distance[from][from] = 0;
        queue[tail++] = from;
        while (head < tail) {
            int at = queue[head++];
            for (int a = 0; a < ACTIONS; a++)
                if (distance[from][next_cell[at][a]] < 0) {
                    distance[from][next_cell[at][a]] = distance[from][at] + 1;
                    queue[tail++] = next_cell[at][a];
                }
        }
    }
}

enum { STEPS = 20, FUTURE = 12, LENGTH = STEPS + FUTURE, DEMONSTRATIONS = 2000 };
static int demo_cell[DEMONSTRATIONS][LENGTH + 1], demo_action[DEMONSTRATIONS][LENGTH];

// from goal to goal, by shortest ways; a goal d steps from the start is drawn with weight exp(-d / 3)
static void demonstrate(int *cell, int *action) {
    double weight[CELLS_MOST];
    int goal = start;
    for (int i = 0; i < cells; i++) weight[i] = exp(-distance[start][i] / 3.0);
    cell[0] = start;
    for (int t = 0; t < LENGTH; t++) {
        while (goal == cell[t]) goal = draw(weight, cells);
        double nearer[ACTIONS];
        for (int a = 0; a < ACTIONS; a++)
            nearer[a] = distance[next_cell[cell[t]][a]][goal] < distance[cell[t]][goal];
        action[t] = draw(nearer, ACTIONS);
        cell[t + 1] = next_cell[cell[t]][action[t]];
    }
}

// windows by the cell they begin in: what demonstrators did from there
static int (*windows_from[CELLS_MOST])[2], window_count[CELLS_MOST];

static void collect_demonstrations(void) {
    for (int d = 0; d < DEMONSTRATIONS; d++) {
        demonstrate(demo_cell[d], demo_action[d]);
        for (int t = 0; t < STEPS; t++) window_count[demo_cell[d][t]]++;
    }
    for (int i = 0; i < cells; i++) {
        windows_from[i] = malloc(sizeof *windows_from[i] * (size_t)(window_count[i] + 1));
        window_count[i] = 0;
    }
    for (int d = 0; d < DEMONSTRATIONS; d++)
        for (int t = 0; t < STEPS; t++) {
            int at = demo_cell[d][t], n = window_count[at]++;
            windows_from[at][n][0] = d, windows_from[at][n][1] = t;
        }
}

/* ---- 2. coverage ---- */

/* cov(S) = 1 / tr((sum over s in S of phi(s) phi(s)^T + lambda I)^-1). With phi(s) the one-hot vector of a
 * cell the matrix is diagonal and holds the visits of each cell: the least visited cells decide. */
static const double LAMBDA = 0.1;
static double coverage(const int *visits) {
    double trace = 0;
    for (int i = 0; i < cells; i++) trace += 1 / (visits[i] + LAMBDA);
    return 1 / trace;
}

// cov(h u tau), tau the future of demonstration d from step t on
static double coverage_with(const int *history, int d, int t) {
    int visits[CELLS_MOST];
    memcpy(visits, history, sizeof(int) * (size_t)cells);
    for (int k = 0; k <= FUTURE; k++) visits[demo_cell[d][t + k]]++;
    return coverage(visits);
}

/* ---- 3. the network ---- */

/* (cell, history, c) -> ReLU -> ReLU -> softmax over actions. BC: the same network without history and c. */
enum { HIDDEN = 96, INPUTS_MOST = 2 * CELLS_MOST + 1, BATCH = 64 };
typedef struct network {
    float w1[INPUTS_MOST][HIDDEN], w2[HIDDEN][HIDDEN], w3[HIDDEN][ACTIONS], b1[HIDDEN], b2[HIDDEN],
        b3[ACTIONS];
} network; // floats alone: an array of so many parameters, too
enum { PARAMETERS = sizeof(network) / sizeof(float) };

typedef struct activations {
    float x[INPUTS_MOST], h1[HIDDEN], h2[HIDDEN], p[ACTIONS];
} activations;

static void network_init(network *n) {
    memset(n, 0, sizeof *n);
    float *w[3] = {n->w1[0], n->w2[0], n->w3[0]};
    int rows[3] = {INPUTS_MOST, HIDDEN, HIDDEN}, columns[3] = {HIDDEN, HIDDEN, ACTIONS};
    for (int l = 0; l < 3; l++) { // uniform, with He's variance 2 / (inputs that are not zero)
        double bound = sqrt(6.0 / (l ? HIDDEN : 24));
        for (int i = 0; i < rows[l] * columns[l]; i++)
            w[l][i] = (float)(bound * (2 * uniform() - 1));
    }
}

// history NULL: BC
static void network_input(float *x, int cell, const int *history, double c) {
    memset(x, 0, sizeof(float) * INPUTS_MOST);
    x[cell] = 1;
    if (!history) return;
    for (int i = 0; i < cells; i++) x[cells + i] = (float)log1p(history[i]);
    x[2 * cells] = (float)c;
}

static void network_forward(const network *n, activations *a) {
    memcpy(a->h1, n->b1, sizeof a->h1), memcpy(a->h2, n->b2, sizeof a->h2);
    for (int i = 0; i < INPUTS_MOST; i++)
        for (int j = 0; a->x[i] != 0 && j < HIDDEN; j++) a->h1[j] += a->x[i] * n->w1[i][j];
    for (int j = 0; j < HIDDEN; j++) a->h1[j] = fmaxf(a->h1[j], 0);
    for (int i = 0; i < HIDDEN; i++)
        for (int j = 0; a->h1[i] != 0 && j < HIDDEN; j++) a->h2[j] += a->h1[i] * n->w2[i][j];
    for (int j = 0; j < HIDDEN; j++) a->h2[j] = fmaxf(a->h2[j], 0);
    float logit[ACTIONS], most = -1e30f, sum = 0;
    for (int k = 0; k < ACTIONS; k++) {
        logit[k] = n->b3[k];
        for (int j = 0; j < HIDDEN; j++) logit[k] += a->h2[j] * n->w3[j][k];
        most = fmaxf(most, logit[k]);
    }
    for (int k = 0; k < ACTIONS; k++) sum += a->p[k] = expf(logit[k] - most);
    for (int k = 0; k < ACTIONS; k++) a->p[k] /= sum;
}

// adds the gradient of -log p[action] to g
static void network_backward(const network *n, const activations *a, int action, network *g) {
    float d1[HIDDEN] = {0}, d2[HIDDEN] = {0}, d3[ACTIONS];
    for (int k = 0; k < ACTIONS; k++) g->b3[k] += d3[k] = a->p[k] - (k == action);
    for (int j = 0; j < HIDDEN; j++) {
        if (a->h2[j] == 0) continue; // ReLU lets nothing through
        for (int k = 0; k < ACTIONS; k++) {
            d2[j] += d3[k] * n->w3[j][k];
            g->w3[j][k] += d3[k] * a->h2[j];
        }
        g->b2[j] += d2[j];
    }
    for (int i = 0; i < HIDDEN; i++) {
        if (a->h1[i] == 0) continue;
        for (int j = 0; j < HIDDEN; j++) {
            d1[i] += d2[j] * n->w2[i][j];
            g->w2[i][j] += d2[j] * a->h1[i];
        }
        g->b1[i] += d1[i];
    }
    for (int i = 0; i < INPUTS_MOST; i++)
        for (int j = 0; a->x[i] != 0 && j < HIDDEN; j++) g->w1[i][j] += d1[j] * a->x[i];
}

// Adam (Kingma, Ba 2015); g is the gradient summed over a batch, and is emptied
static void adam(float *w, float *g, float *m, float *v, int update, double rate) {
    double unbias = rate * sqrt(1 - pow(0.999, update)) / (1 - pow(0.9, update));
    for (int i = 0; i < PARAMETERS; i++) {
        float slope = g[i] / BATCH;
        m[i] = 0.9f * m[i] + 0.1f * slope;
        v[i] = 0.999f * v[i] + 0.001f * slope * slope;
        w[i] -= (float)unbias * m[i] / (sqrtf(v[i]) + 1e-8f);
        g[i] = 0;
    }
}

/* ---- 4. training ---- */

enum { UPDATES = 12000, EPISODES_MOST = 10, ALTERNATIVES = 16 };

// the visits of up to EPISODES_MOST whole episodes: what may have been seen before. None: a first episode
static void draw_history(int *visits) {
    memset(visits, 0, sizeof(int) * CELLS_MOST);
    for (int m = below(EPISODES_MOST + 1); m > 0; m--) {
        int d = below(DEMONSTRATIONS);
        for (int t = 0; t <= STEPS; t++) visits[demo_cell[d][t]]++;
    }
}

/* c of a window: the rank of cov(h u tau) among futures that demonstrators took from the same cell, from 0
 * (all others add more to h) to 1 (none does). Coverage itself has no scale that is the same everywhere. */
static double coverage_rank(const int *history, int d, int t) {
    double mine = coverage_with(history, d, t), less = 0;
    int at = demo_cell[d][t];
    for (int k = 0; k < ALTERNATIVES; k++) {
        const int *other = windows_from[at][below(window_count[at])];
        double theirs = coverage_with(history, other[0], other[1]);
        less += theirs < mine ? 1 : theirs > mine ? 0 : 0.5;
    }
    return less / ALTERNATIVES;
}

// the mean loss of the last tenth of training
static double train(network *n, int conditioned) {
    static network gradient, first, second; // zero
    static activations a;
    memset(&gradient, 0, sizeof gradient), memset(&first, 0, sizeof first),
        memset(&second, 0, sizeof second);
    double loss = 0;
    network_init(n);
    for (int update = 1; update <= UPDATES; update++) {
        for (int i = 0; i < BATCH; i++) {
            int d = below(DEMONSTRATIONS), t = below(STEPS), history[CELLS_MOST];
            if (conditioned) draw_history(history);
            network_input(a.x, demo_cell[d][t], conditioned ? history : NULL,
                          conditioned ? coverage_rank(history, d, t) : 0);
            network_forward(n, &a);
            network_backward(n, &a, demo_action[d][t], &gradient);
            if (update > UPDATES - UPDATES / 10)
                loss -= log((double)a.p[demo_action[d][t]]) / (UPDATES / 10) / BATCH;
        }
        double rate = 1e-3 * 0.5 * (1 + cos(3.14159265358979 * update / UPDATES));
        adam((float *)n, (float *)&gradient, (float *)&first, (float *)&second, update, rate);
    }
    return loss;
}

/* ---- 5. exploring ---- */

typedef struct explorer {
    const char *name;
    const network *network;
    int conditioned; // 0: BC
    int remembers;   // 0: every episode is its first
    double c;        // what is asked for
} explorer;

enum { TRIALS = 100, EPISODES = 10 };

// distinct cells after each episode of a trial; visits: of all episodes together
static void explore(const explorer *e, int distinct[EPISODES], int *visits) {
    static const int nothing[CELLS_MOST];
    int memory[CELLS_MOST] = {0}; // of earlier episodes: the history
    memset(visits, 0, sizeof(int) * CELLS_MOST);
    for (int k = 0; k < EPISODES; k++) {
        for (int t = 0, at = start;; t++) {
            visits[at]++;
            if (t == STEPS) break;
            activations a;
            double p[ACTIONS];
            network_input(a.x, at, e->conditioned ? e->remembers ? memory : nothing : NULL, e->c);
            network_forward(e->network, &a);
            for (int i = 0; i < ACTIONS; i++) p[i] = a.p[i];
            at = next_cell[at][draw(p, ACTIONS)];
        }
        memcpy(memory, visits, sizeof memory); // the episode joins the history
        distinct[k] = 0;
        for (int i = 0; i < cells; i++) distinct[k] += visits[i] > 0;
    }
}

/* ---- 6. the table and the picture ---- */

enum { SHOWN = 4 };
static const int shown[SHOWN] = {1, 3, 6, 10}; // episodes

static void print_row(const explorer *e) {
    double sum[EPISODES] = {0}, squares[EPISODES] = {0};
    for (int trial = 0; trial < TRIALS; trial++) {
        int distinct[EPISODES], visits[CELLS_MOST];
        explore(e, distinct, visits);
        for (int k = 0; k < EPISODES; k++)
            sum[k] += distinct[k], squares[k] += distinct[k] * distinct[k];
    }
    printf("%-24s", e->name);
    for (int i = 0; i < SHOWN; i++) { // mean and standard error over trials
        int k = shown[i] - 1;
        double mean = sum[k] / TRIALS, variance = squares[k] / TRIALS - mean * mean;
        printf("   %4.1f +- %.1f", mean, sqrt(fmax(variance, 0) / (TRIALS - 1)));
    }
    putchar('\n');
}

// one trial of each, side by side: digits are visits, 9 stands for more
static void print_picture(const explorer *left, const explorer *right) {
    const explorer *both[2] = {left, right};
    int visits[2][CELLS_MOST], distinct[2][EPISODES];
    for (int w = 0; w < 2; w++) explore(both[w], distinct[w], visits[w]);
    for (int w = 0; w < 2; w++)
        printf("  %s: %d of %d cells%*s", both[w]->name, distinct[w][EPISODES - 1], cells, 8, "");
    putchar('\n');
    for (int r = 0; r < ROWS; r++) {
        for (int w = 0; w < 2; w++) {
            printf("  ");
            for (int c = 0; c < COLUMNS; c++) {
                int n = cell_at[r][c] < 0 ? -1 : visits[w][cell_at[r][c]];
                if (n <= 0)
                    printf(n < 0 ? "##" : "  ");
                else
                    printf(" %d", n > 9 ? 9 : n);
            }
        }
        putchar('\n');
    }
}

int main(int argc, char **argv) {
    static network be, bc;
    random_state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    build_world();
    collect_demonstrations();
    double be_loss = train(&be, 1), bc_loss = train(&bc, 0);
    printf("loss %.3f (BE: told history and coverage), %.3f (BC: told the cell alone)\n\n", be_loss,
           bc_loss);

    explorer all[] = {
        {"BC", &bc, 0, 0, 0},
        {"BE, c = 1", &be, 1, 1, 1},
        {"BE, c = 1, no history", &be, 1, 0, 1},
        {"BE, c = 0.5", &be, 1, 1, 0.5},
        {"BE, c = 0", &be, 1, 1, 0},
    };
    printf("cells visited of %d; after episodes:", cells);
    for (int i = 0; i < SHOWN; i++) printf(i ? "%14d" : "%6d", shown[i]);
    putchar('\n');
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) print_row(&all[i]);
    putchar('\n');
    print_picture(&all[1], &all[0]);
    for (int i = 0; i < cells; i++) free(windows_from[i]);
    return 0;
}
