/*
 * test_sparse.c: reductions with messages that are shorter where data repeats itself. Results are
 * bitwise identical with every message encoded and with none. This holds for any algorithm, type
 * and operation, blocking and by plans. Messages do become shorter, where and when they are to.
 *
 * Linked with the library's objects, which alone show how much was sent. Of its ranks some share no
 * memory, by ALLFOLD_NETWORK or ALLFOLD_TRANSPORT.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/communicator/communicator.h"
#include "mpi/plan/plan.h"

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

enum { COUNT = 20000, CALLS = 6 };

static MPI_Comm comm;
static double in[COUNT], out[3][COUNT];

static const struct {
    const char *name, *value;
} rules[] = {
    {"reduce", "chain(segment=8K)"},
    {"reduce", "binomial_tree"},
    {"reduce", "halving_doubling"},
    {"reduce", "two_tree"},
    {"reduce", "smp(node=flat,leaders=chain)"},
    {"allreduce", "ring"},
    {"allreduce", "halving_doubling"},
    {"allreduce", "circulant"},
    {"allreduce", "recursive_doubling"},
    {"allreduce", "two_tree"},
    {"allreduce", "smp(node=flat,leaders=ring)"},
    {"allreduce", "multilane_bucket"},
    {"allreduce", "multilane(node=circulant(radix=3),lanes=ring(segment=8K))"},
};

static const struct {
    MPI_Datatype *datatype;
    MPI_Op *op;
    bool is_sparse;
} kinds[] = {
    {&(MPI_Datatype){MPI_DOUBLE}, &(MPI_Op){MPI_SUM}, true},
    {&(MPI_Datatype){MPI_FLOAT}, &(MPI_Op){MPI_SUM}, true},
    {&(MPI_Datatype){MPI_DOUBLE}, &(MPI_Op){MPI_MIN}, true},
    {&(MPI_Datatype){MPI_FLOAT}, &(MPI_Op){MPI_PROD}, true},
    {&(MPI_Datatype){MPI_INT64_T}, &(MPI_Op){MPI_SUM}, false},
};

/* Numbers in a few places, other ones on each rank, some of them -0.0. As floats they are small and
 * large, and as integers anything. */
static void fill(double *vector, int percent)
{
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t any = check_random((uint64_t)check_rank(), i, check_seed());
        const double number = any % 7 == 0 && percent < 100 ? -0.0 : (double)(any >> 40) / 1024;
        vector[i] = (int)(any / 8 % 100) < percent ? number : 0;
    }
}

static void set(const char *name, const char *value)
{
    check_equal("code of allfold_comm_set", MPI_SUCCESS, allfold_comm_set(comm, name, value));
}

static void set_rule(int rule, const char *value)
{
    char text[100];
    snprintf(text, sizeof text, "%s=%s", rules[rule].name, value);
    set("ALLFOLD_ALGORITHM", text);
}

static int count_of(MPI_Datatype datatype)
{
    int bytes;
    MPI_Type_size(datatype, &bytes);
    return (int)sizeof in / bytes;
}

static bool is_reduce(int rule)
{
    return strcmp(rules[rule].name, "reduce") == 0;
}

static void call(int rule, int kind, void *to, bool in_place)
{
    const MPI_Datatype datatype = *kinds[kind].datatype;
    const bool is_root = check_rank() == check_size() - 1;
    const void *from = in_place && (is_root || !is_reduce(rule)) ? MPI_IN_PLACE : in;
    if (in_place)
        memcpy(to, in, sizeof in);
    const int error = is_reduce(rule) ? MPI_Reduce(from, to, count_of(datatype), datatype,
                                                   *kinds[kind].op, check_size() - 1, comm)
                                      : MPI_Allreduce(from, to, count_of(datatype), datatype,
                                                      *kinds[kind].op, comm);
    check_equal("code", MPI_SUCCESS, error);
}

