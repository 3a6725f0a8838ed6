/* Costs on a placement. Messages on the nodes and messages between them cost differently, and the
 * ranks of a node share its way to the network.
 *
 * What knows no nodes is profiled from the programs of some ranks that stand for all. What knows
 * them claims what it takes. */
#ifndef ALLFOLD_MODEL_PLACED_H
#define ALLFOLD_MODEL_PLACED_H

#include "algorithms/costs.h"
#include "model/cost/price.h"

/* How an algorithm is costed: by its claim, by one rank, by some ranks of one node, and of some
 * nodes, by all ranks. Each takes longer than the one before, and mostly expects no less. */
enum allfold_care {
    ALLFOLD_BY_CLAIM,
    ALLFOLD_BY_ONE,
    ALLFOLD_BY_NODE, /* never more than by the sample, of which these ranks are the first */
    ALLFOLD_BY_SAMPLE,
    ALLFOLD_BY_ALL,
};

/* Costs algorithms for problems of the same nodes. */
struct allfold_scales;

/* NULL without memory. The problem's nodes must outlive it. */
struct allfold_scales *allfold_scales_create(const struct allfold_problem *problem);
void allfold_scales_free(struct allfold_scales *scales);

/* What an algorithm that serves the problem takes: by its profile where ranks are on several nodes,
 * else by its claim. A claim needs no scales. Negative without memory. *care becomes the next one
 * that says something of this algorithm, and BY_ALL where more care would say no more.
 *
 * Where some ranks stand for all and have fewer rounds than the claim, they wait for others, or not
 * all their messages are counted. The time is then lengthened by as much. */
double allfold_placed_cost_s(struct allfold_scales *scales,
                             const struct allfold_algorithm *algorithm,
                             const struct allfold_problem *problem,
                             const struct allfold_parameters *parameters, enum allfold_care *care);

/* The most that it says with more and more care: what a choice goes by. */
double allfold_all_care_cost_s(struct allfold_scales *scales,
                               const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* The same for one algorithm alone. */
double allfold_expected_s(const struct allfold_algorithm *algorithm,
                          const struct allfold_problem *problem,
                          const struct allfold_parameters *parameters);

#endif
