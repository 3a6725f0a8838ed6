/* SimGrid's platform files, as far as our networks express them: a cluster (flat, torus, fat tree,
 * dragonfly), or one zone's hosts, routers, links and routes.
 *
 * A platform says nothing of what a message costs its ranks. We take 0.15 us to send one and 0.15
 * us to receive one. Messages of 64 KiB and more wait for their receives. bench/simgrid/settings
 * tells SimGrid the same. */
#ifndef ALLFOLD_PLATFORM_H
#define ALLFOLD_PLATFORM_H

#include "lab/network/network.h"

/* Reads such a file. ALLFOLD_BAD_INPUT with the line of what is wrong or is not supported, or where
 * the command was built without an XML parser. */
enum allfold_error allfold_tool_platform_read(const char *name, struct allfold_network *network,
                                              char *message, size_t message_bytes);

/* The network of a name: a platform where it ends in .xml, else as allfold_network_find. */
enum allfold_error allfold_tool_network(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes);

#endif
