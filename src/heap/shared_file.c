/* Anonymous files and files in /dev/shm (see shared_file.h). */
#include "heap/shared_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file_limit.h"

enum { PATH_BYTES = 64 };

static const struct allfold_shared_file none = {.descriptor = -1};

/* Describes a file that is open, or closes it if it could not be made as long as it has to be. */
static struct allfold_shared_file describe(int file, bool is_long_enough, size_t bytes)
{
    struct stat status;
    if (!is_long_enough || fstat(file, &status) != 0) {
        close(file);
        return none;
    }
    return (struct allfold_shared_file){.process = getpid(),
                                        .descriptor = file,
                                        .device = status.st_dev,
                                        .inode = status.st_ino,
                                        .bytes = bytes};
}

struct allfold_shared_file allfold_shared_file_make(size_t bytes)
{
    const int file = allfold_file_may_have(bytes) ? memfd_create("allfold", MFD_CLOEXEC) : -1;
    return file < 0 ? none : describe(file, ftruncate(file, (off_t)bytes) == 0, bytes);
}

static void path_of(uint64_t name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "/dev/shm/allfold-%016" PRIx64, name);
}

struct allfold_shared_file allfold_shared_file_make_named(size_t bytes, uint64_t name)
{
    char path[PATH_BYTES];
    path_of(name, path);
    const int file = name != 0 && allfold_file_may_have(bytes)
                         ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
                         : -1;
    if (file < 0)
        return none;
    struct allfold_shared_file made =
        describe(file, fallocate(file, 0, 0, (off_t)bytes) == 0, bytes);
    made.name = name;
    if (made.descriptor < 0)
        unlink(path);
    return made;
}

void allfold_shared_file_unlink(const struct allfold_shared_file *file)
{
    char path[PATH_BYTES];
    if (file->descriptor < 0 || file->name == 0)
        return;
    path_of(file->name, path);
    unlink(path);
}

/* In another PID namespace the PID may belong to a different process, so device and inode must
 * match. */
int allfold_shared_file_open(const struct allfold_shared_file *file, int access)
{
    char path[PATH_BYTES];
    struct stat status;
    if (file->descriptor < 0)
        return -1;
    if (file->name != 0)
        path_of(file->name, path);
    else
        snprintf(path, sizeof path, "/proc/%ld/fd/%d", file->process, file->descriptor);
    const int found = open(path, access | O_CLOEXEC);
    if (found >= 0 && fstat(found, &status) == 0 && status.st_dev == file->device &&
        status.st_ino == file->inode)
        return found;
    if (found >= 0)
        close(found);
    return -1;
}
