/* Cases of the verifier (struct allfold_case): their problems, lengths, expected results and names.
 */
#ifndef ALLFOLD_LAB_VERIFY_CASE_H
#define ALLFOLD_LAB_VERIFY_CASE_H

#include "algorithms/algorithm.h"
#include "lab/verify/virtual.h"

/* Returns the problem of a case on rank r. */
struct allfold_problem allfold_case_problem(const struct allfold_case *of, int r);

/* Returns the number of elements to which each contributing rank contributes. */
size_t allfold_case_elements(const struct allfold_case *of);

/* Returns the number of elements of rank r's result. If in place, the buffer OUT may be longer. */
size_t allfold_case_result_length(const struct allfold_case *of, int r);

/* The origin of an element of a result. If the collective moves data, it is element `element` of
 * rank `giver`. For a reduction, `giver` is -1 and `element` is the element of the vector. */
struct allfold_origin {
    int giver;
    size_t element;
    size_t end; /* the end of the giver's elements in the result */
};

/* Returns the origin of element e of rank r's result. */
struct allfold_origin allfold_case_origin(const struct allfold_case *of, int r, size_t e);

/* Writes a case as text, such as "allreduce ring(segment=8) p=5 root=0 count=7 in place, reordered,
 * seed 3, window 4". */
void allfold_case_print(const struct allfold_case *of, char *text, size_t text_bytes);

#endif
