/* Reads platform files of SimGrid, as far as Allfold's networks can express them: a cluster (flat,
 * torus, fat tree, dragonfly), or the hosts, routers, links and routes of one zone.
 *
 * A platform does not describe the time that a message takes on its ranks. Allfold assumes 0.15 us
 * to send a message and 0.15 us to receive one. Messages of 64 KiB and more wait for their
 * receives. bench/simgrid/settings gives SimGrid the same values. */
#ifndef ALLFOLD_SIMGRID_PLATFORM_H
#define ALLFOLD_SIMGRID_PLATFORM_H

#include "lab/network/network.h"

/* Reads a platform file. Returns ALLFOLD_BAD_INPUT if something is wrong or not supported, and
 * `message` names the line; also if the command was built without an XML parser. */
enum allfold_error allfold_tool_platform_read(const char *name, struct allfold_network *network,
                                              char *message, size_t message_bytes);

/* Finds a network by its name: a platform file if the name ends in .xml, else a network of
 * allfold_network_find. */
enum allfold_error allfold_tool_network(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes);

#endif
