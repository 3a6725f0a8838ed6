/* A stand-in for libxpmem, for machines without /dev/xpmem.
 *
 * No process can map another one's private memory. So what reductions read must lie in files here:
 * this library is preloaded, and large blocks of malloc come from a heap of its own, which no other
 * library knows. It moves the static data of the program and of Allfold into files, too, when
 * the program starts and when Allfold asks for XPMEM. To attach means to map what of a process lies
 * in such files; all else stays unreadable, and whoever reads it crashes. Static data are shared
 * with children of fork, so programs that fork cannot be run so.
 *
 * STAND_IN_XPMEM=count: it says on stderr, at the end, how often memory was attached. =few: a
 * process may have four attachments. =refuse: it lets no process attach. */
#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct xpmem_addr {
    int64_t apid;
    off_t offset;
};

int64_t xpmem_make(void *address, size_t bytes, int permit_type, void *permit);
int xpmem_remove(int64_t segment);
int64_t xpmem_get(int64_t segment, int flags, int permit_type, void *permit);
int xpmem_release(int64_t permit);
void *xpmem_attach(struct xpmem_addr from, size_t bytes, void *address);
int xpmem_detach(void *memory);

/* A line of /proc/PID/maps. */
struct mapping {
    uintptr_t begin, end;
    char permissions[5];
    unsigned long offset, inode;
    char path[300];
};

static bool read_mapping(FILE *maps, struct mapping *mapping)
{
    char line[500];
    if (fgets(line, sizeof line, maps) == NULL)
        return false;
    mapping->path[0] = '\0';
    return sscanf(line, "%lx-%lx %4s %lx %*s %lu %299s", &mapping->begin, &mapping->end,
                  mapping->permissions, &mapping->offset, &mapping->inode, mapping->path) >= 5;
}

/* --- static data -------------------------------------------------------------------------------
 */

enum { MOST_RANGES = 64, MOST_MAPPINGS = 4096 };

static struct {
    uintptr_t begin, end;
} ranges[MOST_RANGES];
static int range_count;

/* Launchers and shells fork, and this library is preloaded into them, too. */
static int note_mpi(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes;
    *(bool *)context |= strstr(info->dlpi_name, "/libmpi") != NULL;
    return 0;
}

static int note_data(struct dl_phdr_info *info, size_t bytes, void *context)
{
    (void)bytes, (void)context;
    const bool is_program = info->dlpi_name[0] == '\0';
    if (!is_program && strstr(info->dlpi_name, "/liballfold-") == NULL)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && range_count < MOST_RANGES; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) == 0)
            continue;
        ranges[range_count].begin = info->dlpi_addr + header->p_vaddr;
        ranges[range_count++].end = info->dlpi_addr + header->p_vaddr + header->p_memsz;
    }
    return 0;
}

