/* env/tabletop/compose.c - one tree, part after part. */
#include "env/tabletop/compose.h"

#include "base/error.h"
#include "env/tabletop/scene_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct composing {
    bex_xml_tree *tree;
    bex_xml *asset, *world;
    const bex_bddl *scene;
    const bex_parts *parts;
    bex_detail detail;
    bex_rng *fixtures;
    bex_placing *placing;
} composing;

static bool is(const bex_xml *e, const char *tag) {
    return !strcmp(e->tag, tag);
}

static void begin(composing *c) {
    bex_xml_tree *t = c->tree;
    bex_xml *e = bex_xml_add(t, t->root, "compiler");
    bex_xml_set(t, e, "angle", "radian");
    bex_xml_set(t, e, "inertiagrouprange", "0 0");
    e = bex_xml_add(t, t->root, "option");
    bex_xml_set(t, e, "impratio", "20");
    bex_xml_set(t, e, "cone", "elliptic");
    bex_xml_set(t, e, "density", "1.2");
    bex_xml_set(t, e, "viscosity", "0.00002");
    e = bex_xml_add(t, t->root, "size");
    bex_xml_set(t, e, "nconmax", "300");
    bex_xml_set(t, e, "njmax", "900"); // seen in use: 69 contacts, 216 rows
    e = bex_xml_add(t, bex_xml_add(t, t->root, "visual"), "map");
    bex_xml_set(t, e, "znear", "0.001");
    c->asset = bex_xml_add(t, t->root, "asset");
    c->world = bex_xml_add(t, t->root, "worldbody");
}

// attributes of the first-level classes into the elements that name them; defaults dropped
static void inline_defaults(bex_xml_tree *t) {
    bex_xml *defaults = bex_xml_child(t->root, "default");
    for (bex_xml *e = t->root; e; e = bex_xml_walk(t->root, e)) {
        const char *name = bex_xml_get(e, "class");
        if (!name || is(e, "default")) continue;
        bex_xml *class = defaults ? bex_xml_find(defaults, "default", "class", name) : NULL;
        bex_xml *row = class ? bex_xml_child(class, e->tag) : NULL;
        for (bex_xml_attribute *a = row ? row->attributes : NULL; a; a = a->next)
            if (!bex_xml_get(e, a->name)) bex_xml_set(t, e, a->name, a->value);
        bex_xml_set(t, e, "class", NULL);
    }
    if (defaults) bex_xml_remove(defaults);
}

static bool one_of(const char *name, const char *const *list) {
    for (; *list; list++)
        if (!strcmp(name, *list)) return true;
    return false;
}

static const char *const names_of_assets[] = {"material", "texture", "mesh", "hfield", NULL};
static const char *const names_of_things[] = {
    "name",     "joint",  "joint1",  "joint2",     "jointinparent", "geom",      "geom1", "geom2",
    "actuator", "tendon", "tendon1", "tendon2",    "slidesite",     "cranksite", "body",  "body1",
    "body2",    "target", "site",    "childclass", "objname",       NULL};

static void prefix(bex_xml_tree *t, bex_xml *e, const char *attribute, const char *with) {
    char text[400];
    const char *value = bex_xml_get(e, attribute);
    if (!value || !strncmp(value, with, strlen(with))) return;
    snprintf(text, sizeof text, "%s%s", with, value);
    bex_xml_set(t, e, attribute, text);
}

// assets by `kind`, all other names by `instance`
static void prefix_all(bex_xml_tree *t, const char *kind, const char *instance) {
    for (bex_xml *e = t->root; e; e = bex_xml_walk(t->root, e)) {
        bool asset = e->parent && is(e->parent, "asset");
        for (const char *const *a = names_of_things; *a; a++)
            prefix(t, e, *a, asset ? kind : instance);
        for (const char *const *a = names_of_assets; *a; a++) prefix(t, e, *a, kind);
    }
}

static void merge_assets(composing *c, const bex_xml *part) {
    const bex_xml *assets = bex_xml_child(part, "asset");
    for (const bex_xml *a = assets ? assets->first : NULL; a; a = a->next) {
        const char *name = bex_xml_get(a, "name");
        if (name && bex_xml_find(c->asset, a->tag, "name", name)) continue;
        bex_xml_copy(c->tree, c->asset, a);
    }
}

