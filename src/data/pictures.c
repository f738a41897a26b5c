/* data/pictures.c - pieces of files, and a store of what was decoded.
 *
 * A frame's place in the store is claimed once and never given up. Files in HDF5's chunks are read under one
 * lock (libhdf5 is not thread safe) and a whole band at a time; plain ones by pread, side by side. */
#include "data/pictures.h"

#include "base/error.h"
#include "data/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_OPEN = 16, MOST_FRAMES = 1 << 30 };

typedef struct file {
    char *path;
    int fd;       // -1: not open
    bex_h5 *hdf5; // NULL: not open
    long used;    // when hdf5 was last
} file;

// frames first .. first + rows - 1
typedef struct piece {
    int file, first, rows; // file -1: in memory
    struct {
        char *key;
        bex_h5_pictures stored;
    } camera[BEX_CAMERAS];
    unsigned char *memory; // (rows, cameras, height, width, 3), ready
} piece;

// room to decode in, of which there are as many as threads that read at once
typedef struct room {
    struct room *next;
    size_t size;
    unsigned char bytes[];
} room;

struct bex_pictures {
    bex_names cameras;
    bex_pictures_options o;
    int height, width;
    size_t bytes; // of a picture
    atomic_int owners;
    file *file;
    int files;
    piece *piece;
    int pieces, frames;

    pthread_mutex_t lock; // of libhdf5, of files being opened
    pthread_mutex_t rooms_lock;
    room *rooms;
    long clock;

    // the store: made by the first read
    atomic_bool ready;
    atomic_int *place; // (frames, cameras) 0: not there; else number + 1 in `kept`
    unsigned char *kept;
    size_t kept_bytes;
    int capacity;
    atomic_int claimed;
};

/* ---- making ---- */

static int copy_names(bex_names *to, const bex_names *from) {
    for (int i = 0; i < from->count; i++)
        if (bex_names_push(to, from->text[i]) < 0) return -1;
    return 0;
}

bex_pictures *bex_pictures_new(const bex_names *cameras, int height, int width,
                               const bex_pictures_options *o) {
    if (cameras->count < 1 || cameras->count > BEX_CAMERAS)
        return bex_fail("%d cameras, 1 to %d are possible", cameras->count, BEX_CAMERAS), NULL;
    bex_pictures *p = calloc(1, sizeof *p);
    if (!p) return bex_fail("out of memory"), NULL;
    p->o = *o;
    if (!p->o.memory) p->o.memory = BEX_PICTURES_MEMORY;
    p->height = o->size ? o->size : height;
    p->width = o->size ? o->size : width;
    p->bytes = bex_picture_bytes(p->height, p->width);
    p->owners = 1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_init(&p->rooms_lock, NULL);
    if (copy_names(&p->cameras, cameras) == 0) return p;
    bex_pictures_free(p);
    return NULL;
}

bex_pictures *bex_pictures_share(bex_pictures *p) {
    if (p) p->owners++;
    return p;
}

void bex_pictures_free(bex_pictures *p) {
    if (!p || --p->owners > 0) return;
    for (int i = 0; i < p->files; i++) {
        if (p->file[i].fd >= 0) close(p->file[i].fd);
        bex_h5_close(p->file[i].hdf5);
        free(p->file[i].path);
    }
    for (int i = 0; i < p->pieces; i++) {
        for (int c = 0; c < BEX_CAMERAS; c++) free(p->piece[i].camera[c].key);
        free(p->piece[i].memory);
    }
    for (room *r = p->rooms, *next; r; r = next) next = r->next, free(r);
    if (p->kept) munmap(p->kept, p->kept_bytes);
    free((void *)p->place);
    free(p->file);
    free(p->piece);
    bex_names_fini(&p->cameras);
    pthread_mutex_destroy(&p->lock);
    pthread_mutex_destroy(&p->rooms_lock);
    free(p);
}

