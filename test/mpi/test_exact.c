/*
 * test_exact.c: with ALLFOLD_REPRODUCIBLE=exact every sum of floating point is the exact sum of all
 * contributions, rounded once: of blocking calls, nonblocking ones and plans. Each rank knows what
 * all have, and adds it with an accumulator (docs/reproducible.md), which knows neither order nor
 * ranks. The same program runs under both MPIs, on any placement, with shared memory and without.
 * Algorithms are forced, too, as any can add integers. Last, a rank has no memory for a sum: all
 * ranks get an error, and the next call works.
 *
 * What cannot be exact is an error. With --warns it is only said, and served.
 */
#include "check.h"

#include <complex.h>
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allfold_accumulator.h"
#include "comm_set.h"
#include "forms.h"

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#define NATIVE_PERSISTENT(name) PMPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#define NATIVE_PERSISTENT(name) PMPI_##name
#endif

static int large = 20011, warns;
static MPI_Comm comm;

/* Types by their numbers: of `bytes` each, `parts` of them in an element. */
static const struct type {
    const char *name;
    MPI_Datatype handle;
    size_t bytes, parts;
} types[] = {
    {"double", MPI_DOUBLE, sizeof(double), 1},
    {"float", MPI_FLOAT, sizeof(float), 1},
    {"complex", MPI_C_DOUBLE_COMPLEX, sizeof(double), 2},
    {"complex float", MPI_C_FLOAT_COMPLEX, sizeof(float), 2},
};

enum { LIKE, WIDE, CANCELLING, SPECIAL, ZEROS, KINDS };
static const char *const kinds[KINDS] = {"of like size", "wide", "cancelling", "special", "zeros"};

static double plain_number(uint64_t random)
{
    const double mantissa = (double)(random >> 11) * 0x1p-53 + 0.5;
    return ldexp(random & 1 ? -mantissa : mantissa, (int)(random >> 1 & 7));
}

static double wide_number(uint64_t random, bool is_float)
{
    const int least = is_float ? -149 : -1074, top = is_float ? 127 : 1023;
    return ldexp(plain_number(random & ~UINT64_C(14)), least + (int)(random >> 5) % (top - least));
}

/* Number i of a rank. Every second rank has nearly minus what the one before it has. */
static double number(int kind, int rank, size_t i, bool is_float)
{
    const uint64_t random = check_random((uint64_t)rank, i, (uint64_t)kind);
    switch (kind) {
    case WIDE:
        return wide_number(random & INT64_MAX, is_float);
    case CANCELLING:
        if (rank % 2 == 1 && random % 5 > 0)
            return -number(kind, rank - 1, i, is_float);
        return random % 3 ? plain_number(random) : wide_number(random & INT64_MAX, is_float);
    case SPECIAL:
        return random % 50 < 4 ? (double[]){INFINITY, -INFINITY, NAN, -0.0}[random % 50]
                               : (is_float ? (double)FLT_MAX : DBL_MAX) * (random & 64 ? 1 : -1);
    case ZEROS: /* in most blocks alone */
        return i / 1000 % 3 ? 0.0 : random % 4 ? -0.0 : 0.0;
    default:
        return plain_number(random);
    }
}

