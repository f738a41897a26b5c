/* tests/data/still_log.h - a kitchen log in which nobody moves. */
#ifndef BEX_TESTS_DATA_STILL_LOG_H
#define BEX_TESTS_DATA_STILL_LOG_H

#include "data/make_file.h"

enum { STILL_ROWS = 6 };

// an arm that holds still at the start pose, in a kitchen at rest
static inline void add_still(make *m, const char *log) {
    static const float pose[] = {0.15F, -1.76F, 1.84F, -2.48F, 0.26F, 0.71F, 1.6F, 0.04F, 0.04F};
    static float qpos[STILL_ROWS * 30], qvel[STILL_ROWS * 29], ctrl[STILL_ROWS * 9];
    char key[200];
    for (int t = 0; t < STILL_ROWS; t++) {
        memcpy(qpos + t * 30, pose, sizeof pose);
        memcpy(ctrl + t * 9, pose, sizeof pose);
        qpos[t * 30 + 23] = -0.269F, qpos[t * 30 + 24] = 0.35F, qpos[t * 30 + 25] = 1.6193F;
        qpos[t * 30 + 26] = 1;
    }
    qpos[2 * 30 + 19] = 0.3F; // in the log, not in our physics: the slide door is open for a row
    snprintf(key, sizeof key, "%s/qpos", log);
    make_array(m, key, qpos, STILL_ROWS, 30);
    snprintf(key, sizeof key, "%s/qvel", log);
    make_array(m, key, qvel, STILL_ROWS, 29);
    snprintf(key, sizeof key, "%s/ctrl", log);
    make_array(m, key, ctrl, STILL_ROWS, 9);
}

#endif
