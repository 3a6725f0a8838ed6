/* Files through which processes of one node share memory.
 *
 * Normally these are anonymous files, which other ranks open through /proc/PID/fd: they have no
 * name that a killed program could leave behind, and need no space in /dev/shm. Named files in
 * /dev/shm are the second way, for containers with separate PID or user namespaces, whose /proc
 * does not lead to other ranks (docs/containers.md). */
#ifndef ALLFOLD_HEAP_SHARED_FILE_H
#define ALLFOLD_HEAP_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>

/* What the rank that created it sends to the other ranks. */
struct allfold_shared_file {
    long process;
    int descriptor; /* of that process, which keeps it open; -1: there is none */
    unsigned long device, inode;
    size_t bytes;
    uint64_t name; /* of a named file; 0: it is anonymous */
};

/* Creates a file of zeros whose memory is allocated when it is first written to. The descriptor is
 * -1 if it fails. */
struct allfold_shared_file allfold_shared_file_make(size_t bytes);

/* The same in /dev/shm, with a name made from `name`, a random number. All of its memory is
 * reserved, because a write into a full /dev/shm would end the process. */
struct allfold_shared_file allfold_shared_file_make_named(size_t bytes, uint64_t name);

/* Removes the name, if there is one. Processes that have opened the file keep it. */
void allfold_shared_file_unlink(const struct allfold_shared_file *file);

/* Opens it in this process with the access mode of open(2). Returns a descriptor, which the caller
 * closes, or -1 on failure. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access);

#endif
