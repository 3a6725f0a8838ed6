/*
 * test_reductions.c: all collectives over all shapes: counts around p, roots, in place or not, and
 * layouts with gaps and a negative lower bound. Operations do and do not commute; datatypes differ
 * with the rank.
 */
#include <stdlib.h>

#include "calls.h"

enum { COUNTS = 8, ROOTS_LIMIT = 6 };

static void all_counts(int counts[COUNTS])
{
    int p = check_size();
    const int values[COUNTS] = {0, 1, p - 1, p, p + 1, 3 * p + 2, 1000, 40001};

    for (int i = 0; i < COUNTS; i++)
        counts[i] = values[i];
}

/* Of blocks; all p together are as many elements as one vector has elsewhere. */
static void block_counts(int counts[COUNTS])
{
    int p = check_size();
    const int values[COUNTS] = {0, 1, 3, p, p + 1, 2 * p + 1, 1000 / p, 40001 / p + 1};

    for (int i = 0; i < COUNTS; i++)
        counts[i] = values[i];
}

/* Every root where there are few, else the ends, one in the middle, and one that is no power of
 * two. */
static int all_roots(int roots[ROOTS_LIMIT])
{
    int p = check_size();
    const int some[] = {0, 1, p / 2, p - 1};

    for (int i = 0; i < p && p <= ROOTS_LIMIT; i++)
        roots[i] = i;
    if (p <= ROOTS_LIMIT)
        return p;
    for (int i = 0; i < 4; i++)
        roots[i] = some[i];
    return 4;
}

static void reductions_of(enum collective collective, const struct subject *subject, int count,
                          int root)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        /* The ranks that get no result pass NULL in every other case. */
        bool null_result = collective == REDUCE && (count + root + in_place) % 2 == 0;
        if (!check_case("%s %s, %s, count %d, root %d%s%s", collective_names[collective],
                        subject->kind->name, subject->layout->name, count, root,
                        in_place ? ", in place" : "", null_result ? ", NULL off the root" : ""))
            continue;
        struct call call = call_of(collective, subject, MPI_COMM_WORLD, count, root);
        call.in_place = in_place;
        call.null_result = null_result;
        call.strict_type = true;
        call_run(&call);
    }
}

static void test_reductions(const int counts[COUNTS], const int *roots, int root_count)
{
    for (int s = 0; s < SUBJECTS; s++)
        for (int c = 0; c < COUNTS; c++) {
            reductions_of(ALLREDUCE, &subjects[s], counts[c], 0);
            reductions_of(SCAN, &subjects[s], counts[c], 0);
            reductions_of(EXSCAN, &subjects[s], counts[c], 0);
            for (int r = 0; r < root_count; r++)
                reductions_of(REDUCE, &subjects[s], counts[c], roots[r]);
        }
}

/* Blocks of any lengths, sent in one layout and received in another. */
static void gatherv_of(const struct subject *sent, const struct subject *received, int count,
                       int turn)
{
    if (!check_case("Allgatherv %s, sent %s, received %s, count %d, turned by %d", sent->kind->name,
                    sent->layout->name, received->layout->name, count, turn))
        return;
    struct call call = call_of(ALLGATHERV, received, MPI_COMM_WORLD, count, 0);
    call.send_layout = sent->layout;
    call.turn = turn;
    call_run(&call);
}

static void test_blocks(const int counts[COUNTS])
{
    static const int moved[] = {SUM_DOUBLE, AFFINE_GAPS, AFFINE_NEGATIVE};

    for (int c = 0; c < COUNTS; c++) {
        for (int s = 0; s < SUBJECTS; s++)
            for (int k = 0; k < 2; k++)
                reductions_of(k == 0 ? REDUCE_SCATTER_BLOCK : REDUCE_SCATTER, &subjects[s],
                              counts[c], 0);
        for (size_t i = 0; i < sizeof moved / sizeof moved[0]; i++)
            for (int k = 0; k < 2; k++)
                reductions_of(k == 0 ? ALLGATHER : ALLGATHERV, &subjects[moved[i]], counts[c], 0);
        for (int turn = 0; turn < 2; turn++) { /* shapes that differ by the order alone */
            gatherv_of(&subjects[AFFINE_GAPS], &subjects[AFFINE], counts[c], turn);
            gatherv_of(&subjects[AFFINE], &subjects[AFFINE_NEGATIVE], counts[c], turn);
        }
    }
}

static void test_barriers(void)
{
    enum { BARRIERS = 25 };

    for (int i = 0; i < BARRIERS; i++) {
        if (!check_case("Barrier, number %d", i))
            continue;
        struct call call = call_of(BARRIER, &subjects[SUM_INT64], MPI_COMM_WORLD, 0, 0);
        call_run(&call);
    }
}

static struct layout ints = {"ints", MPI_INT, 4, 1, 4, {0}, false};
static struct layout ints_at_once = {"contiguous", MPI_INT, 4, 1, 4, {0}, true};
static struct layout ints_strided = {"strided", MPI_INT, 12, 1, 4, {0}, true};

/* What the root and the others pass, or in an allgather a rank sends and receives: the same
 * signature, not the same type. */
static const struct {
    const struct kind *kind;
    const struct layout *root, *others;
} broadcasts[] = {
    {&kind_int32, &ints, &ints},         {&kind_int32, &ints_at_once, &ints},
    {&kind_int32, &ints, &ints_at_once}, {&kind_int32, &ints_strided, &ints},
    {&kind_int32, &ints, &ints_strided}, {&kind_int32, &ints_strided, &ints_at_once},
};

