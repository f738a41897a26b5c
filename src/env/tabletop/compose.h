/* env/tabletop/compose.h - arena, robot, objects and fixtures into one model, as robosuite and LIBERO
 * put them together: order, prefixes, defaults, regions, where things stand.
 *
 * Joints in qpos: robot0_joint1..7, gripper0_finger_joint1..2, the objects' free joints, the fixtures'
 * joints, each in the order of the BDDL file. Names: INSTANCE_main is a thing's body, INSTANCE_joint0 its
 * free joint, INSTANCE_REGION its sites.
 *
 * Differences, without effect on the motion: assets are prefixed by kind rather than by instance, so that two
 * butters share a mesh; no default_site; movable bodies are declared in the middle of their regions
 * instead of at the origin; colours of collision geoms stay. */
#ifndef BEX_ENV_TABLETOP_COMPOSE_H
#define BEX_ENV_TABLETOP_COMPOSE_H

#include "base/rng.h"
#include "env/mj.h"
#include "env/tabletop/parts.h"

/* What a picture shows: visual meshes and textures; the same with a plain robot; collision geoms alone. */
typedef enum { BEX_DETAIL_FULL, BEX_DETAIL_LIGHT, BEX_DETAIL_PLAIN } bex_detail;

typedef struct bex_looks {
    bex_detail detail;
    int texture; // pixels of a texture's side at most; 0: as they are
} bex_looks;

/* Where a thing may be put, learned from its part. */
typedef struct bex_placing {
    double bottom;         // z of its lowest point below its origin
    double at[3], quat[4]; // fixtures: where it stands
} bex_placing;

typedef struct bex_composed {
    bex_mj_model *model;
    bex_placing placing[BEX_BDDL_THINGS];
} bex_composed;

/* fixtures: draws where in its region each stands; NULL: in the middle. Negative with a message; nothing
 * to free then. */
int bex_compose(bex_composed *out, const bex_bddl *scene, const bex_parts *parts,
                const bex_looks *looks, bex_rng *fixtures, const char *name);

/* The composed MJCF as text, malloced, files by whole paths: for a look, and for model_file of
 * demonstrations. */
char *bex_compose_text(const bex_bddl *scene, const bex_parts *parts, bex_rng *fixtures,
                       const char *name);

#endif
