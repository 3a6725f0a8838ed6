/* Counts starts of native persistent collectives for the report (see native_starts.h). */
#include "mpi/plan/native_starts.h"

#include <pthread.h>
#include <stdatomic.h>

#include "events/report_figures.h"
#include "mpi/process/runtime.h"
#include "mpi/report/report.h"
#include "util/memory.h"

struct noted {
    MPI_Request request;
    enum allfold_collective collective;
    int p;
    size_t bytes;
    const char *reason;
    struct noted *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct noted *_Atomic all; /* written under the mutex */

void allfold_native_starts_add(MPI_Request request, enum allfold_collective collective, int p,
                               size_t bytes, const char *reason)
{
    struct noted *noted = allfold_allocate(sizeof *noted);
    if (noted == NULL)
        return;
    pthread_mutex_lock(&mutex);
    *noted = (struct noted){request, collective, p, bytes, reason, all};
    all = noted;
    pthread_mutex_unlock(&mutex);
}

/* A copy of what is noted of a request; without a reason nothing is. */
static struct noted find(MPI_Request request)
{
    struct noted found = {.reason = NULL};
    pthread_mutex_lock(&mutex);
    for (const struct noted *noted = all; noted != NULL; noted = noted->next)
        if (noted->request == request)
            found = *noted;
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Each of the requests gets an equal share of the time since begin_s. */
static void count_starts(int count, const MPI_Request *requests, double begin_s)
{
    const double share_s = (allfold_now_s() - begin_s) / count;
    for (int i = 0; i < count; i++) {
        const struct noted noted = find(requests[i]);
        if (noted.reason != NULL)
            allfold_report_passed(noted.collective, allfold_mode_persistent, noted.p, noted.bytes,
                                  noted.reason, begin_s + i * share_s, begin_s + (i + 1) * share_s);
    }
}

int allfold_native_start_one(MPI_Request *request)
{
    if (all == NULL)
        return allfold_next()->start(request);
    const double begin_s = allfold_now_s();
    const int code = allfold_next()->start(request);
    if (code == MPI_SUCCESS)
        count_starts(1, request, begin_s);
    return code;
}

int allfold_native_start_all(int count, MPI_Request *requests)
{
    const double begin_s = all == NULL ? 0 : allfold_now_s();
    const int code = allfold_next()->startall(count, requests);
    if (code == MPI_SUCCESS && all != NULL)
        count_starts(count, requests, begin_s);
    return code;
}

void allfold_native_starts_free(MPI_Request request)
{
    if (all == NULL)
        return;
    pthread_mutex_lock(&mutex);
    struct noted *before = NULL, *noted = all;
    while (noted != NULL && noted->request != request) {
        before = noted;
        noted = noted->next;
    }
    if (noted != NULL && before != NULL)
        before->next = noted->next;
    else if (noted != NULL)
        all = noted->next;
    pthread_mutex_unlock(&mutex);
    allfold_free(noted);
}

void allfold_native_starts_clear(void)
{
    while (all != NULL)
        allfold_native_starts_free(all->request);
}
