/* Reads symbol tables of ELF files (see symbols.h). A file may be truncated or of another format,
 * so every offset is checked against its end. */
#include "util/symbols.h"

#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const char *bytes; /* NULL: there is none */
    size_t size;
};

static struct file open_file(const char *path)
{
    struct file file = {.bytes = NULL};
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return file;
    if (fstat(descriptor, &status) == 0 && status.st_size > 0) {
        file.size = (size_t)status.st_size;
        file.bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    close(descriptor);
    if (file.bytes == MAP_FAILED)
        file.bytes = NULL;
    return file;
}

/* So many bytes of the file from there on, if it has them, aligned as its structs are. */
static const void *part_of(const struct file *file, size_t from, size_t bytes)
{
    const bool fits = from <= file->size && bytes <= file->size - from;
    return fits && from % _Alignof(ElfW(Shdr)) == 0 ? file->bytes + from : NULL;
}

static const ElfW(Ehdr) * head_of(const struct file *file)
{
    const ElfW(Ehdr) *head = part_of(file, 0, sizeof *head);
    const bool is_ours = head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                         head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    return is_ours ? head : NULL;
}

/* Where the file itself wants its first byte; a program of a fixed address lies there. */
static uintptr_t first_address(const struct file *file, const ElfW(Ehdr) * head)
{
    const ElfW(Phdr) *segments =
        part_of(file, head->e_phoff, (size_t)head->e_phnum * sizeof *segments);
    for (int i = 0; segments != NULL && i < head->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD)
            return (uintptr_t)(segments[i].p_vaddr - segments[i].p_offset);
    return 0;
}

/* Looks the address up in a table of symbols, whose names are in another section. */
static void find_in(const struct file *file, const ElfW(Shdr) * table, const ElfW(Shdr) * names,
                    uintptr_t address, char *name, size_t name_bytes)
{
    const ElfW(Sym) *symbols = part_of(file, table->sh_offset, table->sh_size);
    const bool has_names =
        names->sh_offset <= file->size && names->sh_size <= file->size - names->sh_offset;
    for (size_t i = 0; symbols != NULL && has_names && i < table->sh_size / sizeof *symbols; i++) {
        const ElfW(Sym) *symbol = &symbols[i];
        if ((symbol->st_info & 15) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
            address < symbol->st_value || address - symbol->st_value >= symbol->st_size ||
            symbol->st_name >= names->sh_size)
            continue;
        snprintf(name, name_bytes, "%.*s", (int)(names->sh_size - symbol->st_name),
                 file->bytes + names->sh_offset + symbol->st_name);
        return;
    }
}

static void find_name(const struct file *file, const ElfW(Ehdr) * head, uintptr_t address,
                      char *name, size_t name_bytes)
{
    const ElfW(Shdr) *sections =
        part_of(file, head->e_shoff, (size_t)head->e_shnum * sizeof *sections);
    for (int i = 0; sections != NULL && i < head->e_shnum && *name == '\0'; i++)
        if ((sections[i].sh_type == SHT_SYMTAB || sections[i].sh_type == SHT_DYNSYM) &&
            sections[i].sh_link < head->e_shnum)
            find_in(file, &sections[i], &sections[sections[i].sh_link], address, name, name_bytes);
}

bool allfold_symbol_find(const char *path, uintptr_t base, uintptr_t address, uintptr_t *in_file,
                         char *name, size_t name_bytes)
{
    const struct file file = open_file(path);
    const ElfW(Ehdr) *head = file.bytes == NULL ? NULL : head_of(&file);
    *name = '\0';
    if (head != NULL) {
        *in_file = address - base + first_address(&file, head);
        find_name(&file, head, *in_file, name, name_bytes);
    }
    if (file.bytes != NULL)
        munmap((void *)file.bytes, file.size);
    return head != NULL;
}