// what is neither asset nor body
static void merge_rest(composing *c, const bex_xml *part) {
    static const char *const sections[] = {"actuator", "sensor",  "tendon",
                                           "equality", "contact", NULL};
    for (const bex_xml *s = part->first; s; s = s->next) {
        if (!one_of(s->tag, sections)) continue;
        bex_xml *to = bex_xml_child(c->tree->root, s->tag);
        if (!to) to = bex_xml_add(c->tree, c->tree->root, s->tag);
        for (const bex_xml *e = s->first; e; e = e->next) bex_xml_copy(c->tree, to, e);
    }
}

static int merge(composing *c, bex_xml *into, const bex_xml_tree *part) {
    const bex_xml *world = bex_xml_child(part->root, "worldbody");
    if (!world) return bex_fail("a part without worldbody");
    merge_assets(c, part->root);
    for (const bex_xml *e = world->first; e; e = e->next) bex_xml_copy(c->tree, into, e);
    merge_rest(c, part->root);
    return 0;
}

static void change(bex_xml_tree *t, bex_xml *top, const char *tag, const char *name,
                   const char *attribute, const double *v, int n) {
    bex_xml *e = bex_xml_find(top, tag, "name", name);
    if (e) bex_xml_set_numbers(t, e, attribute, v, n);
}

static void change_texture(bex_xml_tree *t, const char *name, const char *file) {
    bex_xml *e = bex_xml_find(t->root, "texture", "name", name);
    const char *was = e ? bex_xml_get(e, "file") : NULL;
    char path[BEX_PATH_SIZE];
    if (!was || !file || !strrchr(was, '/')) return;
    if (bex_path_print(path, "%.*s%s", (int)(strrchr(was, '/') - was + 1), was, file) == 0)
        bex_xml_set(t, e, "file", path);
}

// LIBERO's kitchen table is given its size and place in code
static void place_kitchen_table(bex_xml_tree *t, const bex_room *r) {
    static const double half[3] = {0.5, 0.6, 0.025}, friction[3] = {1, 0.005, 0.0001};
    double at[3] = {r->origin[0], r->origin[1], r->origin[2] - half[2]};
    double top[3] = {0, 0, half[2]}, leg = (r->origin[2] - half[2]) / 2, size[2] = {0.025, leg};
    change(t, t->root, "body", "table", "pos", at, 3);
    change(t, t->root, "geom", "table_collision", "size", half, 3);
    change(t, t->root, "geom", "table_collision", "friction", friction, 3);
    change(t, t->root, "geom", "table_visual", "size", half, 3);
    change(t, t->root, "site", "table_top", "pos", top, 3);
    for (int i = 0; i < 4; i++) {
        char name[40];
        double corner[3] = {(i == 0 || i == 3 ? 1 : -1) * (half[0] - 0.1),
                            (i < 2 ? 1 : -1) * (half[1] - 0.1), -leg};
        snprintf(name, sizeof name, "table_leg%d_visual", i + 1);
        change(t, t->root, "geom", name, "pos", corner, 3);
        change(t, t->root, "geom", name, "size", size, 2);
    }
}

static int add_arena(composing *c) {
    const bex_room *r = c->scene->room;
    bex_xml_tree *t;
    if (bex_parts_read(&t, c->parts, BEX_PART_ARENA, c->parts->own ? r->table : r->arena) < 0)
        return -1;
    inline_defaults(t);
    if (!c->parts->own && bex_xml_find(t->root, "body", "name", "table")) place_kitchen_table(t, r);
    change_texture(t, "texplane", r->floor);
    change_texture(t, "tex-wall", r->wall);
    change(t, t->root, "camera", "agentview", "pos", r->camera, 3);
    change(t, t->root, "camera", "agentview", "quat", r->view, 4);
    int code = merge(c, c->world, t);
    bex_xml_tree_free(t);
    if (code < 0) return -1;

    bex_xml *table = bex_xml_find(c->world, "body", "name", r->body);
    if (!table) return bex_fail("the arena has no body '%s'", r->body);
    for (int i = 0; i < c->scene->regions; i++) {
        const bex_bddl_region *region = &c->scene->region[i];
        if (region->target < c->scene->things || !region->ranged) continue;
        const double *v = region->range;
        double at[3] = {(v[0] + v[2]) / 2 + r->origin[0], (v[1] + v[3]) / 2 + r->origin[1],
                        r->region_z};
        double size[3] = {(v[2] - v[0]) / 2, (v[3] - v[1]) / 2, 0.007};
        bex_xml *site = bex_xml_add(c->tree, table, "site");
        bex_xml_set(c->tree, site, "name", region->name);
        bex_xml_set(c->tree, site, "type", "box");
        bex_xml_set(c->tree, site, "rgba", "0 0 1 0");
        bex_xml_set_numbers(c->tree, site, "pos", at, 3);
        bex_xml_set_numbers(c->tree, site, "size", size, 3);
    }
    return 0;
}

