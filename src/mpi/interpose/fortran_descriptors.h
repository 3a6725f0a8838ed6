/* The mpi_f08 functions of Open MPI 6, whose buffers are C descriptors (TS 29113). */
#ifndef ALLFOLD_MPI_INTERPOSE_FORTRAN_DESCRIPTORS_H
#define ALLFOLD_MPI_INTERPOSE_FORTRAN_DESCRIPTORS_H

#include "mpi/interpose/interpose_fortran.h"

/* The descriptor that gfortran passes for a buffer of type(*), dimension(..). */
struct allfold_descriptor {
    void *base;
    size_t offset, element_bytes;
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, first, last; /* in units of `span` */
    } dimensions[];
};

/* Returns whether the buffer is contiguous at its address. Returns false for descriptors of other
 * compilers. */
int allfold_is_contiguous(const struct allfold_descriptor *buffer);

/* Sets *function, a pointer to a function, to the MPI library's function `name`. The library must
 * have it, because the program calls it. */
void allfold_find_fortran(const char *name, void *function);

/* Defines mpi_NAME_f08ts_. It calls the function `name` if all buffers are contiguous, and else the
 * MPI library's function. LIST, COUNT and DISPLACEMENT describe its arguments, `form` those that
 * follow. */
#define ALLFOLD_DESCRIBED(name, form, LIST, COUNT, DISPLACEMENT)                                   \
    __attribute__((visibility("default"))) void mpi_##name##_f08ts_(                               \
        LIST(ALLFOLD_DESCRIBED_PARAMETER, COUNT, DISPLACEMENT) ALLFOLD_PARAMETERS_##form)          \
    {                                                                                              \
        void (*native)(LIST(ALLFOLD_DESCRIBED_PARAMETER, COUNT, DISPLACEMENT)                      \
                           ALLFOLD_PARAMETERS_##form);                                             \
        if (LIST(ALLFOLD_ARE_CONTIGUOUS, , ) 1) {                                                  \
            name(LIST(ALLFOLD_DESCRIBED_BASE, , ) ALLFOLD_ARGUMENTS_AFTER_##form);                 \
            return;                                                                                \
        }                                                                                          \
        allfold_find_fortran("mpi_" #name "_f08ts_", &native);                                     \
        native(LIST(ALLFOLD_DESCRIBED_ARGUMENT, , ) ALLFOLD_ARGUMENTS_AFTER_##form);               \
    }

#define ALLFOLD_DESCRIBED_PARAMETER(type, name, suffix, role, field)                               \
    ALLFOLD_IF_BUFFER_##role(const struct allfold_descriptor *name,                                \
                             ALLFOLD_FORTRAN_##role(type, name)),
#define ALLFOLD_DESCRIBED_ARGUMENT(type, name, suffix, role, field) name,
#define ALLFOLD_DESCRIBED_BASE(type, name, suffix, role, field)                                    \
    ALLFOLD_IF_BUFFER_##role(name->base, name),
#define ALLFOLD_ARE_CONTIGUOUS(type, name, suffix, role, field)                                    \
    ALLFOLD_IF_BUFFER_##role(allfold_is_contiguous(name) &&, )
#define ALLFOLD_IF_BUFFER_input(yes, no) yes
#define ALLFOLD_IF_BUFFER_output(yes, no) yes
#define ALLFOLD_IF_BUFFER_count(yes, no) no
#define ALLFOLD_IF_BUFFER_array(yes, no) no
#define ALLFOLD_IF_BUFFER_type(yes, no) no
#define ALLFOLD_IF_BUFFER_op(yes, no) no
#define ALLFOLD_IF_BUFFER_integer(yes, no) no

#define ALLFOLD_ARGUMENTS_AFTER_LOCAL ierror
#define ALLFOLD_ARGUMENTS_AFTER_BLOCKING comm, ierror
#define ALLFOLD_ARGUMENTS_AFTER_RECEIVE comm, status, ierror
#define ALLFOLD_ARGUMENTS_AFTER_NONBLOCKING comm, request, ierror
#define ALLFOLD_ARGUMENTS_AFTER_PERSISTENT comm, info, request, ierror

#endif
