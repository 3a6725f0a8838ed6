/* Files through which processes of one node share memory.
 *
 * Normally these are anonymous files, which other ranks open through /proc/PID/fd: they have no
 * name that a killed program could leave behind, and need no space in /dev/shm. Named files in
 * /dev/shm are the alternative for containers with separate PID or user namespaces, in which /proc
 * does not show the other ranks (docs/containers.md). */
#ifndef ALLFOLD_HEAP_SHARED_FILE_H
#define ALLFOLD_HEAP_SHARED_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A shared file, as the rank that created it describes it to the other ranks. */
struct allfold_shared_file {
    long process;
    int descriptor; /* in that process, which keeps it open; -1: there is no file */
    unsigned long device, inode;
    size_t bytes;
    uint64_t name; /* of a named file; 0: the file is anonymous */
};

/* Creates an anonymous file of `bytes` zeros, whose memory is allocated when it is first written
 * to. The descriptor is -1 on failure. */
struct allfold_shared_file allfold_shared_file_make(size_t bytes);

/* Creates a file of `bytes` zeros in /dev/shm, whose name has `name`, a random number. All of its
 * memory is reserved, because a write to a full /dev/shm would end the process. The descriptor is
 * -1 on failure. */
struct allfold_shared_file allfold_shared_file_make_named(size_t bytes, uint64_t name);

/* Removes the name of a named file. Processes that have opened the file can still use it. */
void allfold_shared_file_unlink(const struct allfold_shared_file *file);

/* Opens the file in this process with the access mode of open(2). Returns a descriptor, which the
 * caller closes, or -1 on failure. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access);

#endif
