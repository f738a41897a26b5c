/* agent/sight/features.c - computed in pieces on all threads, written beside the name and renamed. */
#include "agent/sight/features.h"

#include "agent/sight/pixels.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 16,  // frames
    PROBES = 256 // pictures that a file of features is known by
};

typedef struct header {
    char magic[16];
    uint64_t of;    // what they were made of
    uint64_t count; // reals
} header;

struct bex_features {
    size_t frame; // reals of a frame
    const bex_real *value;
    bex_real *owned; // in memory; else mapped
    void *mapped;
    size_t size;
    int owners;
};

// FNV-1a over eight bytes at a time
static uint64_t mix(uint64_t h, const void *bytes, size_t n) {
    const unsigned char *p = bytes;
    for (uint64_t word; n; p += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        word = 0;
        memcpy(&word, p, n < 8 ? n : 8);
        h = (h ^ word) * 0x100000001b3ull;
        h ^= h >> 29;
    }
    return h;
}

// pictures spread over all there are: the same states may have been drawn anew, or cut to size elsewhere
static int mix_pictures(uint64_t *h, bex_pictures *p) {
    int cameras = bex_pictures_cameras(p)->count, frames = bex_pictures_frames(p);
    int n = PROBES / cameras < frames ? PROBES / cameras : frames;
    size_t bytes = bex_picture_bytes(bex_pictures_height(p), bex_pictures_width(p));
    unsigned char *picture = malloc(bytes);
    int code = picture ? 0 : bex_fail("out of memory");
    for (int i = 0; i < n && code == 0; i++)
        for (int c = 0; c < cameras && code == 0; c++) {
            code = bex_pictures_read(p, (int)((int64_t)i * frames / n), c, picture);
            if (code == 0) *h = mix(*h, picture, bytes);
        }
    free(picture);
    return code;
}

static int header_of(header *out, const bex_policy *p, const bex_dataset *d, size_t frame) {
    const bex_params *w = bex_policy_sight(p);
    header h = {.magic = "bex-features-2", .of = 0xcbf29ce484222325ull};
    h.count = frame * (uint64_t)bex_pictures_frames(d->pictures);
    h.of = mix(h.of, w->value, w->count * sizeof *w->value);
    h.of = mix(h.of, &p->vision.o, sizeof p->vision.o);
    h.of = mix(h.of, p->config.vision.images, strlen(p->config.vision.images));
    h.of = mix(h.of, &p->config.vision.flip, sizeof p->config.vision.flip);
    h.of = mix(h.of, d->observations, (size_t)d->rows * (size_t)d->O * sizeof *d->observations);
    h.of = mix(h.of, d->actions, (size_t)d->rows * (size_t)d->A * sizeof *d->actions);
    *out = h;
    return mix_pictures(&out->of, d->pictures);
}

/* ---- computing ---- */

typedef struct {
    const bex_policy *policy;
    bex_pictures *pictures;
    bex_arena **arena; // (threads)
    bex_real *out;
    size_t frame;
} job;

static int piece(long number, int worker, void *payload) {
    const job *j = payload;
    const bex_vision *v = &j->policy->vision;
    int all = bex_pictures_frames(j->pictures), first = (int)number * PIECE, frames[PIECE];
    int B = all - first < PIECE ? all - first : PIECE;
    bex_tape tape;
    bex_tape_init(&tape, j->arena[worker]);
    bex_tape_reset(&tape);
    for (int i = 0; i < B; i++) frames[i] = first + i;
    bex_tensor *seen[BEX_CAMERAS];
    bex_real *pixels = bex_scratch(&tape, (size_t)(v->o.cameras * B) * bex_vision_picture(v));
    bex_pixels_request q = {.pictures = j->pictures, .frames = frames, .B = B};
    if (bex_pixels_gather(pixels, tape.arena, &q) < 0) return -1;
    bex_vision_run(&tape, v, pixels, B, seen);
    size_t one = (size_t)v->places * (size_t)v->features;
    for (int i = 0; i < B; i++)
        for (int c = 0; c < v->o.cameras; c++)
            memcpy(j->out + (size_t)(first + i) * j->frame + (size_t)c * one,
                   seen[c]->data + (size_t)i * one, one * sizeof *j->out);
    return 0;
}

