/* Parses placements (see placement.h). */
#include "topology/placement.h"
#include "util/number.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 1 << 20 };

struct placement {
    const char *text;
    long nodes, sockets, ranks; /* of AxB and AxSxB, `ranks` per node; otherwise 0 */
    bool is_cyclic;
    long total;
};

/* Reads a positive number at *at and moves *at after it. Returns 0 if there is none. */
static long read_number(const char **at)
{
    long number;
    if (**at == '0' || !allfold_whole_read(*at, 1, MOST_NODES, &number, at))
        return 0;
    return number;
}

static bool read_list(struct placement *placement, const char **at)
{
    for (;;) {
        const long ranks = read_number(at);
        if (ranks == 0)
            return false;
        placement->total += ranks;
        if (**at != ',')
            return true;
        ++*at;
    }
}

static bool read_text(struct placement *placement)
{
    static const char cyclic[] = ":cyclic";
    const char *at = placement->text, *cross = strchr(at, 'x');
    if (cross != NULL) {
        placement->nodes = read_number(&at);
        if (placement->nodes == 0 || *at++ != 'x')
            return false;
        placement->ranks = read_number(&at);
        if (placement->ranks > 0 && *at == 'x') {
            placement->sockets = placement->ranks;
            at++;
            placement->ranks *= read_number(&at);
        }
        if (placement->ranks == 0)
            return false;
        placement->total = placement->nodes * placement->ranks;
    } else if (!read_list(placement, &at)) {
        return false;
    }
    placement->is_cyclic = strcmp(at, cyclic) == 0;
    return placement->is_cyclic || *at == '\0';
}

/* Returns the number of ranks of a node. */
static long ranks_of(const struct placement *placement, long node)
{
    if (placement->nodes > 0)
        return node < placement->nodes ? placement->ranks : 0;
    const char *at = placement->text;
    long ranks = read_number(&at);
    for (; node > 0 && *at == ','; node--) {
        at++;
        ranks = read_number(&at);
    }
    return node > 0 ? 0 : ranks;
}

static void deal_blocks(const struct placement *placement, int p, int64_t *node_of)
{
    for (int r = 0, node = 0; r < p; node++)
        for (long i = ranks_of(placement, node); i > 0 && r < p; i--)
            node_of[r++] = node;
}

/* Places ranks on the nodes in turn, except for full nodes. */
static void deal_in_turn(const struct placement *placement, int p, int64_t *node_of)
{
    for (int r = 0, dealt = 0; r < p; dealt++)
        for (int node = 0; ranks_of(placement, node) > 0 && r < p; node++)
            if (ranks_of(placement, node) > dealt)
                node_of[r++] = node;
}

enum allfold_error allfold_placement_read(const char *text, int p, int64_t *node_of, char *message,
                                          size_t message_bytes)
{
    struct placement placement = {.text = text};
    if (!read_text(&placement)) {
        snprintf(message, message_bytes,
                 "'%.60s' is no placement; expected nodes x ranks like 4x2, nodes x sockets x "
                 "ranks like 4x2x8, or the ranks of each node like 3,1,2, maybe with :cyclic",
                 text);
        return ALLFOLD_BAD_INPUT;
    }
    if (p > 0 && placement.total != p) {
        snprintf(message, message_bytes, "'%.60s' places %ld ranks, but there are %d", text,
                 placement.total, p);
        return ALLFOLD_BAD_INPUT;
    }
    if (placement.is_cyclic)
        deal_in_turn(&placement, p, node_of);
    else
        deal_blocks(&placement, p, node_of);
    return ALLFOLD_OK;
}

int allfold_placement_sockets(const char *text)
{
    struct placement placement = {.text = text};
    return read_text(&placement) && placement.sockets > 1 ? (int)placement.sockets : 1;
}
