/* Writes a temporary file and renames it (see replace_file.h). */
#include "util/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/ticks.h"

enum { MOST_ENDING_BYTES = 48 }; /* of the name of the file beside */

/* What is written, and by what. */
struct content {
    enum allfold_error (*put)(FILE *file, const void *what);
    const void *what;
};

static enum allfold_error put_file(const struct content *content, int descriptor)
{
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL) {
        close(descriptor);
        return ALLFOLD_BAD_INPUT;
    }
    enum allfold_error error = content->put(file, content->what);
    const bool is_written = fflush(file) == 0 && ferror(file) == 0 &&
                            (fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS);
    const int why = errno;
    if ((fclose(file) != 0 || !is_written) && error == ALLFOLD_OK)
        error = ALLFOLD_BAD_INPUT;
    if (!is_written)
        errno = why;
    return error;
}

/* A file that is no regular one (a device, a pipe, a link) is written in place. */
static bool is_written_in_place(const char *path)
{
    struct stat found;
    return lstat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

enum allfold_error allfold_replace_file(const char *path,
                                        enum allfold_error (*put)(FILE *file, const void *what),
                                        const void *what, char *message, size_t message_bytes)
{
    const struct content content = {put, what};
    const bool is_in_place = is_written_in_place(path);
    const size_t bytes = strlen(path) + MOST_ENDING_BYTES;
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    int descriptor = -1;
    char *beside = allfold_allocate(bytes);
    if (beside == NULL)
        goto out;
    snprintf(beside, bytes, "%s", path);
    if (!is_in_place)
        snprintf(beside + strlen(path), MOST_ENDING_BYTES, ".%lx-%llx", (unsigned long)getpid(),
                 (unsigned long long)allfold_monotonic_ns());
    descriptor =
        open(beside, O_WRONLY | O_CLOEXEC | O_CREAT | (is_in_place ? O_TRUNC : O_EXCL), 0666);
    error = descriptor < 0 ? ALLFOLD_BAD_INPUT : put_file(&content, descriptor);
    if (error == ALLFOLD_OK && !is_in_place && rename(beside, path) != 0)
        error = ALLFOLD_BAD_INPUT;
out:;
    const int why = error == ALLFOLD_NO_MEMORY ? ENOMEM : errno;
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "%.300s cannot be written (%s)", path,
                 error == ALLFOLD_NO_MEMORY ? "no memory" : strerror(why));
    if (error != ALLFOLD_OK && descriptor >= 0 && !is_in_place)
        unlink(beside);
    allfold_free(beside);
    errno = why;
    return error;
}
