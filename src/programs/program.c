/* The main function of the parts: arguments, messages, exit status (see program.h). */
#include "programs/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "programs/end_preload.h"
#include "select/settings.h"
#include "util/number.h"

/* Returns the arguments of rank 0 as lines; NULL if out of memory. The caller frees them.
 * Collective. */
static char *gather_arguments(int argc, char **argv, MPI_Comm comm)
{
    int bytes = 1, rank;
    PMPI_Comm_rank(comm, &rank);
    for (int i = 1; i < argc; i++)
        bytes += (int)strlen(argv[i]) + 1;
    PMPI_Bcast(&bytes, 1, MPI_INT, 0, comm);
    char *arguments = calloc((size_t)bytes, 1);
    if (arguments == NULL)
        return NULL;
    for (int i = 1; rank == 0 && i < argc; i++) {
        strcat(arguments, argv[i]);
        strcat(arguments, "\n");
    }
    PMPI_Bcast(arguments, bytes, MPI_CHAR, 0, comm);
    return arguments;
}

bool allfold_program_read(char *arguments, allfold_take_argument *take, void *context,
                          char *message, size_t message_bytes)
{
    bool fits = true;
    for (char *name; fits && (name = strsep(&arguments, "\n")) != NULL;) {
        char *value = strchr(name, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        fits = take(context, name, value + 1, message, message_bytes);
    }
    return fits;
}

void allfold_program_tell(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
}

int allfold_program_fail(int rank, const char *message)
{
    if (rank == 0) {
        printf("error\t");
        allfold_program_tell(message);
        printf("\n");
        fflush(stdout);
    }
    return ALLFOLD_PROGRAM_WRONG_USAGE;
}

void allfold_program_tell_job(int rank, int p, const struct allfold_nodes *nodes)
{
    char name[64];
    if (rank > 0)
        return;
    allfold_name_mpi(name, sizeof name);
    printf("mpi\t");
    allfold_program_tell(name);
    printf("\njob\t%d\t%d\t%d\t%d\n", p, nodes == NULL ? 1 : nodes->count,
           nodes == NULL ? p : nodes->most, nodes == NULL ? p : nodes->least);
    fflush(stdout);
}

static int read_and_run(const struct allfold_program *part, char *arguments, int rank,
                        MPI_Comm comm)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "";
    if (!part->read(part->context, arguments, message, sizeof message))
        return allfold_program_fail(rank, message);
    return part->run(part->context, comm);
}

int allfold_program_main(int argc, char **argv, const struct allfold_program *part)
{
    allfold_numbers_plain(); /* the command reads what we print */
    int rank;
    MPI_Comm comm;
    allfold_end_preload();
    unsetenv("ALLFOLD_REPORT"); /* no report is wanted of this program's calls */
    PMPI_Init(&argc, &argv);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    PMPI_Comm_rank(comm, &rank);
    char *arguments = gather_arguments(argc, argv, comm);
    if (arguments == NULL)
        PMPI_Abort(comm, EXIT_FAILURE);
    const int status = read_and_run(part, arguments, rank, comm);
    free(arguments);
    PMPI_Comm_free(&comm);
    MPI_Finalize();
    return rank == 0 ? status : 0;
}
