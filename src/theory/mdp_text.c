/* theory/mdp_text.c - the text format of worlds (mdp.h): read with line numbers, write. */
#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "theory/mdp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const size_t LARGEST = (size_t)64 << 20; // bytes of a file

typedef struct reader {
    int line;
    char *rest;    // of the current line
    long sizes[4]; // states, actions, horizon, start; -1: not given yet
    bex_mdp *world;
    int *lines; // (S, A) where each move stands
    int *last;  // (S) last line that speaks of a state
} reader;

enum { STATES, ACTIONS, HORIZON, START };
static const char *const size_names[] = {"states", "actions", "horizon", "start"};

static char *next_word(reader *r) {
    char *word = r->rest + strspn(r->rest, " \t\r\v\f");
    if (!*word) return NULL;
    size_t n = strcspn(word, " \t\r\v\f");
    r->rest = word + n + (word[n] != 0);
    word[n] = 0;
    return word;
}

static int read_whole(reader *r, const char *what, long least, long most, long *value) {
    const char *word = next_word(r);
    if (!word) return bex_fail("%s is missing", what);
    char *end;
    errno = 0;
    *value = strtol(word, &end, 10);
    if (*end || end == word) return bex_fail("%s: '%.40s' is not a whole number", what, word);
    if (errno || *value < least || *value > most)
        return bex_fail("%s %.40s is out of range (%ld to %ld)", what, word, least, most);
    return 0;
}

static int read_probability(reader *r, double *p) {
    const char *word = next_word(r), *at = word;
    double over = 1;
    if (!word) return bex_fail("probability is missing");
    bool number = bex_number_take(p, &at) == 0;
    if (number && *at == '/')
        number = bex_number_parse(&over, at + 1) == 0 && over != 0;
    else
        number = number && !*at;
    if (!number) return bex_fail("probability '%.40s' is not a number", word);
    *p /= over;
    if (!(*p >= 0 && *p <= 1)) return bex_fail("probability %.40s is not in [0, 1]", word);
    return 0;
}

static int read_size(reader *r, int which) {
    static const long most[] = {BEX_MDP_STATES, BEX_MDP_ACTIONS, 1000000, BEX_MDP_STATES - 1};
    if (r->sizes[which] >= 0) return bex_fail("'%s' is given twice", size_names[which]);
    return read_whole(r, size_names[which], which != START, most[which], &r->sizes[which]);
}

// allocate once states and actions are known
static int need_world(reader *r, const char *word) {
    if (r->world) return 0;
    for (int k = STATES; k <= ACTIONS; k++)
        if (r->sizes[k] < 0) return bex_fail("'%s' comes before '%s'", word, size_names[k]);
    r->world = bex_mdp_new((int)r->sizes[STATES], (int)r->sizes[ACTIONS], 1, 0);
    if (!r->world) return -1;
    size_t S = (size_t)r->world->states;
    r->lines = calloc(S * (size_t)r->world->actions, sizeof *r->lines);
    r->last = calloc(S, sizeof *r->last);
    return r->lines && r->last ? 0 : bex_fail("out of memory");
}

static int read_terminal(reader *r) {
    if (need_world(r, "terminal") < 0) return -1;
    long s;
    do {
        if (read_whole(r, "state", 0, r->world->states - 1, &s) < 0) return -1;
        if (r->world->terminal[s]) return bex_fail("state %ld is terminal twice", s);
        r->world->terminal[s] = true;
        r->last[s] = r->line;
    } while (r->rest[strspn(r->rest, " \t\r\v\f")]);
    return 0;
}

static int read_move(reader *r) {
    long s, a, next;
    double p = 0;
    if (need_world(r, "move") < 0) return -1;
    const int A = r->world->actions, S = r->world->states;
    if (read_whole(r, "state", 0, S - 1, &s) < 0 || read_whole(r, "action", 0, A - 1, &a) < 0 ||
        read_whole(r, "next state", 0, S - 1, &next) < 0 || read_probability(r, &p) < 0)
        return -1;
    if (r->lines[s * A + a])
        return bex_fail("state %ld, action %ld has a move already, in line %d", s, a,
                        r->lines[s * A + a]);
    r->lines[s * A + a] = r->last[s] = r->line;
    bex_mdp_set(r->world, (int)s, (int)a, (int)next, p);
    return 0;
}

