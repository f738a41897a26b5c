/* A program of somebody else's: only the installed header and library. */
#include <bex/bex.h>
#include <stdio.h>

int main(void) {
    bex_log_to(NULL, NULL);
    printf("bex %s\n", bex_version());
    return *bex_error_message() != 0;
}
