/* Times of the stages of MPI_Init (see init_times.h). */
#include "mpi/job/init_times.h"

#include <stddef.h>

#include "mpi/process/runtime.h"

static struct {
    struct allfold_line line;
    double last_s;
} stages;

void allfold_init_times_begin(void)
{
    stages.line.length = 0;
    stages.last_s = allfold_now_s();
}

void allfold_init_times_end_stage(const char *name)
{
    if (!allfold_settings()->verbose)
        return;
    const double now_s = allfold_now_s();
    allfold_line_add(&stages.line, "%s%s %.0f", stages.line.length == 0 ? "" : ", ", name,
                     1e6 * (now_s - stages.last_s));
    stages.last_s = now_s;
}

void allfold_init_times_print(void)
{
    if (stages.line.length > 0)
        allfold_say("start, microseconds: %s", stages.line.text);
}