static void put(const struct type *type, void *to, size_t i, double value)
{
    if (type->bytes == sizeof(double))
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static double get(const struct type *type, const void *from, size_t i)
{
    return type->bytes == sizeof(double) ? ((const double *)from)[i]
                                         : (double)((const float *)from)[i];
}

static double rounded_to(const struct type *type, double value)
{
    return type->bytes == sizeof(double) ? value : (double)(float)value;
}

/* Number i over the first `ranks` ranks. */
static double expected(const struct type *type, int kind, int ranks, size_t i)
{
    struct allfold_accumulator sum = {0};

    for (int r = 0; r < ranks; r++) {
        const double one = rounded_to(type, number(kind, r, i, type->bytes < sizeof(double)));
        allfold_accumulate(&sum, &one, 1);
    }
    return type->bytes == sizeof(double) ? allfold_accumulator_round(&sum)
                                         : (double)allfold_accumulator_round_float(&sum);
}

static bool are_same(double a, double b)
{
    return isnan(a) ? isnan(b) : memcmp(&a, &b, sizeof a) == 0;
}

static void compare(const struct form *form, const struct type *type, int kind, size_t count,
                    const void *received)
{
    const struct result result = result_of(form, count);

    for (size_t i = 0; i < result.count * type->parts; i++) {
        const double sum = expected(type, kind, result.ranks, result.first * type->parts + i);
        const double got = get(type, received, i);
        if (are_same(sum, got))
            continue;
        check_fail("%s of %zu %s, %s: number %zu is %a instead of %a",
                   allfold_collective_name(form->collective), count, type->name, kinds[kind], i,
                   got, sum);
        return;
    }
}

/* A sum with its buffers. */
struct job {
    const struct form *form;
    const struct type *type;
    int kind;
    size_t count;
    unsigned char *send, *receive;
    bool in_place; /* on this rank: a reduction has its input in the root's result alone */
};

static size_t numbers_of(const struct job *job)
{
    return vector_length(job->form, job->count) * job->type->parts;
}

static const void *input_of(const struct job *job)
{
    return job->in_place ? MPI_IN_PLACE : (const void *)job->send;
}

static void fill(struct job *job, int kind)
{
    job->kind = kind;
    for (size_t i = 0; i < numbers_of(job); i++)
        put(job->type, job->in_place ? job->receive : job->send, i,
            number(kind, check_rank(), i, job->type->bytes < sizeof(double)));
}

static struct job job_of(const struct form *form, const struct type *type, int kind, size_t count)
{
    struct job job = {.form = form, .type = type, .count = count};

    job.in_place =
        form->in_place && (form->collective != ALLFOLD_REDUCE || check_rank() == form->root);
    job.send = check_memory(numbers_of(&job) * type->bytes + 1);
    job.receive = check_memory(numbers_of(&job) * type->bytes + 1);
    fill(&job, kind);
    return job;
}

static void judge(const struct job *job, int code)
{
    check_equal("code", MPI_SUCCESS, code);
    if (code == MPI_SUCCESS)
        compare(job->form, job->type, job->kind, job->count, job->receive);
}

static void end(struct job *job)
{
    free(job->send);
    free(job->receive);
}

static void test_sum(const struct form *form, const struct type *type, int kind, size_t count)
{
    struct job job = job_of(form, type, kind, count);

    judge(&job,
          make_call(form, input_of(&job), job.receive, (int)count, type->handle, MPI_SUM, comm));
    end(&job);
}

static void test_form(const struct form *form)
{
    const size_t p = (size_t)check_size();
    const size_t counts[] = {0, 1, 77, 2500, 2, p - 1, p, p + 1, 9, 513};
    const size_t many = form->is_nonblocking ? 4 : sizeof counts / sizeof *counts;

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (int kind = 0; kind < KINDS; kind += form->is_nonblocking ? 2 : 1)
            for (size_t c = 0; c < many; c++)
                test_sum(form, &types[t], kind, counts[c]);
}

static void test_collective(enum allfold_collective collective)
{
    for (int way = 0; way < 4; way++) {
        const struct form form = {.collective = collective,
                                  .in_place = way % 2 == 1,
                                  .is_nonblocking = way >= 2,
                                  .root = collective == ALLFOLD_REDUCE ? check_size() - 1 : 0};
        if (check_case("%s%s%s", allfold_collective_name(collective),
                       form.in_place ? " in place" : "", form.is_nonblocking ? ", started" : ""))
            test_form(&form);
    }
}

/* Several at once, of more calls than there are lanes for; each rank waits in another order. */
static void test_together(void)
{
    enum { TOGETHER = 12 };
    static const enum allfold_collective collectives[] = {
        ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE, ALLFOLD_REDUCE_SCATTER_BLOCK, ALLFOLD_SCAN};
    struct form forms[TOGETHER];
    struct job jobs[TOGETHER];
    MPI_Request requests[TOGETHER];
    int codes[TOGETHER];

    if (!check_case("%d sums at once", TOGETHER))
        return;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < TOGETHER; i++) {
            forms[i] = (struct form){.collective = collectives[i % 4], .in_place = i % 3 == 0};
            jobs[i] = job_of(&forms[i], &types[(i + round) % 4], (i + round) % KINDS,
                             (size_t)(i % 5 == 0 ? 3000 : 7 * i + 1));
            codes[i] =
                start_call(&forms[i], input_of(&jobs[i]), jobs[i].receive, (int)jobs[i].count,
                           jobs[i].type->handle, MPI_SUM, comm, &requests[i]);
        }
        for (int i = 0; i < TOGETHER; i++) {
            const int k = (i * 5 + check_rank()) % TOGETHER;
            if (codes[k] == MPI_SUCCESS)
                codes[k] = MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
        }
        for (int i = 0; i < TOGETHER; i++) {
            judge(&jobs[i], codes[i]);
            end(&jobs[i]);
        }
    }
}