static int compute(bex_real *out, const bex_policy *p, const bex_dataset *d, size_t frame,
                   int threads) {
    int n = threads ? threads : bex_parallel_threads(), code = 0;
    long pieces = (bex_pictures_frames(d->pictures) + PIECE - 1) / PIECE;
    job j = {.policy = p, .pictures = d->pictures, .out = out, .frame = frame};
    j.arena = calloc((size_t)n, sizeof *j.arena);
    if (!j.arena) return bex_fail("out of memory");
    for (int i = 0; i < n && code == 0; i++) code = (j.arena[i] = bex_arena_new()) ? 0 : -1;
    if (code == 0) code = bex_params_pack(bex_policy_sight(p), n);
    if (code == 0) code = bex_try_parallel(n, pieces, piece, &j);
    for (int i = 0; i < n; i++) bex_arena_free(j.arena[i]);
    free(j.arena);
    return code;
}

/* ---- files ---- */

// the file's features, if they are these; false without a message
static bool map(bex_features *f, const char *path, const header *h) {
    header there;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    size_t size = sizeof there + (size_t)h->count * sizeof(bex_real);
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                (uint64_t)st.st_size == size && read(fd, &there, sizeof there) == sizeof there &&
                memcmp(&there, h, sizeof there) == 0;
    void *at = good ? mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
    if (fd >= 0) close(fd);
    if (at == MAP_FAILED) return false;
    f->mapped = at, f->size = size;
    f->value = (const bex_real *)(const void *)((const char *)at + sizeof there);
    return true;
}

// a file of this size under a temporary name, mapped, filled, renamed
static int write_file(const char *path, const header *h, const bex_policy *p, const bex_dataset *d,
                      size_t frame, int threads) {
    bex_file_out out;
    size_t size = sizeof *h + (size_t)h->count * sizeof(bex_real);
    if (bex_file_create(&out, path, 1) < 0) return -1;
    int fd = open(out.temporary, O_RDWR | O_CLOEXEC);
    int code = fd >= 0 && posix_fallocate(fd, 0, (off_t)size) == 0
                   ? 0
                   : bex_fail("'%s': no room for %.1f GB of features", path, (double)size / 1e9);
    void *at = code ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (code == 0 && at == MAP_FAILED) code = bex_fail("'%s' cannot be mapped", path);
    if (code == 0) {
        memcpy(at, h, sizeof *h);
        code = compute((bex_real *)(void *)((char *)at + sizeof *h), p, d, frame, threads);
    }
    if (at != MAP_FAILED) munmap(at, size);
    if (fd >= 0) close(fd);
    if (code == 0) return bex_file_commit(&out);
    bex_file_discard(&out);
    return -1;
}

static int in_memory(bex_features *f, const header *h, const bex_policy *p, const bex_dataset *d,
                     int threads) {
    f->owned = malloc((size_t)h->count * sizeof *f->owned + 1);
    if (!f->owned) return bex_fail("out of memory: %.1f GB of features", (double)h->count * 4e-9);
    f->value = f->owned;
    return compute(f->owned, p, d, f->frame, threads);
}

bex_features *bex_features_new(const bex_policy *p, const bex_dataset *d, const char *path,
                               int threads) {
    bex_features *f = calloc(1, sizeof *f);
    if (!f) return bex_fail("out of memory"), NULL;
    f->owners = 1;
    f->frame = (size_t)(p->vision.o.cameras * p->vision.places) * (size_t)p->vision.features;
    header h;
    int code = header_of(&h, p, d, f->frame);
    if (code == 0 && !path)
        code = in_memory(f, &h, p, d, threads);
    else if (code == 0 && !map(f, path, &h)) {
        code = write_file(path, &h, p, d, f->frame, threads);
        if (code == 0 && !map(f, path, &h)) code = bex_fail("'%s' cannot be read", path);
    }
    if (code == 0) return f;
    bex_features_free(f);
    return NULL;
}

bex_features *bex_features_share(bex_features *f) {
    if (f) f->owners++;
    return f;
}

void bex_features_free(bex_features *f) {
    if (!f || --f->owners > 0) return;
    if (f->mapped) munmap(f->mapped, f->size);
    free(f->owned);
    free(f);
}

const bex_real *bex_features_at(const bex_features *f, int frame) {
    return f->value + (size_t)frame * f->frame;
}
