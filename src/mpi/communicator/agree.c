/* Settings that all ranks of a communicator have alike (see agree.h). */
#include "mpi/communicator/agree.h"

#include <stdio.h>
#include <string.h>

#include "mpi/process/runtime.h"
#include "mpi/communicator/tables.h"
#include "util/memory.h"

/* What rank 0 tells the others where settings differ. */
struct told_settings {
    char rules[ALLFOLD_COLLECTIVE_COUNT][ALLFOLD_RULES_BYTES];
    char nodes[ALLFOLD_NODES_BYTES];
    struct allfold_common_settings common;
    int report;
};

static int take_settings_of_rank_0(struct allfold_communicator *state)
{
    const struct allfold_settings *mine = allfold_settings();
    struct told_settings told = {.common = mine->common, .report = mine->report != NULL};
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        snprintf(told.rules[i], sizeof told.rules[i], "%s", mine->rule_text[i]);
    memcpy(told.nodes, mine->nodes, sizeof told.nodes);
    const int error = PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, state->comm);
    if (error != MPI_SUCCESS)
        return error;
    state->own_settings = allfold_allocate(sizeof *state->own_settings);
    if (state->own_settings == NULL)
        return MPI_ERR_NO_MEM;
    *state->own_settings = *mine;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        allfold_settings_set_rules(state->own_settings, (enum allfold_collective)i, told.rules[i]);
        state->own_settings->rule_text[i] = ""; /* it was on the stack, and is read no more */
    }
    memcpy(state->own_settings->nodes, told.nodes, sizeof told.nodes);
    state->own_settings->common = told.common;
    state->own_settings->report = told.report ? (mine->report == NULL ? "" : mine->report) : NULL;
    state->settings = state->own_settings;
    if (state->rank == 0)
        allfold_warn("the ALLFOLD_ variables differ between the ranks; those of rank 0 are taken "
                     "(export them to all nodes, e.g. with mpirun's -x or -genv)");
    return MPI_SUCCESS;
}

/* Ranks that choose by different rules would wait for each other for ever. A value is the same on
 * all ranks where the least of it and the least of its complement fit together. */
int allfold_agree(struct allfold_communicator *state, int64_t key, bool *one_node,
                  bool *tables_differ)
{
    state->settings = allfold_settings();
    const int64_t settings = (int64_t)(allfold_settings_fingerprint(state->settings) >> 1);
    const int64_t tables = allfold_tables_fingerprint();
    int64_t least[6] = {settings, -settings, key, -key, tables, -tables};
    const int error = PMPI_Allreduce(MPI_IN_PLACE, least, 6, MPI_INT64_T, MPI_MIN, state->comm);
    if (error != MPI_SUCCESS)
        return error;
    *one_node = least[2] == -least[3];
    *tables_differ = least[4] != -least[5];
    return least[0] == -least[1] ? MPI_SUCCESS : take_settings_of_rank_0(state);
}
