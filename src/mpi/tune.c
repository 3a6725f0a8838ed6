/* What `allfold tune` starts under mpirun: measures as its words say and tells what it found, in
 * lines for `allfold tune` (tools/tune.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/calibrate.h"
#include "mpi/part.h"

struct words {
    struct allfold_calibrate_options calibrate;
};

static bool take_word(void *context, const char *name, const char *value, char *message,
                      size_t message_bytes)
{
    struct words *words = context;
    if (strcmp(name, "sizes") == 0)
        return allfold_size_list_read(value, &words->calibrate.sizes, message, message_bytes);
    if (strcmp(name, "budget") == 0)
        words->calibrate.budget_s = strtod(value, NULL);
    else if (strcmp(name, "progress") == 0)
        words->calibrate.tells_progress = true;
    else
        snprintf(message, message_bytes, "%s",
                 strcmp(name, "refuse") == 0 ? value : "a word that is none");
    return *message == '\0';
}

int main(int argc, char **argv)
{
    struct words words = {.calibrate.budget_s = 0};
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
    if (allfold_part_read(text, take_word, &words, message, sizeof message))
        status = allfold_calibrate_ranks(&words.calibrate, comm);
    else
        status = allfold_part_fail(rank, message);
    free(text);
    PMPI_Comm_free(&comm);
    MPI_Finalize();
    return rank == 0 ? status : 0;
}
