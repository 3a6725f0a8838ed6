/* Split-phase collectives in the style of GASPI (see allfold_gaspi.h).
 *
 * A group has a communicator of its own. Its barrier is a persistent plan. Its allreduces are
 * nonblocking calls (plan.h): their start sends no message and so never waits. */
#include "allfold_gaspi.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "mpi/call/call.h"
#include "mpi/communicator/communicator.h"
#include "mpi/plan/plan.h"
#include "mpi/progress/progress.h"
#include "mpi/handles/predefined.h"
#include "mpi/process/runtime.h"
#include "mpi/process/own_communicators.h"
#include "util/memory.h"

#define ALLFOLD_PUBLIC __attribute__((visibility("default")))

/* What an allreduce was asked, to know it again. */
struct asked {
    const void *send;
    void *receive;
    unsigned num;
    int operation, datatype;
    size_t element_size;
    allfold_gaspi_reduce reduce;
    void *state;
};

struct allfold_gaspi_group {
    MPI_Comm comm;
    int size;
    bool barrier_is_on;
    struct allfold_plan *barrier;
    struct allfold_plan *allreduce; /* in flight; else NULL */
    struct asked asked;             /* by that one */
    struct allfold_rules rules;
    bool is_chosen;       /* the rules are the program's; else made anew for each shape */
    MPI_Datatype element; /* of the program's operation; MPI_DATATYPE_NULL if there was none */
    size_t element_size;
};

static int fail(const char *function, const char *why)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s: %s", function, why);
    allfold_warn(message);
    return ALLFOLD_GASPI_ERROR;
}

/* Allfold handles the barrier whatever the settings say: dissemination has the fewest rounds. */
static int make_barrier(struct allfold_gaspi_group *group)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_rules rules;
    const struct allfold_call call = allfold_describe_barrier(group->comm);
    allfold_rules_read(ALLFOLD_BARRIER, "dissemination", &rules, message, sizeof message);
    const struct allfold_plan_options options = {.rules = &rules};
    return allfold_plan_make(&call, &options, &group->barrier);
}

static void close_group(struct allfold_gaspi_group *group)
{
    if (group->barrier != NULL)
        allfold_plan_release(group->barrier);
    if (group->element != MPI_DATATYPE_NULL)
        PMPI_Type_free(&group->element);
    if (group->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&group->comm);
    allfold_free(group);
}

ALLFOLD_PUBLIC int allfold_gaspi_group_create(MPI_Comm comm, struct allfold_gaspi_group **made)
{
    static const char function[] = "allfold_gaspi_group_create";
    int between = 0;
    if (made == NULL)
        return fail(function, "there is no place for the group");
    *made = NULL;
    if (!allfold_mpi_is_up() || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between)
        return fail(function, "an intracommunicator is needed, and MPI initialised");
    struct allfold_gaspi_group *group = allfold_allocate_zeroed(sizeof *group);
    bool all_have_memory = group != NULL;
    if (allfold_synchronize(comm, &all_have_memory) != MPI_SUCCESS || !all_have_memory) {
        allfold_free(group);
        return fail(function, "a rank has no memory");
    }
    group->comm = MPI_COMM_NULL;
    group->element = MPI_DATATYPE_NULL;
    PMPI_Comm_size(comm, &group->size);
    if (allfold_copy_communicator(comm, &group->comm) != MPI_SUCCESS ||
        make_barrier(group) != MPI_SUCCESS) {
        close_group(group);
        return fail(function, "no communicator for it, or no plan, could be made");
    }
    *made = group;
    return ALLFOLD_GASPI_SUCCESS;
}

ALLFOLD_PUBLIC int allfold_gaspi_group_delete(struct allfold_gaspi_group **group)
{
    static const char function[] = "allfold_gaspi_group_delete";
    if (group == NULL || *group == NULL)
        return fail(function, "there is no group");
    if ((*group)->barrier_is_on || (*group)->allreduce != NULL)
        return fail(function, "a call of it is in flight: repeat that until it is done");
    close_group(*group);
    *group = NULL;
    return ALLFOLD_GASPI_SUCCESS;
}

ALLFOLD_PUBLIC int allfold_gaspi_group_algorithm(struct allfold_gaspi_group *group,
                                                 const char *algorithm)
{
    static const char function[] = "allfold_gaspi_group_algorithm";
    char message[ALLFOLD_MESSAGE_BYTES - sizeof function] = "";
    struct allfold_rules rules = {.count = 0};
    if (group == NULL || algorithm == NULL)
        return fail(function, "the group or the algorithm is NULL");
    if (group->allreduce != NULL)
        return fail(function, "an allreduce is in flight: repeat that until it is done");
    if (*algorithm != '\0' && allfold_rules_read(ALLFOLD_ALLREDUCE, algorithm, &rules, message,
                                                 sizeof message) != ALLFOLD_OK)
        return fail(function, message);
    if (*algorithm != '\0' && (rules.count != 1 || rules.rules[0].algorithm == NULL))
        return fail(function, "one algorithm of ours is wanted");
    group->rules = rules;
    group->is_chosen = rules.count > 0;
    struct allfold_communicator *state = allfold_communicator_known(group->comm);
    if (state != NULL)
        allfold_plans_drop_free(state);
    return ALLFOLD_GASPI_SUCCESS;
}

