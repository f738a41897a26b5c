/* explore/source.c - what sources share. */
#include "explore/source.h"

#include "base/error.h"
#include "run/checkpoint.h"

#include <string.h>

int bex_explore_model(char path[BEX_PATH_SIZE], const bex_explore_request *q) {
    return q->model ? bex_path_print(path, "%s", q->model)
                    : bex_checkpoint_model(path, BEX_PATH_SIZE, q->run, q->best);
}

const char *bex_explore_history(const bex_explore_source *s, const void *state) {
    return s->history ? s->history(state) : "none";
}

int bex_explore_only_history(const bex_explore_request *q, const char *who) {
    static const char heeded[] = "deploy.history=";
    for (int i = 0; i < q->deploy_count; i++) {
        if (!strncmp(q->deploy[i], heeded, sizeof heeded - 1)) continue;
        bex_fail("%s means nothing to %s", q->deploy[i], who);
        return bex_misused();
    }
    return 0;
}
