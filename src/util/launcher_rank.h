/* Is this process the first rank of the job or of its node, as the launcher's environment variables
 * say? It can be called before MPI_Init, and by processes without MPI. */
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