static int read_line(reader *r, char *line) {
    static const struct {
        const char *name; // first member: base/nearest.h
    } words[] = {{"states"}, {"actions"}, {"horizon"}, {"start"}, {"terminal"}, {"move"}};
    enum { WORDS = sizeof words / sizeof *words };
    r->rest = line;
    line[strcspn(line, "#")] = 0;
    const char *word = next_word(r);
    int k = 0;
    if (!word) return 0;
    while (k < WORDS && strcmp(words[k].name, word) != 0) k++;
    if (k == WORDS) {
        const char *near = bex_nearest(word, words, WORDS, sizeof *words);
        bex_fail("unknown word '%.40s'", word);
        return bex_fail_hint("%s%s%s",
                             near ? "did you mean "
                                  : "a line begins with states, actions, "
                                    "horizon, start, terminal or move",
                             near ? near : "", near ? "?" : "");
    }
    int code = k == WORDS - 1 ? read_move(r) : k == WORDS - 2 ? read_terminal(r) : read_size(r, k);
    if (code < 0) return code;
    word = next_word(r);
    return word ? bex_fail("'%.40s' after the end of the statement", word) : 0;
}

// the line to blame for what seal found
static int fault_line(const reader *r, int state, int action) {
    if (state < 0) return 0;
    return action >= 0 ? r->lines[state * r->world->actions + action] : r->last[state];
}

static int finish(reader *r, const char *name) {
    for (int k = STATES; k <= START; k++)
        if (r->sizes[k] < 0) {
            bex_fail("'%s' is missing", size_names[k]);
            return bex_fail_in("%s", name);
        }
    if (need_world(r, "") < 0) return bex_fail_in("%s", name);
    r->world->horizon = (int)r->sizes[HORIZON];
    r->world->start = (int)r->sizes[START];
    int state, action;
    if (bex_mdp_seal(r->world, &state, &action) == 0) return 0;
    int line = fault_line(r, state, action);
    return line ? bex_fail_in("%s:%d", name, line) : bex_fail_in("%s", name);
}

bex_mdp *bex_mdp_parse(const char *text, size_t size, const char *name) {
    reader r = {.sizes = {-1, -1, -1, -1}};
    bex_mdp *world = NULL;
    char *copy = NULL;
    if (memchr(text, 0, size)) {
        bex_fail("%s: not a text file", name);
        goto done;
    }
    copy = malloc(size + 1);
    if (!copy) {
        bex_fail("%s: out of memory", name);
        goto done;
    }
    memcpy(copy, text, size);
    copy[size] = 0;
    for (char *line = copy; *line;) {
        size_t n = strcspn(line, "\n");
        char *after = line + n + (line[n] == '\n');
        line[n] = 0;
        r.line++;
        if (read_line(&r, line) < 0) {
            bex_fail_in("%s:%d", name, r.line);
            goto done;
        }
        line = after;
    }
    if (finish(&r, name) < 0) goto done;
    world = r.world;
    r.world = NULL;
done:
    bex_mdp_free(r.world);
    free(r.lines), free(r.last), free(copy);
    return world;
}

bex_mdp *bex_mdp_load(const char *path) {
    char *text;
    size_t size;
    if (bex_file_read(&text, &size, path, LARGEST) < 0) return NULL;
    bex_mdp *w = bex_mdp_parse(text, size, path);
    free(text);
    return w;
}

void bex_mdp_write(const bex_mdp *w, FILE *out) {
    fprintf(out, "states %d\nactions %d\nhorizon %d\nstart %d\n", w->states, w->actions, w->horizon,
            w->start);
    for (int s = 0; s < w->states; s++)
        if (w->terminal[s]) fprintf(out, "terminal %d\n", s);
    for (int s = 0; s < w->states; s++)
        for (int a = 0; a < w->actions && !w->terminal[s]; a++)
            fprintf(out, "move %d %d  %d  %.17g\n", s, a, w->next[s * w->actions + a],
                    w->beta[s * w->actions + a]);
}
