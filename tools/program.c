/* Looking at a program from outside (see program.h).
 *
 * Invariant: nothing of the file is used before it has been checked against the file's length. The
 * loader is asked only about files whose segments are all there. */
#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libraries.h"

/* The first that fits a name counts, so what Allfold has no handles for comes last. */
static const struct allfold_program_mpi mpis[] = {
    {"libmpi.so.40", "openmpi", "Open MPI"}, /* 3 to 5 */
    {"libmpich.so.12", "mpich", "MPICH"},
    {"libmpi.so.12", "mpich", "an MPI with MPICH's ABI"},
    {"libmpi_cray.so.12", "mpich", "Cray MPICH"},
    {"libmpi_gnu*.so.12", "mpich", "Cray MPICH"},
    {"libmpi_intel*.so.12", "mpich", "Cray MPICH"},
    {"libmpi_amd*.so.12", "mpich", "Cray MPICH"},
    {"libmpi_aocc*.so.12", "mpich", "Cray MPICH"},
    {"libmpi_nvidia*.so.12", "mpich", "Cray MPICH"},
    {"libsimgrid.so", "smpi", "SimGrid SMPI"},
    {"libmpi_abi.so", NULL, "the MPI standard's own ABI"},
    {"libmpi_ibm.so", NULL, "IBM Spectrum MPI"},
    {"libmpi_mt.so", NULL, "HPE MPT"},
    {"libmpitrampoline.so", NULL, "MPItrampoline"},
    {"libmpi.so", NULL, "an MPI that Allfold does not know"},
    {"libmpich.so", NULL, "an MPICH that Allfold does not know"},
    {NULL, NULL, NULL},
};

/* Its library was called as those with MPICH's ABI are. */
static const struct allfold_program_mpi old_openmpi = {"libmpi.so.12", NULL, "Open MPI 1.10"};

enum { START_BYTES = 256, MOST_SEGMENTS = 65536 / (int)sizeof(ElfW(Phdr)) }; /* as the kernel */

struct image {
    int file;
    uint64_t bytes;
    unsigned char start[START_BYTES + 1]; /* of the file, and a zero */
    size_t start_bytes;
    ElfW(Ehdr) header;
    ElfW(Phdr) segments[MOST_SEGMENTS];
    char loader[PATH_MAX];
};

