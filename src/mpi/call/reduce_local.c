/* The program's MPI_Reduce_local (see reduce_local.h).
 *
 * A native call of one element takes 7 ns, so a thread caches the kernel of its last call. The
 * cache stays valid, because only predefined handles have kernels, and these never change
 * meaning. */
#include "mpi/call/reduce_local.h"

#include "kernels/kernels.h"
#include "mpi/device/drivers.h"
#include "mpi/handles/predefined.h"
#include "mpi/process/runtime.h"

static allfold_kernel *find(MPI_Datatype datatype, MPI_Op op)
{
    const struct allfold_known_type *known =
        datatype == MPI_DATATYPE_NULL ? NULL : allfold_known_type(datatype);
    const enum allfold_operation operation = allfold_known_operation(op);
    if (known == NULL || operation == ALLFOLD_OPERATION_COUNT ||
        allfold_reducer_of(known, operation) != ALLFOLD_BY_KERNEL)
        return NULL;
    return allfold_kernel_find(known->type, operation);
}

/* Is it surely memory of the program? */
static inline bool is_plain(const void *buffer)
{
    return buffer != MPI_BOTTOM && buffer != MPI_IN_PLACE && buffer != NULL;
}

bool allfold_reduce_local(const void *in, void *inout, MPI_Count count, MPI_Datatype datatype,
                          MPI_Op op)
{
    static _Thread_local struct {
        MPI_Datatype datatype;
        MPI_Op op;
        allfold_kernel *kernel;
    } last;
    if (count <= 0 || !is_plain(in) || !is_plain(inout) || in == inout || !allfold_mpi_is_up() ||
        allfold_devices_may_be())
        return false;
    if (last.kernel == NULL || last.datatype != datatype || last.op != op) {
        allfold_kernel *kernel = find(datatype, op);
        if (kernel == NULL)
            return false;
        last.datatype = datatype;
        last.op = op;
        last.kernel = kernel;
    }
    last.kernel(inout, in, inout, (size_t)count);
    return true;
}
