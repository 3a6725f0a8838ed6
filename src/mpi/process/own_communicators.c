/* Communicators that Allfold makes for itself (see own_communicators.h).
 *
 * Messages of a rank to itself need a communicator of this rank alone: on a communicator of several
 * ranks, MPICH 4.0.2 refuses a message to itself of more than 8 KiB if one side has gaps and the
 * other is packed. */
#include "mpi/process/own_communicators.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Made by MPI_Comm_create because MPI_Comm_dup would call the program's attribute copy functions. A
 * failure must come back here and not to the program's handler. */
int allfold_copy_communicator(MPI_Comm comm, MPI_Comm *copy)
{
    MPI_Group ranks;
    MPI_Errhandler handler;
    int error = PMPI_Comm_get_errhandler(comm, &handler);
    *copy = MPI_COMM_NULL;
    if (error != MPI_SUCCESS)
        return error;
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = PMPI_Comm_group(comm, &ranks);
    if (error == MPI_SUCCESS) {
        error = PMPI_Comm_create(comm, ranks, copy);
        PMPI_Group_free(&ranks);
    }
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    return error == MPI_SUCCESS ? PMPI_Comm_set_errhandler(*copy, MPI_ERRORS_RETURN) : error;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm self;
static atomic_bool is_made;

MPI_Comm allfold_self(void)
{
    if (atomic_load_explicit(&is_made, memory_order_acquire))
        return self;
    pthread_mutex_lock(&mutex);
    const bool was_made = atomic_load(&is_made);
    const int error = was_made ? MPI_SUCCESS : allfold_copy_communicator(MPI_COMM_SELF, &self);
    const MPI_Comm found = error == MPI_SUCCESS ? self : MPI_COMM_NULL;
    atomic_store_explicit(&is_made, error == MPI_SUCCESS, memory_order_release);
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Threads that copy at the same time have different tags. */
int allfold_self_copy(const void *from, int from_count, MPI_Datatype from_type, void *to,
                      int to_count, MPI_Datatype to_type)
{
    static atomic_uint copies;
    const int tag =
        (int)(atomic_fetch_add_explicit(&copies, 1, memory_order_relaxed) % ALLFOLD_SELF_COPY_TAGS);
    const MPI_Comm comm = allfold_self();
    if (comm == MPI_COMM_NULL)
        return MPI_ERR_NO_MEM;
    return PMPI_Sendrecv(from, from_count, from_type, 0, tag, to, to_count, to_type, 0, tag, comm,
                         MPI_STATUS_IGNORE);
}

void allfold_self_free(void)
{
    if (atomic_exchange(&is_made, false))
        PMPI_Comm_free(&self);
}
