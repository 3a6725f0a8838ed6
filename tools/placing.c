/* Placing ranks on hosts (see placing.h). */
#include "placing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool allfold_tool_check_placement(const char *command, const char *how)
{
    if (strcmp(how, "block") == 0 || strcmp(how, "cyclic") == 0 || strcmp(how, "random") == 0)
        return true;
    fprintf(stderr, "allfold %s: --placement: '%s'; expected block, cyclic or random\n", command,
            how);
    return false;
}

/* Shuffled alike in every run. */
static void shuffle(int64_t *keys, int count)
{
    uint64_t seed = 1;
    for (int r = count - 1; r > 0; r--) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int other = (int)((seed >> 33) % (uint64_t)(r + 1));
        const int64_t kept = keys[r];
        keys[r] = keys[other];
        keys[other] = kept;
    }
}

bool allfold_tool_place(const char *command, const char *how, int nodes, int ppn,
                        struct allfold_tool_placed *placed)
{
    const int p = nodes * ppn;
    int64_t *keys = malloc((size_t)p * sizeof *keys);
    *placed = (struct allfold_tool_placed){.hosts = malloc((size_t)nodes * sizeof(uint32_t))};
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = how[0] == 'c' ? r % nodes : r / ppn;
    if (keys != NULL && how[0] == 'r')
        shuffle(keys, p);
    if (keys != NULL && placed->hosts != NULL)
        placed->nodes = allfold_nodes_make(keys, p);
    for (int r = 0; placed->nodes != NULL && r < p; r++)
        placed->hosts[placed->nodes->node_of[r]] = (uint32_t)keys[r];
    if (placed->nodes == NULL)
        fprintf(stderr, "allfold %s: no memory for %d ranks\n", command, p);
    free(keys);
    return placed->nodes != NULL;
}

void allfold_tool_placed_free(struct allfold_tool_placed *placed)
{
    allfold_nodes_free(placed->nodes);
    free(placed->hosts);
    *placed = (struct allfold_tool_placed){.hosts = NULL};
}
