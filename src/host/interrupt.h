/* host/interrupt.h - SIGINT and SIGTERM as a wish to stop: whoever works asks now and then, saves and ends.
 *
 * Once: a second Ctrl-C ends the process at once. Writes under way are not disturbed. One at a time. */
#ifndef BEX_HOST_INTERRUPT_H
#define BEX_HOST_INTERRUPT_H

#include <stdbool.h>

void bex_interrupt_begin(void); // from now on signals are wishes
bool bex_interrupted(void);     // since then
void bex_interrupt_end(void);   // what signals did before

#endif