/* --- plans --- */

typedef int reduction_init(const void *, void *, size_t, MPI_Datatype, MPI_Op, MPI_Comm, void **);
typedef int reduce_init(const void *, void *, size_t, MPI_Datatype, MPI_Op, int, MPI_Comm, void **);
typedef int scatter_init(const void *, void *, const size_t *, MPI_Datatype, MPI_Op, MPI_Comm,
                         void **);

/* A function of the library that runs; see comm_set.h. */
static void find(const char *name, void *function)
{
    void *found = dlsym(RTLD_DEFAULT, name);

    if (found == NULL)
        check_fail("%s is not there", name);
    memcpy(function, &found, sizeof found);
}

static int make_plan(const struct job *job, void **plan)
{
    static const char *const names[ALLFOLD_COLLECTIVE_COUNT] = {
        [ALLFOLD_ALLREDUCE] = "allfold_allreduce_init",
        [ALLFOLD_REDUCE_SCATTER_BLOCK] = "allfold_reduce_scatter_block_init",
        [ALLFOLD_SCAN] = "allfold_scan_init",
        [ALLFOLD_EXSCAN] = "allfold_exscan_init"};
    const struct form *form = job->form;
    size_t counts[MOST_RANKS];
    reduction_init *init;
    reduce_init *init_reduce;
    scatter_init *init_scatter;

    for (int r = 0; r < check_size(); r++)
        counts[r] = (size_t)scattered_to(r, (int)job->count);
    switch (form->collective) {
    case ALLFOLD_REDUCE:
        find("allfold_reduce_init", &init_reduce);
        return init_reduce(input_of(job), job->receive, job->count, job->type->handle, MPI_SUM,
                           form->root, comm, plan);
    case ALLFOLD_REDUCE_SCATTER:
        find("allfold_reduce_scatter_init", &init_scatter);
        return init_scatter(input_of(job), job->receive, counts, job->type->handle, MPI_SUM, comm,
                            plan);
    default:
        find(names[form->collective], &init);
        return init(input_of(job), job->receive, job->count, job->type->handle, MPI_SUM, comm,
                    plan);
    }
}

/* A plan's starts have numbers of other sizes, so other formats. */
static void test_plan(const struct form *form, const struct type *type, size_t count)
{
    struct job job = job_of(form, type, LIKE, count);
    void *plan = NULL;
    int (*start)(void *plan), (*wait)(void *plan, int timeout_ms), (*give_back)(void **plan);

    find("allfold_start", &start);
    find("allfold_wait", &wait);
    find("allfold_plan_free", &give_back);
    const int made = make_plan(&job, &plan);
    check_equal("code of the plan", MPI_SUCCESS, made);
    for (int kind = 0; kind < KINDS && made == MPI_SUCCESS; kind++) {
        fill(&job, kind);
        const int code = start(plan);
        judge(&job, code == MPI_SUCCESS ? wait(plan, -1) : code);
    }
    if (made == MPI_SUCCESS)
        give_back(&plan);
    end(&job);
}

static void test_plans(enum allfold_collective collective)
{
    static const size_t counts[] = {0, 5, 700, 2500};

    for (int in_place = 0; in_place < 2; in_place++) {
        const struct form form = {.collective = collective, .in_place = in_place};
        if (!check_case("plans of %s%s", allfold_collective_name(collective),
                        in_place ? " in place" : ""))
            continue;
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            test_plan(&form, &types[(size_t)in_place + 2 * (c % 2)], counts[c]);
    }
}

static void test_roots(void)
{
    for (int root = 0; root < check_size(); root++) {
        const struct form form = {.collective = ALLFOLD_REDUCE, .root = root};
        if (check_case("reduce to %d", root))
            for (int kind = 0; kind < KINDS; kind++)
                test_sum(&form, &types[0], kind, 600);
    }
}

