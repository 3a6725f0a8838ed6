/* What a row of a table and constants of the cost model may be (see table.h). */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "select/table.h"

const char *allfold_arrangement_name(enum allfold_arrangement arrangement)
{
    static const char *const names[] = {
        [ALLFOLD_IN_BLOCKS] = "block",
        [ALLFOLD_CYCLIC] = "cyclic",
        [ALLFOLD_IRREGULAR] = "irregular",
    };
    return arrangement <= ALLFOLD_IRREGULAR ? names[arrangement] : NULL;
}

struct checking {
    const struct allfold_table_row *row; /* or constants: */
    const char *level;
    char *message;
    size_t message_bytes;
};

static enum allfold_error __attribute__((format(printf, 2, 3)))
refuse(const struct checking *checking, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(checking->message, checking->message_bytes, format, arguments);
    va_end(arguments);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error check_shape(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    if (row->nodes < 1 || row->nodes > ALLFOLD_TABLE_MOST_RANKS)
        return refuse(checking, "\"nodes\" is %d; expected 1 to %d", row->nodes,
                      ALLFOLD_TABLE_MOST_RANKS);
    if (row->ppn < 1 || row->ppn > ALLFOLD_TABLE_MOST_RANKS / row->nodes)
        return refuse(checking, "\"ppn\" is %d; expected 1 to %d on %d nodes", row->ppn,
                      ALLFOLD_TABLE_MOST_RANKS / row->nodes, row->nodes);
    const int least = row->nodes + row->ppn - 1, most = row->nodes * row->ppn;
    if (row->p < least || row->p > most)
        return refuse(checking,
                      "\"p\" is %d; expected %d to %d ranks on %d nodes, of which the fullest "
                      "has %d",
                      row->p, least, most, row->nodes, row->ppn);
    return ALLFOLD_OK;
}

static bool is_one_or_all(unsigned set, unsigned all)
{
    return set == all || (set != 0 && set < all && (set & (set - 1)) == 0);
}

/* What can never be: a row that no call could meet says something else than was meant. */
static enum allfold_error check_conditions(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    const unsigned truth = allfold_only(true);
    if (!is_one_or_all(row->arrangements, ALLFOLD_ANY_ARRANGEMENT) ||
        !is_one_or_all(row->commutative, ALLFOLD_ANY_TRUTH) ||
        !is_one_or_all(row->exact, ALLFOLD_ANY_TRUTH))
        return refuse(checking, "expected one placement or any, and operations of one kind or any");
    if ((row->nodes == 1 || row->ppn == 1) &&
        (row->arrangements & allfold_only(ALLFOLD_IN_BLOCKS)) == 0)
        return refuse(checking,
                      "\"placement\" is not block, but ranks on %d nodes with %d at most on each "
                      "always are",
                      row->nodes, row->ppn);
    if (!allfold_has_operation(row->collective) &&
        ((row->commutative & truth) == 0 || (row->exact & truth) == 0))
        return refuse(checking,
                      "\"%s\" is false, but %s has no operation, for which that is always true",
                      (row->commutative & truth) == 0 ? "commutative" : "exact",
                      allfold_collective_name(row->collective));
    return ALLFOLD_OK;
}

static enum allfold_error check_bytes(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    if (row->from_bytes >= row->to_bytes || row->from_bytes > INT64_MAX)
        return refuse(checking,
                      "\"from_bytes\" is %zu, \"to_bytes\" %zu; expected from less to more",
                      row->from_bytes, row->to_bytes);
    return ALLFOLD_OK;
}

static enum allfold_error check_algorithm(const struct checking *checking)
{
    const struct allfold_table_row *row = checking->row;
    const struct allfold_algorithm *algorithm = row->algorithm;
    if (algorithm == NULL)
        return ALLFOLD_OK;
    if (algorithm->collective != row->collective)
        return refuse(checking, "\"algorithm\" is %s for %s; expected one for %s", algorithm->name,
                      allfold_collective_name(algorithm->collective),
                      allfold_collective_name(row->collective));
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && algorithm->parameters[i].name != NULL; i++) {
        const struct allfold_parameter *parameter = &algorithm->parameters[i];
        if (row->parameters.value[i] < parameter->minimum ||
            row->parameters.value[i] > parameter->maximum)
            return refuse(checking, "\"algorithm\": %s of %s is %zu; expected %zu to %zu",
                          parameter->name, algorithm->name, row->parameters.value[i],
                          parameter->minimum, parameter->maximum);
    }
    if (!allfold_is_ordered(algorithm) && row->commutative == allfold_only(false))
        return refuse(checking,
                      "\"algorithm\" is %s, which needs a commutative operation, but "
                      "\"commutative\" is false",
                      algorithm->name);
    return ALLFOLD_OK;
}

