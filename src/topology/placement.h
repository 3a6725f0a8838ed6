/* Placements: which ranks are on which node, as a user writes it.
 *
 *     4x2          4 nodes of 2 ranks: 0 and 1, 2 and 3, ...
 *     4x2x8        4 nodes of 2 sockets of 8 ranks: a node's first 8 share a last-level cache
 *     3,1,2        nodes of 3, 1 and 2 ranks
 *     4x2:cyclic   ranks dealt out to the nodes in turn: 0 and 4, 1 and 5, ... */
#ifndef ALLFOLD_TOPOLOGY_PLACEMENT_H
#define ALLFOLD_TOPOLOGY_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "allfold_core.h"

/* Fills node_of[rank] for p ranks. ALLFOLD_BAD_INPUT with `message` saying what is wrong and what
 * is expected. With p = 0 only the text is looked at and not whether it fits p. */
enum allfold_error allfold_placement_read(const char *text, int p, int64_t *node_of, char *message,
                                          size_t message_bytes);

/* How many sockets each node has: 1 where the text, which can be read, says nothing of them. */
int allfold_placement_sockets(const char *text);

#endif
