/* test_vmath.c once more, with products and sums contracted as in src/kernel (cmake/libraries.cmake):
 * a bound must hold in both forms. */
#pragma GCC optimize("fp-contract=fast")
#include "test_vmath.c"
