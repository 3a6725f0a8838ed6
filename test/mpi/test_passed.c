/*
 * test_passed.c: the collectives that Allfold passes through, in each form, and what their rows in
 * a report should be.
 *
 * Rank 0 prints a line "passed NAME MODE CALLS BYTES" for each, of its own calls, that
 * test_passed.sh compares with the report. Bytes are those that it gives, to itself included.
 */
#include "check.h"
#include "start_thread.h"

#include <stdlib.h>
#include <string.h>

#include "events/passed_list.h"

enum form { BLOCKING, NONBLOCKING, LARGE, LARGE_NONBLOCKING, FORMS };

/* Functions with large counts are called if they are defined, as mpi4py does. Allfold defines them
 * for every MPI library. */
#define PARAMETERS(...) ALLFOLD_PASSED_PARAMETERS(ALLFOLD_AS_PARAMETER, __VA_ARGS__)
#define DECLARE(name, Name, NAME, to, send, receive)                                               \
    __attribute__((weak)) int MPI_##Name##_c(PARAMETERS(to, send, receive, MPI_Count, MPI_Aint)    \
                                                 MPI_Comm comm);                                   \
    __attribute__((weak)) int MPI_I##name##_c(                                                     \
        PARAMETERS(to, send, receive, MPI_Count, MPI_Aint) MPI_Comm comm, MPI_Request *request);
ALLFOLD_PASSED(DECLARE)
__attribute__((weak)) int PMPI_Alltoall_c(PARAMETERS(TO_ALL, BLOCK, BLOCK, MPI_Count, MPI_Aint)
                                              MPI_Comm comm);

static int used_forms(void)
{
    return MPI_Alltoall_c != NULL ? FORMS : LARGE;
}

static const char *const form_names[] = {"blocking", "nonblocking", "large", "large nonblocking"};

enum { MOST_RANKS = 64, GAP = 1, UNTOUCHED = -7 };

static enum form form;
static int scale; /* of the lengths of blocks */

/* --- the lines --- */

enum { MOST_LINES = 32 };
static struct line {
    const char *name;
    bool is_nonblocking;
    long calls, bytes;
} lines[MOST_LINES];
static int line_count;
static bool is_silent;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void tally(const char *name, long elements)
{
    const bool is_nonblocking = form == NONBLOCKING || form == LARGE_NONBLOCKING;
    int i = 0;
    if (is_silent)
        return;
    pthread_mutex_lock(&mutex);
    while (i < line_count &&
           (strcmp(lines[i].name, name) != 0 || lines[i].is_nonblocking != is_nonblocking))
        i++;
    if (i == line_count)
        lines[line_count++] = (struct line){.name = name, .is_nonblocking = is_nonblocking};
    lines[i].calls++;
    lines[i].bytes += elements * (long)sizeof(int);
    pthread_mutex_unlock(&mutex);
}

static void print_lines(void)
{
    for (int i = 0; i < line_count; i++)
        printf("passed %s %s %ld %ld\n", lines[i].name,
               lines[i].is_nonblocking ? "nonblocking" : "blocking", lines[i].calls,
               lines[i].bytes);
}

/* --- one side of a call --- */

/* Blocks next to each other, with gaps. Where blocks have types, those of odd ones are two ints. */
struct side {
    int count, total;
    int lengths[MOST_RANKS], counts[MOST_RANKS], begins[MOST_RANKS], bytes[MOST_RANKS];
    MPI_Aint addresses[MOST_RANKS];
    MPI_Count large_counts[MOST_RANKS];
    MPI_Aint large_begins[MOST_RANKS];
    MPI_Datatype types[MOST_RANKS];
    int *data;
};

static MPI_Datatype pair;

