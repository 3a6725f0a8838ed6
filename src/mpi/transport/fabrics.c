/* Opens and closes the fabric of a job, and exchanges news of failures (see fabrics.h). */
#include "mpi/transport/fabrics.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "events/live_page.h"
#include "mpi/transport/point_to_point.h"
#include "util/memory.h"

/* A job has one fabric, so this is it. */
static MPI_Comm news_comm = MPI_COMM_NULL;
static struct allfold_fabric *news_fabric;

/* Sends to a rank the news that this rank's writes to it fail. */
static void tell_lost(void *context, int rank)
{
    MPI_Request request;
    (void)context;
    if (PMPI_Isend(NULL, 0, MPI_BYTE, rank, allfold_news_tag(), news_comm, &request) == MPI_SUCCESS)
        PMPI_Request_free(&request);
}

/* Sends to a rank the number of writes to it that are complete. The message's buffer is kept until
 * it is sent. */
static bool tell_tally(void *context, int rank, uint64_t writes)
{
    enum { MOST = 32 };
    static struct {
        uint64_t writes;
        MPI_Request request;
        bool is_used;
    } tallies[MOST]; /* the fabric calls this from one thread at a time */
    (void)context;
    for (int i = 0; i < MOST; i++) {
        int is_done = 0;
        if (tallies[i].is_used &&
            (PMPI_Test(&tallies[i].request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
             !is_done))
            continue;
        tallies[i].writes = writes;
        tallies[i].is_used =
            PMPI_Isend(&tallies[i].writes, sizeof writes, MPI_BYTE, rank, allfold_news_tag(),
                       news_comm, &tallies[i].request) == MPI_SUCCESS;
        return tallies[i].is_used;
    }
    return false;
}

/* An empty message means that the sender's writes to this rank fail. Other messages say how many of
 * the sender's writes to this rank are complete. */
void allfold_fabric_hear(struct allfold_fabric *fabric)
{
    int found = 0;
    MPI_Status status;
    MPI_Message message; /* two threads that look at once do not find the same one */
    if (PMPI_Improbe(MPI_ANY_SOURCE, allfold_news_tag(), news_comm, &found, &message, &status) !=
            MPI_SUCCESS ||
        !found)
        return;
    uint64_t writes = 0;
    if (PMPI_Mrecv(&writes, sizeof writes, MPI_BYTE, &message, &status) != MPI_SUCCESS)
        return;
    int bytes = 0;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes == 0)
        allfold_fabric_lose(fabric, status.MPI_SOURCE);
    else
        allfold_fabric_take_tally(fabric, status.MPI_SOURCE, writes);
}

/* Who waits for the fabric lets MPI make progress, too. */
static void idle(void *context)
{
    (void)context;
    allfold_page_time_call();
    allfold_fabric_hear(news_fabric);
}

/* Opens this rank's endpoint. Returns NULL if that is not possible. Local. */
static struct allfold_fabric *open_own(int size, int rank, const char *name, uint32_t window,
                                       char *why, size_t why_bytes)
{
    struct allfold_provider *provider = allfold_libfabric_open(name, why, why_bytes);
    if (provider == NULL)
        return NULL;
    const struct allfold_fabric_options options = {.provider = provider,
                                                   .size = size,
                                                   .rank = rank,
                                                   .window = window,
                                                   .error = MPI_ERR_OTHER,
                                                   .idle = idle,
                                                   .lost = tell_lost,
                                                   .tally = tell_tally,
                                                   .silence_s = 10};
    struct allfold_fabric *fabric = allfold_fabric_create(&options);
    if (fabric == NULL)
        snprintf(why, why_bytes, "no memory, or the provider cannot register it");
    return fabric;
}

/* Do all ranks have that? */
static bool all_have(MPI_Comm comm, bool has)
{
    int least = has;
    return PMPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && least;
}

/* Gathers the endpoint addresses of all ranks. Returns false if their providers differ, or MPI
 * fails. */
static bool gather(MPI_Comm comm, int size, const struct allfold_fabric *fabric,
                   struct allfold_fabric_address *addresses)
{
    struct allfold_fabric_address mine = allfold_fabric_address(fabric);
    if (PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, addresses, sizeof mine, MPI_BYTE, comm) !=
        MPI_SUCCESS)
        return false;
    for (int r = 0; r < size; r++)
        if (memcmp(addresses[r].provider, mine.provider, sizeof mine.provider) != 0)
            return false;
    return true;
}

struct allfold_fabric *allfold_fabric_open(MPI_Comm comm, const char *provider, uint32_t window,
                                           char *why, size_t why_bytes)
{
    int size, rank;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_rank(comm, &rank);
    *why = '\0';
    struct allfold_fabric *fabric = open_own(size, rank, provider, window, why, why_bytes);
    struct allfold_fabric_address *addresses = allfold_allocate((size_t)size * sizeof *addresses);
    const bool all_opened = all_have(comm, fabric != NULL && addresses != NULL);
    const bool all_agree = all_opened && all_have(comm, gather(comm, size, fabric, addresses));
    if (!all_agree) {
        if (*why == '\0')
            snprintf(why, why_bytes, "%s",
                     all_opened ? "the ranks have different providers" : "another rank has none");
        allfold_free(addresses);
        allfold_fabric_free(fabric);
        return NULL;
    }
    allfold_fabric_meet(fabric, addresses);
    news_comm = comm;
    news_fabric = fabric;
    return fabric;
}

void allfold_fabric_close(struct allfold_fabric *fabric)
{
    enum { MOST_POLLS = 100000 }; /* some seconds: a rank that is lost may not take writes */
    MPI_Request request;
    int is_done = 0;
    if (fabric == NULL)
        return;
    for (int i = 0; i < MOST_POLLS && allfold_fabric_progress(fabric); i++)
        sched_yield();
    if (PMPI_Ibarrier(news_comm, &request) == MPI_SUCCESS)
        while (!is_done && PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
            allfold_fabric_progress(fabric);
            allfold_fabric_find_missing(fabric); /* others may wait for what this rank wrote */
            allfold_fabric_hear(fabric);
        }
    news_fabric = NULL;
    allfold_fabric_free(fabric);
}
