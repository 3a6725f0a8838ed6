/* Was this process started by an MPI launcher, and by which? The variables that launchers set show
 * whether there is one; the launcher itself is found among the ancestors of this process. */
#ifndef ALLFOLD_LAUNCHER_H
#define ALLFOLD_LAUNCHER_H

#include <limits.h>
#include <stdbool.h>

struct allfold_launcher {
    bool is_there;
    const char *mpi;     /* as in liballfold-NAME.so; NULL if the launcher serves several MPIs */
    int size, rank;      /* of its processes; a size of 0 where it does not say */
    char path[PATH_MAX]; /* its program; "" if no launcher is an ancestor, as under Slurm */
};

struct allfold_launcher allfold_launcher_find(void);

/* Does somebody look at what this process writes to stderr? On a terminal of its own, or on that of
 * a launcher that passes it on: those of this machine among its ancestors. */
bool allfold_launcher_shows(void);

#endif
