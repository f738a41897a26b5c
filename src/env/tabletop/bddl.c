/* env/tabletop/bddl.c - words and brackets into a small tree, the tree into tables. */
#include "env/tabletop/bddl.h"

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LEVELS = 16, NODES = 4096, LARGEST = 1 << 20 };

// a list (first child) or a word
typedef struct node {
    const char *word; // NULL: a list
    int length, line;
    int first, next; // nodes, 0: none
} node;

typedef struct file {
    node nodes[NODES];
    int count;
    const char *name;
} file;

static const char *const predicates[] = {"On", "In", "Open", "Close", "Turnon", "Turnoff"};

const char *bex_predicate_name(bex_predicate p) {
    return predicates[p];
}

static int add(file *f, const char *word, int length, int line) {
    if (f->count == NODES) return bex_fail("%s:%d: more than %d words", f->name, line, NODES);
    f->nodes[f->count] = (node){.word = word, .length = length, .line = line};
    return f->count++;
}

// node 0 is the list of what the file holds
static int scan(file *f, const char *text, size_t size) {
    int open[LEVELS + 1] = {0}, last[LEVELS + 1] = {0}, level = 0, line = 1;
    if (add(f, NULL, 0, 1) < 0) return -1;
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        if (isspace(c)) {
            line += c == '\n', i++;
            continue;
        }
        if (c == ';') {
            while (i < size && text[i] != '\n') i++;
            continue;
        }
        if (c == ')') {
            if (!level) return bex_fail("%s:%d: a ')' without its '('", f->name, line);
            level--, i++;
            continue;
        }
        if (c < 32 || c > 126) return bex_fail("%s:%d: byte %d is no text", f->name, line, c);
        size_t n = 1;
        if (c != '(')
            while (i + n < size && !strchr("();", text[i + n]) && text[i + n] > 32) n++;
        int made = add(f, c == '(' ? NULL : text + i, (int)n, line);
        if (made < 0) return -1;
        *(last[level] ? &f->nodes[last[level]].next : &f->nodes[open[level]].first) = made;
        last[level] = made;
        i += n;
        if (c != '(') continue;
        if (level == LEVELS)
            return bex_fail("%s:%d: brackets more than %d deep", f->name, line, LEVELS);
        open[++level] = made, last[level] = 0;
    }
    if (!level) return 0;
    return bex_fail("%s:%d: this '(' is never closed", f->name, f->nodes[open[level]].line);
}

static const node *first(const file *f, const node *n) {
    return n->first ? &f->nodes[n->first] : NULL;
}

static const node *next(const file *f, const node *n) {
    return n->next ? &f->nodes[n->next] : NULL;
}

static bool is(const node *n, const char *word) {
    return n && n->word && (size_t)n->length == strlen(word) &&
           !strncasecmp(n->word, word, (size_t)n->length);
}

static int wrong(const file *f, const node *n, const char *what) {
    return n->word ? bex_fail("%s:%d: '%.*s': %s", f->name, n->line,
                              n->length < 60 ? n->length : 60, n->word, what)
                   : bex_fail("%s:%d: %s", f->name, n->line, what);
}

static int copy_word(const file *f, const node *n, char *out, size_t size, const char *what) {
    if (!n || !n->word) return bex_fail("%s:%d: %s expected", f->name, n ? n->line : 0, what);
    if ((size_t)n->length >= size) return wrong(f, n, "too long a name");
    for (int i = 0; i < n->length; i++) out[i] = (char)tolower((unsigned char)n->word[i]);
    out[n->length] = 0;
    return 0;
}

// up to `most` numbers of the innermost list: ((a b c d)) and (a b c d) alike
static int numbers(const file *f, const node *list, double *v, int most) {
    const node *n = list;
    while (n && !n->word && first(f, n)) n = first(f, n);
    int count = 0;
    for (; n; n = next(f, n), count++) {
        char text[40];
        if (count == most || !n->word || n->length >= (int)sizeof text)
            return wrong(f, list, "not the numbers expected");
        snprintf(text, sizeof text, "%.*s", n->length, n->word);
        if (bex_number_parse(&v[count], text) < 0) return wrong(f, n, "not a number");
        if (!(v[count] > -100 && v[count] < 100)) return wrong(f, n, "absurdly far");
    }
    return count == most ? 0 : wrong(f, list, "not the numbers expected");
}

static int thing_named(const bex_bddl *s, const char *name) {
    for (int i = 0; i < s->all; i++)
        if (!strcmp(s->thing[i].name, name)) return i;
    return -1;
}

