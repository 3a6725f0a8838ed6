/* Looking at a program from outside: which MPI is it linked to?
 *
 * Needs no MPI and does not run the program. The ELF headers are read with every offset checked, so
 * that any bytes may be in the file. The libraries are found by reading (libraries.h), or where
 * that is not enough by the program's own loader (--list). */
#ifndef ALLFOLD_TOOLS_PROGRAM_H
#define ALLFOLD_TOOLS_PROGRAM_H

#include <stddef.h>

enum allfold_program_kind {
    ALLFOLD_PROGRAM_MPI,           /* linked to one MPI, known or not */
    ALLFOLD_PROGRAM_NO_MPI,        /* dynamically linked, to no MPI */
    ALLFOLD_PROGRAM_TWO_MPIS,      /* linked to more than one */
    ALLFOLD_PROGRAM_STATIC,        /* statically linked: nothing can be preloaded */
    ALLFOLD_PROGRAM_LIBRARY,       /* names no loader, as shared libraries and SMPI programs */
    ALLFOLD_PROGRAM_SCRIPT,        /* #! with an interpreter that is linked to no MPI */
    ALLFOLD_PROGRAM_UNREADABLE,    /* cannot be opened or read */
    ALLFOLD_PROGRAM_NOT_ELF,       /* neither ELF nor a script */
    ALLFOLD_PROGRAM_DAMAGED,       /* ELF whose headers point outside of the file */
    ALLFOLD_PROGRAM_OTHER_MACHINE, /* ELF for another processor or word size than ours */
    ALLFOLD_PROGRAM_MISSING,       /* libraries that it needs are not found */
    ALLFOLD_PROGRAM_LOADER_FAILED, /* its loader cannot be asked */
    ALLFOLD_PROGRAM_KINDS
};

struct allfold_program {
    enum allfold_program_kind kind;
    const struct allfold_program_mpi *mpi; /* for ALLFOLD_PROGRAM_MPI, else NULL */
    char library[128];                     /* the name by which the loader looks for that MPI */
    char detail[1024];                     /* for people: names, numbers, reasons; may be "" */
};

/* An MPI, and how its library is called. */
struct allfold_program_mpi {
    const char *soname; /* a pattern of the whole name, or of what comes before a further '.' */
    const char *name;   /* as in liballfold-NAME.so; NULL: its handles are like no other MPI's */
    const char *title;
};

/* The MPI with this name, or NULL. */
const struct allfold_program_mpi *allfold_program_mpi(const char *name);

/* The MPI whose library has this file name, or NULL. */
const struct allfold_program_mpi *allfold_program_mpi_of(const char *library);

/* Finds the file that execvp(name) would run and writes its path, of at most `bytes`. Returns 0 or
 * an errno: ENOENT where there is none, EACCES or EISDIR where what there is cannot be run. */
int allfold_program_find(const char *name, char *path, size_t bytes);

/* Looks at the file at `path`. May start a child process (the loader), and waits for it then. */
void allfold_program_inspect(const char *path, struct allfold_program *program);

#endif