static int timeout_of(allfold_gaspi_timeout timeout_ms)
{
    if (timeout_ms == ALLFOLD_GASPI_BLOCK)
        return ALLFOLD_BLOCK;
    return timeout_ms > INT_MAX ? INT_MAX : (int)timeout_ms;
}

ALLFOLD_PUBLIC int allfold_gaspi_barrier(struct allfold_gaspi_group *group,
                                         allfold_gaspi_timeout timeout_ms)
{
    static const char function[] = "allfold_gaspi_barrier";
    bool is_done;
    if (group == NULL)
        return fail(function, "the group is NULL");
    if (!group->barrier_is_on &&
        (allfold_plan_expect(group->barrier, ALLFOLD_PLAN_IDLE, function) != MPI_SUCCESS ||
         allfold_plan_start(group->barrier) != MPI_SUCCESS))
        return fail(function, "a message failed");
    group->barrier_is_on = true;
    const int code = allfold_plan_wait(group->barrier, timeout_of(timeout_ms), &is_done);
    if (!is_done)
        return ALLFOLD_GASPI_TIMEOUT;
    group->barrier_is_on = false;
    return code == MPI_SUCCESS ? ALLFOLD_GASPI_SUCCESS : fail(function, "a message failed");
}

/* Chooses, of the four algorithms of End et al. 2016, the one with the fewest rounds that can solve
 * the problem. */
static void choose(struct allfold_gaspi_group *group, const struct asked *asked, bool is_exact)
{
    static const char *const names[] = {"dissemination", "bruck", "pairwise_exchange",
                                        "binomial_tree"};
    const struct allfold_problem problem = {.collective = ALLFOLD_ALLREDUCE,
                                            .group = allfold_group_all(group->size, 0),
                                            .count = asked->num,
                                            .element_bytes = asked->element_size,
                                            .commutative = true,
                                            .exact = is_exact};
    size_t fewest = SIZE_MAX;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct allfold_algorithm *algorithm =
            allfold_algorithm_find(ALLFOLD_ALLREDUCE, names[i]);
        const struct allfold_parameters presets = allfold_parameter_presets(algorithm);
        if ((!algorithm->consistent && !is_exact) ||
            allfold_unmet_need(algorithm, &problem, &presets) != NULL)
            continue;
        const size_t rounds = algorithm->claim(&problem, &presets).rounds;
        if (rounds >= fewest)
            continue;
        fewest = rounds;
        group->rules.count = 1;
        group->rules.rules[0] = (struct allfold_rule){
            .to_bytes = SIZE_MAX, .algorithm = algorithm, .parameters = presets};
    }
}

/* The program's function, as the executor calls it. */
static int reduce_by_user(const struct allfold_elements *elements, void *to, const void *left,
                          const void *right, size_t count)
{
    const struct asked *asked = allfold_plan_of(elements)->options.user;
    const int code = asked->reduce(left, right, to, asked->state, (unsigned)count,
                                   asked->element_size, ALLFOLD_GASPI_BLOCK);
    return code == ALLFOLD_GASPI_SUCCESS ? MPI_SUCCESS : MPI_ERR_OP;
}

/* The type that elements of the program's own travel as. */
static int use_element(struct allfold_gaspi_group *group, size_t size)
{
    if (group->element != MPI_DATATYPE_NULL && group->element_size == size)
        return MPI_SUCCESS;
    if (group->element != MPI_DATATYPE_NULL)
        PMPI_Type_free(&group->element);
    group->element_size = size;
    const int error = PMPI_Type_contiguous((int)size, MPI_BYTE, &group->element);
    return error == MPI_SUCCESS ? PMPI_Type_commit(&group->element) : error;
}

static int begin(struct allfold_gaspi_group *group, const struct asked *asked,
                 MPI_Datatype datatype, MPI_Op op)
{
    struct allfold_plan_options options = {.rules = &group->rules, .user = &group->asked};
    const void *send = asked->send == asked->receive ? MPI_IN_PLACE : asked->send;
    const struct allfold_call call = allfold_describe_reduction(
        ALLFOLD_ALLREDUCE, send, asked->receive, asked->num, datatype, op, 0, group->comm);
    int error = MPI_SUCCESS;
    if (!group->is_chosen)
        choose(group, asked, asked->reduce == NULL && allfold_is_exact(datatype, op));
    if (asked->reduce != NULL) {
        error = use_element(group, asked->element_size);
        options.reduce = reduce_by_user;
        options.element_bytes = asked->element_size;
        options.travels_as = group->element;
    }
    group->asked = *asked;
    if (error == MPI_SUCCESS)
        error = allfold_plan_launch(&call, &options, &group->allreduce);
    return error == MPI_SUCCESS && group->allreduce == NULL ? MPI_ERR_OTHER : error;
}

