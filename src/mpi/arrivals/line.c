/* Messages that are put together piece by piece (see line.h). */
#include "mpi/arrivals/line.h"

#include <stdarg.h>
#include <stdio.h>

#include "util/memory.h"

void allfold_line_add(struct allfold_line *line, const char *format, ...)
{
    const size_t room = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

void allfold_line_add_call(struct allfold_line *line, enum allfold_collective collective,
                           enum allfold_way way)
{
    const char *name = allfold_traits(collective)->mpi_name;
    if (way == ALLFOLD_NONBLOCKING)
        allfold_line_add(line, "MPI_I%s", allfold_collective_name(collective));
    else
        allfold_line_add(line, "%s%s", name, way == ALLFOLD_PERSISTENT ? "_init" : "");
}

void allfold_line_add_comm(struct allfold_line *line, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length, p = 0;
    PMPI_Comm_get_name(comm, name, &length);
    PMPI_Comm_size(comm, &p);
    allfold_line_add(line, "%s (%d ranks)", *name == '\0' ? "a communicator" : name, p);
}

/* Adds ranks as above; `names` is what they are called, or NULL: as they are numbered. */
static void add_ranks(struct allfold_line *line, int p, const unsigned char *known,
                      unsigned char what, const int *names)
{
    enum { MOST_RUNS = 40 }; /* then it only counts */
    int count = 0, runs = 0;
    for (int r = 0; r < p; r++) {
        const int first = r;
        if (known[r] != what)
            continue;
        while (r + 1 < p && known[r + 1] == what && (names == NULL || names[r + 1] == names[r] + 1))
            r++;
        count += r - first + 1;
        if (++runs > MOST_RUNS)
            continue;
        allfold_line_add(line, "%s%d", runs == 1 ? "" : ", ", names == NULL ? first : names[first]);
        if (r > first)
            allfold_line_add(line, "-%d", names == NULL ? r : names[r]);
    }
    if (runs > MOST_RUNS)
        allfold_line_add(line, ", ... (%d ranks)", count);
}

/* The numbers of the ranks of `comm` in MPI_COMM_WORLD; NULL where they are the same, or nobody can
 * say. To be freed. */
static int *world_ranks(MPI_Comm comm, int p)
{
    MPI_Group ours, world;
    bool is_same = true;
    int *names = allfold_allocate(2 * (size_t)p * sizeof *names);
    if (names == NULL)
        return NULL;
    int *numbers = names + p;
    for (int r = 0; r < p; r++)
        numbers[r] = names[r] = r;
    PMPI_Comm_group(comm, &ours);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(ours, p, numbers, world, names);
    PMPI_Group_free(&ours);
    PMPI_Group_free(&world);
    for (int r = 0; r < p; r++)
        is_same &= names[r] == r;
    if (!is_same)
        return names;
    allfold_free(names);
    return NULL;
}

void allfold_line_add_ranks(struct allfold_line *line, MPI_Comm comm, int p,
                            const unsigned char *known, unsigned char what)
{
    int *names = world_ranks(comm, p);
    add_ranks(line, p, known, what, NULL);
    if (names == NULL)
        return;
    allfold_line_add(line, " (in MPI_COMM_WORLD: ");
    add_ranks(line, p, known, what, names);
    allfold_line_add(line, ")");
    allfold_free(names);
}
