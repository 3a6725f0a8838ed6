/* Placing ranks on the hosts of a described network. */
#ifndef ALLFOLD_TOOLS_PLACING_H
#define ALLFOLD_TOOLS_PLACING_H

#include <stdbool.h>
#include <stdint.h>

#include "allfold_core.h"

/* Where the ranks are; `hosts` has the host of each node, as nodes are numbered by their ranks. */
struct allfold_tool_placed {
    struct allfold_nodes *nodes;
    uint32_t *hosts;
};

/* Is it block, cyclic or random? Else says so, and what is expected. */
bool allfold_tool_check_placement(const char *command, const char *how);

/* Places `ppn` ranks on each of `nodes` hosts. False with a message for the user without memory. */
bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed);

void allfold_tool_placed_free(struct allfold_tool_placed *placed);

#endif
