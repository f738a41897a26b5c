/* cli/cmd_serve.c - `bex serve`: the playground, and a policy of one's own beside it, to a browser. */
#include "cli/command.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/file.h"
#include "host/interrupt.h"
#include "host/share.h"
#include "policy/policy.h"
#include "run/checkpoint.h"
#include "serve/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 28 }; // bytes of a page, of a policy

static const char *policy, *address = "127.0.0.1";
static long long port = 8080;

static const bex_option options[] = {
    {"policy", BEX_OPTION_TEXT, &policy, "RUN",
     "a run, checkpoint or model file that acts in the page", 0, 0},
    {"port", BEX_OPTION_INTEGER, &port, "N", "0: any that is free", 0, 65535},
    {"address", BEX_OPTION_TEXT, &address, "A",
     "numeric; another than this machine's own lets others in", 0, 0},
};
static const bex_usage usage = {
    .command = "serve",
    .synopsis = "[PAGE.html] [options]",
    .about =
        "Serve the playground (web/README.md) on this machine, until Ctrl-C. PAGE.html: what `make web`\n"
        "made, by default the installed one or build/web/playground.html. Nothing but the page and the\n"
        "policy can be read.",
    .example = "bex serve --port 8080\nbex serve --policy runs/be",
    .options = options,
    .count = sizeof options / sizeof *options,
};

// a policy that could not be opened in the page is told here
static int read_policy(char **bytes, size_t *size) {
    char path[BEX_PATH_SIZE];
    if (bex_checkpoint_model(path, sizeof path, policy, false) < 0) return -1;
    bex_policy *p = bex_policy_load(path);
    if (!p) return -1;
    int O = p->O, A = p->A;
    bex_policy_free(p);
    if (O != 4 || A != 2)
        return bex_fail("'%s': states of %d and actions of %d numbers; the page's ball has 4 and 2",
                        path, O, A);
    return bex_file_read(bytes, size, path, LARGEST);
}

static int find_page(char path[BEX_PATH_SIZE], const char *given) {
    if (given) return bex_path_print(path, "%s", given);
    if (bex_share_find(path, "playground.html") == 0) return 0;
    if (bex_share_find(path, "build/web/playground.html") == 0) return 0;
    bex_fail("there is no playground here");
    return bex_fail_hint("`make web` makes build/web/playground.html");
}

static int serve(const bex_served *files, int count) {
    bex_server *s = bex_server_open(address, (int)port, files, count, BEX_SERVER_LIMITS);
    if (!s) return -1;
    bool six = strchr(address, ':') != NULL;
    printf("http://%s%s%s:%d/\n", six ? "[" : "", address, six ? "]" : "", bex_server_port(s));
    if (!bex_server_local(s))
        fprintf(stderr, "bex serve: others on this network can open it, too\n");
    fflush(stdout);
    int code = 0;
    bex_interrupt_begin();
    while (code == 0 && !bex_interrupted()) code = bex_server_turn(s, 200);
    bex_interrupt_end();
    bex_server_close(s);
    return code;
}

int bex_cmd_serve(int argc, char **argv) {
    const char *given = NULL;
    char path[BEX_PATH_SIZE], *page = NULL, *own = NULL;
    bex_served files[2] = {{"/", "text/html; charset=utf-8", NULL, 0},
                           {"/policy.safetensors", "application/octet-stream", NULL, 0}};
    int n = bex_options_parse(&usage, argc, argv, &given, 1);
    if (n == BEX_OPTIONS_HELP) return BEX_EXIT_OK;
    if (n < 0) return BEX_EXIT_USAGE;
    int code = find_page(path, given);
    if (code == 0) code = bex_file_read(&page, &files[0].size, path, LARGEST);
    if (code == 0 && policy) code = read_policy(&own, &files[1].size);
    files[0].bytes = page, files[1].bytes = own;
    if (code == 0) code = serve(files, policy ? 2 : 1);
    free(page);
    free(own);
    return code == 0 ? BEX_EXIT_OK : bex_command_fail(&usage, BEX_EXIT_FAILED);
}