/* The descriptor stays open: others find the file by it. */
static void move_to_file(uintptr_t begin, uintptr_t end)
{
    const size_t bytes = end - begin;
    const int file = memfd_create("data", MFD_CLOEXEC);
    if (file < 0 || write(file, (const void *)begin, bytes) != (ssize_t)bytes ||
        mmap((void *)begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
            MAP_FAILED)
        abort();
}

/* What has been moved stays as it is: it is no private mapping any more. */
static void move_data(void)
{
    static struct mapping found[MOST_MAPPINGS];
    const uintptr_t in_page = 4095;
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (maps == NULL)
        abort();
    range_count = 0;
    while (count < MOST_MAPPINGS && read_mapping(maps, &found[count]))
        count++;
    fclose(maps);
    dl_iterate_phdr(note_data, NULL);
    for (int r = 0; r < range_count; r++)
        for (int i = 0; i < count; i++) {
            const uintptr_t down = ranges[r].begin & ~in_page;
            const uintptr_t up = (ranges[r].end + in_page) & ~in_page;
            const uintptr_t begin = found[i].begin > down ? found[i].begin : down;
            const uintptr_t end = found[i].end < up ? found[i].end : up;
            if (begin < end && strcmp(found[i].permissions, "rw-p") == 0)
                move_to_file(begin, end);
        }
}

__attribute__((constructor)) static void move_data_of_program(void)
{
    bool is_wanted = getenv("LD_PRELOAD") == NULL;
    dl_iterate_phdr(note_mpi, &is_wanted);
    if (is_wanted)
        move_data();
}

/* --- libxpmem ----------------------------------------------------------------------------------
 */

enum { PAGE = 4096, FEW = 4 };

static atomic_uint attachments, detachments;

static const char *mode(void)
{
    const char *text = getenv("STAND_IN_XPMEM");
    return text == NULL ? "" : text;
}

__attribute__((destructor)) static void say(void)
{
    if (strcmp(mode(), "refuse") != 0 && *mode() != '\0' && attachments > 0)
        fprintf(stderr, "stand-in: attached %u times, detached %u times\n", attachments,
                detachments);
}

/* Allfold's library was loaded at the first call of MPI, after the program's start. */
int64_t xpmem_make(void *address, size_t bytes, int permit_type, void *permit)
{
    move_data();
    return address == NULL && bytes == SIZE_MAX && permit_type == 1 && (uintptr_t)permit == 0600
               ? (int64_t)getpid() << 16 | 1
               : -1;
}

int xpmem_remove(int64_t segment)
{
    return segment >> 16 == getpid() ? 0 : -1;
}

int64_t xpmem_get(int64_t segment, int flags, int permit_type, void *permit)
{
    return flags == 2 && permit_type == 1 && permit == NULL && strcmp(mode(), "refuse") != 0
               ? segment
               : -1;
}

int xpmem_release(int64_t permit)
{
    return permit > 0 ? 0 : -1;
}

static int open_file(int64_t process, unsigned long inode)
{
    char path[300];
    struct stat status;
    int found = -1;
    snprintf(path, sizeof path, "/proc/%ld/fd", (long)process);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return -1;
    for (struct dirent *entry; found < 0 && (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "/proc/%ld/fd/%s", (long)process, entry->d_name);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == inode)
            found = open(path, O_RDONLY | O_CLOEXEC);
    }
    closedir(folder);
    return found;
}

/* Maps what of a mapping lies in the range from `from` on; `memory` is where the range begins. */
static void attach_mapping(int64_t process, const struct mapping *mapping, uintptr_t from,
                           size_t bytes, char *memory)
{
    const uintptr_t begin = mapping->begin > from ? mapping->begin : from;
    const uintptr_t end = mapping->end < from + bytes ? mapping->end : from + bytes;
    if (begin >= end || mapping->permissions[3] != 's' || strncmp(mapping->path, "/memfd:", 7) != 0)
        return;
    const int file = open_file(process, mapping->inode);
    if (file < 0)
        return;
    mmap(memory + (begin - from), end - begin, PROT_READ, MAP_SHARED | MAP_FIXED, file,
         (off_t)(mapping->offset + (begin - mapping->begin)));
    close(file);
}

/* The length of what is attached stands before it, in a page of its own: who detaches gives none.
 */
void *xpmem_attach(struct xpmem_addr from, size_t bytes, void *address)
{
    char path[64];
    struct mapping mapping;
    const uintptr_t begin = (uintptr_t)from.offset;
    if (strcmp(mode(), "few") == 0 && attachments - detachments == FEW)
        return (void *)-1;
    if (address != NULL || begin % PAGE != 0 || bytes % PAGE != 0 || begin + bytes > 1ul << 47)
        return (void *)-1;
    snprintf(path, sizeof path, "/proc/%ld/maps", (long)(from.apid >> 16));
    FILE *maps = fopen(path, "re");
    if (maps == NULL)
        return (void *)-1;
    char *memory =
        mmap(NULL, PAGE + bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED && mprotect(memory, PAGE, PROT_READ | PROT_WRITE) == 0) {
        memcpy(memory, &bytes, sizeof bytes);
        while (read_mapping(maps, &mapping))
            attach_mapping(from.apid >> 16, &mapping, begin, bytes, memory + PAGE);
        atomic_fetch_add(&attachments, 1);
    }
    fclose(maps);
    return memory == MAP_FAILED ? (void *)-1 : memory + PAGE;
}

int xpmem_detach(void *memory)
{
    size_t bytes;
    memcpy(&bytes, (char *)memory - PAGE, sizeof bytes);
    atomic_fetch_add(&detachments, 1);
    return munmap((char *)memory - PAGE, PAGE + bytes);
}