const struct allfold_program_mpi *allfold_program_mpi(const char *name)
{
    for (const struct allfold_program_mpi *a = mpis; a->soname != NULL; a++)
        if (a->name != NULL && strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

const struct allfold_program_mpi *allfold_program_mpi_of(const char *library)
{
    char longer[64];
    for (const struct allfold_program_mpi *a = mpis; a->soname != NULL; a++) {
        snprintf(longer, sizeof longer, "%s.*", a->soname);
        if (fnmatch(a->soname, library, 0) == 0 || fnmatch(longer, library, 0) == 0)
            return a;
    }
    return NULL;
}

/* 0, or why the file cannot be run. */
static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    if (!S_ISREG(status.st_mode))
        return EACCES;
    return access(path, X_OK) == 0 ? 0 : errno;
}

int allfold_program_find(const char *name, char *path, size_t bytes)
{
    int error = ENOENT;
    const char *search = getenv("PATH");
    if (strchr(name, '/') != NULL)
        return snprintf(path, bytes, "%s", name) < (int)bytes ? check_executable(path)
                                                              : ENAMETOOLONG;
    if (search == NULL)
        search = "/bin:/usr/bin"; /* as execvp */
    while (*name != '\0') {
        const int length = (int)strcspn(search, ":");
        const int written = length == 0 ? snprintf(path, bytes, "./%s", name)
                                        : snprintf(path, bytes, "%.*s/%s", length, search, name);
        const int found = written < (int)bytes ? check_executable(path) : ENAMETOOLONG;
        if (found == 0)
            return 0;
        if (found == EACCES || found == EISDIR)
            error = EACCES; /* kept while looking on, so that the message is the right one */
        if (search[length] == '\0')
            break;
        search += length + 1;
    }
    return error;
}

/* Sets the result; false, so that checks can return it. */
__attribute__((format(printf, 3, 4))) static bool
conclude(struct allfold_program *program, enum allfold_program_kind kind, const char *format, ...)
{
    va_list arguments;
    program->kind = kind;
    program->mpi = NULL;
    va_start(arguments, format);
    vsnprintf(program->detail, sizeof program->detail, format, arguments);
    va_end(arguments);
    return false;
}

/* Whether `bytes` at `offset` are in the file and could be read. */
static bool read_at(const struct image *image, uint64_t offset, void *data, size_t bytes)
{
    size_t done = 0;
    if (offset > image->bytes || bytes > image->bytes - offset)
        return false;
    while (done < bytes) {
        const ssize_t got =
            pread(image->file, (char *)data + done, bytes - done, (off_t)(offset + done));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool open_image(const char *path, struct image *image, struct allfold_program *program)
{
    struct stat status;
    image->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not stop us */
    if (image->file < 0 || fstat(image->file, &status) != 0)
        return conclude(program, ALLFOLD_PROGRAM_UNREADABLE, "(%s)", strerror(errno));
    if (!S_ISREG(status.st_mode))
        return conclude(program, ALLFOLD_PROGRAM_UNREADABLE, "(not a regular file)");
    image->bytes = (uint64_t)status.st_size;
    image->start_bytes = image->bytes < START_BYTES ? (size_t)image->bytes : START_BYTES;
    if (!read_at(image, 0, image->start, image->start_bytes))
        return conclude(program, ALLFOLD_PROGRAM_UNREADABLE, "(%s)", strerror(errno));
    image->start[image->start_bytes] = '\0';
    return true;
}

/* The headers of this very program say what "our machine" is. */
static bool check_machine(const struct image *image, struct allfold_program *program)
{
    ElfW(Ehdr) own;
    struct image self = {.file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), .bytes = sizeof own};
    const bool known = self.file >= 0 && read_at(&self, 0, &own, sizeof own);
    if (self.file >= 0)
        close(self.file);
    if (!known)
        return conclude(program, ALLFOLD_PROGRAM_UNREADABLE, "(nor can /proc/self/exe)");
    if (image->start[EI_CLASS] != own.e_ident[EI_CLASS])
        return conclude(program, ALLFOLD_PROGRAM_OTHER_MACHINE, "(%s-bit, Allfold is %s-bit)",
                        image->start[EI_CLASS] == ELFCLASS32 ? "32" : "not 32",
                        own.e_ident[EI_CLASS] == ELFCLASS32 ? "32" : "64");
    if (image->start[EI_DATA] != own.e_ident[EI_DATA] || image->header.e_machine != own.e_machine)
        return conclude(program, ALLFOLD_PROGRAM_OTHER_MACHINE,
                        "(ELF machine number %d, Allfold has %d)", image->header.e_machine,
                        own.e_machine);
    return true;
}

static bool read_header(struct image *image, struct allfold_program *program)
{
    if (image->start_bytes < SELFMAG || memcmp(image->start, ELFMAG, SELFMAG) != 0)
        return conclude(program, ALLFOLD_PROGRAM_NOT_ELF, "%s",
                        image->bytes == 0 ? "(it is empty)" : "");
    if (image->start_bytes < sizeof image->header)
        return conclude(program, ALLFOLD_PROGRAM_DAMAGED, "(it ends inside its ELF header)");
    memcpy(&image->header, image->start, sizeof image->header);
    if (!check_machine(image, program))
        return false;
    if (image->header.e_type != ET_EXEC && image->header.e_type != ET_DYN)
        return conclude(program, ALLFOLD_PROGRAM_DAMAGED, "(ELF type %d is not a program's)",
                        image->header.e_type);
    return true;
}

static bool read_segments(struct image *image, struct allfold_program *program)
{
    const size_t count = image->header.e_phnum;
    if (image->header.e_phentsize != sizeof *image->segments || count == 0 || count > MOST_SEGMENTS)
        return conclude(program, ALLFOLD_PROGRAM_DAMAGED, "(%zu program headers of %d bytes)",
                        count, image->header.e_phentsize);
    if (!read_at(image, image->header.e_phoff, image->segments, count * sizeof *image->segments))
        return conclude(program, ALLFOLD_PROGRAM_DAMAGED, "(it ends before its program headers)");
    for (size_t i = 0; i < count; i++) {
        const ElfW(Phdr) *segment = &image->segments[i];
        if (segment->p_type != PT_LOAD && segment->p_type != PT_INTERP &&
            segment->p_type != PT_DYNAMIC)
            continue;
        if (segment->p_offset > image->bytes ||
            segment->p_filesz > image->bytes - segment->p_offset)
            return conclude(program, ALLFOLD_PROGRAM_DAMAGED,
                            "(it ends after %llu bytes, inside segment %zu)",
                            (unsigned long long)image->bytes, i);
    }
    return true;
}

static const ElfW(Phdr) * find_segment(const struct image *image, unsigned type)
{
    for (size_t i = 0; i < image->header.e_phnum; i++)
        if (image->segments[i].p_type == type)
            return &image->segments[i];
    return NULL;
}

/* Static programs that can be put anywhere have a dynamic section too, but say that they are
 * programs. All other files that have one, and no loader, are libraries. */
static bool is_library(const struct image *image)
{
    ElfW(Dyn) entry;
    const ElfW(Phdr) *segment = find_segment(image, PT_DYNAMIC);
    if (segment == NULL)
        return false;
    for (uint64_t at = 0; at + sizeof entry <= segment->p_filesz; at += sizeof entry) {
        if (!read_at(image, segment->p_offset + at, &entry, sizeof entry) || entry.d_tag == DT_NULL)
            break;
        if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0)
            return false;
    }
    return true;
}

static bool read_loader(struct image *image, struct allfold_program *program)
{
    const ElfW(Phdr) *segment = find_segment(image, PT_INTERP);
    if (segment == NULL)
        return conclude(program,
                        is_library(image) ? ALLFOLD_PROGRAM_LIBRARY : ALLFOLD_PROGRAM_STATIC, "%s",
                        "");
    const size_t bytes = segment->p_filesz < PATH_MAX ? (size_t)segment->p_filesz : PATH_MAX;
    if (!read_at(image, segment->p_offset, image->loader, bytes) || bytes < 2 ||
        image->loader[bytes - 1] != '\0')
        return conclude(program, ALLFOLD_PROGRAM_DAMAGED, "(the name of its loader has no end)");
    if (check_executable(image->loader) != 0)
        return conclude(program, ALLFOLD_PROGRAM_LOADER_FAILED, "%s (%s)", image->loader,
                        strerror(check_executable(image->loader)));
    return true;
}

/* What the loader said. */
struct listing {
    const struct allfold_program_mpi *first, *second; /* different MPIs */
    char library[2][128];                             /* their files' names */
    bool has_openmpi_parts;
    char missing[512];
    char complaint[512];
};

static void note_mpi(struct listing *listing, const char *library)
{
    const struct allfold_program_mpi *mpi = allfold_program_mpi_of(library);
    listing->has_openmpi_parts |= strncmp(library, "libopen-pal.so", 14) == 0;
    const bool is_first = listing->first == NULL;
    if (mpi == NULL || (!is_first && listing->first->name == mpi->name &&
                        (mpi->name != NULL || strcmp(listing->library[0], library) == 0)))
        return;
    *(is_first ? &listing->first : &listing->second) = mpi;
    snprintf(listing->library[!is_first], sizeof *listing->library, "%.127s", library);
}

/* The MPI where it is one; a name of a library may have been another MPI's once. */
static const struct allfold_program_mpi *only_mpi(const struct listing *listing)
{
    const bool is_old = listing->has_openmpi_parts && listing->first != NULL &&
                        strcmp(listing->first->soname, old_openmpi.soname) == 0;
    return is_old ? &old_openmpi : listing->first;
}

/* A line is "\tNAME => PATH (ADDRESS)", "\tNAME (ADDRESS)", "\tNAME => not found", or a complaint.
 */
static void note_line(struct listing *listing, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (line[0] != '\t') {
        if (listing->complaint[0] == '\0')
            snprintf(listing->complaint, sizeof listing->complaint, "%s", line);
        return;
    }
    const char *arrow = strstr(line, " => ");
    const char *end = arrow != NULL ? arrow : strstr(line, " (0x");
    const char *start = line + 1;
    if (end == NULL)
        end = line + strlen(line);
    for (const char *a = start; a < end; a++)
        if (*a == '/')
            start = a + 1;
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)(end - start), start);
    note_mpi(listing, name);
    if (arrow == NULL || strncmp(arrow, " => not found", 13) != 0)
        return;
    const size_t used = strlen(listing->missing);
    snprintf(listing->missing + used, sizeof listing->missing - used, "%s%.*s",
             used == 0 ? "" : ", ", (int)(end - start), start);
}

