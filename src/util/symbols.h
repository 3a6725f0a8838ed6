/* Finds the function at an address in the symbol table of an ELF file.
 *
 * The dynamic linker knows only the functions that a file exports, and a program exports none.
 * Unless the program is stripped, its symbol table has all its functions. */
#ifndef ALLFOLD_UTIL_SYMBOLS_H
#define ALLFOLD_UTIL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds the address in the ELF file at `path`, as addr2line expects it, that corresponds to
 * `address` in memory if the file is loaded at `base`. Also finds the name of the function there;
 * "" if the file has none. False if the file cannot be read; then *in_file and `name` are not set.
 */
bool allfold_symbol_find(const char *path, uintptr_t base, uintptr_t address, uintptr_t *in_file,
                         char *name, size_t name_bytes);

#endif
