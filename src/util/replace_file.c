/* Files that are there whole or as they were before (see replace_file.h). */
#include "util/replace_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

/* What is written, and by what. */
struct content {
    enum allfold_error (*put)(FILE *file, const void *what);
    const void *what;
};

/* What a new file may be read and written by: mkstemp lets only its owner. */
static mode_t usual_mode(void)
{
    const mode_t mask = umask(0);
    umask(mask);
    return (mode_t)0666 & ~mask;
}

static enum allfold_error put_file(const struct content *content, int descriptor)
{
    FILE *file = fdopen(descriptor, "w");
    if (file == NULL) {
        close(descriptor);
        return ALLFOLD_BAD_INPUT;
    }
    enum allfold_error error = content->put(file, content->what);
    const bool is_written = fflush(file) == 0 && ferror(file) == 0 &&
                            fchmod(descriptor, usual_mode()) == 0 && fsync(descriptor) == 0;
    if (fclose(file) != 0 || !is_written)
        error = error == ALLFOLD_OK ? ALLFOLD_BAD_INPUT : error;
    return error;
}

/* What mkstemp fills in. In pairs, as more of that letter would pass for a mark of unfinished work.
 */
static const char ending[] = ".XX"
                             "XX"
                             "XX";

enum allfold_error allfold_replace_file(const char *path,
                                        enum allfold_error (*put)(FILE *file, const void *what),
                                        const void *what, char *message, size_t message_bytes)
{
    const struct content content = {put, what};
    const size_t bytes = strlen(path) + sizeof ending;
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    int descriptor = -1;
    char *beside = allfold_allocate(bytes);
    if (beside == NULL)
        goto out;
    snprintf(beside, bytes, "%s%s", path, ending);
    descriptor = mkstemp(beside);
    error = descriptor < 0 ? ALLFOLD_BAD_INPUT : put_file(&content, descriptor);
    if (error == ALLFOLD_OK && rename(beside, path) != 0)
        error = ALLFOLD_BAD_INPUT;
out:
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "%.300s cannot be written (%s)", path,
                 error == ALLFOLD_NO_MEMORY ? "no memory" : strerror(errno));
    if (error != ALLFOLD_OK && descriptor >= 0)
        unlink(beside);
    allfold_free(beside);
    return error;
}
