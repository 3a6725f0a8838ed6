/* The rows of all ranks: rank 0 gets, for each row, the sums over the ranks that have it.
 *
 * Rows of two ranks count as the same row if the report prints the same names for them. The sums go
 * up a binomial tree, in which each rank merges its own rows with those of its children. */
#ifndef ALLFOLD_MPI_ROW_MEANS_H
#define ALLFOLD_MPI_ROW_MEANS_H

#include <mpi.h>

#include "events/report_figures.h"

struct allfold_row_list;

/* A list of a rank's rows; NULL without memory. */
struct allfold_row_list *allfold_row_list_make(const struct allfold_report_row *rows,
                                               uint32_t count);

/* Rank 0 of `comm` gets the rows of all ranks. A rank may bring NULL, and its children's rows are
 * then missing, too. Collective. */
void allfold_row_list_gather(struct allfold_row_list *list, MPI_Comm comm);

/* How many rows there are now: those of this rank come first, in their order. */
uint32_t allfold_row_list_count(const struct allfold_row_list *list);

/* Gives a row of this rank its sums. Of a row that only other ranks have it makes one without
 * figures of its own; the text that it points to lives as long as the list. */
void allfold_row_list_take(const struct allfold_row_list *list, uint32_t number,
                           struct allfold_report_row *row);

void allfold_row_list_free(struct allfold_row_list *list);

#endif
