/* Names of functions, from the file of a program or library.
 *
 * The dynamic linker knows the names that a file exports. A program exports none, but unless it is
 * stripped its file has a table of all its functions. */
#ifndef ALLFOLD_UTIL_SYMBOLS_H
#define ALLFOLD_UTIL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The address that a file of this format gives to what lies at `address`, where the file was loaded
 * at `base`. It is what addr2line asks for. Also the name of the function there, "" where the file
 * does not tell. Returns false, with neither, if it cannot read the file. */
bool allfold_symbol_find(const char *path, uintptr_t base, uintptr_t address, uintptr_t *in_file,
                         char *name, size_t name_bytes);

#endif
