/* env/world_keys.h - section [env] of a world: the keys all worlds share and the class's own, out of text.
 * Private to env/. */
#ifndef BEX_ENV_WORLD_KEYS_H
#define BEX_ENV_WORLD_KEYS_H

#include "env/env.h"

/* Lines "key=value" (or "env.key=value", "--env.key=value") over the defaults of the class: shared ones into
 * *options where a line sets them, *own (class->options_size bytes) malloced, NULL for a class without rows.
 * Negative with a message naming world and key, nothing left to free. */
int bex_world_keys_read(bex_world_options *options, void **own, const bex_env_class *class,
                        const char *lines);

#endif
