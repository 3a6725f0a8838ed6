/* A job as `mpirun ... allfold info --json` saw it: which ranks are on which hosts. */
#ifndef ALLFOLD_EXPLAIN_JOB_FILE_H
#define ALLFOLD_EXPLAIN_JOB_FILE_H

#include "lab/network/network.h"
#include "placing.h"

enum { EXPLAINED_HOST_BYTES = 256 };

struct explained_job {
    int count;                           /* of ranks */
    int levels;                          /* of switches that are known */
    int switches;                        /* the nearest ones */
    char (*hosts)[EXPLAINED_HOST_BYTES]; /* the name of each node's host */
};

/* Reads the file. False with a message for the user where it is none. */
bool allfold_explained_job_read(const char *path, struct explained_job *job,
                                struct allfold_tool_placed *placed);

/* Puts the nodes on the hosts of the same names in a network's topology. If the topology has none
 * of the names, it takes the first hosts in order. False, with a message, if it has only some of
 * the names. */
bool allfold_explained_job_place(const struct explained_job *job,
                                 const struct allfold_network *network,
                                 struct allfold_tool_placed *placed);

void allfold_explained_job_free(struct explained_job *job);

#endif
