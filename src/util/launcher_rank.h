/* Whether this process is the first rank of the job or of its node, according to the environment
 * variables of the launcher. Works before MPI_Init, and in processes without MPI. */
#ifndef ALLFOLD_UTIL_LAUNCHER_RANK_H
#define ALLFOLD_UTIL_LAUNCHER_RANK_H

#include <stdbool.h>

/* Returns whether this process is rank 0 of the job. True if no launcher has set a rank.
 * Thread-safe. */
bool allfold_is_first_rank(void);

/* Returns whether this process is the first rank on its node. True if no launcher has set a rank.
 * Thread-safe. */
bool allfold_is_first_on_node(void);

#endif