static enum allfold_error check_time(const struct checking *checking, const char *name, double us)
{
    static const double longest_us = 1e12;
    if (us >= 0 && us <= longest_us)
        return ALLFOLD_OK;
    return refuse(checking, "\"%s\" is %g; expected 0 to %g microseconds", name, us, longest_us);
}

enum allfold_error allfold_table_check_row(const struct allfold_table_row *row, char *message,
                                           size_t message_bytes)
{
    const struct checking checking = {
        .row = row, .message = message, .message_bytes = message_bytes};
    static enum allfold_error (*const checks[])(const struct checking *) = {
        check_shape, check_conditions, check_bytes, check_algorithm};
    if (row->collective >= ALLFOLD_COLLECTIVE_COUNT)
        return refuse(&checking, "\"collective\" is number %u; expected less than %d",
                      (unsigned)row->collective, ALLFOLD_COLLECTIVE_COUNT);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        const enum allfold_error error = checks[i](&checking);
        if (error != ALLFOLD_OK)
            return error;
    }
    if (check_time(&checking, "us", row->us) != ALLFOLD_OK)
        return ALLFOLD_BAD_INPUT;
    return check_time(&checking, "native_us", row->native_us);
}

/* Times are so far from 0 that no product of two of them is nothing. */
static const double least_s = 1e-15, most_s = 1e3, most_bytes = 1e18;

static enum allfold_error check_constant(const struct checking *checking, const char *name,
                                         double value, double least, double most)
{
    if (value >= least && value <= most)
        return ALLFOLD_OK;
    return refuse(checking, "\"%s\": \"%s\" is %g; expected %g to %g", checking->level, name, value,
                  least, most);
}

static enum allfold_error check_level(const struct checking *checking,
                                      const struct allfold_costs *costs)
{
    const struct {
        const char *name;
        double value;
    } times[] = {{"latency_s", costs->latency_s},
                 {"message_s", costs->message_s},
                 {"send_s_per_byte", costs->send_s_per_byte},
                 {"reduce_s_per_byte", costs->reduce_s_per_byte}};
    double above_bytes = 0;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (check_constant(checking, times[i].name, times[i].value, least_s, most_s) != ALLFOLD_OK)
            return ALLFOLD_BAD_INPUT;
    for (int i = 0; i < allfold_longer_count(costs); i++) {
        const struct allfold_longer *own = &costs->longer[i];
        if (check_constant(checking, "above_bytes", own->above_bytes, above_bytes + 1,
                           most_bytes) != ALLFOLD_OK ||
            check_constant(checking, "latency_s", own->latency_s, least_s, most_s) != ALLFOLD_OK ||
            check_constant(checking, "send_s_per_byte", own->send_s_per_byte, least_s, most_s) !=
                ALLFOLD_OK)
            return ALLFOLD_BAD_INPUT;
        above_bytes = own->above_bytes;
    }
    return ALLFOLD_OK;
}

enum allfold_error allfold_table_check_costs(const struct allfold_cost_model *costs, char *message,
                                             size_t message_bytes)
{
    const struct checking node = {NULL, "node", message, message_bytes};
    const struct checking network = {NULL, "network", message, message_bytes};
    const enum allfold_error error = check_level(&node, &costs->node);
    return error == ALLFOLD_OK ? check_level(&network, &costs->network) : error;
}
