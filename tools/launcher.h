/* Detects the MPI launcher that started this process. Environment variables show whether there is
 * one; the launcher itself is found among the ancestors of this process. */
#ifndef ALLFOLD_LAUNCHER_H
#define ALLFOLD_LAUNCHER_H

#include <limits.h>
#include <stdbool.h>

struct allfold_launcher {
    bool is_there;
    const char *mpi; /* as in liballfold-NAME.so; NULL if the launcher starts programs of several
                        MPI libraries */
    int size, rank;  /* of its processes; size 0: not known */
    char path[PATH_MAX]; /* path of its program; "" if no launcher is an ancestor, as under Slurm */
};

struct allfold_launcher allfold_launcher_find(void);

/* Returns whether a user may see this process's stderr: it is a terminal, or that of a launcher
 * among the ancestors of this process is one and the launcher forwards the output. */
bool allfold_launcher_shows(void);

#endif
