/* The MPI functions that this library replaces, except for collectives (interpose_collectives.c,
 * interpose_passed.c) and requests (interpose_requests.c). They only call the rooms below. */
#include <mpi.h>
#include <string.h>

#include "mpi/transport/alloc_mem.h"
#include "mpi/call/check.h"
#include "mpi/call/guard.h"
#include "mpi/call/native.h"
#include "mpi/call/passed.h"
#include "mpi/call/reduce_local.h"
#include "mpi/communicator/comm_rules.h"
#include "mpi/communicator/communicator.h"
#include "mpi/job/job.h"
#include "mpi/transport/node_memory.h"
#include "mpi/plan/nonblocking.h"
#include "mpi/plan/plan.h"
#include "mpi/progress/progress.h"
#include "mpi/report/live.h"
#include "mpi/report/call_times.h"
#include "mpi/report/report.h"
#include "mpi/report/tracing.h"
#include "mpi/process/runtime.h"
#include "mpi/job/tables.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

ALLFOLD_PUBLIC int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count,
                                    MPI_Datatype datatype, MPI_Op op)
{
    if (allfold_reduce_local(inbuf, inoutbuf, count, datatype, op))
        return MPI_SUCCESS;
    return allfold_next()->reduce_local(inbuf, inoutbuf, count, datatype, op);
}

ALLFOLD_PUBLIC int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count,
                                      MPI_Datatype datatype, MPI_Op op)
{
    if (allfold_reduce_local(inbuf, inoutbuf, count, datatype, op))
        return MPI_SUCCESS;
    return allfold_native_reduce_local(inbuf, inoutbuf, count, datatype, op);
}

/* Local: a level changes what the report has of this rank, and never which algorithm a call uses.
 * Arguments after the level are for other tools, and cannot be passed on. */
ALLFOLD_PUBLIC int MPI_Pcontrol(const int level, ...)
{
    allfold_mpi_is_up(); /* remembers that MPI was, if no other call comes here */
    allfold_report_enter_level(level);
    return allfold_next()->pcontrol(level);
}

ALLFOLD_PUBLIC int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
    const int code = allfold_next()->comm_set_info(comm, info);
    return code == MPI_SUCCESS ? allfold_comm_rules_take_info(comm, info) : code;
}

ALLFOLD_PUBLIC int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
    const int code = allfold_next()->comm_dup_with_info(comm, info, newcomm);
    return code == MPI_SUCCESS ? allfold_comm_rules_take_info(*newcomm, info) : code;
}

ALLFOLD_PUBLIC int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    return allfold_alloc_mem(size, info, baseptr);
}

ALLFOLD_PUBLIC int MPI_Free_mem(void *base)
{
    return allfold_free_mem(base);
}

static void open_rooms(void)
{
    allfold_notes_open();
    allfold_report_begin();
    allfold_tracing_begin();
    allfold_live_open();
    allfold_passed_open();
}

/* MPI is initialized, or that failed with `code`. */
static int begin_job(int code)
{
    if (code == MPI_SUCCESS)
        allfold_mpi_goes_up();
    allfold_job_begin(code);
    open_rooms();
    const char *broken = allfold_settings()->broken_promise;
    return code == MPI_SUCCESS && *broken != '\0' ? allfold_raise_message(MPI_COMM_WORLD, broken)
                                                  : code;
}

ALLFOLD_PUBLIC int MPI_Init(int *argc, char ***argv)
{
    allfold_job_prepare();
    return begin_job(allfold_next()->init(argc, argv));
}

ALLFOLD_PUBLIC int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    allfold_job_prepare();
    return begin_job(allfold_next()->init_thread(argc, argv, required, provided));
}

#if MPI_VERSION >= 4
ALLFOLD_PUBLIC int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    int (*init)(MPI_Info, MPI_Errhandler, MPI_Session *) = NULL;
    void *found = allfold_find_next("MPI_Session_init");
    memcpy(&init, &found, sizeof found);
    allfold_mpi_has_session();
    return (init != NULL ? init : PMPI_Session_init)(info, errhandler, session);
}
#endif

static void close_rooms(bool is_in_finalize)
{
    if (!allfold_mpi_is_up())
        return;
    allfold_passed_close();
    allfold_requests_finish();
    allfold_progress_thread_stop();
    allfold_notes_close();
    allfold_communicators_free(is_in_finalize);
    allfold_nodes_forget();
    allfold_plans_forget();
    allfold_checks_forget();
    allfold_guard_finish();
    allfold_report_write();
    allfold_tracing_end();
    allfold_live_close();
    allfold_report_forget();
    allfold_job_end();
    allfold_tables_free();
    allfold_mpi_goes_down();
}

static void close_in_finalize(void)
{
    close_rooms(true);
}

/* For a program that initialized MPI before it loaded this library. */
__attribute__((constructor)) static void offer_hooks(void)
{
    static const struct allfold_job_hooks hooks = {.begin = open_rooms,
                                                   .finish = close_in_finalize};
    allfold_job_set_hooks(&hooks);
}

ALLFOLD_PUBLIC int MPI_Finalize(void)
{
    close_rooms(false);
    return allfold_next()->finalize();
}
