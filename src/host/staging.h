/* host/staging.h - a directory that appears at its place whole or not at all, of one among many that try.
 *
 *     PATH.new-PID         being filled, its lock held (host/lock.h)
 *     PATH.replaced-PID    what was at PATH, while the new one takes its place
 *
 *     bex_staging s;
 *     if (bex_staging_begin(&s, path, "run") < 0) ...
 *     ... write files into s.fresh ...
 *     if (bex_staging_publish(&s, replace) < 0) ...    now at PATH, by rename; negative: somebody was faster
 *     bex_staging_end(&s);                             what was replaced is removed
 *     bex_staging_undo(&s);                            instead, at any time: all as before
 *
 * Only what this process made is ever removed, and what a dead one left (bex_staging_tidy). */
#ifndef BEX_HOST_STAGING_H
#define BEX_HOST_STAGING_H

#include "base/path.h"

#include <stdbool.h>

typedef struct bex_staging {
    char path[BEX_PATH_SIZE];  // where it will be
    char fresh[BEX_PATH_SIZE]; // where it is made; "" once it is in its place
    char aside[BEX_PATH_SIZE]; // what it replaced; "": nothing
    int lock;                  // of the new directory, the caller's to close; -1: none
    bool published;
} bex_staging;

/* Parents of PATH are made. what: "run", for messages. 0, or negative with a message, and nothing is left. */
int bex_staging_begin(bex_staging *s, const char *path, const char *what);

/* replace: what is at PATH gives way; the caller holds its lock. Otherwise only an empty directory does.
 * Negative with a message; then undo it. */
int bex_staging_publish(bex_staging *s, bool replace);

void bex_staging_end(bex_staging *s);
void bex_staging_undo(bex_staging *s); // also closes the lock; the message stays

/* What dead processes left beside PATH: half-made directories go; a replaced one is put back if PATH is free;
 * if PATH is `whole` it stays, and the log names it. 0, or negative with a message: somebody is replacing it
 * now. */
int bex_staging_tidy(const char *path, const char *what, bool whole);

/* Was a directory for PATH begun, and cut off by a kill? For a message. */
bool bex_staging_left(const char *path);

#endif
