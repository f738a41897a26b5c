/* env/maze/maze.c - parsing with one line per mistake; breadth-first search. */
#include "env/maze/maze.h"

#include "base/error.h"
#include "base/file.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 16 }; // bytes of a maze file

static int bad_character(const char *name, int line, int column, unsigned char c) {
    if (isprint(c))
        bex_fail("%s: line %d, column %d: '%c' is no part of a maze", name, line, column, c);
    else
        bex_fail("%s: line %d, column %d: byte 0x%02x is no part of a maze", name, line, column, c);
    return bex_fail_hint("# wall, O or . free, G goal");
}

// one line of cells into row m->rows; m->number holds -1 or 0 here, numbers come later
static int parse_row(bex_maze *m, const char *text, int length, int line, const char *name) {
    if (m->rows == BEX_MAZE_SIDE) return bex_fail("%s: more than %d rows", name, BEX_MAZE_SIDE);
    if (length > BEX_MAZE_SIDE)
        return bex_fail("%s: line %d has %d columns, at most %d fit", name, line, length,
                        BEX_MAZE_SIDE);
    if (m->rows && length != m->cols)
        return bex_fail("%s: line %d has %d columns, the first row has %d", name, line, length,
                        m->cols);
    m->cols = length;
    for (int c = 0; c < length; c++) {
        char what = text[c];
        if (!strchr("#O.G", what) || !what)
            return bad_character(name, line, c + 1, (unsigned char)what);
        if (what == 'G' && m->goal >= 0)
            return bex_fail("%s: line %d: a second goal G", name, line);
        if (what == 'G') m->goal = m->rows * length + c; // a place until cells are numbered
        m->number[m->rows * length + c] = what == '#' ? -1 : 0;
    }
    m->rows++;
    return 0;
}

static int parse_lines(bex_maze *m, const char *text, size_t size, const char *name) {
    int line = 0;
    for (const char *end = text + size; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        const char *last = stop;
        while (last > text && strchr(" \t\r", last[-1]) && last[-1]) last--;
        if (last > text && *text != ';' &&
            parse_row(m, text, (int)(last - text), line + 1, name) < 0)
            return -1;
        text = stop + 1;
    }
    return 0;
}

// number the free cells; refuse free borders
static int number_cells(bex_maze *m, const char *name) {
    for (int r = 0; r < m->rows; r++)
        for (int c = 0; c < m->cols; c++) {
            short *n = &m->number[r * m->cols + c];
            if (*n < 0) continue;
            if (r == 0 || c == 0 || r == m->rows - 1 || c == m->cols - 1) {
                bex_fail("%s: cell %d,%d is free but on the border", name, r, c);
                return bex_fail_hint("close the maze with #");
            }
            m->at[m->cells][0] = (unsigned char)r;
            m->at[m->cells][1] = (unsigned char)c;
            *n = (short)m->cells++;
        }
    if (m->goal >= 0) m->goal = m->number[m->goal];
    if (!m->cells) return bex_fail("%s: no free cell", name);
    return 0;
}

static int check_connected(const bex_maze *m, const char *name) {
    int *steps = malloc(2 * (size_t)m->cells * sizeof *steps), code = 0;
    if (!steps) return bex_fail("%s: out of memory", name);
    bex_maze_distances(m, 0, steps, steps + m->cells);
    for (int i = 0; i < m->cells && code == 0; i++)
        if (steps[i] < 0)
            code = bex_fail("%s: cell %d,%d cannot be reached from %d,%d", name, m->at[i][0],
                            m->at[i][1], m->at[0][0], m->at[0][1]);
    free(steps);
    return code;
}

int bex_maze_parse(bex_maze **out, const char *text, size_t size, const char *name) {
    *out = NULL;
    size_t most = (size_t)BEX_MAZE_SIDE * BEX_MAZE_SIDE;
    bex_maze *m = calloc(1, sizeof *m);
    int code = -1;
    if (m) m->number = malloc(most * sizeof *m->number), m->at = malloc(most * sizeof *m->at);
    if (!m || !m->number || !m->at) {
        bex_fail("%s: out of memory", name);
        goto done;
    }
    m->goal = -1;
    if (parse_lines(m, text, size, name) < 0 || number_cells(m, name) < 0 ||
        check_connected(m, name) < 0)
        goto done;
    *out = m;
    m = NULL;
    code = 0;
done:
    bex_maze_free(m);
    return code;
}

int bex_maze_load(bex_maze **out, const char *path) {
    char *text;
    size_t size;
    *out = NULL;
    if (bex_file_read(&text, &size, path, LONGEST) < 0) return -1;
    int code = bex_maze_parse(out, text, size, path);
    free(text);
    return code;
}

void bex_maze_free(bex_maze *maze) {
    if (!maze) return;
    free(maze->number);
    free(maze->at);
    free(maze);
}

int bex_maze_cell(const bex_maze *m, int row, int col) {
    if (row < 0 || col < 0 || row >= m->rows || col >= m->cols) return -1;
    return m->number[row * m->cols + col];
}

int bex_maze_cell_at(const bex_maze *m, double x, double y) {
    // written so that NaN and far away points are outside
    double r = floor(x + BEX_MAZE_OFFSET), c = floor(y + BEX_MAZE_OFFSET);
    if (!(r >= 0 && r < m->rows && c >= 0 && c < m->cols)) return -1;
    return bex_maze_cell(m, (int)r, (int)c);
}

int bex_maze_cell_rounded(const bex_maze *m, double x, double y) {
    double r = nearbyint(x), c = nearbyint(y);
    int cell = -1;
    if (r >= 0 && r < m->rows && c >= 0 && c < m->cols) cell = bex_maze_cell(m, (int)r, (int)c);
    return cell >= 0 ? cell : bex_maze_cell_at(m, x, y);
}

// the order of D4RL's moves; staying comes first there and never helps before the target
static const int moves[4][2] = {{0, -1}, {0, 1}, {-1, 0}, {1, 0}};

void bex_maze_distances(const bex_maze *m, int target, int *steps, int *queue) {
    for (int i = 0; i < m->cells; i++) steps[i] = -1;
    int head = 0, tail = 0;
    steps[target] = 0;
    queue[tail++] = target;
    while (head < tail) {
        int cell = queue[head++];
        for (int k = 0; k < 4; k++) {
            int next = bex_maze_cell(m, m->at[cell][0] + moves[k][0], m->at[cell][1] + moves[k][1]);
            if (next < 0 || steps[next] >= 0) continue;
            steps[next] = steps[cell] + 1;
            queue[tail++] = next;
        }
    }
}

int bex_maze_next(const bex_maze *m, const int *steps, int cell) {
    for (int k = 0; k < 4; k++) {
        int next = bex_maze_cell(m, m->at[cell][0] + moves[k][0], m->at[cell][1] + moves[k][1]);
        if (next >= 0 && steps[next] == steps[cell] - 1) return next;
    }
    return cell;
}
