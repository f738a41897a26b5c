/* policy/past.h - the history of a control stream in the forms a plan needs.
 *
 *   memory     every state of earlier episodes (policy/memory.h)
 *   raw        (N,O) the history: drawn from the memory at an episode's first state, or given by the caller
 *   inputs     (N, dit.o.O) the same in network units; prefix mode: and their keys and values in every
 *              encoder block
 *   Lambda(h)  for the coverage target; with a choice, that of the whole memory instead of the N drawn
 *   target     the coverage input that `exp` asks for, given all that
 *
 * A stream goes  begin -> push, draw (first state) -> push ... -> end;  give replaces the history by the
 * caller's, until the next begin. Each form is computed when it is first needed and kept while the history
 * stays: once per episode. Nothing is allocated after new but by end. One thread at a time. */
#ifndef BEX_POLICY_PAST_H
#define BEX_POLICY_PAST_H

#include "coverage/target.h"
#include "policy/choice.h"
#include "policy/memory.h"
#include "policy/policy.h"

typedef struct bex_past bex_past;

/* rule: "uniform", "first", "last3", "file:PATH". The policy is borrowed. NULL with a message. */
bex_past *bex_past_new(const bex_policy *policy, const char *rule);
void bex_past_free(bex_past *p); // NULL is fine

bex_memory *bex_past_memory(bex_past *p); // NULL: the policy has no history

/* Another rule, its memory beginning anew. Negative with a message: all is as it was. */
int bex_past_set_rule(bex_past *p, const char *rule);

/* An episode begins. `whole`: a choice will want the sum of all of the memory, which is made here. */
int bex_past_begin(bex_past *p, bool whole);

/* A state (O) of the running episode, remembered; the first one draws the history, from rng. */
void bex_past_push(bex_past *p, bex_tape *tape, const bex_real *state, bex_rng rng);

/* The caller's history (N,O). One equal to that before is not encoded again. */
void bex_past_give(bex_past *p, bex_tape *tape, const bex_real *history);

bool bex_past_own(const bex_past *p); // the history was drawn from this stream's memory

/* What exp asks for in `state` (O), world's units. choice NULL: none; else it is given the history. */
int bex_past_resolve(bex_past *p, bex_target exp, bex_choice *choice, const bex_real *state);
void bex_past_forget_target(bex_past *p);  // exp or the choice is another
double bex_past_target(const bex_past *p); // of the last resolve; NAN: none yet

/* The encoder's output for `input`, B windows of this one history (input->history is set here): pooled[i]
 * (B,C). */
void bex_past_encode(bex_past *p, bex_tape *tape, bex_dit_input *input, bex_tensor **pooled);

#endif
