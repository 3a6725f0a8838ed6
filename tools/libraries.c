/* The libraries that a program needs (see libraries.h).
 *
 * Invariant: nothing of a file is used before it has been read whole. A file that is longer, or
 * other than expected, ends the whole search without a result. */
#include "libraries.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_OBJECTS = 256,
    MOST_NEEDS = 2048,
    STRINGS_BYTES = 64 << 10,
    HEAD_BYTES = 4096, /* the ELF header and the program headers */
    MOST_ENTRIES = 256,
    SHORT = 128, /* strings: most are short */
    LONGEST = 2048
};

/* The program, or a library that was found. */
struct object {
    const char *name, *directory, *rpath, *runpath;
    int loader;  /* the object that needs it, by index; -1: none */
    bool is_end; /* what it needs is not looked for */
};

/* A name that an object needs. */
struct need {
    const char *name;
    int by;
};

/* The cache of ldconfig: a header, entries in falling order of their names, strings. */
struct cache_header {
    char magic[20];
    uint32_t count, strings_bytes, unused[5];
};

struct cache_entry {
    int32_t flags;
    uint32_t name, path; /* where they begin in the file */
    uint32_t unused;
    uint64_t needs; /* features of the processor; 0: none */
};

/* All of it is static: what is not touched takes neither memory nor time. */
struct search {
    struct object objects[MOST_OBJECTS];
    int count;
    struct need needs[MOST_NEEDS];
    int need_count;
    char strings[STRINGS_BYTES];
    size_t used;
    ElfW(Half) machine;
    unsigned char ident[EI_NIDENT];
    const char *cache; /* the file; NULL where there is none */
    size_t cache_bytes, strings_end;
};

enum found { MISSING, FOUND, UNSURE };

/* --- a file ------------------------------------------------------------------------------------
 */

/* What is read of an object, and where its segments are. */
struct image {
    int file;
    _Alignas(ElfW(Ehdr)) unsigned char head[HEAD_BYTES];
    const ElfW(Phdr) * segments;
    int segment_count;
    ElfW(Dyn) entries[MOST_ENTRIES];
    size_t entry_count;
};

/* Reads the headers. MISSING where the file is for another kind of machine, which the loader passes
 * over. */
