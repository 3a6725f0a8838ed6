/* Cases: an algorithm on so many ranks, with so many elements, run in one way; and its schedules.
 */
#ifndef ALLFOLD_MODEL_CASE_H
#define ALLFOLD_MODEL_CASE_H

#include "algorithms/algorithm.h"
#include "model/verify/virtual.h"

struct allfold_case {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int p;
    int root;
    size_t count;
    bool in_place; /* on all ranks where the collective allows it */
    bool commutes; /* the operation does, also where the algorithm could do without: then the order
                      of the ranks is not checked */
    const struct allfold_nodes *nodes; /* where the ranks live, or NULL; not owned */
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window;
};

/* The problem of a case, as rank r sees it. */
struct allfold_problem allfold_case_problem(const struct allfold_case *of, int r);

/* Whether the algorithm serves it: what it needs is met. */
bool allfold_case_is_served(const struct allfold_case *of);

/* How many elements a rank that contributes does contribute to. */
size_t allfold_case_elements(const struct allfold_case *of);

/* What the algorithm claims of the case. */
struct allfold_claim allfold_case_claim(const struct allfold_case *of);

/* Builds the schedules of all ranks; *schedules is NULL after an error. Freed with
 * allfold_case_free. */
enum allfold_error allfold_case_build(const struct allfold_case *of,
                                      struct allfold_schedule ***schedules, char *message,
                                      size_t message_bytes);
void allfold_case_free(const struct allfold_case *of, struct allfold_schedule **schedules);

/* "allreduce ring(segment=8) p=5 root=0 count=7 in place, reordered, seed 3, window 4". */
void allfold_case_print(const struct allfold_case *of, char *text, size_t text_bytes);

/* "allreduce.ring(segment=8), p = 5, root 0, 7 elements, in place": what the schedules depend on;
 * parameters that have their presets are left out. */
void allfold_case_title(const struct allfold_case *of, char *text, size_t text_bytes);

#endif
