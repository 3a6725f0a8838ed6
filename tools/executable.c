/* Finds executable files, and checks what they are linked with (see executable.h). */
#include "executable.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_executable(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return errno == ENOTDIR ? ENOENT : errno;
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    return access(path, X_OK) == 0 ? 0 : errno;
}

int allfold_executable_find(const char *name, char *path, size_t bytes)
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

/* Returns whether word size and processor are those of this command, and so of the library. */
static bool is_of_this_machine(const ElfW(Ehdr) * head)
{
    static const unsigned short here =
#if defined(__x86_64__)
        EM_X86_64;
#else
        EM_AARCH64;
#endif
    return head->e_ident[EI_CLASS] == ELFCLASS64 && head->e_machine == here;
}

/* A dynamic program names its loader. */
static bool names_loader(int file, const ElfW(Ehdr) * head)
{
    for (int i = 0; i < head->e_phnum; i++) {
        ElfW(Phdr) segment;
        const off_t at = (off_t)(head->e_phoff + (ElfW(Off))i * sizeof segment);
        if (pread(file, &segment, sizeof segment, at) != sizeof segment)
            return true; /* a damaged file is the system's to refuse */
        if (segment.p_type == PT_INTERP)
            return true;
    }
    return false;
}

const char *allfold_executable_refuses(const char *path)
{
    ElfW(Ehdr) head;
    const char *why = NULL;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (pread(file, &head, sizeof head, 0) == sizeof head &&
        memcmp(head.e_ident, ELFMAG, SELFMAG) == 0) {
        if (!is_of_this_machine(&head))
            why = "is a program for another kind of machine; expected one for the machine that "
                  "Allfold was built for";
        else if (!names_loader(file, &head))
            why = "is linked statically, so nothing can be preloaded into it; link it dynamically, "
                  "or with the Allfold library itself";
    }
    close(file);
    return why;
}

/* --- sanitizers ------------------------------------------------------------------------------- */

bool allfold_executable_is_sanitizer(const char *name, size_t length)
{
    static const char *const begins[] = {"libasan.so",       "libtsan.so",
                                         "libhwasan.so",     "libclang_rt.asan",
                                         "libclang_rt.tsan", "libclang_rt.hwasan"};
    const char *base = memrchr(name, '/', length);
    base = base == NULL ? name : base + 1;
    length -= (size_t)(base - name);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (length >= strlen(begins[i]) && strncmp(base, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* Reads the segment of that type that holds the address, or the first one for address 0. */
static bool find_segment(int file, const ElfW(Ehdr) * head, ElfW(Word) type, ElfW(Addr) address,
                         ElfW(Phdr) * segment)
{
    for (int i = 0; i < head->e_phnum; i++) {
        const off_t at = (off_t)(head->e_phoff + (ElfW(Off))i * sizeof *segment);
        if (pread(file, segment, sizeof *segment, at) != sizeof *segment)
            return false;
        if (segment->p_type == type &&
            (address == 0 ||
             (address >= segment->p_vaddr && address - segment->p_vaddr < segment->p_filesz)))
            return true;
    }
    return false;
}

/* Returns the offset of the libraries' names in the file; 0: there are none. */
static off_t find_names(int file, const ElfW(Ehdr) * head, const ElfW(Phdr) * dynamic)
{
    ElfW(Phdr) loaded;
    ElfW(Dyn) entry;
    for (ElfW(Xword) i = 0; i < dynamic->p_filesz / sizeof entry; i++) {
        const off_t at = (off_t)(dynamic->p_offset + i * sizeof entry);
        if (pread(file, &entry, sizeof entry, at) != sizeof entry || entry.d_tag == DT_NULL)
            return 0;
        if (entry.d_tag == DT_STRTAB && entry.d_un.d_ptr != 0 &&
            find_segment(file, head, PT_LOAD, entry.d_un.d_ptr, &loaded))
            return (off_t)(loaded.p_offset + (entry.d_un.d_ptr - loaded.p_vaddr));
    }
    return 0;
}

static bool find_needed(int file, const ElfW(Ehdr) * head, char *name, size_t bytes)
{
    ElfW(Phdr) dynamic;
    ElfW(Dyn) entry;
    if (!find_segment(file, head, PT_DYNAMIC, 0, &dynamic))
        return false;
    const off_t names = find_names(file, head, &dynamic);
    for (ElfW(Xword) i = 0; names > 0 && i < dynamic.p_filesz / sizeof entry; i++) {
        const off_t at = (off_t)(dynamic.p_offset + i * sizeof entry);
        if (pread(file, &entry, sizeof entry, at) != sizeof entry || entry.d_tag == DT_NULL)
            return false;
        if (entry.d_tag != DT_NEEDED)
            continue;
        const ssize_t got = pread(file, name, bytes - 1, names + (off_t)entry.d_un.d_val);
        if (got <= 0)
            return false;
        name[got] = '\0';
        if (allfold_executable_is_sanitizer(name, strlen(name)))
            return true;
    }
    return false;
}

bool allfold_executable_find_sanitizer(const char *path, char *name, size_t bytes)
{
    ElfW(Ehdr) head;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool is_found = pread(file, &head, sizeof head, 0) == sizeof head &&
                          memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && is_of_this_machine(&head) &&
                          find_needed(file, &head, name, bytes);
    close(file);
    return is_found;
}
