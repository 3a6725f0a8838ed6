/* Cases: an algorithm on so many ranks, with so many elements, run in one way; and its schedules.
 */
#ifndef ALLFOLD_LAB_VERIFY_CASE_H
#define ALLFOLD_LAB_VERIFY_CASE_H

#include "algorithms/algorithm.h"
#include "lab/verify/virtual.h"

/* The problem of a case, as rank r sees it. */
struct allfold_problem allfold_case_problem(const struct allfold_case *of, int r);

/* How many elements a rank that contributes does contribute to. */
size_t allfold_case_elements(const struct allfold_case *of);

/* How many elements rank r's result has: in place OUT may be longer. */
size_t allfold_case_result_length(const struct allfold_case *of, int r);

/* What element e of rank r's result is to be. Of data that is moved, it is element `element` of
 * rank `giver`. Of a reduction, for which `giver` is -1, it is that element of the vector. */
struct allfold_origin {
    int giver;
    size_t element;
    size_t end; /* where the giver's elements end in the result */
};
struct allfold_origin allfold_case_origin(const struct allfold_case *of, int r, size_t e);

/* "allreduce ring(segment=8) p=5 root=0 count=7 in place, reordered, seed 3, window 4". */
void allfold_case_print(const struct allfold_case *of, char *text, size_t text_bytes);

#endif