static int add_part(composing *c, bex_part_kind part, const char *with, const char *into) {
    bex_xml_tree *t;
    bex_xml *body = into ? bex_xml_find(c->world, "body", "name", into) : c->world;
    if (!body) return bex_fail("the robot has no body '%s'", into);
    if (bex_parts_read(&t, c->parts, part, "") < 0) return -1;
    inline_defaults(t);
    if (part == BEX_PART_MOUNT)
        change(t, t->root, "body", "base", "pos", (const double[3]){0, 0, 0.01}, 3);
    if (part == BEX_PART_ROBOT) { // LIBERO's own damping
        static const double damping[7] = {0.1, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01};
        for (int i = 0; i < 7; i++) {
            char name[16];
            snprintf(name, sizeof name, "joint%d", i + 1);
            change(t, t->root, "joint", name, "damping", &damping[i], 1);
        }
        change(t, t->root, "body", "base", "pos", c->scene->room->base, 3);
    }
    prefix_all(t, with, with);
    int code = merge(c, body, t);
    bex_xml_tree_free(t);
    return code;
}

// robosuite gives the joints of its robots armature and friction when it is made
static void finish_joints(composing *c) {
    for (int i = 0; i < 7; i++) {
        char name[32];
        double armature = 5.0 / (i + 1), friction = 0.1;
        snprintf(name, sizeof name, "robot0_joint%d", i + 1);
        change(c->tree, c->world, "joint", name, "armature", &armature, 1);
        change(c->tree, c->world, "joint", name, "frictionloss", &friction, 1);
    }
}

static const bex_bddl_region *region_of(const bex_bddl *s, int thing) {
    for (int i = 0; i < s->inits; i++)
        if (s->init[i].predicate == BEX_PREDICATE_ON && s->init[i].a == thing && s->init[i].b < 0)
            return &s->region[-1 - s->init[i].b];
    return NULL;
}

static double draw(bex_rng *rng, double least, double most) {
    return rng ? least + (most - least) * bex_rng_uniform(rng) : (least + most) / 2;
}

static void place(composing *c, int thing) {
    const bex_room *r = c->scene->room;
    const bex_bddl_region *region = region_of(c->scene, thing);
    const bex_kind *kind = c->scene->thing[thing].kind;
    bex_placing *p = &c->placing[thing];
    double x = 0, y = 0;
    if (region) {
        bex_rng *rng = kind->fixture ? c->fixtures : NULL;
        x = draw(rng, region->range[0], region->range[2]);
        y = draw(rng, region->range[1], region->range[3]);
    }
    p->at[0] = r->origin[0] + x, p->at[1] = r->origin[1] + y;
    p->at[2] = r->origin[2] + 0.01 - p->bottom - (kind->fixture ? r->thickness : 0);
    memcpy(p->quat, kind->quat, sizeof p->quat);
    if (!kind->fixture || !region) return;
    double yaw = draw(c->fixtures, region->yaw[0], region->yaw[1]);
    p->quat[0] = cos(yaw / 2), p->quat[1] = p->quat[2] = 0, p->quat[3] = sin(yaw / 2);
}

static void name_geoms(bex_xml_tree *t, bex_xml *body) {
    int count = 0;
    for (bex_xml *e = body; e; e = bex_xml_walk(body, e)) {
        char name[24];
        if (!is(e, "geom")) continue;
        snprintf(name, sizeof name, "g%d", count++);
        if (!bex_xml_get(e, "name")) bex_xml_set(t, e, "name", name);
    }
}

