/* Network topology of a host: the switches above it, the nearest first, and the hosts to which it
 * has direct links, as in a torus. Read from a file or from Slurm's variables.
 *
 * A file describes switches in one of four formats, one entry per line; `#` begins a comment, and
 * the first matching line is used:
 *
 *     node[00-15,20] leaf0 spine0            hosts and their switches
 *     rank 0-7 leaf0                         ranks of MPI_COMM_WORLD and their switches
 *     SwitchName=leaf0 Nodes=node[00-15]     Slurm's topology.conf; upper switches have Switches=
 *     link node[00-15] leaf0: bandwidth=...  a network (docs/model.md); its other lines are ignored
 *
 * All lines of these formats are used for the direct links of a host:
 *
 *     torus 4x4 node[00-15]                  hosts in order, the last dimension varies fastest
 *     link node[00-14] node[01-15]: ...      a network whose `host` lines have both ends
 *
 * A file of any format may also have:
 *
 *     uplinks 6 12                           rate of all links that leave a switch, in units of a
 *                                            host's network card, by level
 *     pair_uplinks 1 12                      rate of the links to one other switch of the
 *                                            level, if it is lower
 *
 * A host is named as MPI names it, or by the part of that name before the first dot. */
#ifndef ALLFOLD_TOPOLOGY_SWITCHES_H
#define ALLFOLD_TOPOLOGY_SWITCHES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "allfold_core.h"

enum { ALLFOLD_SWITCH_LEVELS = 3, ALLFOLD_SWITCH_BYTES = 64, ALLFOLD_MOST_NEIGHBORS = 32 };

/* Switches and direct links of a host. Hosts are hashes of their names in the file. */
struct allfold_switches {
    int depth; /* number of known switches */
    char name[ALLFOLD_SWITCH_LEVELS][ALLFOLD_SWITCH_BYTES];
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS]; /* 0: unknown */
    int neighbors;                            /* number of hosts with a direct link to this host */
    int64_t host;                             /* this host, if it has neighbors */
    int64_t neighbor[ALLFOLD_MOST_NEIGHBORS]; /* in ascending order, without duplicates */
};

/* Reads the switches of a host and rank from a file. Returns ALLFOLD_BAD_INPUT, with `message`, if
 * the file cannot be read, a line is invalid or no line matches the host; there are no switches
 * then. The message starts with the path, unless out of memory. */
enum allfold_error allfold_switches_read(const char *path, const char *host, int rank,
                                         struct allfold_switches *switches, char *message,
                                         size_t message_bytes);

/* Finds the switches of a host by Slurm's SLURM_TOPOLOGY_ADDR, such as s0.s3.node7, and
 * SLURM_TOPOLOGY_ADDR_PATTERN, such as switch.switch.node. Returns ALLFOLD_BAD_INPUT, with
 * `message`, if there is no switch or the address is that of another host, because a launcher
 * copied its environment. */
enum allfold_error allfold_switches_of_slurm(const char *address, const char *pattern,
                                             const char *host, struct allfold_switches *switches,
                                             char *message, size_t message_bytes);

#endif
