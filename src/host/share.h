/* host/share.h - files that come with bex (models/): where they are.
 *
 * Installed, they are found relative to the program (bin/../share/bex), so that a prefix may be moved; else
 * among the sources it was built from. */
#ifndef BEX_HOST_SHARE_H
#define BEX_HOST_SHARE_H

#include "base/path.h"

/* name: "models/ant-walker.safetensors". The path of a file that exists; negative with a message if none. */
int bex_share_find(char path[BEX_PATH_SIZE], const char *name);

#endif
