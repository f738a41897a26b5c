/* show/world_camera.h - a world as a camera sees it: a picture, or a video of trajectories. Any world with
 * MuJoCo inside. */
#ifndef BEX_SHOW_WORLD_CAMERA_H
#define BEX_SHOW_WORLD_CAMERA_H

#include "env/env.h"
#include "show/world_picture.h"

/* A PNG of the state `obs`; NULL: of a state after reset with this seed. */
int bex_world_frame(const bex_world *world, const bex_real *obs, uint64_t seed, const char *path);

/* An MP4 of the trajectories one after the other, every n-th row a frame; 0: so many that it runs in real
 * time at up to 25 frames a second. Needs a world whose observations tell its pose. */
int bex_world_video(const bex_world *world, const bex_paths *paths, int every, const char *path);

#endif