// "a b - kind c - kind": things of one section at the end of the list
static int read_things(const file *f, const node *section, bex_bddl *s, bool fixtures) {
    int waiting = s->all;
    for (const node *n = next(f, first(f, section)); n; n = next(f, n)) {
        char kind[BEX_BDDL_NAME];
        if (!is(n, "-")) {
            if (s->all == BEX_BDDL_THINGS) return wrong(f, n, "more things than there is room for");
            bex_bddl_thing *t = &s->thing[s->all];
            if (copy_word(f, n, t->name, sizeof t->name, "a name") < 0) return -1;
            if (thing_named(s, t->name) >= 0) return wrong(f, n, "declared twice");
            s->all++;
            continue;
        }
        n = next(f, n);
        if (!n) return wrong(f, section, "a kind expected behind '-'");
        if (copy_word(f, n, kind, sizeof kind, "a kind") < 0) return -1;
        const bex_kind *k = bex_kind_named(kind);
        bool table = fixtures && !strcmp(kind, s->room->table);
        if (!table && (!k || k->fixture != fixtures))
            return wrong(f, n,
                         fixtures ? "no such fixture is known here"
                                  : "no such kind of object is known");
        if (waiting == s->all) return wrong(f, n, "a kind of nothing");
        for (; waiting < s->all; waiting++) s->thing[waiting].kind = k;
    }
    return waiting == s->all ? 0 : wrong(f, section, "names without a kind");
}

static int read_region(const file *f, const node *region, bex_bddl *s) {
    char name[BEX_BDDL_NAME], target[BEX_BDDL_NAME] = "";
    if (region->word) return wrong(f, region, "a region expected, in brackets");
    if (s->regions == BEX_BDDL_REGIONS)
        return wrong(f, region, "more regions than there is room for");
    bex_bddl_region *r = &s->region[s->regions];
    *r = (bex_bddl_region){.target = -1};
    if (copy_word(f, first(f, region), name, sizeof name, "a region's name") < 0) return -1;
    for (const node *n = next(f, first(f, region)); n; n = next(f, n)) {
        const node *key = first(f, n), *value = key ? next(f, key) : NULL;
        if (!value) return wrong(f, n, "a property of a region expected");
        if (is(key, ":target")) {
            if (copy_word(f, value, target, sizeof target, "a target") < 0) return -1;
        } else if (is(key, ":ranges")) {
            if (numbers(f, value, r->range, 4) < 0) return -1;
            if (r->range[0] > r->range[2] || r->range[1] > r->range[3])
                return wrong(f, n, "a range that ends before it begins");
            r->ranged = true;
        } else if (is(key, ":yaw_rotation")) {
            if (numbers(f, value, r->yaw, 2) < 0) return -1;
        } else if (!is(key, ":rgba")) {
            return wrong(f, key, "unknown property of a region");
        }
    }
    r->target = thing_named(s, target);
    if (r->target < 0) return wrong(f, region, "a region of a thing that is not declared");
    if (snprintf(r->name, sizeof r->name, "%.*s_%s", (int)sizeof target, target, name) >=
        (int)sizeof r->name)
        return wrong(f, region, "too long a name");
    s->regions++;
    return 0;
}

// a thing by its number, a region as -1 - number
static int which(const file *f, const node *n, const bex_bddl *s, int *out) {
    char name[BEX_BDDL_NAME];
    if (copy_word(f, n, name, sizeof name, "a thing or region") < 0) return -1;
    *out = thing_named(s, name);
    if (*out >= 0) return 0;
    for (int i = 0; i < s->regions; i++)
        if (!strcmp(s->region[i].name, name)) return *out = -1 - i, 0;
    return wrong(f, n, "neither a thing nor a region of this file");
}

static int read_fact(const file *f, const node *list, const bex_bddl *s, bex_bddl_fact *fact) {
    const node *n = list->word ? NULL : first(f, list);
    int p = 0, count = (int)(sizeof predicates / sizeof *predicates);
    if (!n) return wrong(f, list, "a predicate expected, in brackets");
    while (p < count && !is(n, predicates[p])) p++;
    if (p == count) return wrong(f, n, "unknown predicate (On, In, Open, Close, Turnon, Turnoff)");
    bool two = p == BEX_PREDICATE_ON || p == BEX_PREDICATE_IN;
    const node *a = next(f, n), *b = a ? next(f, a) : NULL;
    if (!a || !b != !two || (b && next(f, b)))
        return wrong(f, n, two ? "takes two names" : "takes one name");
    *fact = (bex_bddl_fact){.predicate = (bex_predicate)p};
    if (which(f, a, s, &fact->a) < 0 || (two && which(f, b, s, &fact->b) < 0)) return -1;
    if (two && fact->a < 0) return wrong(f, a, "a region is nowhere itself");
    return 0;
}

