/* cli/cmd_doctor.c - `bex doctor`. */
#include "cli/command.h"

int bex_cmd_doctor(int argc, char **argv) {
    (void)argc, (void)argv;
    return 0;
}