static bool is_same(const struct asked *a, const struct asked *b)
{
    return a->send == b->send && a->receive == b->receive && a->num == b->num &&
           a->operation == b->operation && a->datatype == b->datatype &&
           a->element_size == b->element_size && a->reduce == b->reduce;
}

static const char *what_is_wrong(const struct allfold_gaspi_group *group, const struct asked *asked)
{
    if (group == NULL || asked->send == NULL || asked->receive == NULL)
        return "the group or a buffer is NULL";
    if (asked->num < 1 || asked->num > ALLFOLD_GASPI_ELEM_MAX)
        return "1 to 255 elements can be reduced";
    if (asked->element_size < 1 || asked->element_size > INT_MAX)
        return "an element has 1 to INT_MAX bytes";
    if (group->allreduce != NULL && !is_same(asked, &group->asked))
        return "another allreduce of the group is in flight: repeat that until it is done";
    return NULL;
}

static int allreduce(const char *function, struct allfold_gaspi_group *group,
                     const struct asked *asked, MPI_Datatype datatype, MPI_Op op,
                     allfold_gaspi_timeout timeout_ms)
{
    bool is_done;
    const char *wrong = what_is_wrong(group, asked);
    if (wrong != NULL)
        return fail(function, wrong);
    if (group->size == 1) {
        memmove(asked->receive, asked->send, asked->num * asked->element_size);
        return ALLFOLD_GASPI_SUCCESS;
    }
    if (group->allreduce == NULL && begin(group, asked, datatype, op) != MPI_SUCCESS)
        return fail(function, "it could not be started");
    const int code = allfold_plan_wait(group->allreduce, timeout_of(timeout_ms), &is_done);
    if (!is_done)
        return ALLFOLD_GASPI_TIMEOUT;
    allfold_plan_release(group->allreduce);
    group->allreduce = NULL;
    return code == MPI_SUCCESS ? ALLFOLD_GASPI_SUCCESS
                               : fail(function, "a message, or the program's operation, failed");
}

ALLFOLD_PUBLIC int allfold_gaspi_allreduce(const void *buffer_send, void *buffer_receive,
                                           unsigned num, enum allfold_gaspi_operation operation,
                                           enum allfold_gaspi_datatype datatype,
                                           struct allfold_gaspi_group *group,
                                           allfold_gaspi_timeout timeout_ms)
{
    static const char function[] = "allfold_gaspi_allreduce";
    const struct {
        MPI_Datatype datatype;
        size_t bytes;
    } types[] = {
        [ALLFOLD_GASPI_TYPE_INT] = {MPI_INT, sizeof(int)},
        [ALLFOLD_GASPI_TYPE_UINT] = {MPI_UNSIGNED, sizeof(unsigned)},
        [ALLFOLD_GASPI_TYPE_FLOAT] = {MPI_FLOAT, sizeof(float)},
        [ALLFOLD_GASPI_TYPE_DOUBLE] = {MPI_DOUBLE, sizeof(double)},
        [ALLFOLD_GASPI_TYPE_LONG] = {MPI_LONG, sizeof(long)},
        [ALLFOLD_GASPI_TYPE_ULONG] = {MPI_UNSIGNED_LONG, sizeof(unsigned long)},
    };
    const MPI_Op ops[] = {[ALLFOLD_GASPI_OP_MIN] = MPI_MIN,
                          [ALLFOLD_GASPI_OP_MAX] = MPI_MAX,
                          [ALLFOLD_GASPI_OP_SUM] = MPI_SUM};
    if ((size_t)datatype >= sizeof types / sizeof *types ||
        (size_t)operation >= sizeof ops / sizeof *ops)
        return fail(function, "no such datatype or operation");
    const struct asked asked = {.send = buffer_send,
                                .receive = buffer_receive,
                                .num = num,
                                .operation = (int)operation,
                                .datatype = (int)datatype,
                                .element_size = types[datatype].bytes};
    return allreduce(function, group, &asked, types[datatype].datatype, ops[operation], timeout_ms);
}

ALLFOLD_PUBLIC int allfold_gaspi_allreduce_user(const void *buffer_send, void *buffer_receive,
                                                unsigned num, size_t element_size,
                                                allfold_gaspi_reduce reduce, void *state,
                                                struct allfold_gaspi_group *group,
                                                allfold_gaspi_timeout timeout_ms)
{
    static const char function[] = "allfold_gaspi_allreduce_user";
    if (reduce == NULL)
        return fail(function, "the operation is NULL");
    const struct asked asked = {.send = buffer_send,
                                .receive = buffer_receive,
                                .num = num,
                                .operation = -1,
                                .datatype = -1,
                                .element_size = element_size,
                                .reduce = reduce,
                                .state = state};
    return allreduce(function, group, &asked, MPI_BYTE, MPI_BOR, timeout_ms);
}