static int read_facts(const file *f, const node *n, const bex_bddl *s, bex_bddl_fact *facts,
                      int most, int *count) {
    for (*count = 0; n; n = next(f, n), (*count)++) {
        if (*count == most) return wrong(f, n, "more predicates than there is room for");
        if (read_fact(f, n, s, &facts[*count]) < 0) return -1;
    }
    return 0;
}

static int read_goal(const file *f, const node *section, const bex_bddl *s, bex_bddl_task *task) {
    const node *n = next(f, first(f, section));
    const node *inner = n && !n->word ? first(f, n) : NULL;
    if (is(inner, "And")) n = next(f, inner);
    if (read_facts(f, n, s, task->goal, BEX_BDDL_GOAL, &task->facts) < 0) return -1;
    return task->facts ? 0 : wrong(f, section, "a goal of nothing");
}

static int read_language(const file *f, const node *section, bex_bddl_task *task) {
    size_t at = 0;
    for (const node *n = next(f, first(f, section)); n; n = next(f, n)) {
        int wrote = snprintf(task->language + at, sizeof task->language - at, "%s%.*s",
                             at ? " " : "", n->word ? n->length : 0, n->word ? n->word : "");
        at += (size_t)wrote;
        if (at >= sizeof task->language) return wrong(f, section, "too long a sentence");
    }
    return 0;
}

static const node *section_of(const file *f, const node *list, const char *name) {
    for (const node *n = first(f, list); n; n = next(f, n))
        if (!n->word && is(first(f, n), name)) return n;
    return NULL;
}

static int read_task(const file *f, const node *list, bex_bddl *s, const node *name) {
    const node *language = section_of(f, list, ":language"), *goal = section_of(f, list, ":goal");
    if (s->tasks == BEX_BDDL_TASKS) return wrong(f, list, "more tasks than there is room for");
    bex_bddl_task *t = &s->task[s->tasks];
    *t = (bex_bddl_task){0};
    if (name && copy_word(f, name, t->name, sizeof t->name, "a task's name") < 0) return -1;
    if (!goal) return wrong(f, list, "no (:goal ...)");
    if (language && read_language(f, language, t) < 0) return -1;
    if (read_goal(f, goal, s, t) < 0) return -1;
    s->tasks++;
    return 0;
}

static int check_sections(const file *f, const node *whole) {
    static const char *const known[] = {
        "problem",  ":domain",          ":requirements", ":language", ":regions", ":fixtures",
        ":objects", ":obj_of_interest", ":init",         ":goal",     ":task"};
    for (const node *n = next(f, first(f, whole)); n; n = next(f, n)) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known && !n->word; i++)
            found = found || is(first(f, n), known[i]);
        if (!found) return wrong(f, n->word || !first(f, n) ? n : first(f, n), "unknown section");
    }
    return 0;
}

static int read_room(const file *f, const node *whole, bex_bddl *s) {
    const node *problem = section_of(f, whole, "problem");
    char name[BEX_BDDL_NAME];
    if (!problem) return wrong(f, whole, "no (problem ...)");
    if (copy_word(f, next(f, first(f, problem)), name, sizeof name, "a problem") < 0) return -1;
    s->room = bex_room_of(name);
    return s->room ? 0 : wrong(f, next(f, first(f, problem)), "no such room is known");
}

// tables behind everything else, the rest as it was
static void tables_last(bex_bddl *s) {
    bex_bddl_thing tables[BEX_BDDL_THINGS];
    int kept = 0, count = 0;
    for (int i = 0; i < s->all; i++) {
        if (s->thing[i].kind)
            s->thing[kept++] = s->thing[i];
        else
            tables[count++] = s->thing[i];
    }
    s->things = kept;
    memcpy(s->thing + kept, tables, (size_t)count * sizeof *tables);
}

static int read_scene(const file *f, const node *whole, bex_bddl *s) {
    const node *objects = section_of(f, whole, ":objects"),
               *fixtures = section_of(f, whole, ":fixtures");
    const node *regions = section_of(f, whole, ":regions"), *init = section_of(f, whole, ":init");
    if (check_sections(f, whole) < 0 || read_room(f, whole, s) < 0) return -1;
    if (objects && read_things(f, objects, s, false) < 0) return -1;
    s->objects = s->all;
    if (fixtures && read_things(f, fixtures, s, true) < 0) return -1;
    tables_last(s);
    for (const node *n = regions ? next(f, first(f, regions)) : NULL; n; n = next(f, n))
        if (read_region(f, n, s) < 0) return -1;
    if (init && read_facts(f, next(f, first(f, init)), s, s->init, BEX_BDDL_FACTS, &s->inits) < 0)
        return -1;
    if (section_of(f, whole, ":goal") && read_task(f, whole, s, NULL) < 0) return -1;
    for (const node *n = next(f, first(f, whole)); n; n = next(f, n))
        if (is(first(f, n), ":task") && read_task(f, n, s, next(f, first(f, n))) < 0) return -1;
    return s->tasks ? 0 : wrong(f, whole, "no (:goal ...)");
}

