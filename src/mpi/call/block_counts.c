/* Counts and displacements of blocks (see block_counts.h). */
#include "mpi/call/block_counts.h"

#include <limits.h>
#include <pthread.h>
#include <stdint.h>

#include "util/hash.h"
#include "util/memory.h"

bool allfold_counts_read(const struct allfold_call *call, int p, int r, size_t *begins,
                         struct allfold_block_counts *read)
{
    const ptrdiff_t first = allfold_count_of(call, 0);
    *read = (struct allfold_block_counts){.are_alike = true, .are_in_row = true};
    for (int i = 0; i < p; i++) {
        const ptrdiff_t count = allfold_count_of(call, i);
        const ptrdiff_t place =
            call->displacements == NULL ? (ptrdiff_t)read->total : allfold_displacement_of(call, i);
        if (count < 0)
            return false;
        if (begins != NULL)
            begins[i] = read->total;
        if (i == r) {
            read->own = (size_t)count;
            read->begin = place;
        }
        if (count > 0 && place + count > (ptrdiff_t)read->reach)
            read->reach = (size_t)(place + count);
        if (count > 0 && place < read->low)
            read->low = place;
        read->are_in_row &= count == 0 || place == (ptrdiff_t)read->total;
        read->are_alike &= count == first;
        read->longest = (size_t)count > read->longest ? (size_t)count : read->longest;
        read->total += (size_t)count;
    }
    if (begins != NULL)
        begins[p] = read->total;
    return true;
}

/* Returns the number of counts. On an intercommunicator each rank receives blocks of the other
 * group's ranks, but reduces blocks of its own group. Returns 0 if it cannot be found. */
static int number_of(const struct allfold_call *call, int *is_between)
{
    int number = 0;
    if (call->comm == MPI_COMM_NULL || PMPI_Comm_test_inter(call->comm, is_between) != MPI_SUCCESS)
        return 0;
    const bool is_remote = *is_between && call->collective == ALLFOLD_ALLGATHERV;
    const int error = (is_remote ? PMPI_Comm_remote_size : PMPI_Comm_size)(call->comm, &number);
    return error == MPI_SUCCESS ? number : 0;
}

size_t allfold_counts_total(const struct allfold_call *call)
{
    struct allfold_block_counts read;
    int is_between;
    const int p = number_of(call, &is_between);
    return p > 0 && !is_between && allfold_counts_read(call, p, 0, NULL, &read) ? read.total : 0;
}

size_t allfold_call_bytes(const struct allfold_call *call, int p)
{
    int element_bytes = 0;
    if (call->datatype != MPI_DATATYPE_NULL)
        PMPI_Type_size(call->datatype, &element_bytes);
    const struct allfold_problem problem = {
        .collective = call->collective, .group = allfold_group_all(p, 0), .count = call->count};
    const size_t elements =
        call->counts != NULL ? allfold_counts_total(call) : allfold_problem_length(&problem);
    return elements * (size_t)element_bytes;
}

bool allfold_fit_ints(const void *wide, int number)
{
    bool do_fit = true;
    for (int i = 0; i < number && wide != NULL; i++)
        do_fit &= allfold_number_at(wide, true, i) <= INT_MAX &&
                  allfold_number_at(wide, true, i) >= INT_MIN;
    return do_fit;
}

static bool both_fit(const struct allfold_call *call, int number)
{
    return !call->has_wide_counts || (allfold_fit_ints(call->counts, number) &&
                                      allfold_fit_ints(call->displacements, number));
}

/* Copies an array, if there is one, and points to the copy. */
static void copy_numbers(const void **numbers, bool were_wide, bool are_wide, int number, void *to)
{
    for (int i = 0; i < number && *numbers != NULL; i++) {
        const ptrdiff_t value = allfold_number_at(*numbers, were_wide, i);
        if (are_wide)
            ((int64_t *)to)[i] = value;
        else
            ((int *)to)[i] = (int)value;
    }
    if (*numbers != NULL)
        *numbers = to;
}

bool allfold_counts_keep(struct allfold_call *call, void **memory, size_t *memory_bytes)
{
    int is_between;
    if (call->counts == NULL)
        return true;
    const int number = number_of(call, &is_between);
    const size_t bytes = (size_t)number * sizeof(int64_t);
    const bool were_wide = call->has_wide_counts;
    if (!allfold_reserve(memory, memory_bytes, 2 * bytes + 1))
        return false;
    call->has_wide_counts = !both_fit(call, number);
    copy_numbers(&call->counts, were_wide, call->has_wide_counts, number, *memory);
    copy_numbers(&call->displacements, were_wide, call->has_wide_counts, number,
                 (char *)*memory + bytes);
    return true;
}

bool allfold_begins_reserve(const struct allfold_call *call, int p, void **memory,
                            size_t *memory_bytes)
{
    return call->counts == NULL ||
           allfold_reserve(memory, memory_bytes, ((size_t)p + 1) * sizeof(size_t));
}

static bool are_same(const void *a, bool a_is_wide, const void *b, bool b_is_wide, int p)
{
    if (a == NULL || b == NULL)
        return a == b;
    for (int i = 0; i < p; i++)
        if (allfold_number_at(a, a_is_wide, i) != allfold_number_at(b, b_is_wide, i))
            return false;
    return true;
}

bool allfold_counts_are_same(const struct allfold_call *a, const struct allfold_call *b, int p)
{
    return are_same(a->counts, a->has_wide_counts, b->counts, b->has_wide_counts, p);
}

bool allfold_blocks_are_same(const struct allfold_call *a, const struct allfold_call *b, int p)
{
    return allfold_counts_are_same(a, b, p) &&
           are_same(a->displacements, a->has_wide_counts, b->displacements, b->has_wide_counts, p);
}

/* Ints that stay. */
struct kept {
    struct kept *next;
    int number;
    int ints[];
};

static struct kept *keep_new(const void *wide, int number, struct kept *next)
{
    struct kept *kept = allfold_allocate(sizeof *kept + (size_t)number * sizeof kept->ints[0]);
    if (kept == NULL)
        return NULL;
    kept->next = next;
    kept->number = number;
    copy_numbers(&wide, true, false, number, kept->ints);
    return kept;
}

const int *allfold_keep_ints(const void *wide, int number)
{
    enum { LISTS = 1 << 12 };
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static struct kept *lists[LISTS];
    const uint64_t hash =
        allfold_hash(allfold_hash_of_nothing, wide, (size_t)number * sizeof(int64_t));
    struct kept **list = &lists[hash >> 32 & (LISTS - 1)];
    pthread_mutex_lock(&mutex);
    struct kept *kept = *list;
    while (kept != NULL &&
           (kept->number != number || !are_same(kept->ints, false, wide, true, number)))
        kept = kept->next;
    if (kept == NULL) {
        kept = keep_new(wide, number, *list);
        *list = kept == NULL ? *list : kept;
    }
    pthread_mutex_unlock(&mutex);
    return kept == NULL ? NULL : kept->ints;
}

bool allfold_counts_keep_for_good(struct allfold_call *call)
{
    int is_between;
    const int number = number_of(call, &is_between);
    if (!call->has_wide_counts || !both_fit(call, number))
        return true;
    const int *counts = allfold_keep_ints(call->counts, number), *displacements = NULL;
    if (call->displacements != NULL)
        displacements = allfold_keep_ints(call->displacements, number);
    if (counts == NULL || (call->displacements != NULL && displacements == NULL))
        return false;
    call->counts = counts;
    call->displacements = displacements;
    call->has_wide_counts = false;
    return true;
}
