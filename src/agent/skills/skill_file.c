#include "agent/skills/skill_file.h"

#include "agent/train_config.h"
#include "base/error.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

static const char FORMAT[] = "bex-skills-1";
enum { MOST = 1 << 16 };

static const char *metadata(const bex_st_file *f, const char *key) {
    const char *text = bex_st_metadata(f, key);
    return text ? text : "";
}

// the sizes by name, for both ways
#define EACH_SIZE(X, a)                                                                            \
    X("observation", (a)->O)                                                                       \
    X("state", (a)->S)                                                                             \
    X("action", (a)->A)                                                                            \
    X("skill", (a)->Z)                                                                             \
    X("steps", (a)->H)

void bex_skill_about_write(const bex_skill_about *about, bex_st_writer *w) {
    char number[32], hidden[16 * BEX_MLP_LAYERS] = "";
    bex_st_add_metadata(w, "format", FORMAT);
    bex_st_add_metadata(w, "agent", about->agent);
    bex_st_add_metadata(w, "world", about->world);
#define WRITE(key, size)                                                                           \
    snprintf(number, sizeof number, "%d", size);                                                   \
    bex_st_add_metadata(w, key, number);
    EACH_SIZE(WRITE, about)
#undef WRITE
    for (int i = 0, used = 0; i < BEX_MLP_LAYERS - 1 && about->hidden[i]; i++)
        used += snprintf(hidden + used, sizeof hidden - (size_t)used, "%s%d", i ? "," : "",
                         about->hidden[i]);
    bex_st_add_metadata(w, "hidden", hidden);
}

int bex_skill_about_read(bex_skill_about *about, const bex_st_file *f) {
    long long n;
    *about = (bex_skill_about){0};
    if (strcmp(metadata(f, "format"), FORMAT) != 0)
        return bex_fail("no skills: metadata 'format' is '%.40s', not '%s'", metadata(f, "format"),
                        FORMAT);
    snprintf(about->agent, sizeof about->agent, "%s", metadata(f, "agent"));
    snprintf(about->world, sizeof about->world, "%s", metadata(f, "world"));
#define READ(key, size)                                                                            \
    if (bex_integer_parse(&n, metadata(f, key)) < 0 || n < 1 || n > MOST)                          \
        return bex_fail("metadata '%s' is missing or out of range", key);                          \
    size = (int)n;
    EACH_SIZE(READ, about)
#undef READ
    if (about->S > about->O)
        return bex_fail("skills of %d of %d observation values", about->S, about->O);
    if (bex_widths_parse(about->hidden, BEX_MLP_LAYERS - 1, metadata(f, "hidden")) < 0)
        return bex_fail_in("metadata 'hidden'");
    return 0;
}

bool bex_skill_file_is(const char *path) {
    bex_st_file *f = bex_st_load(path);
    bool is = f && !strcmp(metadata(f, "format"), FORMAT);
    bex_st_free(f);
    return is;
}