/* Long vectors are reduced in chunks. */
static void test_large(void)
{
    const struct form allreduce = {.collective = ALLFOLD_ALLREDUCE},
                      reduce = {.collective = ALLFOLD_REDUCE},
                      started = {.collective = ALLFOLD_ALLREDUCE, .is_nonblocking = true},
                      scatter = {.collective = ALLFOLD_REDUCE_SCATTER, .in_place = true};
    const size_t each = (size_t)(large / check_size());

    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (check_case("%d %s", large, types[t].name)) {
            test_sum(&allreduce, &types[t], WIDE, (size_t)large);
            test_sum(&reduce, &types[t], t % 2 ? LIKE : ZEROS, (size_t)large);
            test_sum(&started, &types[t], t % 2 ? LIKE : WIDE, (size_t)large);
            test_sum(&scatter, &types[t], WIDE, each);
        }
}

/* Any algorithm adds integers, native too. */
static void test_forced(void)
{
    static const char *const rules[] = {"allreduce=ring", "allreduce=recursive_doubling",
                                        "allreduce=native", "allreduce=flat", "allreduce="};
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!check_case("forced: %s", rules[i]))
            continue;
        check_equal("code of allfold_comm_set", MPI_SUCCESS,
                    comm_set(comm, "ALLFOLD_ALGORITHM", rules[i]));
        test_sum(&form, &types[0], CANCELLING, 3);
        test_sum(&form, &types[1], CANCELLING, 1200);
    }
}

/* What MPI_Type_create_f90_real and _complex make is served like MPI's own type of its size. */
static void test_sized(void)
{
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};
    struct type real = {"sized real", MPI_DATATYPE_NULL, sizeof(double), 1};
    struct type pairs = {"sized complex", MPI_DATATYPE_NULL, sizeof(float), 2};

    if (!check_case("sized types"))
        return;
    if (MPI_Type_create_f90_real(15, 307, &real.handle) != MPI_SUCCESS ||
        MPI_Type_create_f90_complex(6, 37, &pairs.handle) != MPI_SUCCESS)
        return; /* an MPI library without Fortran */
    test_sum(&form, &real, CANCELLING, 5);
    test_sum(&form, &real, CANCELLING, 3000);
    test_sum(&form, &pairs, CANCELLING, 3000);
}

/* --- what cannot be exact --- */

static void expect_refused(const char *what, int code)
{
    if (warns || check_size() == 1)
        check_equal(what, MPI_SUCCESS, code);
    else if (code == MPI_SUCCESS)
        check_fail("%s was served", what);
    else
        check_error(code, "exact");
}

static void test_refused(void)
{
    double in = 1, out = 0;
    long double wide = 1, sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    if (!check_case("what cannot be exact"))
        return;
    int code = MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_PROD, comm);
    expect_refused("a product", code);
    if (code != MPI_SUCCESS) {
        check_error(code, "MPI_PROD of MPI_DOUBLE");
        check_error(code, "called in ");
    }
    expect_refused("long double", MPI_Allreduce(&wide, &sum, 1, MPI_LONG_DOUBLE, MPI_SUM, comm));
    code = MPI_Iallreduce(&in, &out, 1, MPI_DOUBLE, MPI_PROD, comm, &request);
    expect_refused("a nonblocking product", code);
    if (code == MPI_SUCCESS)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* An operation of the program that rounds: says that it commutes, but not to the last bit. */
static double skew(double left, double right)
{
    return left + 0.7 * right;
}

static void skew_all(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((double *)inout)[i] = skew(((double *)in)[i], ((double *)inout)[i]);
}

static double skewed_input(int rank, int i, uint64_t seed)
{
    return (double)(check_random((uint64_t)rank, (uint64_t)i, seed) >> 11) * 0x1p-53;
}

/* Ranks `first` to before `end` by the canonical tree, whose last level is filled from the left. */
static double skew_tree(int first, int end, int i, uint64_t seed)
{
    const int count = end - first;
    int half = 1;
    if (count == 1)
        return skewed_input(first, i, seed);
    while (4 * half <= count)
        half *= 2;
    const int rest = count - 2 * half, left = half + (rest < half ? rest : half);
    return skew(skew_tree(first, first + left, i, seed), skew_tree(first + left, end, i, seed));
}

