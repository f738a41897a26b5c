/* agent/sight/encoder_file.h - where the weights of a pictures' network are. */
#ifndef BEX_AGENT_SIGHT_ENCODER_FILE_H
#define BEX_AGENT_SIGHT_ENCODER_FILE_H

#include "base/path.h"

/* path: a file; a folder that holds model.safetensors; a run: its last checkpoint's. Negative with a message. */
int bex_encoder_find(char file[BEX_PATH_SIZE], const char *path);

#endif
