/* Writes each case of tests/nn/safetensors_cases.h to FOLDER/case-NN: seeds of fuzz_safetensors. */
#include "nn/safetensors_cases.h"

#include <stdio.h>

int main(int argc, char **argv) {
    if (argc != 2) return fputs("usage: seed_safetensors FOLDER\n", stderr), 2;
    for (int i = 0; i < ST_CASES; i++) {
        char path[1024];
        size_t size;
        unsigned char *bytes = st_case_bytes(&st_cases[i], &size);
        snprintf(path, sizeof path, "%s/case-%02d", argv[1], i);
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(bytes, 1, size, out) != size || fclose(out)) return perror(path), 1;
        free(bytes);
    }
    return 0;
}
