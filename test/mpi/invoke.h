/*
 * invoke.h: the calls of MPI that calls.c makes, one function per collective.
 */
#ifndef INVOKE_H
#define INVOKE_H

#include "calls.h"

struct arguments {
    const void *send;
    void *receive;
    int count, send_count;
    const int *counts, *displs; /* of blocks of any lengths */
    MPI_Datatype type, send_type;
};

/* Calls the MPI function of the call's collective with these buffers and counts, and returns its
 * code. Of a barrier it checks that no rank leaves before all have entered. */
int invoke(const struct call *call, const struct arguments *arguments);

#endif
