/* Schedules built and walked (see support_claims.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "support_claims.h"

size_t floor_lg(size_t p)
{
    size_t k = 0;
    while ((size_t)2 << k <= p)
        k++;
    return k;
}

size_t ceil_lg(size_t p)
{
    return ceil_log(2, p);
}

size_t ceil_log(size_t base, size_t p)
{
    size_t k = 0;
    for (size_t power = 1; power < p; power *= base)
        k++;
    return k;
}

bool is_power_of_two(size_t p)
{
    return p == (size_t)1 << floor_lg(p);
}

static size_t most_messages(struct allfold_schedule *const *schedules, size_t p)
{
    size_t most = 0;
    for (size_t r = 0; r < p; r++) {
        size_t sends = 0;
        for (uint32_t i = 0; i < schedules[r]->step_count; i++)
            sends += schedules[r]->steps[i].kind == ALLFOLD_STEP_SEND;
        most = sends > most ? sends : most;
    }
    return most;
}

struct allfold_case case_on(const struct allfold_nodes *nodes, enum allfold_collective collective,
                            const char *name, int root, size_t n)
{
    const struct allfold_algorithm *algorithm = allfold_algorithm_find(collective, name);
    assert_non_null(algorithm);
    return (struct allfold_case){.algorithm = algorithm,
                                 .parameters = allfold_parameter_presets(algorithm),
                                 .p = nodes->first[nodes->count],
                                 .root = root,
                                 .count = n,
                                 .commutes = true,
                                 .nodes = nodes};
}

struct walked walked(struct built built)
{
    struct allfold_case of = {.algorithm = allfold_algorithm_find(built.collective, built.name),
                              .p = (int)built.p,
                              .root = (int)built.root,
                              .count = built.n};
    struct allfold_schedule **schedules = NULL;
    struct walked result = {.messages = 0};
    char message[200] = "";
    assert_non_null(of.algorithm);
    of.parameters = allfold_parameter_presets(of.algorithm);
    if (built.parameter != PRESET)
        of.parameters.value[0] = built.parameter;
    if (allfold_case_build(&of, &schedules, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, p = %zu: %s", built.name, built.p, message);
    const struct allfold_claim claim = allfold_case_claim(&of);
    const unsigned ports = built.ports > 0 ? built.ports : allfold_claim_ports(&claim);
    result.claim = claim;
    if (allfold_walk((const struct allfold_schedule *const *)schedules, of.p, ports, &result.cost,
                     message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, p = %zu: %s", built.name, built.p, message);
    result.messages = most_messages(schedules, built.p);
    allfold_case_free(&of, schedules);
    return result;
}

void assert_cost(struct allfold_cost cost, size_t p, size_t root, size_t rounds, size_t sent,
                 size_t reduced)
{
    if (cost.rounds != rounds || cost.sent != sent || cost.reduced != reduced)
        fail_msg("p = %zu, root = %zu: counted %zu %zu %zu, expected %zu %zu %zu", p, root,
                 cost.rounds, cost.sent, cost.reduced, rounds, sent, reduced);
}
