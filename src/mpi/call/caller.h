/* The part of a communicator's state that blocking calls work with, which go one at a time. */
#ifndef ALLFOLD_MPI_CALLER_H
#define ALLFOLD_MPI_CALLER_H

#include "mpi/call/cache.h"
#include "mpi/communicator/communicator.h"
#include "mpi/handles/operands.h"

/* The last call, where another one like it needs nothing found out again: see collective.c. */
struct allfold_repeat {
    struct allfold_entry *entry; /* NULL: there is none */
    enum allfold_collective collective;
    int root;
    size_t count;
    MPI_Datatype datatype;
    MPI_Op op;
    bool in_place;
    struct allfold_binding binding; /* of whatever run was last, also where there is no repeat */
};

struct allfold_caller {
    struct allfold_repeat repeat;
    struct allfold_operands operands; /* of the last call */
    struct allfold_cache cache;
    struct allfold_online_all *trials; /* see online.h; NULL: none */
    bool is_tuned;                     /* room for them was tried for */
    void *scratch;                     /* of whatever run is on */
    size_t scratch_bytes;
    void *packed; /* bytes that travel, where they lie otherwise; or a sample's result */
    size_t packed_bytes;
    char tokens[2]; /* a barrier's input and result */
};

static inline struct allfold_caller *allfold_caller_of(const struct allfold_communicator *state)
{
    return state->parts[ALLFOLD_PART_CALL];
}

#endif
