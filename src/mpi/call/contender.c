/* Contenders (see contender.h). */
#include "mpi/call/contender.h"

#include "mpi/call/entry.h"
#include "select/candidates.h"

void allfold_contenders_add(struct allfold_contenders *contenders,
                            const struct allfold_algorithm *algorithm,
                            const struct allfold_parameters *parameters)
{
    for (int i = 0; i < contenders->count; i++)
        if (contenders->list[i].algorithm == algorithm)
            return;
    if (contenders->count < contenders->most)
        contenders->list[contenders->count++] =
            (struct allfold_contender){.algorithm = algorithm, .parameters = *parameters};
}

void allfold_contenders_fill(const struct allfold_communicator *state,
                             const struct allfold_shape_key *key,
                             struct allfold_contenders *contenders)
{
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    const struct allfold_problem problem = allfold_entry_problem(state, key);
    const int count = allfold_candidates(&problem, 0, list);
    for (int i = 0; i < count; i++)
        allfold_contenders_add(contenders, list[i].algorithm, &list[i].parameters);
}

enum allfold_error allfold_contender_make(struct allfold_communicator *state,
                                          struct allfold_contender *contender,
                                          const struct allfold_shape_key *key, char *message,
                                          size_t message_bytes)
{
    return allfold_entry_make_of(state, NULL, key, contender->algorithm, &contender->parameters,
                                 &contender->entry, message, message_bytes);
}

void allfold_contender_drop(const struct allfold_communicator *state,
                            struct allfold_contender *contender)
{
    if (contender->entry != NULL)
        allfold_entry_drop(state, contender->entry);
    contender->entry = NULL;
}

bool allfold_contenders_agree(const struct allfold_communicator *state, double *times, int count)
{
    return PMPI_Allreduce(MPI_IN_PLACE, times, count, MPI_DOUBLE, MPI_MAX,
                          allfold_communicator_for_collectives(state)) == MPI_SUCCESS;
}
