/* env/tabletop/init_states.c - the end of a zip archive, its directory, one pickle. */
#include "env/tabletop/init_states.h"

#include "base/error.h"
#include "base/file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20, ROWS = 100000, WIDTH = 10000 };

static unsigned long number(const unsigned char *p, int bytes) {
    unsigned long v = 0;
    for (int i = bytes - 1; i >= 0; i--) v = v << 8 | p[i];
    return v;
}

// the stored bytes of the entry that ends in /data.pkl
static int find_pickle(const unsigned char **out, size_t *length, const unsigned char *b,
                       size_t size) {
    static const char wanted[] = "data.pkl";
    size_t n = sizeof wanted - 1, end = size < 22 ? 0 : size - 22,
           least = size > 66000 ? size - 66000 : 0;
    while (end > least && number(b + end, 4) != 0x06054b50) end--;
    if (size < 22 || number(b + end, 4) != 0x06054b50)
        return bex_fail("no zip archive, or one cut off");
    size_t at = number(b + end + 16, 4), count = number(b + end + 10, 2);
    for (; count; count--) {
        if (at + 46 > size || number(b + at, 4) != 0x02014b50)
            return bex_fail("a damaged zip directory");
        size_t name = number(b + at + 28, 2), extra = number(b + at + 30, 2),
               note = number(b + at + 32, 2);
        if (at + 46 + name > size) return bex_fail("a damaged zip directory");
        if (name >= n && !memcmp(b + at + 46 + name - n, wanted, n)) {
            size_t header = number(b + at + 42, 4), stored = number(b + at + 20, 4);
            if (number(b + at + 10, 2))
                return bex_fail("its pickle is compressed; PyTorch stores it");
            if (header + 30 > size || number(b + header, 4) != 0x04034b50)
                return bex_fail("a damaged zip entry");
            size_t begin = header + 30 + number(b + header + 26, 2) + number(b + header + 28, 2);
            if (begin > size || stored > size - begin)
                return bex_fail("a zip entry that is cut off");
            *out = b + begin, *length = stored;
            return 0;
        }
        at += 46 + name + extra + note;
    }
    return bex_fail("no data.pkl in the archive");
}

// what a pickle of one array says
typedef struct pickle {
    long shape[2];
    bool shaped, doubles, little;
    const unsigned char *text; // of the array's bytes, as UTF-8 of latin-1
    size_t length;
} pickle;

static size_t line(const unsigned char *p, size_t left) {
    const unsigned char *end = memchr(p, '\n', left);
    return end ? (size_t)(end - p) + 1 : 0;
}

// behind GLOBAL: only what numpy's arrays are made of
static size_t take_global(const unsigned char *p, size_t left) {
    static const char *const allowed[] = {
        "numpy.core.multiarray\n_reconstruct\n", "numpy._core.multiarray\n_reconstruct\n",
        "numpy\nndarray\n", "numpy\ndtype\n", "_codecs\nencode\n"};
    size_t first = line(p, left), second = first ? line(p + first, left - first) : 0;
    for (size_t i = 0; second && i < sizeof allowed / sizeof *allowed; i++)
        if (first + second == strlen(allowed[i]) && !memcmp(p, allowed[i], first + second))
            return first + second;
    return 0;
}

static void take_text(pickle *k, const unsigned char *p, size_t n) {
    if (n == 2 && !memcmp(p, "f8", 2)) k->doubles = true;
    if (n == 1 && *p == '<') k->little = true;
    if (n > k->length) k->text = p, k->length = n;
}

