/* Cases of the verifier: their problems, schedules and names (see case.h). */
#include "lab/verify/case.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

struct allfold_problem allfold_case_problem(const struct allfold_case *of, int r)
{
    assert(of->p > 0 && r >= 0 && r < of->p && of->root >= 0 && of->root < of->p);
    struct allfold_problem problem = {
        .collective = of->algorithm->collective,
        .group = allfold_group_all(of->p, r),
        .root = allfold_traits(of->algorithm->collective)->has_root ? of->root : 0,
        .count = of->count,
        .begins = of->begins,
        .element_bytes = sizeof(uint32_t),
        .commutative = !of->canonical && (of->commutes || !allfold_is_ordered(of->algorithm)),
        .canonical = of->canonical,
        .exact = !of->algorithm->consistent,
    };
    problem.nodes = allfold_nodes_for(&problem, of->nodes);
    problem.in_place = of->in_place && allfold_problem_allows_in_place(&problem);
    return problem;
}

bool allfold_case_is_served(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    return allfold_unmet_need(of->algorithm, &problem, &of->parameters) == NULL;
}

size_t allfold_case_elements(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    const bool is_blocks = allfold_traits(of->algorithm->collective)->in_is_blocks;
    return is_blocks ? allfold_problem_length(&problem) : of->count;
}

size_t allfold_case_result_length(const struct allfold_case *of, int r)
{
    const struct allfold_problem problem = allfold_case_problem(of, r);
    const struct allfold_traits *traits = allfold_traits(problem.collective);
    return traits->in_is_blocks ? allfold_block_length(&problem, r)
                                : allfold_problem_shape(&problem).out_length;
}

struct allfold_origin allfold_case_origin(const struct allfold_case *of, int r, size_t e)
{
    const struct allfold_problem problem = allfold_case_problem(of, r);
    const struct allfold_traits *traits = allfold_traits(problem.collective);
    struct allfold_origin origin = {.giver = -1, .element = e, .end = SIZE_MAX};
    if (traits->in_is_blocks)
        origin.element = allfold_block_begin(&problem, r) + e;
    if (traits->has_root && !traits->reduces)
        origin.giver = of->root;
    if (!traits->out_is_blocks)
        return origin;
    int lo = 0, hi = of->p; /* of empty blocks at one place the last one: it begins the next */
    while (hi - lo > 1) {
        const int mid = lo + (hi - lo) / 2;
        *(allfold_block_begin(&problem, mid) <= e ? &lo : &hi) = mid;
    }
    origin.giver = lo;
    origin.element = e - allfold_block_begin(&problem, lo);
    origin.end = allfold_block_begin(&problem, lo + 1);
    return origin;
}

struct allfold_claim allfold_case_claim(const struct allfold_case *of)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    struct allfold_claim claim = of->algorithm->claim(&problem, &of->parameters);
    claim.divisor = claim.divisor == 0 ? 1 : claim.divisor;
    return claim;
}

enum allfold_error allfold_case_build(const struct allfold_case *of,
                                      struct allfold_schedule ***schedules, char *message,
                                      size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_OK;
    struct allfold_schedule **made = allfold_allocate_zeroed((size_t)of->p * sizeof *made);
    *schedules = NULL;
    if (made == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    for (int r = 0; r < of->p && error == ALLFOLD_OK; r++) {
        const struct allfold_problem problem = allfold_case_problem(of, r);
        char words[200] = "";
        error =
            allfold_build(of->algorithm, &problem, &of->parameters, &made[r], words, sizeof words);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "rank %d: %s", r, words);
    }
    if (error == ALLFOLD_OK)
        *schedules = made;
    else
        allfold_case_free(of, made);
    return error;
}

void allfold_case_free(const struct allfold_case *of, struct allfold_schedule **schedules)
{
    for (int r = 0; schedules != NULL && r < of->p; r++)
        allfold_schedule_free(schedules[r]);
    allfold_free(schedules);
}