static void lay_out(struct side *side, int count, const int *lengths, bool is_typed)
{
    const int gap = lengths == NULL ? 0 : GAP;
    side->count = count;
    side->total = 0;
    for (int i = 0; i < count; i++) {
        const int length = lengths == NULL ? scale : lengths[i];
        const bool is_of_pairs = is_typed && length % 2 == 0;
        side->lengths[i] = length;
        side->counts[i] = is_of_pairs ? length / 2 : length;
        side->large_counts[i] = side->counts[i];
        side->types[i] = is_of_pairs ? pair : MPI_INT;
        side->begins[i] = side->total;
        side->large_begins[i] = is_typed ? side->total * (MPI_Aint)sizeof(int) : side->total;
        side->bytes[i] = side->total * (int)sizeof(int);
        /* that of an empty block may be anything */
        side->addresses[i] = length > 0 ? side->bytes[i] : (MPI_Aint)1 << 40;
        side->total += length + gap;
    }
    side->data = check_memory((size_t)(side->total + 1) * sizeof(int));
    for (int i = 0; i <= side->total; i++)
        side->data[i] = UNTOUCHED;
}

static int value(int from, int to, int i)
{
    return 1 + (int)(check_random((uint64_t)(from * MOST_RANKS + to), (uint64_t)i, check_seed()) %
                     1000000);
}

/* Writes what goes from a rank to another one into a block. */
static void fill(struct side *side, int block, int from, int to)
{
    for (int i = 0; i < side->lengths[block]; i++)
        side->data[side->begins[block] + i] = value(from, to, i);
}

static void expect_block(const char *what, const struct side *side, int block, int from, int to)
{
    for (int i = 0; i < side->lengths[block]; i++)
        check_equal(what, value(from, to, i), side->data[side->begins[block] + i]);
}

static void expect_untouched(const char *what, const struct side *side, int block)
{
    for (int i = 0; i < side->lengths[block]; i++)
        check_equal(what, UNTOUCHED, side->data[side->begins[block] + i]);
}

static void expect_gaps(const char *what, const struct side *side)
{
    for (int i = 0; i + 1 < side->count; i++)
        for (int at = side->begins[i] + side->lengths[i]; at < side->begins[i + 1]; at++)
            check_equal(what, UNTOUCHED, side->data[at]);
}

static int sum_lengths(const struct side *side)
{
    int sum = 0;
    for (int i = 0; i < side->count; i++)
        sum += side->lengths[i];
    return sum;
}

/* --- calls in each form --- */

