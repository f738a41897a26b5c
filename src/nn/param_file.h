/* nn/param_file.h - a parameter block in a safetensors file: one tensor per parameter, by its name.
 *
 *   model file:  values under their names, running averages under "ema." + name
 *   state file:  Adam's moments under "adam.m." and "adam.v." + name, "adam.step" */
#ifndef BEX_NN_PARAM_FILE_H
#define BEX_NN_PARAM_FILE_H

#include "nn/param.h"
#include "nn/safetensors.h"

/* Add to a writer; the block must outlive the save. */
void bex_params_add_values(const bex_params *params, bex_st_writer *w);
/* The values alone, rounded to 16 bits. Negative with a message: one is too large for them. */
int bex_params_add_half(const bex_params *params, bex_st_writer *w);
void bex_params_add_state(const bex_params *params, bex_st_writer *w);

/* Whether every parameter is there in its shape. The block need not be built: ask first where the file
 * decides the sizes. 0, or negative with a message naming the tensor. */
int bex_params_fit(const bex_params *params, const bex_st_file *file);

/* Read into a built block. Every parameter must be there in its shape; other tensors are ignored.
 * Negative with a message naming the tensor; values may then be partly read. */
int bex_params_read_values(bex_params *params, const bex_st_file *file);
int bex_params_read_state(bex_params *params, const bex_st_file *file);

/* All a network that only acts needs, of a block that is described and not built yet: it fits, is allocated,
 * read and packed. */
int bex_params_open(bex_params *params, const bex_st_file *file);

/* Values, and moments with their step where there are any, under prefix + the names above: several
 * learners in one state file. Reading is as strict as above. */
void bex_params_add_learner(const bex_params *params, bex_st_writer *w, const char *prefix);
int bex_params_read_learner(bex_params *params, const bex_st_file *file, const char *prefix);

#endif