/* What the last call's runs sent so far: all words, and less. */
static struct allfold_sparse sent_so_far(void)
{
    const struct allfold_entry *entry =
        allfold_caller_of(allfold_communicator_known(comm))->prepared.entry;
    return entry == NULL ? (struct allfold_sparse){.words = 0} : entry->sparse;
}

static void test_bits(int rule, int kind, int percent)
{
    static const char *const modes[] = {"off", "on", "auto"};
    if (!check_case("%s=%s, kind %d, %d percent", rules[rule].name, rules[rule].value, kind,
                    percent))
        return;
    fill(in, percent);
    set_rule(rule, rules[rule].value);
    for (int mode = 0; mode < 3; mode++) {
        set("ALLFOLD_SPARSE", modes[mode]);
        memset(out[mode], 0, sizeof out[mode]);
        for (int i = 0; i < CALLS; i++)
            call(rule, kind, out[mode], i % 2 == 0);
        if (is_reduce(rule) && check_rank() < check_size() - 1)
            continue; /* only the root has a result */
        if (memcmp(out[mode], out[0], sizeof out[0]) != 0)
            check_fail("other bits with ALLFOLD_SPARSE=%s", modes[mode]);
    }
    set("ALLFOLD_SPARSE", "");
    set_rule(rule, "");
}

/* The sum of what all ranks sent, in percent of what they would have sent; -1: nothing could. With
 * NULL the communicator's mode stays. */
static int percent_sent(const char *mode, int percent)
{
    uint64_t words[2];
    const int rule = 5;
    fill(in, percent);
    set_rule(rule, rules[rule].value);
    if (mode != NULL)
        set("ALLFOLD_SPARSE", mode);
    for (int i = 0; i < CALLS; i++)
        call(rule, 0, out[0], false);
    const struct allfold_sparse sparse = sent_so_far();
    words[0] = sparse.words;
    words[1] = sparse.sent;
    MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_UINT64_T, MPI_SUM, comm);
    if (mode != NULL)
        set("ALLFOLD_SPARSE", "");
    set_rule(rule, "");
    return words[0] == 0 ? -1 : (int)(100 * words[1] / words[0]);
}

static void test_lengths(void)
{
    if (check_case("off: nothing is looked at"))
        check_equal("percent sent", -1, percent_sent("off", 1));
    if (check_case("on: sparse messages are short")) {
        const int percent = percent_sent("on", 1);
        if (percent < 0 || percent > 20)
            check_fail("%d percent sent", percent);
    }
    if (check_case("on: dense messages are plain"))
        check_equal("percent sent", 100, percent_sent("on", 100));
    const bool has_nodes = allfold_communicator_known(comm)->nodes->count > 1;
    if (check_case("auto: between nodes alone, and dense messages are plain")) {
        check_equal("percent sent of dense", has_nodes ? 100 : -1, percent_sent("auto", 100));
        const int percent = percent_sent("auto", 1);
        if (has_nodes ? percent < 0 || percent > 95 : percent != -1)
            check_fail("%d percent sent of sparse", percent);
    }
}

/* A plan that is restarted, over what changes. */
static void test_plan(void)
{
    struct allfold_plan *plan;
    if (!check_case("a plan"))
        return;
    set("ALLFOLD_SPARSE", "on");
    check_equal("init", MPI_SUCCESS,
                allfold_allreduce_init(in, out[1], COUNT, MPI_DOUBLE, MPI_SUM, comm, &plan));
    set("ALLFOLD_SPARSE", "off");
    for (int i = 0; i < 8; i++) {
        fill(in, 1 + 12 * i);
        call(5, 0, out[0], false);
        check_equal("start", MPI_SUCCESS, allfold_start(plan));
        check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
        MPI_Bcast(out[0], COUNT, MPI_DOUBLE, 0, comm);
        double worst = 0;
        for (int k = 0; k < COUNT; k++)
            worst = out[0][k] - out[1][k] > worst ? out[0][k] - out[1][k] : worst;
        if (worst > 1e-9)
            check_fail("run %d: off by %g", i, worst);
    }
    int is_shorter = plan->prepared.entry != NULL &&
                     plan->prepared.entry->sparse.sent != plan->prepared.entry->sparse.words;
    MPI_Allreduce(MPI_IN_PLACE, &is_shorter, 1, MPI_INT, MPI_MAX, comm); /* of any rank */
    if (!is_shorter)
        check_equal("the plan's messages go through memory", 1, plan->is_in_memory);
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
    set("ALLFOLD_SPARSE", "");
}