static enum found read_head(struct search *search, struct image *image)
{
    const ssize_t got = pread(image->file, image->head, sizeof image->head, 0);
    const ElfW(Ehdr) *header = (const void *)image->head;
    if (got < (ssize_t)sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return UNSURE;
    if (search->count == 0) {
        search->machine = header->e_machine;
        memcpy(search->ident, header->e_ident, sizeof search->ident);
    }
    if (header->e_machine != search->machine ||
        header->e_ident[EI_CLASS] != search->ident[EI_CLASS] ||
        header->e_ident[EI_DATA] != search->ident[EI_DATA])
        return MISSING;
    const size_t bytes = header->e_phnum * sizeof *image->segments;
    if (header->e_phentsize != sizeof *image->segments ||
        header->e_phoff % _Alignof(ElfW(Phdr)) != 0 || header->e_phoff > (size_t)got ||
        bytes > (size_t)got - header->e_phoff)
        return UNSURE;
    image->segments = (const void *)(image->head + header->e_phoff);
    image->segment_count = header->e_phnum;
    return FOUND;
}

static bool read_entries(struct image *image)
{
    for (int i = 0; i < image->segment_count; i++) {
        const ElfW(Phdr) *segment = &image->segments[i];
        if (segment->p_type != PT_DYNAMIC)
            continue;
        const size_t bytes = segment->p_filesz;
        image->entry_count = bytes / sizeof *image->entries;
        return bytes <= sizeof image->entries && pread(image->file, image->entries, bytes,
                                                       (off_t)segment->p_offset) == (ssize_t)bytes;
    }
    return false;
}

/* Where the file has what is at that address in memory; 0 where it has not. */
static uint64_t offset_of(const struct image *image, uint64_t address)
{
    for (int i = 0; i < image->segment_count; i++) {
        const ElfW(Phdr) *segment = &image->segments[i];
        if (segment->p_type == PT_LOAD && address >= segment->p_vaddr &&
            address - segment->p_vaddr < segment->p_filesz)
            return address - segment->p_vaddr + segment->p_offset;
    }
    return 0;
}

/* A string of the file, kept; NULL where it does not end in time. */
static const char *read_string(struct search *search, const struct image *image, uint64_t offset)
{
    char *text = search->strings + search->used;
    for (size_t bytes = SHORT; bytes <= LONGEST; bytes *= LONGEST / SHORT) {
        if (bytes > sizeof search->strings - search->used || offset > INT64_MAX)
            return NULL;
        const ssize_t got = pread(image->file, text, bytes, (off_t)offset);
        const char *end = got > 0 ? memchr(text, '\0', (size_t)got) : NULL;
        if (end != NULL) {
            search->used += (size_t)(end + 1 - text);
            return text;
        }
    }
    return NULL;
}

static const char *keep_string(struct search *search, const char *text, size_t length)
{
    if (length >= sizeof search->strings - search->used)
        return NULL;
    char *kept = search->strings + search->used;
    memcpy(kept, text, length);
    kept[length] = '\0';
    search->used += length + 1;
    return kept;
}

/* Takes over what the dynamic section says; false where it has what is not known here. */
static bool take_entry(struct search *search, const struct image *image, uint64_t strings,
                       const ElfW(Dyn) * entry, struct object *object)
{
    const uint64_t at = strings + entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_NEEDED: {
        if (search->need_count == MOST_NEEDS)
            return false;
        struct need *need = &search->needs[search->need_count++];
        *need = (struct need){.name = read_string(search, image, at), .by = search->count};
        return need->name != NULL;
    }
    case DT_RPATH:
        object->rpath = read_string(search, image, at);
        return object->rpath != NULL;
    case DT_RUNPATH:
        object->runpath = read_string(search, image, at);
        return object->runpath != NULL;
    case DT_FLAGS_1:
        return (entry->d_un.d_val & (DF_1_NODEFLIB | DF_1_CONFALT)) == 0;
    case DT_FILTER:
    case DT_AUXILIARY:
    case DT_AUDIT:
    case DT_DEPAUDIT:
        return false;
    default:
        return true;
    }
}

static bool read_dynamic(struct search *search, struct image *image, struct object *object)
{
    uint64_t strings = 0;
    if (!read_entries(image))
        return false;
    for (size_t i = 0; i < image->entry_count && image->entries[i].d_tag != DT_NULL; i++)
        if (image->entries[i].d_tag == DT_STRTAB)
            strings = offset_of(image, image->entries[i].d_un.d_ptr);
    for (size_t i = 0; i < image->entry_count && image->entries[i].d_tag != DT_NULL; i++)
        if (strings == 0 || !take_entry(search, image, strings, &image->entries[i], object))
            return false;
    return true;
}

/* Looks whether the file at `path` is such a library, or the program, and adds it to the objects.
 */
static enum found add(struct search *search, const char *path, const char *name, int loader)
{
    struct image image; /* large, and what is read of it is written first */
    image.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (image.file < 0)
        return errno == ENOENT || errno == ENOTDIR ? MISSING : UNSURE;
    enum found found = search->count < MOST_OBJECTS ? read_head(search, &image) : UNSURE;
    if (found == FOUND) {
        const char *slash = strrchr(path, '/');
        struct object object = {.name = name, .rpath = "", .runpath = "", .loader = loader};
        if (slash != NULL)
            object.directory = keep_string(search, path, (size_t)(slash - path));
        if (object.directory != NULL && read_dynamic(search, &image, &object))
            search->objects[search->count++] = object;
        else
            found = UNSURE;
    }
    close(image.file);
    return found;
}