static int file_of(bex_pictures *p, const char *path) {
    for (int i = p->files - 1; i >= 0; i--)
        if (!strcmp(p->file[i].path, path)) return i;
    file *more = realloc(p->file, ((size_t)p->files + 1) * sizeof *more);
    if (more) p->file = more;
    char *copy = strdup(path);
    if (!more || !copy) return free(copy), bex_fail("out of memory");
    p->file[p->files] = (file){.path = copy, .fd = -1};
    return p->files++;
}

// room for one more, zero; NULL with a message
static piece *piece_new(bex_pictures *p, int rows) {
    BEX_CHECK(!p->ready, "frames added to pictures that are being read");
    if (rows > MOST_FRAMES - p->frames) return bex_fail("absurd number of pictures"), NULL;
    if (!(p->pieces & (p->pieces - 1))) {
        piece *more = realloc(p->piece, (p->pieces ? 2 * (size_t)p->pieces : 1) * sizeof *more);
        if (!more) return bex_fail("out of memory"), NULL;
        p->piece = more;
    }
    piece *q = &p->piece[p->pieces];
    *q = (piece){.file = -1, .first = p->frames, .rows = rows};
    return q;
}

static int piece_done(bex_pictures *p, const piece *q) {
    p->pieces++;
    p->frames += q->rows;
    return q->first;
}

int bex_pictures_add(bex_pictures *p, const char *path, const char *const *keys,
                     const bex_h5_pictures *found) {
    int number = file_of(p, path);
    piece *q = number < 0 ? NULL : piece_new(p, found[0].rows);
    if (!q) return -1;
    q->file = number;
    for (int c = 0; c < p->cameras.count; c++) {
        BEX_CHECK(found[c].rows == q->rows, "cameras of %d and %d frames", found[c].rows, q->rows);
        q->camera[c].stored = found[c];
        q->camera[c].key = strdup(keys[c]);
        if (q->camera[c].key) continue;
        while (c--) free(q->camera[c].key);
        return bex_fail("out of memory");
    }
    return piece_done(p, q);
}

// turned and resized; `room` holds bytes_to_make()
static void make(const bex_pictures *p, unsigned char *out, const unsigned char *in, int h, int w,
                 unsigned char *space) {
    bex_picture_flip(space, in, h, w, p->o.flip);
    bex_picture_resize(out, p->height, p->width, space, h, w, space + bex_picture_bytes(h, w));
}

static size_t bytes_to_make(const bex_pictures *p, int h, int w) {
    return bex_picture_bytes(h, w) + bex_picture_scratch(h, p->width);
}

int bex_pictures_add_memory(bex_pictures *p, const unsigned char *in, int n, int h, int w) {
    piece *q = piece_new(p, n);
    if (!q) return -1;
    size_t all = (size_t)n * (size_t)p->cameras.count;
    unsigned char *space = malloc(bytes_to_make(p, h, w));
    q->memory = malloc(all * p->bytes + 1);
    if (!q->memory || !space) {
        free(q->memory), free(space);
        return bex_fail("out of memory: %d pictures", n);
    }
    for (size_t i = 0; i < all; i++)
        make(p, q->memory + i * p->bytes, in + i * bex_picture_bytes(h, w), h, w, space);
    free(space);
    return piece_done(p, q);
}

int bex_pictures_append(bex_pictures *p, const bex_pictures *o) {
    int first = p->frames;
    if (o->height != p->height || o->width != p->width || o->cameras.count != p->cameras.count)
        return bex_fail("%d cameras of %d x %d pixels, those before are %d of %d x %d",
                        o->cameras.count, o->height, o->width, p->cameras.count, p->height,
                        p->width);
    for (int c = 0; c < p->cameras.count; c++)
        if (strcmp(p->cameras.text[c], o->cameras.text[c]))
            return bex_fail("camera %d is '%s', in the files before '%s'", c, o->cameras.text[c],
                            p->cameras.text[c]);
    for (int i = 0; i < o->pieces; i++) {
        const piece *q = &o->piece[i];
        int code;
        if (q->file < 0) {
            bex_pictures_options turned = p->o;
            p->o.flip = BEX_FLIP_NONE; // they are as they should be
            code = bex_pictures_add_memory(p, q->memory, q->rows, p->height, p->width);
            p->o = turned;
        } else {
            const char *keys[BEX_CAMERAS] = {NULL};
            bex_h5_pictures found[BEX_CAMERAS];
            for (int c = 0; c < p->cameras.count; c++)
                keys[c] = q->camera[c].key, found[c] = q->camera[c].stored;
            code = bex_pictures_add(p, o->file[q->file].path, keys, found);
        }
        if (code < 0) return -1;
    }
    return first;
}