/* What the plan's next run sends, as percent_sent(). */
static int percent_of_run(struct allfold_plan *plan)
{
    const struct allfold_sparse *sparse = &plan->prepared.entry->sparse;
    uint64_t words[2] = {sparse->words, sparse->sent};
    check_equal("start", MPI_SUCCESS, allfold_start(plan));
    check_equal("wait", MPI_SUCCESS, allfold_wait(plan, ALLFOLD_BLOCK));
    if (memcmp(out[1], out[0], sizeof out[0]) != 0)
        check_fail("other bits than without");
    words[0] = sparse->words - words[0];
    words[1] = sparse->sent - words[1];
    MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_UINT64_T, MPI_SUM, comm);
    return words[0] == 0 ? -1 : (int)(100 * words[1] / words[0]);
}

static void give(struct allfold_plan *plan, const char *value)
{
    check_equal("code of allfold_plan_set", MPI_SUCCESS,
                allfold_plan_set(plan, "ALLFOLD_SPARSE", value));
}

static void check_short(struct allfold_plan *plan)
{
    const int percent = percent_of_run(plan);
    if (percent < 0 || percent > 20)
        check_fail("%d percent sent", percent);
}

static void check_plain(struct allfold_plan *plan)
{
    check_equal("percent sent", -1, percent_of_run(plan));
}

/* What a plan is given, between its runs. */
static void test_plan_set(void)
{
    struct allfold_plan *plan;
    const int rule = 5;
    if (!check_case("a plan that is set"))
        return;
    fill(in, 1);
    set_rule(rule, rules[rule].value);
    set("ALLFOLD_SPARSE", "off");
    call(rule, 0, out[0], false);
    check_equal("init", MPI_SUCCESS,
                allfold_allreduce_init(in, out[1], COUNT, MPI_DOUBLE, MPI_SUM, comm, &plan));
    check_plain(plan);
    give(plan, "on");
    check_short(plan);
    give(plan, "off");
    check_plain(plan);
    set("ALLFOLD_SPARSE", "on");
    check_plain(plan); /* it is what it was */
    give(plan, "");
    check_short(plan);
    set("ALLFOLD_SPARSE", "off");
    check_short(plan);
    if (allfold_plan_set(plan, "ALLFOLD_SPARSE", check_rank() == 0 ? "off" : "auto") == MPI_SUCCESS)
        check_fail("ranks need not agree");
    check_short(plan);
    check_equal("free", MPI_SUCCESS, allfold_plan_free(&plan));
    set("ALLFOLD_SPARSE", "");
    set_rule(rule, "");
}

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void set_info(const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);
    check_equal("code of MPI_Comm_set_info", MPI_SUCCESS, MPI_Comm_set_info(comm, info));
    MPI_Info_free(&info);
}

static void check_mode(enum allfold_sparse_mode mode)
{
    check_equal("mode", mode, allfold_communicator_known(comm)->sparse);
}

static void test_copy_with_info(void)
{
    const MPI_Comm first = comm;
    MPI_Info info = info_of("allfold_sparse", "on");
    check_equal("code of MPI_Comm_dup_with_info", MPI_SUCCESS,
                MPI_Comm_dup_with_info(first, info, &comm));
    check_mode(ALLFOLD_SPARSE_ON);
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
    comm = first;
    check_mode(ALLFOLD_SPARSE_UNSET);
}