/* --- directories -------------------------------------------------------------------------------
 */

/* A directory of a search path, with $ORIGIN filled in; false where something else is to be. */
static bool expand(const char *text, size_t length, const char *origin, char *directory,
                   size_t bytes)
{
    static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
    size_t done = 0;
    for (size_t at = 0; at < length; at++) {
        const char *put = text + at;
        size_t put_length = 1;
        for (size_t i = 0; i < sizeof words / sizeof *words && text[at] == '$'; i++) {
            const size_t known = strlen(words[i]);
            if (known > length - at || memcmp(text + at, words[i], known) != 0)
                continue;
            put = origin;
            put_length = strlen(origin);
            at += known - 1;
            break;
        }
        if ((put_length == 1 && *put == '$') || done + put_length >= bytes)
            return false;
        memcpy(directory + done, put, put_length);
        done += put_length;
    }
    directory[done] = '\0';
    return true;
}

/* Looks for the library in directories with one of `separators` between them. */
static enum found look_along(struct search *search, const char *directories, const char *separators,
                             const char *name, int loader, const char *origin)
{
    char directory[PATH_MAX], path[PATH_MAX + LONGEST];
    for (const char *at = directories; *at != '\0'; at += *at != '\0') {
        const size_t length = strcspn(at, separators);
        if (!expand(at, length, origin, directory, sizeof directory))
            return UNSURE;
        at += length;
        const char *of = directory[0] == '\0' ? "." : directory;
        snprintf(path, sizeof path, "%s/glibc-hwcaps", of); /* for some processors alone */
        if (access(path, F_OK) == 0)
            return UNSURE;
        snprintf(path, sizeof path, "%s/%s", of, name);
        const enum found found = add(search, path, name, loader);
        if (found != MISSING)
            return found;
    }
    return MISSING;
}

/* --- the cache of ldconfig ---------------------------------------------------------------------
 */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static unsigned take_number(const char **text)
{
    unsigned number = 0;
    for (; is_digit(**text); (*text)++)
        number = number * 10 + (unsigned)(**text - '0');
    return number;
}

/* The order of its names: as strings, but numbers in them count as numbers. */
static int compare_names(const char *a, const char *b)
{
    while (*a != '\0') {
        if (is_digit(*a) != is_digit(*b))
            return is_digit(*a) ? 1 : -1;
        if (!is_digit(*a) && *a != *b)
            return *a - *b;
        if (!is_digit(*a)) {
            a++;
            b++;
            continue;
        }
        const unsigned x = take_number(&a), y = take_number(&b);
        if (x != y)
            return x > y ? 1 : -1;
    }
    return *a - *b;
}

/* Where its strings end; 0 where it is no such cache, or they do not end with a zero. */
static size_t end_of_strings(const char *cache, size_t bytes)
{
    static const char magic[] = "glibc-ld.so.cache1.1";
    struct cache_header header;
    memcpy(&header, cache, sizeof header);
    bytes -= sizeof header;
    if (memcmp(header.magic, magic, sizeof header.magic) != 0 ||
        header.count > bytes / sizeof(struct cache_entry))
        return 0;
    bytes -= header.count * sizeof(struct cache_entry);
    const size_t end =
        sizeof header + header.count * sizeof(struct cache_entry) + header.strings_bytes;
    return header.strings_bytes <= bytes && cache[end - 1] == '\0' ? end : 0;
}

static void open_cache(struct search *search)
{
    struct stat status;
    const int file = open("/etc/ld.so.cache", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &status) == 0 && status.st_size > (off_t)sizeof(struct cache_header)) {
        search->cache_bytes = (size_t)status.st_size;
        void *memory = mmap(NULL, search->cache_bytes, PROT_READ, MAP_PRIVATE, file, 0);
        search->cache = memory == MAP_FAILED ? NULL : memory;
    }
    close(file);
    if (search->cache != NULL)
        search->strings_end = end_of_strings(search->cache, search->cache_bytes);
}

