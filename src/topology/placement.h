/* Placements: the syntax for the ranks of each node on the command line.
 *
 *     4x2          4 nodes of 2 ranks: 0 and 1, 2 and 3, ...
 *     4x2x8        4 nodes of 2 sockets of 8 ranks: a node's first 8 share a last-level cache
 *     3,1,2        nodes of 3, 1 and 2 ranks
 *     4x2:cyclic   ranks are on the nodes in turn: 0 and 4, 1 and 5, ... */
#ifndef ALLFOLD_TOPOLOGY_PLACEMENT_H
#define ALLFOLD_TOPOLOGY_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "allfold_core.h"

/* Fills node_of[rank] for p ranks. Returns ALLFOLD_BAD_INPUT, with the error and the expected
 * syntax in `message`, if the text is invalid or does not have p ranks. With p = 0 only the syntax
 * is checked. */
enum allfold_error allfold_placement_read(const char *text, int p, int64_t *node_of, char *message,
                                          size_t message_bytes);

/* Returns the number of sockets of each node; 1 if a valid text does not specify sockets. */
int allfold_placement_sockets(const char *text);

#endif