int bex_bddl_read(bex_bddl *out, const char *text, size_t size, const char *name) {
    *out = (bex_bddl){0};
    if (size > LARGEST) return bex_fail("%s: larger than 1 MB", name);
    file *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory");
    f->name = name;
    int code = scan(f, text, size);
    const node *whole = code == 0 ? first(f, &f->nodes[0]) : NULL;
    if (code == 0 && (!whole || whole->word || !is(first(f, whole), "define")))
        code = bex_fail("%s: not a (define ...)", name);
    if (code == 0) code = read_scene(f, whole, out);
    free(f);
    return code;
}

int bex_bddl_merge(bex_bddl *scene, const bex_bddl *other, const char *name) {
    bool same = scene->room == other->room && scene->things == other->things &&
                scene->regions == other->regions && scene->all == other->all;
    for (int i = 0; i < scene->all && same; i++)
        same = !strcmp(scene->thing[i].name, other->thing[i].name) &&
               scene->thing[i].kind == other->thing[i].kind;
    for (int i = 0; i < scene->regions && same; i++)
        same =
            !strcmp(scene->region[i].name, other->region[i].name) &&
            !memcmp(scene->region[i].range, other->region[i].range, sizeof scene->region[i].range);
    if (!same) return bex_fail("%s: not of the same scene as the tasks before it", name);
    if (scene->tasks == BEX_BDDL_TASKS)
        return bex_fail("%s: more than %d tasks in one scene", name, BEX_BDDL_TASKS);
    if (strlen(name) >= BEX_BDDL_TEXT) return bex_fail("%.60s...: too long a name", name);
    bex_bddl_task *t = &scene->task[scene->tasks++];
    *t = other->task[0];
    strcpy(t->name, name);
    return 0;
}

const char *bex_bddl_name(const bex_bddl *s, int n) {
    return n < 0 ? s->region[-1 - n].name : s->thing[n].name;
}

static void print_facts(FILE *f, const bex_bddl *s, const bex_bddl_fact *facts, int count) {
    for (int i = 0; i < count; i++) {
        fprintf(f, " (%s %s", predicates[facts[i].predicate], bex_bddl_name(s, facts[i].a));
        if (facts[i].predicate <= BEX_PREDICATE_IN) fprintf(f, " %s", bex_bddl_name(s, facts[i].b));
        fputc(')', f);
    }
}

static void print_things(FILE *f, const bex_bddl *s, int first, int end) {
    for (int i = first; i < end; i++)
        fprintf(f, " %s - %s", s->thing[i].name,
                s->thing[i].kind ? s->thing[i].kind->name : s->room->table);
}

static void print_numbers(FILE *f, const char *key, const double *v, int n) {
    char text[BEX_NUMBER_SIZE];
    fprintf(f, " (%s ((", key);
    for (int i = 0; i < n; i++) fprintf(f, "%s%s", i ? " " : "", bex_number_format(text, v[i]));
    fputs(")))", f);
}

char *bex_bddl_text(const bex_bddl *s, int task) {
    bex_text t;
    if (bex_text_begin(&t) < 0) return NULL;
    fprintf(t.out, "(define (problem %s)\n  (:domain robosuite)\n  (:language %s)\n  (:regions",
            s->room->problem, s->task[task].language);
    for (int i = 0; i < s->regions; i++) {
        const bex_bddl_region *r = &s->region[i];
        const char *target = s->thing[r->target].name;
        fprintf(t.out, "\n    (%s (:target %s)", r->name + strlen(target) + 1, target);
        if (r->ranged) print_numbers(t.out, ":ranges", r->range, 4);
        if (r->ranged) print_numbers(t.out, ":yaw_rotation", r->yaw, 2);
        fputc(')', t.out);
    }
    fputs(")\n  (:fixtures", t.out);
    print_things(t.out, s, s->things, s->all);
    print_things(t.out, s, s->objects, s->things);
    fputs(")\n  (:objects", t.out);
    print_things(t.out, s, 0, s->objects);
    fputs(")\n  (:init", t.out);
    print_facts(t.out, s, s->init, s->inits);
    fputs(")\n  (:goal (And", t.out);
    print_facts(t.out, s, s->task[task].goal, s->task[task].facts);
    fputs(")))\n", t.out);
    return bex_text_end(&t);
}