/* Calls the function of the current form. SMALL and BIG are its arguments but for the request. */
#define UNWRAPPED(...) __VA_ARGS__
#define CALL(Name, name, SMALL, BIG)                                                               \
    do {                                                                                           \
        MPI_Request request = MPI_REQUEST_NULL;                                                    \
        int code = MPI_SUCCESS;                                                                    \
        if (form == BLOCKING)                                                                      \
            code = MPI_##Name SMALL;                                                               \
        else if (form == NONBLOCKING)                                                              \
            code = MPI_I##name(UNWRAPPED SMALL, &request);                                         \
        else if (form == LARGE)                                                                    \
            code = MPI_##Name##_c BIG;                                                             \
        else                                                                                       \
            code = MPI_I##name##_c(UNWRAPPED BIG, &request);                                       \
        check_equal(#Name, MPI_SUCCESS, code);                                                     \
        check_equal(#Name, MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));                    \
    } while (0)

/* The length of the block that goes from a rank to another one, which may be 0. */
static int length_of(bool varies, int from, int to)
{
    return varies ? scale * ((from + to) % 3) : scale;
}

/* The lengths of blocks for all ranks of 0 to p - 1. */
static void lay_out_all(struct side *side, bool varies, bool is_typed, int p, int rank)
{
    int lengths[MOST_RANKS];
    for (int r = 0; r < p; r++)
        lengths[r] = length_of(varies, rank, r);
    lay_out(side, p, varies ? lengths : NULL, is_typed);
}

static void gather(MPI_Comm comm, int root, bool varies, bool in_place)
{
    struct side send, receive;
    int rank, p;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    const int length = length_of(varies, rank, root);
    lay_out(&send, 1, &length, false);
    fill(&send, 0, rank, root);
    lay_out_all(&receive, varies, false, rank == root ? p : 0, root);
    const bool is_in_place = in_place && rank == root;
    if (is_in_place)
        fill(&receive, rank, rank, root);
    const void *in = is_in_place ? MPI_IN_PLACE : send.data;
    if (varies)
        CALL(Gatherv, gatherv,
             (in, length, MPI_INT, receive.data, receive.counts, receive.begins, MPI_INT, root,
              comm),
             (in, length, MPI_INT, receive.data, receive.large_counts, receive.large_begins,
              MPI_INT, root, comm));
    else
        CALL(Gather, gather, (in, length, MPI_INT, receive.data, length, MPI_INT, root, comm),
             (in, length, MPI_INT, receive.data, length, MPI_INT, root, comm));
    tally(varies ? "gatherv" : "gather", length);
    for (int r = 0; r < receive.count; r++)
        expect_block("gathered", &receive, r, r, root);
    expect_gaps("between blocks", &receive);
    free(send.data);
    free(receive.data);
}

static void scatter(MPI_Comm comm, int root, bool varies, bool in_place)
{
    struct side send, receive;
    int rank, p;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    const int length = length_of(varies, root, rank);
    lay_out(&receive, 1, &length, false);
    lay_out_all(&send, varies, false, rank == root ? p : 0, root);
    for (int r = 0; r < send.count; r++)
        fill(&send, r, root, r);
    const bool is_in_place = in_place && rank == root;
    void *out = is_in_place ? MPI_IN_PLACE : receive.data;
    if (varies)
        CALL(Scatterv, scatterv,
             (send.data, send.counts, send.begins, MPI_INT, out, length, MPI_INT, root, comm),
             (send.data, send.large_counts, send.large_begins, MPI_INT, out, length, MPI_INT, root,
              comm));
    else
        CALL(Scatter, scatter, (send.data, length, MPI_INT, out, length, MPI_INT, root, comm),
             (send.data, length, MPI_INT, out, length, MPI_INT, root, comm));
    tally(varies ? "scatterv" : "scatter", sum_lengths(&send));
    if (is_in_place)
        expect_untouched("in place", &receive, 0);
    else
        expect_block("scattered", &receive, 0, root, rank);
    free(send.data);
    free(receive.data);
}

enum blocks { ALIKE, VARYING, TYPED, BLOCKS };

static void alltoall(MPI_Comm comm, enum blocks blocks, bool in_place)
{
    static const char *const names[] = {"alltoall", "alltoallv", "alltoallw"};
    struct side send, receive;
    int rank, p;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    lay_out_all(&send, blocks != ALIKE, blocks == TYPED, p, rank);
    lay_out_all(&receive, blocks != ALIKE, blocks == TYPED, p, rank);
    for (int r = 0; r < p; r++)
        fill(in_place ? &receive : &send, r, rank, r);
    const void *in = in_place ? MPI_IN_PLACE : send.data;
    if (blocks == ALIKE)
        CALL(Alltoall, alltoall, (in, scale, MPI_INT, receive.data, scale, MPI_INT, comm),
             (in, scale, MPI_INT, receive.data, scale, MPI_INT, comm));
    else if (blocks == VARYING)
        CALL(Alltoallv, alltoallv,
             (in, send.counts, send.begins, MPI_INT, receive.data, receive.counts, receive.begins,
              MPI_INT, comm),
             (in, send.large_counts, send.large_begins, MPI_INT, receive.data, receive.large_counts,
              receive.large_begins, MPI_INT, comm));
    else
        CALL(Alltoallw, alltoallw,
             (in, send.counts, send.bytes, send.types, receive.data, receive.counts, receive.bytes,
              receive.types, comm),
             (in, send.large_counts, send.large_begins, send.types, receive.data,
              receive.large_counts, receive.large_begins, receive.types, comm));
    tally(names[blocks], sum_lengths(&send));
    for (int r = 0; r < p; r++)
        expect_block("from each", &receive, r, r, rank);
    expect_gaps("between blocks", &receive);
    free(send.data);
    free(receive.data);
}

/* --- neighbors --- */

struct neighbors {
    MPI_Comm comm;
    int in_count, out_count;
    int in[MOST_RANKS], out[MOST_RANKS];
};

static int count_receivers(const struct neighbors *of)
{
    int count = 0;
    for (int i = 0; i < of->out_count; i++)
        count += of->out[i] != MPI_PROC_NULL;
    return count;
}

static void expect_from_neighbors(const struct neighbors *of, const struct side *receive, int to)
{
    for (int i = 0; i < of->in_count; i++)
        if (of->in[i] == MPI_PROC_NULL)
            expect_untouched("of no neighbor", receive, i);
        else
            expect_block("from a neighbor", receive, i, of->in[i], to == MPI_UNDEFINED ? 0 : to);
    expect_gaps("between blocks", receive);
}

static void neighbor_allgather(const struct neighbors *of, bool varies)
{
    struct side send, receive;
    int rank, lengths[MOST_RANKS];
    MPI_Comm_rank(of->comm, &rank);
    const int length = length_of(varies, rank, 1);
    lay_out(&send, 1, &length, false);
    fill(&send, 0, rank, 0);
    for (int i = 0; i < of->in_count; i++)
        lengths[i] = of->in[i] == MPI_PROC_NULL ? scale : length_of(varies, of->in[i], 1);
    lay_out(&receive, of->in_count, varies ? lengths : NULL, false);
    if (varies)
        CALL(Neighbor_allgatherv, neighbor_allgatherv,
             (send.data, length, MPI_INT, receive.data, receive.counts, receive.begins, MPI_INT,
              of->comm),
             (send.data, length, MPI_INT, receive.data, receive.large_counts, receive.large_begins,
              MPI_INT, of->comm));
    else
        CALL(Neighbor_allgather, neighbor_allgather,
             (send.data, length, MPI_INT, receive.data, length, MPI_INT, of->comm),
             (send.data, length, MPI_INT, receive.data, length, MPI_INT, of->comm));
    tally(varies ? "neighbor_allgatherv" : "neighbor_allgather", length * count_receivers(of));
    expect_from_neighbors(of, &receive, MPI_UNDEFINED);
    free(send.data);
    free(receive.data);
}

static void neighbor_alltoall(const struct neighbors *of, enum blocks blocks)
{
    static const char *const names[] = {"neighbor_alltoall", "neighbor_alltoallv",
                                        "neighbor_alltoallw"};
    struct side send, receive;
    int rank, lengths[MOST_RANKS], given = 0;
    MPI_Comm_rank(of->comm, &rank);
    for (int i = 0; i < of->out_count; i++)
        lengths[i] =
            of->out[i] == MPI_PROC_NULL ? scale : length_of(blocks != ALIKE, rank, of->out[i]);
    lay_out(&send, of->out_count, blocks == ALIKE ? NULL : lengths, blocks == TYPED);
    for (int i = 0; i < of->out_count; i++)
        if (of->out[i] != MPI_PROC_NULL) {
            fill(&send, i, rank, of->out[i]);
            given += send.lengths[i];
        }
    for (int i = 0; i < of->in_count; i++)
        lengths[i] =
            of->in[i] == MPI_PROC_NULL ? scale : length_of(blocks != ALIKE, of->in[i], rank);
    lay_out(&receive, of->in_count, blocks == ALIKE ? NULL : lengths, blocks == TYPED);
    if (blocks == ALIKE)
        CALL(Neighbor_alltoall, neighbor_alltoall,
             (send.data, scale, MPI_INT, receive.data, scale, MPI_INT, of->comm),
             (send.data, scale, MPI_INT, receive.data, scale, MPI_INT, of->comm));
    else if (blocks == VARYING)
        CALL(Neighbor_alltoallv, neighbor_alltoallv,
             (send.data, send.counts, send.begins, MPI_INT, receive.data, receive.counts,
              receive.begins, MPI_INT, of->comm),
             (send.data, send.large_counts, send.large_begins, MPI_INT, receive.data,
              receive.large_counts, receive.large_begins, MPI_INT, of->comm));
    else
        CALL(Neighbor_alltoallw, neighbor_alltoallw,
             (send.data, send.counts, send.addresses, send.types, receive.data, receive.counts,
              receive.addresses, receive.types, of->comm),
             (send.data, send.large_counts, send.addresses, send.types, receive.data,
              receive.large_counts, receive.addresses, receive.types, of->comm));
    tally(names[blocks], given);
    expect_from_neighbors(of, &receive, rank);
    free(send.data);
    free(receive.data);
}

/* A grid has borders. */
static void make_grid(struct neighbors *of)
{
    int sides[2] = {0, 0};
    const int is_periodic[2] = {0, 0};
    MPI_Dims_create(check_size(), 2, sides);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, is_periodic, 0, &of->comm);
    of->in_count = of->out_count = 4;
    for (int d = 0; d < 2; d++)
        MPI_Cart_shift(of->comm, d, 1, &of->out[2 * d], &of->out[2 * d + 1]);
    memcpy(of->in, of->out, sizeof of->in);
}

/* Each rank sends to some of those behind it. */
static void make_directed(struct neighbors *of)
{
    const int p = check_size(), rank = check_rank();
    const int weights[MOST_RANKS] = {0};
    of->in_count = of->out_count = 0;
    for (int i = 0; i < (p < 3 ? p : 3); i++) {
        if ((rank + i) % 3 != 0)
            of->out[of->out_count++] = (rank + i) % p;
        if (((rank - i + p) % p + i) % 3 != 0)
            of->in[of->in_count++] = (rank - i + p) % p;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, of->in_count, of->in, weights, of->out_count,
                                   of->out, weights, MPI_INFO_NULL, 0, &of->comm);
}

/* A chain of all ranks. */
static void make_graph(struct neighbors *of)
{
    const int p = check_size(), rank = check_rank();
    int ends[MOST_RANKS], edges[2 * MOST_RANKS], count = 0;
    of->in_count = 0;
    for (int r = 0; r < p; r++) {
        if (r > 0)
            edges[count++] = r - 1;
        if (r + 1 < p)
            edges[count++] = r + 1;
        ends[r] = count;
    }
    for (int i = rank == 0 ? 0 : ends[rank - 1]; i < ends[rank]; i++)
        of->in[of->in_count++] = edges[i];
    of->out_count = of->in_count;
    memcpy(of->out, of->in, sizeof of->out);
    MPI_Graph_create(MPI_COMM_WORLD, p, ends, edges, 0, &of->comm);
}

/* --- cases --- */

/* Open MPI 4.1.4 and MPICH 4.0.2 give wrong results of these by themselves. */
static bool fails_natively(int blocks, bool in_place)
{
    return blocks != ALIKE && in_place && (form == NONBLOCKING || form == LARGE_NONBLOCKING);
}

/* So does MPICH 4.0.2 where a rank has more sources than destinations. */
static bool fails_in_graph(const struct neighbors *of, int blocks)
{
#ifdef OPEN_MPI
    (void)of;
    (void)blocks;
    return false;
#else
    int kind;
    MPI_Topo_test(of->comm, &kind);
    return blocks == TYPED && kind == MPI_DIST_GRAPH && (form == BLOCKING || form == NONBLOCKING);
#endif
}

static void run_ranks(const char *what, MPI_Comm comm)
{
    const int p = check_size();
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int varies = 0; varies < 2; varies++) {
            if (check_case("%s gather%s on %s, %d ints%s", form_names[form], varies ? "v" : "",
                           what, scale, in_place ? ", in place" : ""))
                gather(comm, p - 1, varies, in_place);
            if (check_case("%s scatter%s on %s, %d ints%s", form_names[form], varies ? "v" : "",
                           what, scale, in_place ? ", in place" : ""))
                scatter(comm, p - 1, varies, in_place);
        }
        for (int blocks = 0; blocks < BLOCKS; blocks++)
            if (!fails_natively(blocks, in_place) &&
                check_case("%s alltoall %d on %s, %d ints%s", form_names[form], blocks, what, scale,
                           in_place ? ", in place" : ""))
                alltoall(comm, (enum blocks)blocks, in_place);
    }
}

