/* Files through which processes of one node share memory.
 *
 * Anonymous files are the normal case. Others open them through /proc/PID/fd: they have no name
 * that a killed program could leave behind, and need no space in /dev/shm. In containers with a
 * PID or user namespace of their own, /proc does not lead to other processes. Named files in
 * /dev/shm are for these: most container runtimes can share it (docs/containers.md). */
#ifndef ALLFOLD_MPI_SHARED_FILE_H
#define ALLFOLD_MPI_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>

/* What its maker sends the others. */
struct allfold_shared_file {
    long process;
    int descriptor; /* of that process, which keeps it open; -1: there is none */
    unsigned long device, inode;
    size_t bytes;
    uint64_t name; /* of a named file; 0: it is anonymous */
};

/* Makes a file of zeros, which takes memory where it is written to; without one, its descriptor is
 * -1. */
struct allfold_shared_file allfold_shared_file_make(size_t bytes);

/* The same in /dev/shm, with a name made from `name`, a random number. All of its memory is
 * reserved, because a write into a full /dev/shm would end the process. */
struct allfold_shared_file allfold_shared_file_make_named(size_t bytes, uint64_t name);

/* Removes the name, if there is one. Processes that have opened the file keep it. */
void allfold_shared_file_unlink(const struct allfold_shared_file *file);

/* A descriptor of it in this process, with the access mode of open(2), or -1 where it cannot be
 * opened. Whoever opens it closes it. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access);

#endif