static void broadcast_of(const struct subject *root_side, const struct subject *others,
                         MPI_Comm comm, int count, int root)
{
    if (!check_case("Bcast %s, root %s, others %s, count %d, root %d", root_side->kind->name,
                    root_side->layout->name, others->layout->name, count, root))
        return;
    struct call call = call_of(BCAST, check_rank() == root ? root_side : others, comm, count, root);
    call_run(&call);
}

/* The same layout everywhere, then the pairs of broadcasts[]. */
static void test_broadcasts(const int counts[COUNTS], const int *roots, int root_count)
{
    static const int alike[] = {SUM_DOUBLE, AFFINE_GAPS, AFFINE_NEGATIVE};

    for (int c = 0; c < COUNTS; c++)
        for (int r = 0; r < root_count; r++) {
            for (size_t i = 0; i < sizeof alike / sizeof alike[0]; i++)
                broadcast_of(&subjects[alike[i]], &subjects[alike[i]], MPI_COMM_WORLD, counts[c],
                             roots[r]);
            broadcast_of(&subjects[AFFINE_GAPS], &subjects[AFFINE], MPI_COMM_WORLD, counts[c],
                         roots[r]);
            broadcast_of(&subjects[AFFINE], &subjects[AFFINE_NEGATIVE], MPI_COMM_WORLD, counts[c],
                         roots[r]);
        }
}

/* Ranks that are a multiple of three receive as they send. One empty element here and no element
 * there is left out: the ranks of Open MPI 4.1.4 and MPICH 4.0.2 then hang. */
static void gather_of(const struct subject *sent, const struct subject *received, MPI_Comm comm,
                      int count, bool in_place)
{
    if (count == 0 && sent->layout->whole != received->layout->whole)
        return;
    if (!check_case("Allgather %s, sent %s, received %s, block of %d%s", sent->kind->name,
                    sent->layout->name, received->layout->name, count,
                    in_place ? ", in place" : ""))
        return;
    struct call call = call_of(ALLGATHER, check_rank() % 3 == 0 ? sent : received, comm, count, 0);
    call.send_layout = sent->layout;
    call.in_place = in_place;
    call_run(&call);
}

/*
 * Each pair on a communicator of its own, count 0 last. Open MPI 4.1.4 returns early where the
 * count is 0, but not where one element is empty. It would then be one message off in all later
 * cases.
 */
static void test_unlike_types(const int counts[COUNTS], const int *roots, int root_count)
{
    for (size_t i = 0; i < sizeof broadcasts / sizeof broadcasts[0]; i++) {
        struct subject root_side = {broadcasts[i].kind, broadcasts[i].root, MPI_OP_NULL};
        struct subject others = {broadcasts[i].kind, broadcasts[i].others, MPI_OP_NULL};
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int c = COUNTS - 1; c >= 0; c--)
            for (int r = 0; r < root_count; r++)
                broadcast_of(&root_side, &others, comm, counts[c], roots[r]);
        for (int c = COUNTS - 1; c >= 0; c--)
            for (int in_place = 0; in_place < 2; in_place++)
                gather_of(&root_side, &others, comm, counts[c] / check_size(), in_place);
        MPI_Comm_free(&comm);
    }
}

/* An operation that needs the whole vector gets it where the vector is one element. */
enum { WHOLE = 100003 };
static int whole_calls, whole_parts;

static void add_whole(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    const int *from = in;
    int *to = inout;
    (void)datatype;
    whole_calls++;
    whole_parts += *count != 1;
    for (int i = 0; i < WHOLE; i++)
        to[i] += from[i];
}

static void test_whole_vector(void)
{
    if (!check_case("Allreduce of one element of %d ints", WHOLE))
        return;
    int *vector = check_memory(WHOLE * sizeof *vector);
    MPI_Datatype whole;
    MPI_Op add;
    for (int i = 0; i < WHOLE; i++)
        vector[i] = i % 1000 + check_rank();
    MPI_Type_contiguous(WHOLE, MPI_INT, &whole);
    MPI_Type_commit(&whole);
    MPI_Op_create(add_whole, 1, &add);
    MPI_Allreduce(MPI_IN_PLACE, vector, 1, whole, add, MPI_COMM_WORLD);
    const int p = check_size();
    int wrong = 0;
    for (int i = 0; i < WHOLE; i++)
        wrong += vector[i] != p * (i % 1000) + p * (p - 1) / 2;
    check_equal("wrong sums", 0, wrong);
    check_equal("calls with another count than 1", 0, whole_parts);
    int all_calls = 0;
    MPI_Allreduce(&whole_calls, &all_calls, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check_equal("fewer calls than p - 1", 0, all_calls < p - 1);
    MPI_Op_free(&add);
    MPI_Type_free(&whole);
    free(vector);
}

static void run(void)
{
    int counts[COUNTS], blocks[COUNTS], roots[ROOTS_LIMIT];
    int root_count = all_roots(roots);

    kinds_start();
    all_counts(counts);
    test_reductions(counts, roots, root_count);
    block_counts(blocks);
    test_blocks(blocks);
    test_barriers();
    test_whole_vector();
    test_broadcasts(counts, roots, root_count);
    test_unlike_types(counts, roots, root_count);
    kinds_end();
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks MPI_Allreduce, MPI_Reduce, MPI_Bcast, MPI_Reduce_scatter_block, "
               "MPI_Reduce_scatter, MPI_Allgather, MPI_Allgatherv and MPI_Barrier: counts, roots, "
               "layouts, operations.",
        .run = run,
        .raises_none = true,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
