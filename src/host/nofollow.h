/* host/nofollow.h - files of a directory of ours, which may come from strangers: a symbolic link in it must
 * not lead what is written elsewhere. */
#ifndef BEX_HOST_NOFOLLOW_H
#define BEX_HOST_NOFOLLOW_H

/* open(path, flags, 0666) that refuses a symbolic link as the last part. A descriptor, or negative with a
 * message:
 * "cannot write 'x': why". */
int bex_open_nofollow(const char *path, int flags);

/* 0 if a directory is there, or nothing; negative with a message: a link, or another kind of file. */
int bex_folder_nofollow(const char *path);

#endif
