/* Reads a job from the output of `mpirun ... allfold info --json`: which ranks are on which
 * hosts. */
#ifndef ALLFOLD_EXPLAIN_JOB_FILE_H
#define ALLFOLD_EXPLAIN_JOB_FILE_H

#include "lab/network/network.h"
#include "placing.h"

enum { EXPLAINED_HOST_BYTES = 256 };

struct explained_job {
    int count;                           /* number of ranks */
    int levels;                          /* number of known levels of switches */
    int switches;                        /* number of switches of the nearest level */
    char (*hosts)[EXPLAINED_HOST_BYTES]; /* hosts[i]: name of the host of node i */
};

/* Reads the file. Prints a message and returns false if it does not describe a job. */
bool allfold_explained_job_read(const char *path, struct explained_job *job,
                                struct allfold_tool_placed *placed);

/* Places the nodes on the hosts of the same names in a network's topology. If the topology does not
 * have the host of node 0, the nodes are placed on its first hosts, in order. If it has that host,
 * but not all hosts, prints a message and returns false. */
bool allfold_explained_job_place(const struct explained_job *job,
                                 const struct allfold_network *network,
                                 struct allfold_tool_placed *placed);

void allfold_explained_job_free(struct explained_job *job);

#endif
