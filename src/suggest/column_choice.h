/* suggest/column_choice.h - which columns of a state should count as "somewhere else"? Told from
 * demonstrations alone.
 *
 * A future is F rows of an episode. A column is worth counting where futures differ in it, and stay
 * different: a place,
 * an object that was moved. Not where every future runs through the same values (the swing of a leg),
 * where values
 * are gone the next moment (velocities, noise), or where nothing a robot does changes them (where the goal
 * is).
 *
 *   between    share of its variance that is between futures, not within one: 1 a place, 0 a gait, 0 noise
 *   lasting    its correlation with itself F / 4 rows later
 *   moves      how far it goes in F rows: half the mean square over its variance; 0: an episode never
 *              changes it
 *   word       what its name says, where there is one: 1 positions and objects, less for joints, angles,
 *              velocities;
 *              0.4 for parts of a unit quaternion, which is told by its values
 *   worth      between * lasting * word
 *
 * Sets of columns are then judged: the best columns by worth, those by statistics alone, each key of the
 * file, all. A
 * set is good if its columns are worth counting, if it tells what differs between futures at large - the
 * leading
 * directions in which futures differ and single futures do not (generalised eigenvectors of the two
 * covariances) are
 * predicted from it linearly - and if it is small:
 *
 *   score      mean worth * explained / (1 + columns / 40)
 *
 * Deterministic; 20,000 rows at most are looked at, evenly spread over episodes. */
#ifndef BEX_SUGGEST_COLUMN_CHOICE_H
#define BEX_SUGGEST_COLUMN_CHOICE_H

#include "data/dataset.h"

#include <stdbool.h>

enum { BEX_CHOSEN_MOST = 12, BEX_COLUMN_SETS = 24, BEX_COLUMN_SET_NAME = 80 };

typedef enum {
    BEX_COLUMN_FREE,     // may be chosen
    BEX_COLUMN_CONSTANT, // never changes
    BEX_COLUMN_GIVEN,    // differs between episodes, hardly changes within one
    BEX_COLUMN_RATE,     // the velocity of another column
    BEX_COLUMN_COPY,     // another column in other units
} bex_column_role;

typedef struct bex_column_judgement {
    bex_column_role role;
    int of; // the column it is a rate or copy of; -1
    double std, between, lasting, moves, word, worth;
} bex_column_judgement;

typedef struct bex_column_set {
    char name[BEX_COLUMN_SET_NAME]; // "key object", "best columns"
    int *dims, n;                   // owned
    double worth, explained, score;
} bex_column_set;

typedef struct bex_column_choice {
    int O, F;                     // columns; rows of a future that they were judged by
    bex_column_judgement *column; // (O)
    bex_column_set set[BEX_COLUMN_SETS];
    int sets, best; // the set that is chosen
    bool doubtful;  // nothing lasts: no column says where the robot is
} bex_column_choice;

/* Negative with a message: no memory, no column that changes. Needs fini either way. */
int bex_column_choice_make(bex_column_choice *c, const bex_dataset *data);
void bex_column_choice_fini(bex_column_choice *c);

/* The chosen columns. */
const bex_column_set *bex_column_choice_best(const bex_column_choice *c);

/* "the velocity of", ... */
const char *bex_column_role_name(bex_column_role role);

#endif