/* Blocking, and then nonblocking. */
static void test_users(void)
{
    enum { NUMBERS = 300 };
    double in[NUMBERS], out[NUMBERS];
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Op op;

    if (!check_case("an operation of the program goes up the canonical tree"))
        return;
    MPI_Op_create(skew_all, 1, &op);
    for (int form = 0; form < 2; form++)
        for (int count = 1; count <= NUMBERS; count += NUMBERS - 1) {
            for (int i = 0; i < count; i++)
                in[i] = skewed_input(check_rank(), i, check_seed());
            int code = form == 0 ? MPI_Allreduce(in, out, count, MPI_DOUBLE, op, comm)
                                 : MPI_Iallreduce(in, out, count, MPI_DOUBLE, op, comm, &request);
            if (form == 1 && code == MPI_SUCCESS)
                code = MPI_Wait(&request, MPI_STATUS_IGNORE);
            check_equal("code", MPI_SUCCESS, code);
            for (int i = 0; i < count; i++) {
                const double expected = skew_tree(0, check_size(), i, check_seed());
                if (memcmp(&out[i], &expected, sizeof expected) != 0)
                    check_fail("element %d: expected %a, got %a", i, expected, out[i]);
            }
        }
    MPI_Op_free(&op);
}

static void add_ints(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Types without kernels, sized ones, and an operation of the program on integers. */
static void test_integers(void)
{
    const int p = check_size();
    char yes = 1, all = 0;
    int one = 1, sum = 0;
    int64_t two = 2, product = 0;
    struct {
        int value, index;
    } mine = {p - check_rank(), check_rank()}, least = {-1, -1};
    MPI_Datatype sized;
    MPI_Op add;

    if (!check_case("all integers"))
        return;
    check_equal("code", MPI_SUCCESS, MPI_Allreduce(&yes, &all, 1, MPI_CHAR, MPI_LAND, comm));
    check_equal("MPI_CHAR", 1, all != 0);
    check_equal("code", MPI_SUCCESS, MPI_Allreduce(&two, &product, 1, MPI_INT64_T, MPI_PROD, comm));
    check_equal("a product", (long long)1 << p, product);
    check_equal("code", MPI_SUCCESS, MPI_Allreduce(&mine, &least, 1, MPI_2INT, MPI_MINLOC, comm));
    check_equal("where the least is", p - 1, least.index);
    MPI_Op_create(add_ints, 1, &add);
    check_equal("code", MPI_SUCCESS, MPI_Allreduce(&one, &sum, 1, MPI_INT, add, comm));
    check_equal("an operation of the program", p, sum);
    MPI_Op_free(&add);
    if (MPI_Type_create_f90_integer(9, &sized) == MPI_SUCCESS) {
        check_equal("code", MPI_SUCCESS, MPI_Allreduce(&one, &sum, 1, sized, MPI_SUM, comm));
        check_equal("a sized integer", p, sum);
    }
}

/* Where no order changes the result, nothing is refused. */
static void test_allowed(void)
{
    const int p = check_size();
    int one = 1, sum = 0;
    double in = check_rank(), out = -1;
    MPI_Request request = MPI_REQUEST_NULL;

    if (!check_case("maxima and integers"))
        return;
    check_equal("maximum", MPI_SUCCESS, MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_MAX, comm));
    check_equal("is", p - 1, (int)out);
    check_equal("integers", MPI_SUCCESS, MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    check_equal("are", p, sum);
    check_equal("nonblocking integers", MPI_SUCCESS,
                MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_equal("are", p, sum);
}

enum { PAIR_ELEMENTS = 2, PAIR_BYTES = 64 };

/* Begins an allreduce in one of its forms, or its native one; a blocking form ends it, too. */
static int begin_pair(int form, bool native, const void *in, void *out, MPI_Datatype type,
                      MPI_Op op, MPI_Comm of, MPI_Request *request)
{
    *request = MPI_REQUEST_NULL;
    switch (form) {
    case 0:
        return (native ? PMPI_Allreduce : MPI_Allreduce)(in, out, PAIR_ELEMENTS, type, op, of);
    case 1:
        return (native ? PMPI_Iallreduce : MPI_Iallreduce)(in, out, PAIR_ELEMENTS, type, op, of,
                                                           request);
    default:
        return (native ? NATIVE_PERSISTENT(Allreduce_init) : PERSISTENT(Allreduce_init))(
            in, out, PAIR_ELEMENTS, type, op, of, MPI_INFO_NULL, request);
    }
}

static int reduce_pair(int form, bool native, void *out, MPI_Datatype type, MPI_Op op, MPI_Comm of)
{
    int64_t in[PAIR_BYTES / sizeof(int64_t)];
    int class;
    MPI_Request request;

    for (size_t i = 0; i < PAIR_BYTES / sizeof *in; i++)
        in[i] = (int64_t)(i + 1 + (size_t)check_rank()) % 3;
    memset(out, 0, PAIR_BYTES);
    const int code = begin_pair(form, native, in, out, type, op, of, &request);
    MPI_Error_class(code, &class);
    if (code != MPI_SUCCESS || form == 0)
        return class;
    if (form == 2)
        check_equal("Start", MPI_SUCCESS, MPI_Start(&request));
    check_equal("Wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (form == 2)
        check_equal("Request_free", MPI_SUCCESS, MPI_Request_free(&request));
    return class;
}

static void compare_pair(const char *what, MPI_Datatype type, MPI_Op op, MPI_Comm of)
{
    static const char *const forms[] = {"blocking", "nonblocking", "persistent"};
    unsigned char native[PAIR_BYTES], ours[PAIR_BYTES];
    /* a persistent call on one rank is ours, and fails when it starts */
    const int form_count = check_size() == 1 ? 2 : 3;

    for (int form = 0; form < form_count && type != MPI_DATATYPE_NULL; form++) {
        const int wanted = reduce_pair(form, true, native, type, op, of);
        const int class = reduce_pair(form, false, ours, type, op, of);
        if (class != wanted)
            check_fail("%s, %s: error class %d instead of the native %d", what, forms[form], class,
                       wanted);
        else if (memcmp(ours, native, PAIR_BYTES) != 0)
            check_fail("%s, %s: another result than the native one", what, forms[form]);
    }
}

/* Pairs that MPI does not allow: the MPI library refuses them itself, or allows them beyond the
 * standard, where no order changes the result. */
static void test_native_pairs(MPI_Comm of, const char *mode)
{
    MPI_Datatype pair;
    MPI_Op skewed;

    if (!check_case("%s: pairs beyond the standard", mode))
        return;
    compare_pair("MPI_SUM of MPI_BYTE", MPI_BYTE, MPI_SUM, of);
    compare_pair("MPI_PROD of MPI_BYTE", MPI_BYTE, MPI_PROD, of);
    compare_pair("MPI_MAX of MPI_BYTE", MPI_BYTE, MPI_MAX, of);
    compare_pair("MPI_LAND of MPI_BYTE", MPI_BYTE, MPI_LAND, of);
    compare_pair("MPI_LAND of MPI_INTEGER", MPI_INTEGER, MPI_LAND, of);
    compare_pair("MPI_SUM of MPI_LOGICAL", MPI_LOGICAL, MPI_SUM, of);
#ifdef MPI_INTEGER8
    compare_pair("MPI_LAND of MPI_INTEGER8", MPI_INTEGER8, MPI_LAND, of);
#endif
    compare_pair("MPI_LXOR of MPI_REAL", MPI_REAL, MPI_LXOR, of);
    compare_pair("MPI_BAND of MPI_DOUBLE", MPI_DOUBLE, MPI_BAND, of);
    compare_pair("MPI_MAX of complex numbers", MPI_C_DOUBLE_COMPLEX, MPI_MAX, of);
    compare_pair("MPI_SUM of MPI_DOUBLE_INT", MPI_DOUBLE_INT, MPI_SUM, of);
    compare_pair("MPI_REPLACE", MPI_INT, MPI_REPLACE, of);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Op_create(skew_all, true, &skewed);
    compare_pair("MPI_SUM of an uncommitted type", pair, MPI_SUM, of);
    compare_pair("a user operation on an uncommitted type", pair, skewed, of);
    MPI_Type_commit(&pair);
    compare_pair("MPI_SUM of a derived type", pair, MPI_SUM, of);
    MPI_Op_free(&skewed);
    MPI_Type_free(&pair);
}

/* What is wrong with a call the MPI library says, and not that its result would not be exact. */
static void compare_wrong_root(MPI_Datatype type, MPI_Op op)
{
    double in[2] = {1, 1}, out[2];
    int wanted, class;
    MPI_Request request;

    MPI_Error_class(PMPI_Reduce(in, out, 1, type, op, check_size(), comm), &wanted);
    MPI_Error_class(MPI_Reduce(in, out, 1, type, op, check_size(), comm), &class);
    check_equal("the class of a reduction's error", wanted, class);
    MPI_Error_class(MPI_Ireduce(in, out, 1, type, op, check_size(), comm, &request), &class);
    check_equal("that of a nonblocking one", wanted, class);
}

static void test_wrong_roots(const char *mode)
{
    if (!check_case("%s: a root that does not exist", mode))
        return;
    compare_wrong_root(MPI_DOUBLE, MPI_SUM);
    compare_wrong_root(MPI_DOUBLE, MPI_PROD);
    compare_wrong_root(MPI_C_DOUBLE_COMPLEX, MPI_SUM);
    compare_wrong_root(MPI_INT, MPI_SUM);
}

/* One communicator alone, by its info. */
static void test_info(void)
{
    const MPI_Comm jobs = comm;
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};

    if (!check_case("info keys"))
        return;
    check_equal("off", MPI_SUCCESS, comm_set(jobs, "ALLFOLD_REPRODUCIBLE", "off"));
    comm = comm_with_mode(jobs, "exact");
    test_sum(&form, &types[0], CANCELLING, 5);
    test_sum(&form, &types[0], CANCELLING, 1000);
    MPI_Comm_free(&comm);
    comm = jobs;
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

static void expect_bad_value(const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int class = MPI_SUCCESS, length;

    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    if (class != MPI_ERR_INFO_VALUE)
        check_fail("%s has class %d", what, class);
    /* MPICH 4.0 has no other text for a class of its own than its own text */
    if (strstr(text, "exakt") == NULL && strcmp(text, "Invalid MPI_Info value ") != 0)
        check_fail("%s: %s", what, text);
}

/* Who asks for a guarantee by a word that does not exist must not run without it. */
static void test_bad_info(void)
{
    double in = 1, out = 0;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request request;
    MPI_Info info;

    if (!check_case("an info value that does not exist"))
        return;
    MPI_Info_create(&info);
    MPI_Info_set(info, "allfold_reproducible", "exakt");
    expect_bad_value("MPI_Comm_set_info", MPI_Comm_set_info(comm, info));
    expect_bad_value("MPI_Comm_dup_with_info", MPI_Comm_dup_with_info(comm, info, &made));
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    expect_bad_value("Allreduce_init", PERSISTENT(Allreduce_init)(&in, &out, 1, MPI_DOUBLE, MPI_SUM,
                                                                  comm, info, &request));
    MPI_Info_free(&info);
}

/* --- one plan --- */

/* Each mode makes the plan anew; what ranks do not agree on changes nothing. */
static void test_one_plan(void)
{
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};
    struct job job = job_of(&form, &types[0], CANCELLING, 3000);
    void *plan = NULL;
    int (*set)(void *plan, const char *name, const char *value);
    int (*start)(void *plan), (*wait)(void *plan, int timeout_ms), (*give_back)(void **plan);

    if (check_size() == 1 || !check_case("one plan, by function"))
        return;
    find("allfold_plan_set", &set);
    find("allfold_start", &start);
    find("allfold_wait", &wait);
    find("allfold_plan_free", &give_back);
    check_equal("off", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", "off"));
    check_equal("code of the plan", MPI_SUCCESS, make_plan(&job, &plan));
    for (int times = 0; times < 2; times++) {
        check_equal("canonical", MPI_SUCCESS, set(plan, "ALLFOLD_REPRODUCIBLE", "canonical"));
        check_equal("start", MPI_SUCCESS, start(plan));
        check_equal("wait", MPI_SUCCESS, wait(plan, -1));
        check_equal("exact", MPI_SUCCESS, set(plan, "ALLFOLD_REPRODUCIBLE", "exact"));
        check_error(set(plan, "ALLFOLD_REPRODUCIBLE", "about"), "is not off, canonical");
        check_error(set(plan, "ALLFOLD_REPRODUCIBLE", check_rank() == 0 ? "off" : "exact"),
                    "the ranks give different");
        fill(&job, times ? WIDE : CANCELLING);
        const int code = start(plan);
        judge(&job, code == MPI_SUCCESS ? wait(plan, -1) : code);
        check_equal("off", MPI_SUCCESS, set(plan, "ALLFOLD_REPRODUCIBLE", "off"));
    }
    give_back(&plan);
    end(&job);
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

/* A persistent call of MPI is ours if its info asks for the mode. */
static void test_one_request(void)
{
    const struct form form = {.collective = ALLFOLD_ALLREDUCE};
    struct job job = job_of(&form, &types[0], CANCELLING, 700);
    MPI_Request request;
    MPI_Info info;

    if (check_size() == 1 || !check_case("one persistent sum, by its info"))
        return;
    check_equal("off", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", "off"));
    MPI_Info_create(&info);
    MPI_Info_set(info, "allfold_reproducible", "exact");
    check_equal("init", MPI_SUCCESS,
                PERSISTENT(Allreduce_init)(job.send, job.receive, 700, MPI_DOUBLE, MPI_SUM, comm,
                                           info, &request));
    for (int kind = 0; kind < KINDS; kind++) {
        fill(&job, kind);
        const int code = MPI_Start(&request);
        judge(&job, code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code);
    }
    MPI_Request_free(&request);
    const int code = PERSISTENT(Allreduce_init)(job.send, job.receive, 700, MPI_DOUBLE, MPI_PROD,
                                                comm, info, &request);
    check_error(code, "exact");
    MPI_Info_free(&info);
    end(&job);
    check_equal("as the job", MPI_SUCCESS, comm_set(comm, "ALLFOLD_REPRODUCIBLE", ""));
}

/* --- a rank without memory --- */

static size_t fails_from; /* so many bytes fail, once; 0: nothing does */

/* In place of the system's, which the library calls. */
__attribute__((visibility("default"))) void *aligned_alloc(size_t alignment, size_t bytes)
{
    void *memory = NULL;

    if (fails_from > 0 && bytes >= fails_from) {
        fails_from = 0;
        return NULL;
    }
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

static void test_no_memory(void)
{
    const MPI_Comm jobs = comm;

    if (check_size() <= 2 || !check_case("a rank without memory"))
        return;
    for (int way = 0; way < 3; way++) {
        const struct form form = {.collective =
                                      way < 2 ? ALLFOLD_ALLREDUCE : ALLFOLD_REDUCE_SCATTER,
                                  .in_place = way > 0};
        MPI_Comm_dup(jobs, &comm);
        MPI_Barrier(comm);
        struct job job = job_of(&form, &types[0], WIDE, 3000);
        if (check_rank() == check_size() - 1)
            fails_from = 200000;
        const int code = make_call(&form, input_of(&job), job.receive, (int)job.count,
                                   types[0].handle, MPI_SUM, comm);
        if (code == MPI_SUCCESS)
            check_fail("a sum without memory was served");
        check_equal("what failed", 0, (int)fails_from);
        end(&job);
        test_sum(&form, &types[0], WIDE, 3000);
        MPI_Comm_free(&comm);
    }
    comm = jobs;
}

static void run(void)
{
    static const enum allfold_collective collectives[] = {
        ALLFOLD_ALLREDUCE,      ALLFOLD_REDUCE, ALLFOLD_REDUCE_SCATTER_BLOCK,
        ALLFOLD_REDUCE_SCATTER, ALLFOLD_SCAN,   ALLFOLD_EXSCAN};

    if (!comm_set_find())
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        test_collective(collectives[i]);
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        test_plans(collectives[i]);
    test_together();
    test_roots();
    test_large();
    test_forced();
    test_sized();
    test_refused();
    test_users();
    test_integers();
    test_allowed();
    test_native_pairs(comm, "exact");
    test_wrong_roots("exact");
    const MPI_Comm exact = comm;
    comm = comm_with_mode(exact, "canonical");
    test_native_pairs(comm, "canonical");
    test_wrong_roots("canonical");
    MPI_Comm_free(&comm);
    comm = exact;
    test_info();
    test_bad_info();
    test_one_plan();
    test_one_request();
    test_no_memory();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"large", "elements of the longest vectors (preset: 20011)", &large, 1, NULL},
        {"warns", "1: what cannot be exact is only said (preset: 0)", &warns, 0, NULL},
    };
    static const struct check_program program = {
        .doc = "Checks that sums are exact.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
    };
    return check_main(argc, argv, &program);
}
