/* The verifier: proves that the schedules of all ranks compute what their collective means.
 *
 * It runs them on virtual ranks with symbolic values, through the real executor. Of each element it
 * shows: every contribution is there once; in rank order, where the algorithm is ordered; bracketed
 * alike on all ranks, where it is consistent. And: nothing is read that was not written or that a
 * message in flight may change; nothing outside the buffers is touched; the input stays as it was;
 * the claims hold; the edges alone keep the order (order.h), so other runs give the same. */
#ifndef ALLFOLD_MODEL_VERIFY_H
#define ALLFOLD_MODEL_VERIFY_H

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

/* Memory that cases share one after the other. */
struct allfold_verifier;

struct allfold_verifier *allfold_verifier_create(void);
void allfold_verifier_free(struct allfold_verifier *verifier);

/* The problem of a case, as rank r sees it. */
struct allfold_problem allfold_case_problem(const struct allfold_case *of, int r);

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

/* Runs such schedules and checks the results. */
enum allfold_error allfold_verify_results(struct allfold_verifier *verifier,
                                          const struct allfold_case *of,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes);

/* Walks them and checks the claims. */
enum allfold_error allfold_verify_claims(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules, char *message,
                                         size_t message_bytes);

/* Checks the order of the steps of every stride-th rank, from rank `first` on. */
enum allfold_error allfold_verify_order(const struct allfold_case *of,
                                        struct allfold_schedule *const *schedules, int first,
                                        int stride, char *message, size_t message_bytes);

/* "allreduce ring(segment=8) p=5 root=0 count=7 in place, reordered, seed 3, window 4". */
void allfold_case_print(const struct allfold_case *of, char *text, size_t text_bytes);

#endif
