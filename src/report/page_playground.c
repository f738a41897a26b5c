/* report/page_playground.c - a look at the playground, in reports that explore Maze2D: the world its ball
 * lives in. */
#include "report/page.h"

#include "base/file.h"
#include "host/share.h"
#include "report/record.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4 << 20 }; // bytes of the animation

void bex_page_playground(bex_page *p, const bex_record *r) {
    char path[BEX_PATH_SIZE], *bytes;
    size_t size;
    bool maze = false;
    for (int i = 0; i < r->exploration_count; i++)
        maze |= !strncmp(r->explorations[i].s.environment, "maze2d", strlen("maze2d"));
    if (!maze) return;
    // installed, or among the sources; a report without it is whole
    if (bex_share_find(path, "playground.gif") < 0 &&
        bex_share_find(path, "docs/playground.gif") < 0)
        return;
    if (bex_file_read(&bytes, &size, path, LARGEST) < 0) return;
    bex_page_section(p, "Try it");
    bex_page_text(
        p,
        "The playground, in a browser: draw where the ball has been, choose how exploratory it is, "
        "watch it race one that only imitates; with --policy a policy of your own acts.");
    bex_page_code(p, "bex serve\nbex serve --policy RUN");
    bex_page_figure_begin(p, 0,
                          "The ball that explores turns away from where it has been; the one that "
                          "imitates goes where demonstrators went most.");
    bex_page_picture(p, "image/gif", bytes, size,
                     "A ball explores a maze, beside one that imitates");
    bex_page_figure_end(
        p,
        "Recorded in the page itself, with the policies it holds. Blue explores, orange imitates; the "
        "lines from the ball are futures it chooses from, the bold one is taken.");
    free(bytes);
}
