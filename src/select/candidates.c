/* Lists candidates for measurements (see candidates.h). */
#include "select/candidates.h"

#include <math.h>
#include <string.h>

#include "select/choose.h"

/* By price; values of one algorithm with the same price stay in the order in which they came. */
static bool goes_before(const struct allfold_problem *problem, const struct allfold_candidate *one,
                        const struct allfold_candidate *other)
{
    if (one->cost_s < other->cost_s || one->cost_s > other->cost_s)
        return one->cost_s < other->cost_s;
    return one->algorithm != other->algorithm &&
           allfold_wins_tie(problem, &(struct allfold_named){one->algorithm, one->parameters},
                            &(struct allfold_named){other->algorithm, other->parameters});
}

/* Puts one in; if the list is full, the one with the highest price goes. */
static int insert(const struct allfold_problem *problem, struct allfold_candidate *list, int count,
                  const struct allfold_candidate *added)
{
    int place = count;
    while (place > 0 && goes_before(problem, added, &list[place - 1]))
        place--;
    if (place == ALLFOLD_MAX_CANDIDATES)
        return count;
    if (count == ALLFOLD_MAX_CANDIDATES)
        count--;
    for (int i = count; i > place; i--)
        list[i] = list[i - 1];
    list[place] = *added;
    return count + 1;
}

static bool is_same(const struct allfold_candidate *a, const struct allfold_candidate *b)
{
    return a->algorithm == b->algorithm &&
           memcmp(&a->parameters, &b->parameters, sizeof a->parameters) == 0;
}

/* Is it what another value of a number gives too, as a segment longer than the vector? */
static bool is_double(const struct allfold_candidate *list, int count,
                      const struct allfold_candidate *added)
{
    const double same = 1e-12;
    const bool names_algorithm = allfold_is_composition(added->algorithm);
    for (int i = 0; i < count; i++)
        if (is_same(&list[i], added) ||
            (!names_algorithm && fabs(list[i].cost_s - added->cost_s) <= same * added->cost_s))
            return true;
    return false;
}

/* Adds these values in the order of their cost, if the algorithm can handle the problem with them.
 */
static int add_own(struct allfold_candidate own[ALLFOLD_MAX_CANDIDATES], int count,
                   const struct allfold_algorithm *algorithm, const struct allfold_problem *problem,
                   struct allfold_parameters parameters)
{
    struct allfold_candidate one = {.algorithm = algorithm, .parameters = parameters};
    if (allfold_unmet_need(algorithm, problem, &one.parameters) != NULL)
        return count;
    one.cost_s = allfold_price_s(algorithm, problem, &one.parameters);
    return is_double(own, count, &one) ? count : insert(problem, own, count, &one);
}

/* The presets, and all combinations of the other values that serve. */
static int find_own(struct allfold_candidate own[ALLFOLD_MAX_CANDIDATES],
                    const struct allfold_algorithm *algorithm,
                    const struct allfold_problem *problem)
{
    int count = add_own(own, 0, algorithm, problem, allfold_parameter_presets(algorithm));
    for (unsigned c = 0; c < allfold_tried_count(algorithm, false); c++)
        count = add_own(own, count, algorithm, problem, allfold_tried(algorithm, false, c));
    return count;
}

/* Returns the index in the list; the count if it is not in the list. */
static int find_same(const struct allfold_candidate *list, int count,
                     const struct allfold_candidate *one)
{
    int at = 0;
    while (at < count && !is_same(&list[at], one))
        at++;
    return at;
}

/* Puts the choice first, and into the list if enough candidates with lower prices kept it out.
 * Returns the new count. */
static int begin_with(struct allfold_candidate *list, int count, struct allfold_candidate choice)
{
    int at = find_same(list, count, &choice);
    if (at < count)
        choice = list[at];
    else if (count < ALLFOLD_MAX_CANDIDATES)
        count++;
    else
        at--;
    memmove(&list[1], &list[0], (size_t)at * sizeof *list);
    list[0] = choice;
    return count;
}

/* Is it with the preset segment? Where messages of more than some bytes wait for their receivers,
 * which no model here knows, that takes less than blocks sent whole. */
static bool has_preset_segment(const struct allfold_candidate *one)
{
    const struct allfold_parameters presets = allfold_parameter_presets(one->algorithm);
    bool has_segment = false;
    for (const struct allfold_parameter *parameter = one->algorithm->parameters;
         parameter->name != NULL; parameter++)
        has_segment |= parameter->kind == ALLFOLD_PARAMETER_SEGMENT ||
                       parameter->kind == ALLFOLD_PARAMETER_PIPELINE;
    return has_segment && memcmp(&one->parameters, &presets, sizeof presets) == 0;
}

int allfold_candidates(const struct allfold_problem *problem, int more,
                       struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES])
{
    struct allfold_candidate first[ALLFOLD_MAX_CANDIDATES], other[ALLFOLD_MAX_CANDIDATES];
    struct allfold_choice choice;
    int firsts = 0, others = 0, count = 0;
    for (size_t i = 0; allfold_algorithms[i] != NULL; i++) {
        struct allfold_candidate own[ALLFOLD_MAX_CANDIDATES];
        const struct allfold_algorithm *algorithm = allfold_algorithms[i];
        if (algorithm->collective != problem->collective ||
            (!algorithm->consistent && !problem->exact))
            continue;
        const int own_count = find_own(own, algorithm, problem);
        for (int k = 0; k < own_count; k++) {
            own[k].is_first = k == 0;
            if (own[k].is_first || (more > 0 && has_preset_segment(&own[k])))
                firsts = insert(problem, first, firsts, &own[k]);
            else
                others = insert(problem, other, others, &own[k]);
        }
    }
    allfold_choose_default(problem, &choice);
    struct allfold_candidate chosen = {choice.algorithm, choice.parameters, 0, false};
    if (choice.algorithm != NULL) {
        chosen.cost_s = allfold_price_s(choice.algorithm, problem, &choice.parameters);
        if (find_same(first, firsts, &chosen) == firsts)
            others = begin_with(other, others, chosen);
    }
    for (int i = 0; i < firsts; i++)
        count = insert(problem, list, count, &first[i]);
    for (int i = 0; i < others && i < more && count < ALLFOLD_MAX_CANDIDATES; i++)
        count = insert(problem, list, count, &other[i]);
    return count;
}
