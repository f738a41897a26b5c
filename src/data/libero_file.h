/* data/libero_file.h - demonstrations in LIBERO's own layout, one file a task:
 *
 *   data                  attributes env_name, env_args, problem_info, bddl_file_name, bddl_file_content,
 *                         macros_image_convention, num_demos, total; ours: settle
 *   data/demo_0           attributes num_samples, model_file (MJCF), init_state
 *     actions (T,7), states (T,D), robot_states (T,9) doubles; rewards, dones (T) bytes, 1 on the last row
 *     obs/ agentview_rgb, eye_in_hand_rgb (T,S,S,3) bytes, bottom row first; joint_states (T,7),
 *          gripper_states (T,2), ee_states (T,6), ee_pos (T,3), ee_ori (T,3); ours: timestep (T,1),
 *          poses (T,P), objects (T,W)
 *
 * Row t is what was seen and the action taken then. Arrays are contiguous, as LIBERO's. `settle`: so many
 * steps of a still hand lie between init_state and row 0 (LIBERO drops its first five actions and does not
 * keep them).
 *
 *     bex_libero_file *f;
 *     if (bex_libero_file_create(&f, path, &about) < 0) ...         refuses an existing path
 *     bex_libero_file_add(f, &demo); ...
 *     if (bex_libero_file_commit(f) < 0) ...                        now the file has its name
 *     bex_libero_file_free(f);                                      always; before commit: discards
 *
 * One thread at a time over all readers and writers: libhdf5 is not thread safe. */
#ifndef BEX_DATA_LIBERO_FILE_H
#define BEX_DATA_LIBERO_FILE_H

typedef struct bex_libero_file bex_libero_file;

typedef struct bex_libero_about {
    const char *env_name, *env_args, *problem_info, *bddl_file_name, *bddl_file_content;
    int settle;
} bex_libero_about;

typedef struct bex_libero_demo {
    int rows, width, poses; // T, D, P
    int objects;            // W
    int image;              // S; 0: no pictures
    const double *actions, *states, *robot_states, *joints, *fingers, *ee_pos, *ee_ori, *timestep,
        *pose, *object;
    const unsigned char *agentview, *eye_in_hand;
    const char *model_file;
    const double *init_state; // (D)
} bex_libero_demo;

int bex_libero_file_create(bex_libero_file **out, const char *path, const bex_libero_about *about);
int bex_libero_file_add(bex_libero_file *f, const bex_libero_demo *demo);
int bex_libero_file_commit(bex_libero_file *f);
void bex_libero_file_free(bex_libero_file *f); // NULL is fine

#endif
