/* host/lock.h - a folder that one process at a time writes to. */
#ifndef BEX_HOST_LOCK_H
#define BEX_HOST_LOCK_H

/* FOLDER/lock, made if need be; never through a symbolic link. A descriptor to close(): until then nobody
 * else has it, also not after the folder was renamed, and the kernel lets go when the holder dies. Negative
 * with the message "`what` 'FOLDER' is in use by process N". */
int bex_lock_take(const char *folder, const char *what);

#endif
