/* Programs and claims that collectives of equal blocks (reduce_scatter_block, allgather) share with
 * those of blocks of any lengths (reduce_scatter, allgatherv). Each is implemented in the file of
 * the former. For blocks of any lengths the claim is an upper bound. */
#ifndef ALLFOLD_ALGORITHMS_BLOCKS_H
#define ALLFOLD_ALGORITHMS_BLOCKS_H

#include "algorithms/algorithm.h"

/* Reduce-scatter: reduce_scatter_block_*.c. The other ones are in pairwise.h and flat.h. */
void allfold_scatter_circulant(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);
struct allfold_claim allfold_scatter_circulant_claim(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters);
void allfold_scatter_halving(struct allfold_builder *s, const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters);
struct allfold_claim allfold_scatter_halving_claim(const struct allfold_problem *problem,
                                                   const struct allfold_parameters *parameters);
void allfold_scatter_bine(struct allfold_builder *s, const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters);
struct allfold_claim allfold_scatter_bine_claim(const struct allfold_problem *problem,
                                                const struct allfold_parameters *parameters);
void allfold_scatter_pairwise(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters);
void allfold_scatter_bucket(struct allfold_builder *s, const struct allfold_problem *problem,
                            const struct allfold_parameters *parameters);
void allfold_scatter_flat(struct allfold_builder *s, const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters);
void allfold_scatter_multilane(struct allfold_builder *s, const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);
struct allfold_claim allfold_scatter_multilane_claim(const struct allfold_problem *problem,
                                                     const struct allfold_parameters *parameters);

/* Allgather: allgather_*.c. */
void allfold_gather_circulant(struct allfold_builder *s, const struct allfold_problem *problem,
                              const struct allfold_parameters *parameters);
struct allfold_claim allfold_gather_circulant_claim(const struct allfold_problem *problem,
                                                    const struct allfold_parameters *parameters);
void allfold_gather_bine(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);
struct allfold_claim allfold_gather_bine_claim(const struct allfold_problem *problem,
                                               const struct allfold_parameters *parameters);
void allfold_gather_ring(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);
void allfold_gather_flat(struct allfold_builder *s, const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);

#endif
