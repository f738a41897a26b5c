/* demo/tabletop/grasps.h - where a straight-down hand takes hold of each kind of object: several ways
 * where there are several. Origin and axes are the object's own. */
#ifndef BEX_DEMO_TABLETOP_GRASPS_H
#define BEX_DEMO_TABLETOP_GRASPS_H

typedef struct bex_grasp {
    const char *kind;
    double at[3], along[3]; // grip site; the fingers' way
} bex_grasp;

/* The i-th grasp of a kind, NULL past the last. */
const bex_grasp *bex_grasp_of(const char *kind, int i);

#endif