static void run_neighbors(const char *what, const struct neighbors *of)
{
    for (int varies = 0; varies < 2; varies++)
        if (check_case("%s neighbor_allgather%s on %s, %d ints", form_names[form],
                       varies ? "v" : "", what, scale))
            neighbor_allgather(of, varies);
    for (int blocks = 0; blocks < BLOCKS; blocks++)
        if (!fails_in_graph(of, blocks) && check_case("%s neighbor_alltoall %d on %s, %d ints",
                                                      form_names[form], blocks, what, scale))
            neighbor_alltoall(of, (enum blocks)blocks);
}

/* Two groups, of which the second one has the root. */
static void run_between_groups(void)
{
    enum { FIRST = 0, LENGTH = 5 };
    const int p = check_size(), group = check_rank() >= p / 2;
    const int others = group ? p / 2 : p - p / 2;
    int in[MOST_RANKS * LENGTH], out[MOST_RANKS * LENGTH], rank;
    MPI_Comm half, comm;
    MPI_Comm_split(MPI_COMM_WORLD, group, check_rank(), &half);
    MPI_Comm_rank(half, &rank);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, group ? 0 : p / 2, 1, &comm);
    const int root = !group ? FIRST : rank == FIRST ? MPI_ROOT : MPI_PROC_NULL;
    for (int i = 0; i < others * LENGTH; i++)
        in[i] = 1000 * check_rank() + i;
    CALL(Alltoall, alltoall, (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, comm),
         (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, comm));
    tally("alltoall", others * LENGTH);
    for (int r = 0; r < others; r++)
        check_equal("from the other group", 1000 * (group ? r : p / 2 + r) + rank * LENGTH,
                    out[r * LENGTH]);
    CALL(Gather, gather, (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, root, comm),
         (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, root, comm));
    tally("gather", group ? 0 : LENGTH);
    for (int r = 0; r < others && root == MPI_ROOT; r++)
        check_equal("gathered from the other group", 1000 * r + 1, out[r * LENGTH + 1]);
    CALL(Scatter, scatter, (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, root, comm),
         (in, LENGTH, MPI_INT, out, LENGTH, MPI_INT, root, comm));
    tally("scatter", root == MPI_ROOT ? others * LENGTH : 0);
    if (!group)
        check_equal("scattered by the other group", 1000 * (p / 2) + rank * LENGTH, out[0]);
    int counts[MOST_RANKS], begins[MOST_RANKS];
    MPI_Count large_counts[MOST_RANKS];
    MPI_Aint large_begins[MOST_RANKS];
    for (int r = 0; r < others; r++) {
        large_counts[r] = counts[r] = LENGTH - r % 2;
        large_begins[r] = begins[r] = (others - 1 - r) * LENGTH;
        if (root == MPI_PROC_NULL) /* not significant */
            large_counts[r] = large_begins[r] = INT64_MAX;
    }
    const int length = group ? 0 : LENGTH - rank % 2;
    CALL(Gatherv, gatherv, (in, length, MPI_INT, out, counts, begins, MPI_INT, root, comm),
         (in, group ? INT64_MAX : length, MPI_INT, out, large_counts, large_begins, MPI_INT, root,
          comm));
    tally("gatherv", group ? 0 : length);
    for (int r = 0; r < others && root == MPI_ROOT; r++)
        check_equal("gathered in another order", 1000 * r + counts[r] - 1,
                    out[begins[r] + counts[r] - 1]);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&half);
}

