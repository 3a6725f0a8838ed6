/* Was this process started by an MPI launcher, and by which? By the variables that they set. */
#ifndef ALLFOLD_TOOLS_LAUNCHER_H
#define ALLFOLD_TOOLS_LAUNCHER_H

#include <stdbool.h>

struct allfold_launcher {
    bool is_there;
    const char *mpi; /* as in liballfold-NAME.so; NULL where the launcher serves several MPIs */
    int size, rank;  /* of its processes; a size of 0 where it does not say */
};

struct allfold_launcher allfold_launcher_find(void);

/* Does somebody look at what this process writes to stderr? On a terminal of its own, or on that of
 * a launcher that passes it on: those of this machine among its ancestors. */
bool allfold_launcher_shows(void);

#endif
