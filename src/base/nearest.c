/* base/nearest.c - optimal string alignment distance over three rolling rows. */
#include "base/nearest.h"

#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b) {
    return a < b ? a : b;
}

int bex_edit_distance(const char *a, const char *b) {
    int n = least((int)strlen(a), LONGEST), m = least((int)strlen(b), LONGEST);
    int row[3][LONGEST + 1];
    int *before = row[0], *last = row[1], *now = row[2];
    for (int j = 0; j <= m; j++) last[j] = j;
    for (int i = 1; i <= n; i++) {
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int cost = a[i - 1] != b[j - 1];
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        int *t = before;
        before = last, last = now, now = t;
    }
    return last[m];
}

const char *bex_nearest(const char *word, const void *table, int count, unsigned long stride) {
    const char *best = NULL;
    int limit = (int)strlen(word) / 3 + 1;
    for (int i = 0; i < count; i++) {
        const char *name = *(const char *const *)((const char *)table + (unsigned long)i * stride);
        int d = name ? bex_edit_distance(word, name) : limit + 1;
        if (d <= limit) best = name, limit = d - 1;
    }
    return best;
}