int bex_pictures_frames(const bex_pictures *p) {
    return p->frames;
}
const bex_names *bex_pictures_cameras(const bex_pictures *p) {
    return &p->cameras;
}
int bex_pictures_height(const bex_pictures *p) {
    return p->height;
}
int bex_pictures_width(const bex_pictures *p) {
    return p->width;
}

void bex_pictures_stored(const bex_pictures *p, int camera, int *height, int *width) {
    bool stored = p->pieces && p->piece[0].file >= 0;
    *height = stored ? p->piece[0].camera[camera].stored.height : p->height;
    *width = stored ? p->piece[0].camera[camera].stored.width : p->width;
}

/* ---- the store ---- */

// once, by whoever reads first
static int make_store(bex_pictures *p) {
    size_t all = (size_t)p->frames * (size_t)p->cameras.count, fit = p->o.memory / p->bytes;
    if (fit > all) fit = all;
    p->place = calloc(all + 1, sizeof *p->place);
    if (!p->place) return bex_fail("out of memory: %d pictures", p->frames);
    p->kept_bytes = fit * p->bytes;
    void *kept = fit ? mmap(NULL, p->kept_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                     : MAP_FAILED;
    if (kept != MAP_FAILED) p->kept = kept, p->capacity = (int)fit; // without: all is decoded anew
    return 0;
}

static int begin(bex_pictures *p) {
    if (p->ready) return 0;
    pthread_mutex_lock(&p->lock);
    int code = p->ready ? 0 : make_store(p);
    if (code == 0) p->ready = true;
    pthread_mutex_unlock(&p->lock);
    return code;
}

static void keep(bex_pictures *p, int frame, int camera, const unsigned char *picture) {
    atomic_int *place = &p->place[(size_t)frame * (size_t)p->cameras.count + (size_t)camera];
    if (*place || p->claimed >= p->capacity) return;
    int number = p->claimed++;
    if (number >= p->capacity) return;
    memcpy(p->kept + (size_t)number * p->bytes, picture, p->bytes);
    *place = number + 1;
}

static const unsigned char *kept(bex_pictures *p, int frame, int camera) {
    int number = p->place[(size_t)frame * (size_t)p->cameras.count + (size_t)camera];
    return number ? p->kept + (size_t)(number - 1) * p->bytes : NULL;
}

/* ---- decoding ---- */

static room *take_room(bex_pictures *p, size_t size) {
    pthread_mutex_lock(&p->rooms_lock);
    room *r = p->rooms;
    if (r) p->rooms = r->next;
    pthread_mutex_unlock(&p->rooms_lock);
    if (r && r->size >= size) return r;
    free(r);
    r = malloc(sizeof *r + size);
    if (!r) return bex_fail("out of memory: %zu bytes to decode a picture", size), NULL;
    r->size = size;
    return r;
}

static void give_room(bex_pictures *p, room *r) {
    pthread_mutex_lock(&p->rooms_lock);
    r->next = p->rooms;
    p->rooms = r;
    pthread_mutex_unlock(&p->rooms_lock);
}

static int open_plain(bex_pictures *p, file *f) {
    pthread_mutex_lock(&p->lock);
    if (f->fd < 0) f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
    int fd = f->fd;
    pthread_mutex_unlock(&p->lock);
    return fd < 0 ? bex_fail("cannot be opened: %s", strerror(errno)) : fd;
}

static int read_plain(bex_pictures *p, const piece *q, int camera, int row, unsigned char *to) {
    const bex_h5_pictures *s = &q->camera[camera].stored;
    size_t size = bex_picture_bytes(s->height, s->width), done = 0;
    off_t at = (off_t)s->at + (off_t)row * (off_t)size;
    int fd = open_plain(p, &p->file[q->file]);
    if (fd < 0) return -1;
    while (done < size) {
        ssize_t n = pread(fd, to + done, size - done, at + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return bex_fail("'%s': picture %d cannot be read: %s", q->camera[camera].key, row,
                            n < 0 ? strerror(errno) : "the file ends before it");
        done += (size_t)n;
    }
    return 0;
}

// held by the lock. At most MOST_OPEN are open
static int open_hdf5(bex_pictures *p, file *f) {
    f->used = ++p->clock;
    if (f->hdf5) return 0;
    file *oldest = NULL;
    int open = 0;
    for (int i = 0; i < p->files; i++) {
        if (!p->file[i].hdf5) continue;
        open++;
        if (!oldest || p->file[i].used < oldest->used) oldest = &p->file[i];
    }
    if (open >= MOST_OPEN) bex_h5_close(oldest->hdf5), oldest->hdf5 = NULL;
    return bex_h5_open(&f->hdf5, f->path);
}

// the band of a row, all of it kept as far as there is room, the row itself to out
static int read_band(bex_pictures *p, const piece *q, int camera, int row, unsigned char *out,
                     unsigned char *space) {
    const bex_h5_pictures *s = &q->camera[camera].stored;
    size_t size = bex_picture_bytes(s->height, s->width);
    int first = row / s->band * s->band, n = s->rows - first < s->band ? s->rows - first : s->band;
    unsigned char *band = space + bytes_to_make(p, s->height, s->width),
                  *one = band + size * (size_t)s->band;
    pthread_mutex_lock(&p->lock);
    int code = open_hdf5(p, &p->file[q->file]);
    if (code == 0)
        code = bex_h5_read_pictures(p->file[q->file].hdf5, q->camera[camera].key, first, n, band);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < n && code == 0; i++) {
        if (first + i != row && p->claimed >= p->capacity) continue;
        make(p, one, band + (size_t)i * size, s->height, s->width, space);
        keep(p, q->first + first + i, camera, one);
        if (first + i == row) memcpy(out, one, p->bytes);
    }
    return code;
}

static const piece *piece_of(const bex_pictures *p, int frame) {
    int low = 0, high = p->pieces - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (p->piece[middle].first <= frame)
            low = middle;
        else
            high = middle - 1;
    }
    return &p->piece[low];
}