// one opcode and what follows it; bytes used, 0: none of those that numpy writes
static size_t take(pickle *k, const unsigned char *p, size_t left, long last[2]) {
    size_t need = 1;
    switch (*p) {
    case 0x80:
    case 'q':
    case 'h':
        need = 2;
        break;
    case 'K':
        need = 2;
        break;
    case 'M':
        need = 3;
        break;
    case 'J':
    case 'r':
    case 'j':
        need = 5;
        break;
    case 'X':
        need = left >= 5 ? 5 + number(p + 1, 4) : 5;
        break;
    case 'c': {
        size_t n = take_global(p + 1, left - 1);
        return n ? 1 + n : 0;
    }
    case '(':
    case ')':
    case 't':
    case 0x85:
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 'N':
    case 'R':
    case 'b':
    case '.':
        break;
    default:
        return 0;
    }
    if (need > left) return 0;
    if (*p == 'K' || *p == 'M' || *p == 'J')
        last[0] = last[1], last[1] = *p == 'K'   ? (long)p[1]
                                     : *p == 'M' ? (long)number(p + 1, 2)
                                                 : (long)(int)number(p + 1, 4);
    if (*p == 'X') take_text(k, p + 5, need - 5);
    if (*p == 0x86 && !k->shaped && last[0] > 0 && last[1] > 0)
        k->shape[0] = last[0], k->shape[1] = last[1], k->shaped = true;
    return need;
}

static int read_pickle(pickle *k, const unsigned char *p, size_t size) {
    long last[2] = {-1, -1};
    *k = (pickle){.shaped = false};
    for (size_t at = 0; at < size;) {
        bool end = p[at] == '.';
        size_t n = take(k, p + at, size - at, last);
        if (!n) return bex_fail("a pickle of something else than one numpy array (byte %zu)", at);
        at += n;
        if (!end) continue;
        if (!k->shaped || !k->doubles || !k->little)
            return bex_fail("not a two-dimensional array of little-endian doubles");
        return 0;
    }
    return bex_fail("a pickle that is cut off");
}

// code points below 256, one or two bytes each, back into bytes
static int decode(unsigned char *out, size_t want, const unsigned char *p, size_t n) {
    size_t made = 0;
    for (size_t i = 0; i < n; made++) {
        bool two = (p[i] == 0xc2 || p[i] == 0xc3) && i + 1 < n && (p[i + 1] & 0xc0) == 0x80;
        if (made == want || (p[i] >= 0x80 && !two))
            return bex_fail("the array's bytes do not fit its shape");
        out[made] = two ? (unsigned char)((p[i] & 3) << 6 | (p[i + 1] & 0x3f)) : p[i];
        i += two ? 2 : 1;
    }
    return made == want ? 0 : bex_fail("the array's bytes do not fit its shape");
}

int bex_init_states_read(bex_init_states *out, const unsigned char *bytes, size_t size,
                         const char *name) {
    const unsigned char *data = NULL;
    size_t length = 0;
    pickle k;
    *out = (bex_init_states){0};
    if (find_pickle(&data, &length, bytes, size) < 0 || read_pickle(&k, data, length) < 0)
        return bex_fail_in("%s", name);
    if (k.shape[0] > ROWS || k.shape[1] > WIDTH)
        return bex_fail("%s: %ld states of %ld numbers", name, k.shape[0], k.shape[1]);
    size_t n = (size_t)k.shape[0] * (size_t)k.shape[1];
    if (n * sizeof(double) > k.length)
        return bex_fail("%s: the array's bytes do not fit its shape", name);
    out->state = malloc(n * sizeof *out->state);
    if (!out->state) return bex_fail("out of memory");
    int code = decode((unsigned char *)out->state, n * sizeof *out->state, k.text, k.length);
    for (size_t i = 0; i < n && code == 0; i++)
        if (!isfinite(out->state[i]))
            code = bex_fail("state %zu is not finite", i / (size_t)k.shape[1]);
    if (code < 0) return bex_init_states_fini(out), bex_fail_in("%s", name);
    out->rows = (int)k.shape[0], out->width = (int)k.shape[1];
    return 0;
}

int bex_init_states_load(bex_init_states *out, const char *path) {
    char *bytes;
    size_t size;
    *out = (bex_init_states){0};
    if (bex_file_read(&bytes, &size, path, LARGEST) < 0) return -1;
    int code = bex_init_states_read(out, (const unsigned char *)bytes, size, path);
    free(bytes);
    return code;
}

void bex_init_states_fini(bex_init_states *s) {
    free(s->state);
    *s = (bex_init_states){0};
}