/* In the child. What people have set to watch their own program must not change the answer. */
static void become_loader(const char *loader, const char *path, bool all, int output)
{
    static const char *const unwanted[] = {"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_VERBOSE"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        unsetenv(unwanted[i]);
    if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
        _exit(127);
    if (!all)
        execl(loader, loader, "--list", path, (char *)NULL);
    else if (setenv("LD_TRACE_LOADED_OBJECTS", "1", 1) == 0)
        execl(loader, loader, path, (char *)NULL);
    _exit(127);
}

/* Runs the loader and returns its wait status, or -1. Where somebody has set SIGCHLD to be ignored
 * there is no status: then what it said decides. */
static int list_libraries(const char *loader, const char *path, bool all, struct listing *listing)
{
    int ends[2], status = 0;
    char *line = NULL;
    size_t bytes = 0;
    if (pipe(ends) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0)
        become_loader(loader, path, all, ends[1]);
    close(ends[1]);
    FILE *output = child < 0 ? NULL : fdopen(ends[0], "r");
    while (output != NULL && getline(&line, &bytes, output) >= 0)
        note_line(listing, line);
    free(line);
    if (output != NULL)
        fclose(output);
    else
        close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child < 0 ? -1 : status;
}

/* The walk ends at an MPI library, because nothing beneath it is another MPI. If a library is
 * missing there, the loader says so as the program starts. */
static bool note_name(void *context, const char *name)
{
    note_mpi(context, name);
    return allfold_program_mpi_of(name) != NULL;
}

static void conclude_mpi(struct allfold_program *program, const struct listing *listing)
{
    conclude(program, ALLFOLD_PROGRAM_MPI, "%s", "");
    program->mpi = only_mpi(listing);
    snprintf(program->library, sizeof program->library, "%s", listing->library[0]);
}

/* The quick way, for programs with which all is well: linked to one MPI, and no library missing. */
static bool find_libraries(const char *path, const char *loader, struct allfold_program *program)
{
    struct listing listing = {.first = NULL};
    if (!allfold_libraries_find(path, loader, note_name, &listing) || listing.first == NULL ||
        listing.second != NULL)
        return false;
    conclude_mpi(program, &listing);
    return true;
}

/* Asks the loader; `path` is NULL where there is no file any more. */
static void ask_loader(const char *path, const char *loader, struct allfold_program *program)
{
    struct listing listing = {.missing = ""};
    const int status = path != NULL ? list_libraries(loader, path, false, &listing) : -1;
    /* glibc's stops at the first library that is missing. It names all of them when asked as ldd
     * asks it. Asking so is safe here, because the program cannot start anyway. */
    if (strstr(listing.complaint, "error while loading shared libraries") != NULL)
        list_libraries(loader, path, true, &listing);
    const struct allfold_program_mpi *first = listing.first, *second = listing.second;
    if (listing.missing[0] != '\0')
        conclude(program, ALLFOLD_PROGRAM_MISSING, "%s", listing.missing);
    else if (status != 0 && WIFSIGNALED(status))
        conclude(program, ALLFOLD_PROGRAM_LOADER_FAILED, "%s (signal %d)", loader,
                 WTERMSIG(status));
    else if (status != 0 || (first == NULL && listing.complaint[0] != '\0'))
        conclude(program, ALLFOLD_PROGRAM_LOADER_FAILED, "%s (%s)", loader,
                 listing.complaint[0] == '\0' ? "no answer" : listing.complaint);
    else if (second != NULL)
        conclude(program, ALLFOLD_PROGRAM_TWO_MPIS, "%s (%s) and %s (%s)", first->title,
                 listing.library[0], second->title, listing.library[1]);
    else if (first == NULL)
        conclude(program, ALLFOLD_PROGRAM_NO_MPI, "%s", "");
    else
        conclude_mpi(program, &listing);
}

static void inspect_elf(const char *path, struct image *image, struct allfold_program *program)
{
    char real[PATH_MAX];
    if (!read_header(image, program) || !read_segments(image, program) ||
        !read_loader(image, program))
        return;
    /* $ORIGIN in a search path is where the file really is, and the loader takes our word for it */
    const char *found = realpath(path, real);
    if (found == NULL || !find_libraries(found, image->loader, program))
        ask_loader(found, image->loader, program);
}

/* The interpreter that the first line names; behind env, the one that env would find. */
static void read_interpreter(char *line, char *path, size_t bytes)
{
    char *rest = NULL;
    line[strcspn(line, "\n")] = '\0';
    const char *word = strtok_r(line, " \t", &rest);
    snprintf(path, bytes, "%s", word == NULL ? "" : word);
    const char *base = strrchr(path, '/');
    if (base == NULL || strcmp(base, "/env") != 0)
        return;
    do
        word = strtok_r(NULL, " \t", &rest);
    while (word != NULL && (word[0] == '-' || strchr(word, '=') != NULL));
    if (word != NULL && allfold_program_find(word, path, bytes) != 0)
        snprintf(path, bytes, "%s", word);
}

static void inspect_script(struct image *image, struct allfold_program *program)
{
    char interpreter[PATH_MAX];
    read_interpreter((char *)image->start + 2, interpreter, sizeof interpreter);
    close(image->file);
    if (open_image(interpreter, image, program))
        inspect_elf(interpreter, image, program);
    if (program->kind == ALLFOLD_PROGRAM_UNREADABLE)
        conclude(program, ALLFOLD_PROGRAM_SCRIPT, "'%s', which cannot be read", interpreter);
    else if (program->kind != ALLFOLD_PROGRAM_MPI)
        conclude(program, ALLFOLD_PROGRAM_SCRIPT, "'%s', which is not linked to one MPI",
                 interpreter);
}

void allfold_program_inspect(const char *path, struct allfold_program *program)
{
    static struct image image; /* large, and the tool has one thread */
    if (open_image(path, &image, program)) {
        if (image.start_bytes > 2 && memcmp(image.start, "#!", 2) == 0)
            inspect_script(&image, program);
        else
            inspect_elf(path, &image, program);
    }
    if (image.file >= 0)
        close(image.file);
}