static void test_info(void)
{
    if (check_case("info: on, then off")) {
        set_info("allfold_sparse", "on");
        const int percent = percent_sent(NULL, 1);
        if (percent < 0 || percent > 20)
            check_fail("%d percent sent", percent);
        set_info("allfold_sparse", "off");
        check_equal("percent sent", -1, percent_sent(NULL, 1));
    }
    if (check_case("info: what is no mode, other keys, and what ranks do not agree on")) {
        set_info("allfold_sparse", "on");
        set_info("allfold_sparse", "sideways");
        set_info("allfold_dense", "off");
        set_info("allfold_sparse", check_rank() == 0 ? "off" : "auto");
        set_info("allfold_sparse", check_rank() == 0 ? "off" : "sideways");
        check_mode(ALLFOLD_SPARSE_ON);
    }
    set("ALLFOLD_SPARSE", "");
    if (check_case("info: a copy of a communicator"))
        test_copy_with_info();
}

/* The mode of a persistent allreduce that is made with such an info, as rank 0 has it. Rank 0's is
 * in flight then: the others start theirs only when rank 0 has looked. */
static enum allfold_sparse_mode mode_with(const char *key, const char *value)
{
    enum allfold_sparse_mode mode = ALLFOLD_SPARSE_UNSET;
    MPI_Request request;
    MPI_Info info = info_of(key, value);
    check_equal(
        "init", MPI_SUCCESS,
        PERSISTENT(Allreduce_init)(in, out[1], COUNT, MPI_DOUBLE, MPI_SUM, comm, info, &request));
    MPI_Info_free(&info);
    if (check_rank() == 0)
        MPI_Start(&request);
    const struct allfold_lanes *lanes =
        &allfold_planner_of(allfold_communicator_known(comm))->lanes;
    if (check_rank() == 0 && lanes->lanes[ALLFOLD_FIRST_OWN_LANE]->running == NULL)
        check_fail("the request is not ours");
    else if (check_rank() == 0)
        mode = lanes->lanes[ALLFOLD_FIRST_OWN_LANE]->running->prepared.sparse;
    MPI_Bcast(&mode, 1, MPI_INT, 0, comm);
    if (check_rank() != 0)
        MPI_Start(&request);
    check_equal("wait", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_equal("free", MPI_SUCCESS, MPI_Request_free(&request));
    return mode;
}

static void test_persistent(void)
{
    const bool is_first = check_rank() == 0;
    if (!check_case("the info of a persistent collective"))
        return;
    set("ALLFOLD_ALGORITHM", "allreduce=ring");
    check_equal("on", ALLFOLD_SPARSE_ON, mode_with("allfold_sparse", "on"));
    check_equal("off", ALLFOLD_SPARSE_OFF, mode_with("allfold_sparse", "off"));
    check_equal("no mode", ALLFOLD_SPARSE_AUTO, mode_with("allfold_sparse", "sideways"));
    check_equal("another key", ALLFOLD_SPARSE_AUTO, mode_with("allfold_dense", "off"));
    check_equal("ranks that differ", ALLFOLD_SPARSE_AUTO,
                mode_with("allfold_sparse", is_first ? "on" : "off"));
    check_equal("on one rank alone", ALLFOLD_SPARSE_AUTO,
                mode_with(is_first ? "allfold_sparse" : "allfold_dense", "on"));
    set("ALLFOLD_ALGORITHM", "allreduce=");
}

static void run(void)
{
    static const int percents[] = {1, 40, 100};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Allreduce(MPI_IN_PLACE, out[0], COUNT, MPI_DOUBLE, MPI_SUM, comm);
    const bool has_nodes = allfold_communicator_known(comm)->nodes->count > 1;
    for (int rule = 0; rule < (int)(sizeof rules / sizeof *rules); rule++) {
        if (!has_nodes && (strstr(rules[rule].value, "smp") || strstr(rules[rule].value, "lane")))
            continue; /* these need nodes */
        for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); kind++)
            test_bits(rule, kind, percents[(rule + kind) % 3]);
    }
    test_lengths();
    test_plan();
    test_plan_set();
    test_info();
    test_persistent();
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const struct check_program program = {
        .doc = "Sparse reductions.", .run = run, .least_ranks = 2};
    return check_main(argc, argv, &program);
}