static int decode(bex_pictures *p, const piece *q, int frame, int camera, unsigned char *out) {
    const bex_h5_pictures *s = &q->camera[camera].stored;
    size_t size = bex_picture_bytes(s->height, s->width);
    size_t need = bytes_to_make(p, s->height, s->width) + size * (size_t)s->band + p->bytes;
    room *r = take_room(p, need);
    if (!r) return -1;
    int code, row = frame - q->first;
    if (s->at < 0) {
        code = read_band(p, q, camera, row, out, r->bytes);
    } else {
        unsigned char *raw = r->bytes + bytes_to_make(p, s->height, s->width);
        code = read_plain(p, q, camera, row, raw);
        if (code == 0) make(p, out, raw, s->height, s->width, r->bytes);
        if (code == 0) keep(p, frame, camera, out);
    }
    give_room(p, r);
    return code < 0 ? bex_fail_in("data '%s'", p->file[q->file].path) : 0;
}

int bex_pictures_read(bex_pictures *p, int frame, int camera, unsigned char *out) {
    BEX_CHECK(frame >= 0 && frame < p->frames && camera >= 0 && camera < p->cameras.count,
              "frame %d of %d, camera %d of %d", frame, p->frames, camera, p->cameras.count);
    const piece *q = piece_of(p, frame);
    if (q->memory) {
        size_t at = (size_t)(frame - q->first) * (size_t)p->cameras.count + (size_t)camera;
        memcpy(out, q->memory + at * p->bytes, p->bytes);
        return 0;
    }
    if (begin(p) < 0) return -1;
    const unsigned char *there = kept(p, frame, camera);
    if (!there) return decode(p, q, frame, camera, out);
    memcpy(out, there, p->bytes);
    return 0;
}