/* Errors are the MPI library's, and no rank has begun anything. */
static void run_errors(void)
{
    int in[MOST_RANKS] = {0}, out[MOST_RANKS], class, native_class;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Error_class(PMPI_Alltoall(in, -1, MPI_INT, out, 1, MPI_INT, comm), &native_class);
    MPI_Error_class(MPI_Alltoall(in, -1, MPI_INT, out, 1, MPI_INT, comm), &class);
    check_equal("the class of an error", native_class, class);
    check_equal("it is one", true, class != MPI_SUCCESS);
    MPI_Error_class(PMPI_Igather(in, 1, MPI_INT, out, 1, MPI_INT, -9, comm, &request),
                    &native_class);
    MPI_Error_class(MPI_Igather(in, 1, MPI_INT, out, 1, MPI_INT, -9, comm, &request), &class);
    check_equal("the class of another error", native_class, class);
    check_equal("it is one, too", true, class != MPI_SUCCESS);
    if (MPI_Alltoall_c != NULL && PMPI_Alltoall_c == NULL) {
        MPI_Error_class(
            MPI_Alltoall_c(in, INT64_C(1) << 31, MPI_INT, out, INT64_C(1) << 31, MPI_INT, comm),
            &class);
        check_equal("the class of a count above INT_MAX", MPI_ERR_COUNT, class);
        for (int is_displacement = 0; is_displacement < 2; is_displacement++) {
            MPI_Count counts[MOST_RANKS] = {0};
            MPI_Aint begins[MOST_RANKS] = {0};
            if (is_displacement)
                begins[check_size() - 1] = INT64_C(-1) - INT32_MAX - 1;
            else
                counts[check_size() - 1] = INT64_C(1) << 31;
            MPI_Error_class(MPI_Ialltoallv_c(in, counts, begins, MPI_INT, out, counts, begins,
                                             MPI_INT, comm, &request),
                            &class);
            check_equal("the class of one of many", MPI_ERR_COUNT, class);
        }
    }
    MPI_Comm_free(&comm);
}

