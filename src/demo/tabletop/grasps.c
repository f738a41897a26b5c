/* demo/tabletop/grasps.c - the table. A palm is 4 cm above the grip site, so a grasp is at most 3 cm
 * below the top of what it holds; fingers open 8 cm. */
#include "demo/tabletop/grasps.h"

#include <stddef.h>
#include <string.h>

#define X                                                                                          \
    { 1, 0, 0 }
#define Y                                                                                          \
    { 0, 1, 0 }
#define Z                                                                                          \
    { 0, 0, 1 }

static const bex_grasp grasps[] = {
    {"alphabet_soup", {0, 0.012, -0.0024}, Z},
    {"alphabet_soup", {0, 0.012, -0.0024}, X},
    {"tomato_sauce", {0, 0.012, -0.0024}, Z},
    {"tomato_sauce", {0, 0.012, -0.0024}, X},
    {"butter", {0, 0, 0.001}, Y},
    {"butter", {0.012, 0, 0.001}, Y},
    {"butter", {-0.012, 0, 0.001}, Y},
    {"cream_cheese", {0, 0, 0.001}, Y},
    {"cream_cheese", {0.012, 0, 0.001}, Y},
    {"cream_cheese", {-0.012, 0, 0.001}, Y},
    {"chocolate_pudding", {0, 0, 0.001}, Y},
    {"chocolate_pudding", {0.012, 0, 0.001}, Y},
    {"chocolate_pudding", {-0.012, 0, 0.001}, Y},
    {"ketchup", {0, 0.049, 0.001}, X},
    {"ketchup", {0, 0.049, 0.001}, Z},
    {"milk", {0, 0.028, 0}, X},
    {"milk", {0, 0.028, 0}, Z},
    {"orange_juice", {0, 0.028, 0}, X},
    {"orange_juice", {0, 0.028, 0}, Z},
    {"new_salad_dressing", {0, 0.099, 0}, X},
    {"new_salad_dressing", {0, 0.099, 0}, Z},
    {"wine_bottle", {0, 0, 0.13}, X},
    {"wine_bottle", {0, 0, 0.13}, Y},
    {"akita_black_bowl", {0, -0.048, 0.036}, Y},
    {"akita_black_bowl", {0, 0.048, 0.036}, Y},
    {"akita_black_bowl", {0.048, 0, 0.036}, X},
    {"akita_black_bowl", {-0.048, 0, 0.036}, X},
    {"akita_black_bowl", {0.034, 0.034, 0.036}, {1, 1, 0}},
    {"akita_black_bowl", {0.034, -0.034, 0.036}, {1, -1, 0}},
    {"akita_black_bowl", {-0.034, 0.034, 0.036}, {-1, 1, 0}},
    {"akita_black_bowl", {-0.034, -0.034, 0.036}, {-1, -1, 0}},
    {"white_bowl", {0, -0.0365, 0.021}, Y},
    {"white_bowl", {0, 0.0365, 0.021}, Y},
    {"white_bowl", {0.0365, 0, 0.021}, X},
    {"white_bowl", {-0.0365, 0, 0.021}, X},
    {"porcelain_mug", {0.0568, -0.0015, 0.088}, X},
    {"porcelain_mug", {0.009, 0.0387, 0.088}, Y},
    {"porcelain_mug", {0.007, -0.0399, 0.088}, Y},
    {"red_coffee_mug", {-0.0485, -0.0025, 0.108}, X},
    {"red_coffee_mug", {-0.0155, -0.036, 0.108}, Y},
    {"white_yellow_mug", {-0.0615, -0.003, 0.083}, X},
    {"white_yellow_mug", {-0.022, 0.0425, 0.083}, Y},
    {"white_yellow_mug", {-0.022, -0.0425, 0.083}, Y},
    {"chefmate_8_frypan", {-0.0865, 0, 0.034}, X},
    {"chefmate_8_frypan", {0.145, 0, 0.044}, Y},
    {"chefmate_8_frypan", {0.165, 0, 0.044}, Y},
    {"chefmate_8_frypan", {0.185, 0, 0.044}, Y},
    {"moka_pot", {0, -0.0013, 0.079}, X},
    {"moka_pot", {0, -0.0013, 0.079}, Y},
    {"black_book", {-0.0005, -0.0122, 0.112}, X},
    {"yellow_book", {0.0016, 0, 0.1}, X},
};

const bex_grasp *bex_grasp_of(const char *kind, int i) {
    for (size_t k = 0; k < sizeof grasps / sizeof *grasps; k++)
        if (!strcmp(grasps[k].kind, kind) && i-- == 0) return &grasps[k];
    return NULL;
}
