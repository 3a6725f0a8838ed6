/* Writes the trace of rank 0's calls (see tracing.h). */
#include "mpi/report/tracing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "events/log.h"
#include "mpi/process/runtime.h"
#include "mpi/progress/progress.h"
#include "mpi/report/report.h"

static const size_t MOST_BYTES = (size_t)64 << 20;

bool allfold_tracing_is_on;
static double begun_s, flushed_s;

static void complain(const char *what)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *path = allfold_settings()->trace;
    snprintf(message, sizeof message, "the trace cannot be written to %s (%s); %s",
             path == NULL ? "" : path, strerror(errno), what);
    allfold_warn(message);
}

static struct allfold_traced_layout layout_of(const struct allfold_nodes *nodes, int p)
{
    struct allfold_traced_layout layout = {
        .p = p, .reading = allfold_job()->reading, .shared_cores = allfold_job()->shares_cores};
    if (nodes == NULL)
        return layout;
    if (nodes->count > 1)
        layout.shared_cores = nodes->cores;
    layout.nodes = nodes->count;
    layout.least = nodes->least;
    layout.most = nodes->most;
    layout.arrangement = nodes->arrangement;
    return layout;
}

static void fill_head(struct allfold_traced_head *head)
{
    int p = 1;
    struct utsname name;
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    allfold_name_mpi(head->mpi, sizeof head->mpi);
    snprintf(head->version, sizeof head->version, "%s", ALLFOLD_VERSION);
    if (uname(&name) == 0)
        snprintf(head->machine, sizeof head->machine, "%.40s (%.20s)", name.nodename, name.machine);
    head->job = layout_of(allfold_job()->nodes, p);
    head->card_mbit = allfold_job()->card_mbit;
}

void allfold_tracing_begin(void)
{
    const char *path = allfold_settings()->trace;
    struct allfold_traced_head head = {.version = ""};
    int rank = 0;
    if (path == NULL || allfold_tracing_is_on || !allfold_mpi_is_up())
        return;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0)
        return;
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        complain("nothing is traced");
        return;
    }
    fill_head(&head);
    begun_s = flushed_s = allfold_now_s();
    struct allfold_log *log = allfold_log_lock();
    log->tracer = allfold_tracer_open(file, MOST_BYTES, &head, begun_s);
    allfold_tracing_is_on = log->tracer != NULL;
    allfold_log_unlock();
    if (allfold_tracing_is_on)
        return;
    errno = ENOMEM;
    complain("nothing is traced");
    fclose(file);
}

uint32_t allfold_tracing_shape(const struct allfold_communicator *state,
                               struct allfold_traced_shape *shape)
{
    uint32_t found = ALLFOLD_NO_SHAPE;
    if (!allfold_tracing_is_on)
        return found;
    shape->layout = layout_of(state->nodes, state->size);
    struct allfold_tracer *tracer = allfold_log_lock()->tracer;
    if (tracer != NULL) {
        if (shape->element_bytes >
            0) /* otherwise the call was passed through, and no algorithm is chosen */
            shape->placement = allfold_tracer_placement(tracer, state->nodes);
        found = allfold_tracer_shape(tracer, shape);
    }
    allfold_log_unlock();
    return found;
}

uint32_t allfold_tracing_native(const struct allfold_communicator *state,
                                enum allfold_collective collective, int root, size_t bytes,
                                const char *why)
{
    struct allfold_traced_shape shape = {
        .collective = collective, .root = root, .bytes = bytes, .algorithm = "native"};
    snprintf(shape.source, sizeof shape.source, "%s", why);
    return allfold_tracing_shape(state, &shape);
}

void allfold_tracing_flush(void)
{
    if (!allfold_tracing_is_on)
        return;
    const double now_s = allfold_now_s();
    struct allfold_log *log = allfold_log_lock();
    if (log->tracer != NULL && allfold_report_is_due(begun_s, flushed_s, now_s)) {
        flushed_s = now_s;
        allfold_tracer_flush(log->tracer);
    }
    allfold_log_unlock();
}

void allfold_tracing_end(void)
{
    struct allfold_log *log = allfold_log_lock();
    errno = 0;
    if (log->tracer != NULL && !allfold_tracer_close(log->tracer, allfold_now_s() - begun_s))
        complain("what it has is incomplete");
    log->tracer = NULL;
    allfold_tracing_is_on = false;
    allfold_log_unlock();
}