struct worker {
    pthread_t thread;
    MPI_Comm comm;
};

static void *work(void *argument)
{
    const struct worker *worker = argument;
    for (int i = 0; i < 30; i++)
        alltoall(worker->comm, (enum blocks)(i % BLOCKS), i % 2);
    return NULL;
}

static void run_threads(void)
{
    struct worker workers[2];
    for (int t = 0; t < 2; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
    for (int t = 0; t < 2; t++)
        start_thread(&workers[t].thread, work, &workers[t]);
    for (int t = 0; t < 2; t++) {
        pthread_join(workers[t].thread, NULL);
        MPI_Comm_free(&workers[t].comm);
    }
}

static void run(void)
{
    static const int scales[] = {0, 1, 30, 3000};
    MPI_Comm reversed;
    struct neighbors grid, directed, graph;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank(), &reversed);
    make_grid(&grid);
    make_directed(&directed);
    make_graph(&graph);
    for (int f = 0; f < used_forms(); f++)
        for (int i = 0; i < 4; i++) {
            form = (enum form)f;
            scale = scales[i];
            run_ranks("all ranks", MPI_COMM_WORLD);
            run_ranks("ranks in reverse", reversed);
            run_neighbors("a grid", &grid);
            run_neighbors("a directed graph", &directed);
            run_neighbors("a graph", &graph);
            if (check_size() > 1 && check_case("%s calls between groups", form_names[form]))
                run_between_groups();
        }
    form = BLOCKING;
    scale = 10;
    if (check_case("errors"))
        run_errors();
    if (check_case("calls of two threads"))
        run_threads();
    if (check_case("calls that the report leaves out")) {
        for (int i = 0; i < 3; i++) {
            is_silent = i == 1;
            MPI_Pcontrol(is_silent ? 0 : 1);
            alltoall(MPI_COMM_WORLD, ALIKE, false);
        }
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&grid.comm);
    MPI_Comm_free(&directed.comm);
    MPI_Comm_free(&graph.comm);
    MPI_Type_free(&pair);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Collectives that Allfold passes through, in each form.",
        .run = run,
        .report = print_lines,
        .thread_level = MPI_THREAD_MULTIPLE,
    };
    return check_main(argc, argv, &program);
}