static size_t print_parameter(const struct allfold_parameter *parameter, size_t value,
                              bool is_first, char *text, size_t text_bytes)
{
    const char *before = is_first ? "(" : ",";
    const struct allfold_algorithm *inner = allfold_inner(parameter, value);
    if (inner != NULL)
        return (size_t)snprintf(text, text_bytes, "%s%s=%s", before, parameter->name, inner->name);
    return (size_t)snprintf(text, text_bytes, "%s%s=%zu", before, parameter->name, value);
}

static size_t print_parameters(const struct allfold_case *of, char *text, size_t text_bytes)
{
    size_t at = 0;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && of->algorithm->parameters[i].name != NULL; i++)
        at += print_parameter(&of->algorithm->parameters[i], of->parameters.value[i], i == 0,
                              text + at, text_bytes - at);
    if (at > 0)
        at += (size_t)snprintf(text + at, text_bytes - at, ")");
    return at;
}

/* "blocks of 3, 0, 5, ...": where they may have any lengths. */
static void print_blocks(const struct allfold_case *of, char *text, size_t text_bytes)
{
    enum { MOST = 12 };
    *text = '\0';
    for (int i = 0; of->begins != NULL && i < of->p && i < MOST; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, text_bytes - at, "%s%zu%s", i == 0 ? ", blocks of " : ", ",
                 of->begins[i + 1] - of->begins[i], i == MOST - 1 && i < of->p - 1 ? ", ..." : "");
    }
}

/* " on 4 nodes of 1 to 3, up to 2 sockets each in 2 groups", or nothing. */
static void print_nodes(const struct allfold_nodes *nodes, char *text, size_t text_bytes)
{
    if (nodes == NULL)
        return;
    char sockets[40] = "";
    if (allfold_most_sockets(nodes) > 1)
        snprintf(sockets, sizeof sockets, ", up to %d sockets each", allfold_most_sockets(nodes));
    int at = snprintf(text, text_bytes, " on %d nodes of %d to %d%s%s", nodes->count, nodes->least,
                      nodes->most, allfold_nodes_are_blocks(nodes) ? "" : ", mixed", sockets);
    for (nodes = nodes->groups; nodes != NULL && at >= 0 && (size_t)at < text_bytes;
         nodes = nodes->groups)
        at += snprintf(text + at, text_bytes - (size_t)at, " in %d groups%s", nodes->count,
                       allfold_nodes_are_blocks(nodes) ? "" : ", mixed");
}

void allfold_case_print(const struct allfold_case *of, char *text, size_t text_bytes)
{
    char parameters[120] = "", blocks[120];
    print_blocks(of, blocks, sizeof blocks);
    print_parameters(of, parameters, sizeof parameters);
    char nodes[160] = "";
    print_nodes(of->nodes, nodes, sizeof nodes);
    snprintf(text, text_bytes,
             "%s %s%s p=%d%s root=%d count=%zu%s%s%s%s, %s, seed %llu, window "
             "%u",
             allfold_collective_name(of->algorithm->collective), of->algorithm->name, parameters,
             of->p, nodes, of->root, of->count, blocks, of->in_place ? " in place" : "",
             of->commutes ? " commuting" : "", of->canonical ? " canonical" : "",
             allfold_virtual_mode_name(of->mode), (unsigned long long)of->seed, of->window);
}

void allfold_case_title(const struct allfold_case *of, char *text, size_t text_bytes)
{
    const struct allfold_traits *traits = allfold_traits(of->algorithm->collective);
    char name[120], root[32] = "", nodes[160] = "", blocks[120];
    print_blocks(of, blocks, sizeof blocks);
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    if (traits->has_root)
        snprintf(root, sizeof root, ", root %d", of->root);
    print_nodes(of->nodes, nodes, sizeof nodes);
    snprintf(text, text_bytes, "%s.%s, p = %d%s%s, %zu element%s%s%s%s", traits->name, name, of->p,
             nodes, root, of->count, of->count == 1 ? "" : "s", blocks,
             of->in_place ? ", in place" : "", of->canonical ? ", canonical" : "");
}
