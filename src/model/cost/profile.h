/* Profiles: what an algorithm sends, round by round, on the nodes and between them.
 *
 * A profile is counted from the programs of all ranks on a placement, so it needs no word of the
 * algorithm's about nodes. Round k is what ends at time k where each message takes 1 and all else
 * takes nothing. A rank has `ports` messages each way at a time, as in the walk. Of each round a
 * profile has the most that any rank, any node and any group of nodes has to do in it.
 *
 * One profile serves any constants of a machine: what a round takes follows from these figures. */
#ifndef ALLFOLD_MODEL_PROFILE_H
#define ALLFOLD_MODEL_PROFILE_H

#include "allfold_core.h"

/* Messages and their elements, sent or received, whichever is more. */
struct allfold_load {
    size_t messages;
    size_t length;
};

enum { ALLFOLD_GROUP_LEVELS = 3 };

struct allfold_round {
    struct allfold_load near;   /* of a rank, with others of its node, and of its socket if known */
    struct allfold_load across; /* of a rank, with other sockets of its node */
    struct allfold_load far;    /* of a rank, with other nodes */
    struct allfold_load node;   /* of a node, with others */
    struct allfold_load
        group[ALLFOLD_GROUP_LEVELS];   /* of a group of nodes, with others, by level */
    size_t pair[ALLFOLD_GROUP_LEVELS]; /* elements of a group with one other of the same next group,
                                          by level; 0 where it has many others at a time */
    size_t reduced; /* elements that a rank reduces behind it, before the next one */
    size_t beside;  /* elements that a rank reduces while the next ones go on */
    size_t cables;  /* of a node, which share all that it sends; 0 means 1 */
    size_t times;   /* so many rounds like that, one after the other */
};

struct allfold_profile {
    struct allfold_round *rounds; /* runs of equal ones are one */
    uint32_t count;
    uint32_t length;   /* of all runs together */
    uint32_t messages; /* of all ranks that were counted, each of them once a side */
    size_t left_out;   /* that these ranks have besides */
    unsigned streams;  /* as a claim has it; 0 means 1 */
    bool to_neighbors; /* all between nodes goes to neighbors, as a claim has it */
};

/* What is profiled: an algorithm that serves the problem, and so many messages of a rank at a time.
 */
struct allfold_profiled {
    const struct allfold_algorithm *algorithm;
    const struct allfold_problem *problem;
    const struct allfold_parameters *parameters;
    unsigned ports;
    const struct allfold_nodes *nodes; /* where the ranks are; NULL: where the problem says */
    size_t rounds; /* that one rank has; 0: nobody says. allfold_profile_of looks for it */
};

/* A rank that stands for so many ranks of its node, and the node for so many of its group. A group
 * of the next level has that much more than this one. */
struct allfold_standing {
    int rank, ranks;
    int nodes[ALLFOLD_GROUP_LEVELS]; /* 0: its group is counted by others */
};

/* Memory for profiles, one after the other; NULL without memory. One thread at a time. The last one
 * that was freed is kept for the next. */
struct allfold_profiler *allfold_profiler_create(void);
void allfold_profiler_free(struct allfold_profiler *profiler);

/* Frees the one that is kept. */
void allfold_profiler_drop_spare(void);

/* Counts the profile of all ranks. It is valid until the next one of that profiler.
 * ALLFOLD_NO_MEMORY, or ALLFOLD_DISPROVED where messages do not fit together. The same on all ranks
 * of the problem. */
enum allfold_error allfold_profile(struct allfold_profiler *profiler,
                                   const struct allfold_profiled *of,
                                   struct allfold_profile *profile);

/* The same of these ranks alone, those of a node next to each other, and of the first `most`
 * messages of each (0: all). A message is over one round after all that its own side has to wait
 * for, as if nobody came late. It takes less time, by the number of ranks left out and because no
 * two sides have to be brought together. Of ranks that each stand for themselves it hardly ever has
 * more rounds than the whole profile (unit.test_profile). Where it has as many, nobody is late. */
enum allfold_error allfold_profile_of(struct allfold_profiler *profiler,
                                      const struct allfold_standing *ranks, int count,
                                      uint32_t most, const struct allfold_profiled *of,
                                      struct allfold_profile *profile);

#endif
