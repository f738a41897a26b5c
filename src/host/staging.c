#include "host/staging.h"

#include "base/log.h"
#include "base/number.h"
#include "host/folder.h"
#include "host/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char FRESH[] = ".new-", ASIDE[] = ".replaced-";

// the directory above PATH, and PATH's own name
static int split(char above[BEX_PATH_SIZE], const char **name, const char *path) {
    const char *slash = strrchr(path, '/');
    *name = slash ? slash + 1 : path;
    if (!slash) return bex_path_print(above, ".");
    return bex_path_print(above, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* ---- one of our own ---- */
int bex_staging_begin(bex_staging *s, const char *path, const char *what) {
    char above[BEX_PATH_SIZE];
    const char *name;
    *s = (bex_staging){.lock = -1};
    if (bex_path_print(s->path, "%s", path) < 0 || split(above, &name, path) < 0 ||
        bex_path_print(s->fresh, "%s%s%d", path, FRESH, (int)getpid()) < 0)
        return -1;
    // a process of this number left it: tidy found its lock free
    if (bex_folder_make(above) < 0 || bex_folder_make(s->fresh) < 0) return -1;
    if ((s->lock = bex_lock_take(s->fresh, what)) >= 0) return 0;
    bex_staging_undo(s);
    return -1;
}

static int refuse(const bex_staging *s, int why) {
    switch (why) {
    case ENOTEMPTY:
    case EEXIST:
        bex_fail("'%s' exists", s->path);
        return bex_fail_hint("another process has just made it");
    case EBUSY:
    case EINVAL:
    case EXDEV:
        bex_fail("'%s' is a mount point or where the program runs", s->path);
        return bex_fail_hint("name a directory in it");
    default:
        return bex_fail("cannot make '%s': %s", s->path, strerror(why));
    }
}

int bex_staging_publish(bex_staging *s, bool replace) {
    char above[BEX_PATH_SIZE], aside[BEX_PATH_SIZE];
    const char *name;
    if (split(above, &name, s->path) < 0 || bex_folder_sync(s->fresh) < 0) return -1;
    if (replace) {
        if (bex_path_print(aside, "%s%s%d", s->path, ASIDE, (int)getpid()) < 0) return -1;
        if (rename(s->path, aside) < 0)
            return bex_fail("cannot replace '%s': %s", s->path, strerror(errno));
        strcpy(s->aside, aside);
    }
    if (rename(s->fresh, s->path) < 0) return refuse(s, errno);
    s->fresh[0] = 0, s->published = true;
    return bex_folder_sync(above);
}

// under the name of what is worthless first: half removed it must not look like anything else
static void discard(const bex_staging *s, const char *folder) {
    char worthless[BEX_PATH_SIZE];
    if (bex_path_print(worthless, "%s%s%d", s->path, FRESH, (int)getpid()) < 0) return;
    // what cannot be removed is in nobody's way
    if (!strcmp(folder, worthless) || rename(folder, worthless) == 0) bex_folder_remove(worthless);
}

void bex_staging_end(bex_staging *s) {
    if (*s->aside) discard(s, s->aside);
    s->aside[0] = 0;
}

void bex_staging_undo(bex_staging *s) {
    char why[1024];
    snprintf(why, sizeof why, "%s", bex_error());
    // published or not, it is ours: its lock is held
    if (s->published || *s->fresh) discard(s, s->published ? s->path : s->fresh);
    if (s->lock >= 0) close(s->lock);
    if (*s->aside && rename(s->aside, s->path) < 0)
        bex_fail("%s (what was at '%s' is now '%s')", why, s->path, s->aside);
    else
        bex_fail("%s", why);
    *s = (bex_staging){.lock = -1};
}

/* ---- those of the dead ---- */
// entry is NAME<mark>PID: the process, else -1
static long long owner(const char *entry, const char *name, const char *mark) {
    size_t n = strlen(name), m = strlen(mark);
    long long pid;
    if (strncmp(entry, name, n) != 0 || strncmp(entry + n, mark, m) != 0) return -1;
    const char *digits = entry + n + m;
    if (!*digits || strspn(digits, "0123456789") != strlen(digits)) return -1;
    return bex_integer_parse(&pid, digits) < 0 ? -1 : pid;
}

// half-made: nobody has its lock, nobody will miss it
static int drop_fresh(const char *folder, const char *what, long long pid) {
    if (bex_process_lives(pid)) return 0;
    int lock = bex_lock_take(folder, what);
    if (lock < 0) return bex_error_clear(), 0;
    int code = bex_folder_remove(folder);
    close(lock);
    return code;
}

static int settle_aside(const char *folder, const char *path, const char *what, bool whole) {
    int lock = bex_lock_take(folder, what), code = 0;
    if (lock < 0) return bex_fail_in("'%s' is being replaced", path);
    if (whole)
        bex_log(BEX_LOG_WARN, "'%s' is what '%s' replaced, whole; remove it yourself", folder,
                path);
    else if (rename(folder, path) < 0 && errno != ENOTEMPTY && errno != EEXIST)
        code = bex_fail("cannot put '%s' back to '%s': %s", folder, path, strerror(errno));
    close(lock);
    return code;
}

// every directory of the kinds above: with_each < 0 ends it
static int each(const char *path,
                int (*with)(const char *folder, bool fresh, long long pid, void *), void *payload) {
    char above[BEX_PATH_SIZE], folder[BEX_PATH_SIZE], **names;
    const char *name;
    if (split(above, &name, path) < 0) return -1;
    if (!bex_folder_exists(above)) return 0;
    int count = bex_folder_list(&names, above), code = count < 0 ? -1 : 0;
    for (int i = 0; i < count && code == 0; i++) {
        long long fresh = owner(names[i], name, FRESH), aside = owner(names[i], name, ASIDE);
        if (fresh < 0 && aside < 0) continue;
        code = bex_path_join(folder, above, "%s", names[i]);
        if (code == 0 && bex_folder_exists(folder))
            code = with(folder, fresh >= 0, fresh >= 0 ? fresh : aside, payload);
    }
    free(names);
    return code;
}

typedef struct place {
    const char *path, *what;
    bool whole;
} place;

static int tidy(const char *folder, bool fresh, long long pid, void *payload) {
    const place *p = payload;
    return fresh ? drop_fresh(folder, p->what, pid)
                 : settle_aside(folder, p->path, p->what, p->whole);
}

int bex_staging_tidy(const char *path, const char *what, bool whole) {
    place p = {path, what, whole};
    return each(path, tidy, &p);
}

static int found(const char *folder, bool fresh, long long pid, void *payload) {
    (void)folder, (void)pid;
    if (fresh) *(bool *)payload = true;
    return 0;
}

bool bex_staging_left(const char *path) {
    bool any = false;
    each(path, found, &any);
    return any;
}