static int add_thing(composing *c, int i) {
    const bex_bddl_thing *thing = &c->scene->thing[i];
    char kind[BEX_BDDL_NAME + 2], instance[BEX_BDDL_NAME + 2];
    bex_xml_tree *t;
    if (bex_parts_read(&t, c->parts, BEX_PART_KIND, thing->kind->name) < 0) return -1;
    inline_defaults(t);
    bex_xml *body = bex_xml_find(t->root, "body", "name", "object");
    bex_xml *bottom = bex_xml_find(t->root, "site", "name", "bottom_site");
    double at[3] = {0};
    if (!body || !bottom || bex_xml_numbers(bottom, "pos", at, 3) != 3) {
        bex_xml_tree_free(t);
        return bex_fail("part '%s' has no body 'object' or no 'bottom_site'", thing->kind->name);
    }
    c->placing[i].bottom = at[2];
    place(c, i);
    bex_xml_set(t, body, "name", "main");
    name_geoms(t, body);
    bex_xml_set_numbers(t, body, "pos", c->placing[i].at, 3);
    bex_xml_set_numbers(t, body, "quat", c->placing[i].quat, 4);
    if (!thing->kind->fixture) {
        bex_xml *joint = bex_xml_add(t, body, "joint");
        bex_xml_set(t, joint, "name", "joint0");
        bex_xml_set(t, joint, "type", "free");
        bex_xml_set(t, joint, "damping", "0.0005");
    }
    snprintf(kind, sizeof kind, "%s_", thing->kind->name);
    snprintf(instance, sizeof instance, "%s_", thing->name);
    prefix_all(t, kind, instance);
    merge_assets(c, t->root);
    bex_xml_copy(c->tree, c->world, body);
    bex_xml_tree_free(t);
    return 0;
}

static bool robot_geom(const bex_xml *e) {
    for (; e; e = e->parent) {
        const char *name = is(e, "body") ? bex_xml_get(e, "name") : NULL;
        if (name && !strcmp(name, "robot0_base")) return true;
    }
    return false;
}

// meshes that are looks alone go, and what collides is shown instead
static void simplify(composing *c) {
    for (bex_xml *e = c->world, *next; e; e = next) {
        next = bex_xml_walk(c->world, e);
        const char *twin = bex_xml_get(e, "contype");
        if (!is(e, "geom") || (twin && !strcmp(twin, "0") && !bex_xml_get(e, "mesh")) ||
            (c->detail == BEX_DETAIL_LIGHT && !robot_geom(e)))
            continue;
        const char *group = bex_xml_get(e, "group"), *mesh = bex_xml_get(e, "mesh");
        bool looks = group && !strcmp(group, "1");
        if (looks && mesh)
            bex_xml_remove(e);
        else if (!looks)
            bex_show_collision(c->tree, e, NULL);
    }
}

static int compose(composing *c) {
    const bex_bddl *s = c->scene;
    begin(c);
    if (add_arena(c) < 0 || add_part(c, BEX_PART_ROBOT, "robot0_", NULL) < 0) return -1;
    if (s->room->mount && add_part(c, BEX_PART_MOUNT, "mount0_", "robot0_base") < 0) return -1;
    if (add_part(c, BEX_PART_GRIPPER, "gripper0_", "robot0_right_hand") < 0) return -1;
    finish_joints(c);
    for (int i = 0; i < s->things; i++)
        if (add_thing(c, i) < 0) return bex_fail_in("%s", s->thing[i].name);
    return 0;
}

char *bex_compose_text(const bex_bddl *scene, const bex_parts *parts, bex_rng *fixtures,
                       const char *name) {
    bex_placing placing[BEX_BDDL_THINGS];
    composing c = {.scene = scene, .parts = parts, .fixtures = fixtures, .placing = placing};
    char *text = NULL;
    if (bex_xml_tree_new(&c.tree, "mujoco") < 0) return NULL;
    if (compose(&c) < 0)
        bex_fail_in("%s", name);
    else
        text = bex_xml_text(c.tree->root);
    bex_xml_tree_free(c.tree);
    return text;
}

int bex_compose(bex_composed *out, const bex_bddl *scene, const bex_parts *parts,
                const bex_looks *looks, bex_rng *fixtures, const char *name) {
    *out = (bex_composed){0};
    composing c = {.scene = scene,
                   .parts = parts,
                   .detail = looks->detail,
                   .fixtures = fixtures,
                   .placing = out->placing};
    bex_scene_files files = {.texture = looks->texture};
    char *text = NULL;
    int code = -1;
    if (bex_xml_tree_new(&c.tree, "mujoco") < 0) return -1;
    if (compose(&c) < 0) {
        bex_fail_in("%s", name);
        goto done;
    }
    if (looks->detail != BEX_DETAIL_FULL && !parts->own) simplify(&c);
    if (bex_scene_files_load(&files, c.tree, name) < 0 || !(text = bex_xml_text(c.tree->root)))
        goto done;
    code = bex_mj_scene_load(&out->model,
                             &(bex_mj_scene){text, files.file, files.count, .take = true}, name);
done:
    free(text);
    bex_scene_files_fini(&files);
    bex_xml_tree_free(c.tree);
    return code;
}
