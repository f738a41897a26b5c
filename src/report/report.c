/* report/report.c - the order of the page. */
#include "report/report.h"

#include "base/error.h"
#include "base/path.h"
#include "host/folder.h"
#include "report/record.h"

#include <stdio.h>
#include <string.h>

// the one environment explored, or the one run, or neither
static void make_title(char *out, size_t size, const bex_record *r) {
    const char *name = NULL;
    for (int i = 0; i < r->exploration_count; i++) {
        const char *e = r->explorations[i].s.environment;
        if (name && strcmp(name, e) != 0) name = "";
        if (!name) name = e;
    }
    if (!name && r->run_count == 1) name = r->runs[0].name;
    snprintf(out, size, "Behavioral exploration%s%s", name && *name ? ": " : "",
             name && *name ? name : "");
}

static void make_about(char *out, size_t size, const bex_record *r) {
    long long trials = 0;
    for (int i = 0; i < r->exploration_count; i++)
        if (r->explorations[i].s.trials > 0) trials += r->explorations[i].s.trials;
    size_t n = 0;
    if (r->run_count)
        n += (size_t)snprintf(out, size, "%d training run%s", r->run_count,
                              r->run_count == 1 ? "" : "s");
    if (r->exploration_count && n < size)
        n += (size_t)snprintf(out + n, size - n, "%s%d exploration%s of %lld trials in all",
                              n ? ", " : "", r->exploration_count,
                              r->exploration_count == 1 ? "" : "s", trials);
    if (n < size) snprintf(out + n, size - n, ". Errors are standard errors over trials.");
}

int bex_report_write(const char *const *paths, int count, const char *title, const char *folder) {
    char about[300], name[300], path[BEX_PATH_SIZE];
    bex_record r;
    bex_page *p = NULL;
    int code = -1;
    if (bex_record_load(&r, paths, count) < 0) goto done;
    if (bex_path_join(path, folder, "figures") < 0 || bex_folder_make(path) < 0) goto done;
    make_title(name, sizeof name, &r);
    make_about(about, sizeof about, &r);
    p = bex_page_new(title ? title : name, about, path);
    bex_page_attempts(p, &r);
    bex_page_exploration(p, &r);
    bex_page_training(p, &r);
    bex_page_playground(p, &r);
    bex_page_sources(p, &r);
    code = bex_path_join(path, folder, "report.html");
    if (code == 0) code = bex_page_save(p, path);
done:
    bex_page_free(p);
    bex_record_fini(&r);
    return code;
}
