/* Steps: the model's choice as a step function of the count.
 *
 * Counts from one step's begin to the next are chosen for alike, as for the first of them. There
 * are four steps each time the count doubles, and one for each count below 8. So powers of two
 * begin steps, and equal bytes of floats and doubles are on steps that begin at equal bytes. A step
 * is found at the first call that needs it and remembered. The model compares all algorithms, which
 * takes longer than a short reduction does.
 *
 * What is remembered is a function of the problem alone. So forgetting it, or having no memory for
 * it, changes no choice, and ranks that remember different steps choose alike. */
#ifndef ALLFOLD_SELECT_STEPS_H
#define ALLFOLD_SELECT_STEPS_H

#include <stddef.h>

#include "allfold_core.h"

/* The first and the last count that are chosen for as `count` is. */
size_t allfold_step_begin(size_t count);
size_t allfold_step_last(size_t count);

/* A choice of the model's; NULL: native. */
struct allfold_step_choice {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    double cost_s;
};

/* What is remembered of problems on one placement: the same ranks, in the same order, on the same
 * nodes. Thread-safe. */
struct allfold_steps;

/* With one owner; NULL without memory, which all functions take for steps that remember nothing. */
struct allfold_steps *allfold_steps_create(void);

/* One more owner, or one less; the last one frees them. */
struct allfold_steps *allfold_steps_retain(struct allfold_steps *steps);
void allfold_steps_release(struct allfold_steps *steps);

/* What was chosen for a problem with the same collective, root, count, element size, kind of
 * operation and constants; false where that is not known. */
bool allfold_steps_find(struct allfold_steps *steps, const struct allfold_problem *problem,
                        struct allfold_step_choice *choice);

/* Remembers a choice. May forget others. */
void allfold_steps_note(struct allfold_steps *steps, const struct allfold_problem *problem,
                        const struct allfold_step_choice *choice);

#endif