/* A string of the cache; "" where it lies outside. */
static const char *cached(const struct search *search, uint32_t at)
{
    return at < search->strings_end ? search->cache + at : "";
}

static enum found look_in_cache(struct search *search, const char *name, int loader)
{
    struct cache_header header;
    if (search->strings_end == 0)
        return UNSURE;
    memcpy(&header, search->cache, sizeof header);
    const struct cache_entry *entries = (const void *)(search->cache + sizeof header);
    uint32_t low = 0, high = header.count; /* the first that is not above the name */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_names(cached(search, entries[middle].name), name) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    enum found found = MISSING;
    for (; low < header.count && found == MISSING; low++) {
        if (strcmp(cached(search, entries[low].name), name) != 0)
            break;
        if (entries[low].needs != 0)
            return UNSURE;
        found = add(search, cached(search, entries[low].path), name, loader);
    }
    return found == FOUND ? FOUND : UNSURE; /* a library may have been added since */
}

/* --- the search --------------------------------------------------------------------------------
 */

static enum found look_by_rpath(struct search *search, const char *name, int loader)
{
    enum found found = MISSING;
    if (search->objects[loader].runpath[0] != '\0')
        return MISSING; /* then the loader ignores all DT_RPATH */
    for (int i = loader; i >= 0 && found == MISSING; i = search->objects[i].loader) {
        const struct object *object = &search->objects[i];
        if (object->runpath[0] == '\0')
            found = look_along(search, object->rpath, ":", name, loader, object->directory);
    }
    return found;
}

static enum found find_library(struct search *search, const char *name, int loader)
{
    const char *given = getenv("LD_LIBRARY_PATH");
    const struct object *object = &search->objects[loader];
    for (int i = 1; i < search->count; i++)
        if (strcmp(search->objects[i].name, name) == 0)
            return FOUND;
    if (name[0] == '\0' || strchr(name, '/') != NULL)
        return UNSURE;
    enum found found = look_by_rpath(search, name, loader);
    if (found == MISSING && given != NULL)
        found = look_along(search, given, ":;", name, loader, search->objects[0].directory);
    if (found == MISSING)
        found = look_along(search, object->runpath, ":", name, loader, object->directory);
    return found == MISSING ? look_in_cache(search, name, loader) : found;
}

static bool is_ordinary(const char *loader)
{
    const char *slash = strrchr(loader, '/');
    return strncmp(slash == NULL ? loader : slash + 1, "ld-linux", 8) == 0 &&
           access("/etc/ld.so.preload", F_OK) != 0;
}

static struct search *begin(void)
{
    static struct search search;
    search.count = search.need_count = 0;
    search.used = search.strings_end = 0;
    search.cache = NULL;
    return &search;
}

bool allfold_libraries_needed(const char *path, void (*note)(void *context, const char *name),
                              void *context)
{
    struct search *search = begin();
    if (add(search, path, "", -1) != FOUND)
        return false;
    for (int i = 0; i < search->need_count; i++)
        note(context, search->needs[i].name);
    return true;
}

bool allfold_libraries_find(const char *path, const char *loader,
                            bool (*note)(void *context, const char *name), void *context)
{
    if (!is_ordinary(loader))
        return false;
    struct search *search = begin();
    open_cache(search);
    bool is_sure = add(search, path, "", -1) == FOUND;
    for (int i = 0; i < search->need_count && is_sure; i++) {
        const struct need *need = &search->needs[i];
        const int before = search->count;
        const bool ends = note(context, need->name);
        if (search->objects[need->by].is_end)
            continue;
        is_sure = find_library(search, need->name, need->by) == FOUND;
        if (search->count > before)
            search->objects[before].is_end = ends;
    }
    if (search->cache != NULL)
        munmap((void *)(uintptr_t)search->cache, search->cache_bytes);
    return is_sure;
}
