/* Programs that the command starts (see part.h). */
#include "mpi/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/report_format.h"

char *allfold_part_words(int argc, char **argv, MPI_Comm comm)
{
    int bytes = 1, rank;
    PMPI_Comm_rank(comm, &rank);
    for (int i = 1; i < argc; i++)
        bytes += (int)strlen(argv[i]) + 1;
    PMPI_Bcast(&bytes, 1, MPI_INT, 0, comm);
    char *words = calloc((size_t)bytes, 1);
    if (words == NULL)
        return NULL;
    for (int i = 1; rank == 0 && i < argc; i++) {
        strcat(words, argv[i]);
        strcat(words, "\n");
    }
    PMPI_Bcast(words, bytes, MPI_CHAR, 0, comm);
    return words;
}

bool allfold_part_read(char *words, allfold_take_word *take, void *context, char *message,
                       size_t message_bytes)
{
    bool fits = true;
    for (char *name; fits && (name = strsep(&words, "\n")) != NULL;) {
        char *value = strchr(name, '=');
        if (value == NULL)
            continue;
        *value = '\0';
        fits = take(context, name, value + 1, message, message_bytes);
    }
    return fits;
}

void allfold_part_tell(const char *text)
{
    for (; *text != '\0'; text++)
        putchar(*text == '\t' || *text == '\n' ? ' ' : *text);
}

int allfold_part_fail(int rank, const char *message)
{
    if (rank == 0) {
        printf("error\t");
        allfold_part_tell(message);
        printf("\n");
        fflush(stdout);
    }
    return ALLFOLD_PART_WRONG_USAGE;
}

void allfold_part_tell_job(int rank, int p, const struct allfold_nodes *nodes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING], name[64];
    int length;
    if (rank > 0)
        return;
    PMPI_Get_library_version(version, &length);
    allfold_report_name_mpi(version, name, sizeof name);
    printf("mpi\t");
    allfold_part_tell(name);
    printf("\njob\t%d\t%d\t%d\t%d\n", p, nodes == NULL ? 1 : nodes->count,
           nodes == NULL ? p : nodes->most, nodes == NULL ? p : nodes->least);
    fflush(stdout);
}
