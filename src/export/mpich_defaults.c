/* MPICH's own decisions, from its library (see mpich.c): there is one text in it that begins as
 * such trees do and has algorithms of MPIR, whatever else is there for its devices. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/export.h"
#include "util/memory.h"

/* The text at `begin`, up to its 0 byte; its length, or 0 where it is none of those sought. */
static size_t measure_text(const char *begin, size_t bytes)
{
    static const char sought[] = "\"collective=allreduce\":{\"comm_type=intra\":";
    static const char algorithm[] = "\"algorithm=MPIR_Allreduce_intra_";
    const char *end = memchr(begin, '\0', bytes);
    const size_t length = end == NULL ? 0 : (size_t)(end - begin);
    return memmem(begin, length, sought, strlen(sought)) != NULL &&
                   memmem(begin, length, algorithm, strlen(algorithm)) != NULL
               ? length
               : 0;
}

static size_t find_text(const char *file, size_t bytes, const char **text)
{
    static const char first[] = "{\"collective=";
    const char *at = file;
    while ((at = memmem(at, bytes - (size_t)(at - file), first, strlen(first))) != NULL) {
        const size_t length = measure_text(at, bytes - (size_t)(at - file));
        if (length > 0) {
            *text = at;
            return length;
        }
        at++;
    }
    return 0;
}

static enum allfold_error copy_text(struct allfold_export *export, const char *file, size_t bytes,
                                    const char *library, char *message, size_t message_bytes)
{
    const char *text = NULL;
    const size_t length = find_text(file, bytes, &text);
    if (length == 0) {
        snprintf(message, message_bytes,
                 "%.300s has no decisions on collectives in it; expected the library of MPICH 4.0 "
                 "or later, as libmpich.so.12",
                 library);
        return ALLFOLD_BAD_INPUT;
    }
    allfold_free(export->defaults);
    export->defaults = allfold_allocate(length + 1);
    if (export->defaults == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    memcpy(export->defaults, text, length);
    export->defaults[length] = '\0';
    return ALLFOLD_OK;
}

enum allfold_error allfold_export_find_defaults(struct allfold_export *export, const char *library,
                                                char *message, size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    struct stat status;
    void *file = MAP_FAILED;
    const int descriptor = open(library, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > 0)
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file == MAP_FAILED) {
        snprintf(message, message_bytes, "%.300s: %s; expected the library of MPICH", library,
                 descriptor < 0 ? strerror(errno) : "cannot be read");
    } else {
        error = copy_text(export, file, (size_t)status.st_size, library, message, message_bytes);
        munmap(file, (size_t)status.st_size);
    }
    if (descriptor >= 0)
        close(descriptor);
    return error;
}
