/* explore/fit.c - see the header. */
#include "explore/fit.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

enum { LIST = 200 };

int bex_fit_keys(char *keys, size_t size, const bex_policy *p, const bex_env_class *class,
                 const char *more) {
    const bex_env_seen seen = {.columns = &p->columns,
                               .scene = p->origin.scene,
                               .cameras = p->config.vision.images,
                               .pixels =
                                   p->origin.height == p->origin.width ? p->origin.height : 0};
    *keys = 0;
    if (class->suit) class->suit(&seen, keys, size);
    size_t n = strlen(keys);
    if (n + 1 < size && more) n += (size_t)snprintf(keys + n, size - n, "%s", more);
    return n + 1 < size ? 0 : bex_fail("the options of %s are too long", class->name);
}

static int check_columns(const bex_policy *p, const char *run, const bex_world *w) {
    const bex_column_names *ours = &p->columns, *its = &w->columns;
    char want[LIST], have[LIST];
    if (!ours->count || !its->count || its->count != w->spec.state)
        return 0; // recorded ones among them
    bool same = p->given == bex_world_shown(w);
    for (int i = 0; same && i < p->given; i++) same = !strcmp(ours->name[i], its->name[i]);
    if (same) return 0;
    bex_columns_list(want, LIST, ours), bex_columns_list(have, LIST, its);
    bex_fail("'%s' was trained on %s; %s shows %s", run, want, w->name, have);
    return bex_fail_hint("bex env %s --help lists what it can show", w->class->name);
}

// cameras: "agentview_rgb,eye_in_hand_rgb"
static bool same_cameras(const char *cameras, const bex_world *w) {
    for (int c = 0; c < w->spec.cameras && w->camera[0]; c++) {
        size_t length = strcspn(cameras, ",");
        if (strlen(w->camera[c]) != length || strncmp(cameras, w->camera[c], length)) return false;
        cameras += length + (cameras[length] != 0);
    }
    return true;
}

static int check_pictures(const bex_policy *p, const char *run, const bex_world *w) {
    const bex_observation_spec *s = &w->spec;
    const char *cameras = p->config.vision.images;
    int n = bex_vision_cameras(&p->config.vision);
    if (!n) return 0;
    if (s->cameras != n || !same_cameras(cameras, w))
        return bex_fail("'%s' sees %s; %s shows %d camera%s%s%s%s%s", run, cameras, w->name,
                        s->cameras, s->cameras == 1 ? "" : "s",
                        s->cameras && w->camera[0] ? ": " : "",
                        s->cameras && w->camera[0] ? w->camera[0] : "",
                        s->cameras > 1 && w->camera[1] ? "," : "",
                        s->cameras > 1 && w->camera[1] ? w->camera[1] : "");
    if (p->origin.height && (p->origin.height != s->height || p->origin.width != s->width))
        return bex_fail("'%s' was trained on pictures of %d x %d pixels; %s shows %d x %d", run,
                        p->origin.height, p->origin.width, w->name, s->height, s->width);
    return 0;
}

int bex_fit_check(const bex_policy *p, const char *run, const bex_world *w) {
    if (*p->origin.scene && w->scene && strcmp(p->origin.scene, w->scene))
        return bex_fail("'%s' was trained in %s; this is %s", run, p->origin.scene, w->scene);
    if (check_columns(p, run, w) < 0) return -1;
    if (p->given != bex_world_shown(w) || p->A != w->A)
        return bex_fail("'%s' expects %d observation and %d action values, %s has %d and %d", run,
                        p->given, p->A, w->name, bex_world_shown(w), w->A);
    return check_pictures(p, run, w);
}
