/* What `allfold tune` starts under mpirun: measures as its words say and tells what it found, in
 * lines for `allfold tune` (tools/tune.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/calibrate.h"
#include "mpi/part.h"
#include "mpi/tune_run.h"

struct words {
    bool calibrates;
    struct allfold_calibrate_options calibrate;
    struct allfold_tune_run tune;
};

static bool take_sizes(struct words *words, const char *value, char *message, size_t message_bytes)
{
    if (!allfold_size_list_read(value, &words->calibrate.sizes, message, message_bytes))
        return false;
    words->tune.sizes = words->calibrate.sizes;
    return true;
}

static bool take_word(void *context, const char *name, const char *value, char *message,
                      size_t message_bytes)
{
    struct words *words = context;
    if (strcmp(name, "sizes") == 0)
        return take_sizes(words, value, message, message_bytes);
    if (strcmp(name, "budget") == 0)
        words->calibrate.budget_s = words->tune.budget_s = strtod(value, NULL);
    else if (strcmp(name, "progress") == 0)
        words->calibrate.tells_progress = words->tune.tells_progress = true;
    else if (strcmp(name, "calibrate") == 0)
        words->calibrates = true;
    else if (strcmp(name, "collective") == 0)
        snprintf(words->tune.collectives, sizeof words->tune.collectives, "%s", value);
    else if (strcmp(name, "type") == 0)
        words->tune.type = value;
    else if (strcmp(name, "operation") == 0)
        words->tune.operation = value;
    else if (strcmp(name, "start") == 0)
        words->tune.start = value;
    else if (strcmp(name, "resume") == 0)
        words->tune.resumes = true;
    else if (strcmp(name, "known") == 0)
        words->tune.known = value;
    else
        snprintf(message, message_bytes, "%s",
                 strcmp(name, "refuse") == 0 ? value : "a word that is none");
    return *message == '\0';
}

int main(int argc, char **argv)
{
    static struct words words;
    char message[700] = "";
    int rank, status;
    MPI_Comm comm;
    unsetenv("ALLFOLD_REPORT"); /* calls that nobody wants a report of */
    PMPI_Init(&argc, &argv);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    PMPI_Comm_rank(comm, &rank);
    char *text = allfold_part_words(argc, argv, comm);
    if (text == NULL)
        PMPI_Abort(comm, EXIT_FAILURE);
    if (!allfold_part_read(text, take_word, &words, message, sizeof message))
        status = allfold_part_fail(rank, message);
    else if (words.calibrates)
        status = allfold_calibrate_ranks(&words.calibrate, comm);
    else
        status = allfold_tune_ranks(&words.tune, comm);
    free(text);
    PMPI_Comm_free(&comm);
    MPI_Finalize();
    return rank == 0 ? status : 0;
}
