/* Anonymous files (see shared_file.h). */
#include "heap/shared_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file_limit.h"

struct allfold_shared_file allfold_shared_file_make(size_t bytes)
{
    const struct allfold_shared_file none = {.descriptor = -1};
    struct stat status;
    const int file = allfold_file_may_have(bytes) ? memfd_create("allfold", MFD_CLOEXEC) : -1;
    if (file < 0)
        return none;
    if (ftruncate(file, (off_t)bytes) != 0 || fstat(file, &status) != 0) {
        close(file);
        return none;
    }
    return (struct allfold_shared_file){.process = getpid(),
                                        .descriptor = file,
                                        .device = status.st_dev,
                                        .inode = status.st_ino,
                                        .bytes = bytes};
}

/* The same number may be another process's in another container: only the same file will do. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access)
{
    char path[64];
    struct stat status;
    if (file->descriptor < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", file->process, file->descriptor);
    const int found = open(path, access | O_CLOEXEC);
    if (found >= 0 && fstat(found, &status) == 0 && status.st_dev == file->device &&
        status.st_ino == file->inode)
        return found;
    if (found >= 0)
        close(found);
    return -1;
}
