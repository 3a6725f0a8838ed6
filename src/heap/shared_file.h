/* Anonymous files through which processes of one node share memory.
 *
 * Others open such a file through /proc: it has no name that a killed program could leave behind,
 * and needs no room in /dev/shm. */
#ifndef ALLFOLD_MPI_SHARED_FILE_H
#define ALLFOLD_MPI_SHARED_FILE_H

#include <stddef.h>

/* What its maker sends the others. */
struct allfold_shared_file {
    long process;
    int descriptor; /* of that process, which keeps it open; -1: there is none */
    unsigned long device, inode;
    size_t bytes;
};

/* Makes a file of zeros, which takes memory where it is written to; without one, its descriptor is
 * -1. */
struct allfold_shared_file allfold_shared_file_make(size_t bytes);

/* A descriptor of it in this process, with the access mode of open(2), or -1 where it cannot be
 * opened. Whoever opens it closes it. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access);

#endif
