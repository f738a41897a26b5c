/* libFuzzer target: any bytes are either a file whose tensors can all be read, or one clear line.
 *
 * Mutation keeps the length prefix true most of the time: otherwise hardly an input would pass the
 * first check. Also checked: the tensors tile the data, find returns what at gave, a header survives
 * writing. */
#include "nn/safetensors.h"

#include "base/error.h"
#include "fuzz/fuzz.h"
#include "nn/safetensors_header.h"

#include <string.h>

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);

static void read_tensor(const bex_st_file *f, const bex_st_tensor *t) {
    // exactly as large as promised, so that AddressSanitizer sees one element too many
    bex_real *real = malloc(t->count * sizeof *real);
    double *wide = malloc(t->count * sizeof *wide);
    void *same = malloc(t->count * bex_st_dtype_size(t->dtype));
    demand(real && wide && same);
    demand(bex_st_read(f, t->name, t->dtype, same, t->rank, t->dim) == 0);
    bex_error_clear();
    if (bex_st_read_real(f, t->name, real, t->rank, t->dim) < 0) demand(is_one_line(bex_error()));
    if (bex_st_read_f64(f, t->name, wide, t->rank, t->dim) < 0) demand(is_one_line(bex_error()));
    free(real);
    free(wide);
    free(same);
}

// a header that could be read is written as text that reads the same
static void check_header(const uint8_t *text, size_t size) {
    bex_st_header a, b;
    demand(bex_st_header_read(&a, (const char *)text, size) == 0);
    char *written = bex_st_header_write(a.entries, a.count, a.pairs, a.pair_count);
    demand(written != NULL && bex_st_header_read(&b, written, strlen(written)) == 0);
    char *again = bex_st_header_write(b.entries, b.count, b.pairs, b.pair_count);
    demand(again != NULL && !strcmp(written, again));
    free(written);
    free(again);
    bex_st_header_free(&a);
    bex_st_header_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    bex_error_clear();
    bex_st_file *f = bex_st_parse(bytes, size, "fuzz");
    if (!f) {
        demand(is_one_line(bex_error()) && !strncmp(bex_error(), "fuzz: ", 6));
        return 0;
    }
    uint64_t header;
    memcpy(&header, bytes, sizeof header);
    size_t total = 8 + header;
    check_header(bytes + 8, header);
    for (int i = 0; i < bex_st_count(f); i++) {
        const bex_st_tensor *t = bex_st_at(f, i);
        demand(bex_st_find(f, t->name) == t && (uintptr_t)t->data % 64 == 0);
        // the tensors lie in the order of the file: their bytes are the file's
        size_t n = t->count * bex_st_dtype_size(t->dtype);
        demand(n <= size - total && !memcmp(t->data, bytes + total, n));
        total += n;
        read_tensor(f, t);
    }
    demand(total == size);
    bex_st_metadata(f, "config");
    bex_st_free(f);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed) {
    size = LLVMFuzzerMutate(bytes, size, most);
    if (size <= 8 || seed % 8 == 0) return size;
    // the header ends with the last '}', or later by padding
    size_t end = size;
    while (end > 8 && bytes[end - 1] != '}') end--;
    if (end == 8) return size;
    uint64_t header = end - 8;
    memcpy(bytes, &header, sizeof header);
    return size;
}
