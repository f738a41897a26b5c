/* host/folder.h - directories: made with their parents, listed, synced, tidied, removed. */
#ifndef BEX_HOST_FOLDER_H
#define BEX_HOST_FOLDER_H

#include <stdbool.h>

/* The directory and the missing ones above it. 0 also if it is there already; negative with a
 * message (a file in the way, no permission). */
int bex_folder_make(const char *path);

bool bex_folder_exists(const char *path);

/* Names in it but . and .., in ascending byte order; *names is one malloced block for free().
 * The number of names, or negative with a message. */
int bex_folder_list(char ***names, const char *path);

/* It and all below; symbolic links are removed, never followed, whoever changes the tree meanwhile. 0, also
 * where nothing is there. */
int bex_folder_remove(const char *path);

/* The names in it onto the disk, for what a rename must survive; of a file, its bytes. 0, or
 * negative with a message. */
int bex_folder_sync(const char *path);

/* Remove the temporary files (base/file.h: X.tmp-PID-N) in it whose writer is dead. For a directory that the
 * caller alone writes to. 0, also where it is no directory; negative with a message. */
int bex_folder_tidy(const char *path);

/* Is process `pid` of this machine, other than the caller, alive? */
bool bex_process_lives(long long pid);

#endif
