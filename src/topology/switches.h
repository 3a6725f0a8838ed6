/* Switches: what a rank is below in the network, the nearest switch first; and the hosts that its
 * host is linked to directly, as in a torus.
 *
 * A file says switches in one of four ways, a line each; `#` begins a comment, and the first line
 * that holds wins:
 *
 *     node[00-15,20] leaf0 spine0            hosts and their switches
 *     rank 0-7 leaf0                         the same for ranks of MPI_COMM_WORLD
 *     SwitchName=leaf0 Nodes=node[00-15]     Slurm's topology.conf; upper ones have Switches=
 *     link node[00-15] leaf0: bandwidth=...  a network's text (docs/model.md): its other lines
 *                                            mean nothing here
 *
 * All of these lines count for what a host is linked to:
 *
 *     torus 4x4 node[00-15]                  hosts in their order, the last dimension fastest
 *     link node[00-14] node[01-15]: ...      of a network's text, where `host` lines have both ends
 *
 * And of any such file:
 *
 *     uplinks 6 12                           the rate of the links that leave a switch, in cards of
 *                                            a host, by level
 *     pair_uplinks 1 12                      the same of those that lead to one other switch of the
 *                                            level, where it is lower
 *
 * A host is the name that MPI gives, or what of it stands before the first dot. */
#ifndef ALLFOLD_TOPOLOGY_SWITCHES_H
#define ALLFOLD_TOPOLOGY_SWITCHES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "allfold_core.h"

enum { ALLFOLD_SWITCH_LEVELS = 3, ALLFOLD_SWITCH_BYTES = 64, ALLFOLD_MOST_NEIGHBORS = 32 };

/* Of hosts there are hashes of their names, as the file calls them. */
struct allfold_switches {
    int depth; /* how many switches are known */
    char name[ALLFOLD_SWITCH_LEVELS][ALLFOLD_SWITCH_BYTES];
    double uplinks[ALLFOLD_SWITCH_LEVELS], pair_uplinks[ALLFOLD_SWITCH_LEVELS]; /* 0: not known */
    int neighbors;                            /* hosts that this one is linked to directly */
    int64_t host;                             /* this one, if it has neighbors */
    int64_t neighbor[ALLFOLD_MOST_NEIGHBORS]; /* ascending, each one once */
};

/* Those of a host and rank, by a file. ALLFOLD_BAD_INPUT with `message`, which begins with the
 * path: the line that is wrong, or that no line has the host. Then there are none. */
enum allfold_error allfold_switches_read(const char *path, const char *host, int rank,
                                         struct allfold_switches *switches, char *message,
                                         size_t message_bytes);

/* The same by Slurm's SLURM_TOPOLOGY_ADDR, as s0.s3.node7, and SLURM_TOPOLOGY_ADDR_PATTERN, as
 * switch.switch.node. Where the address is that of another host, a launcher brought it along:
 * ALLFOLD_BAD_INPUT. */
enum allfold_error allfold_switches_of_slurm(const char *address, const char *pattern,
                                             const char *host, struct allfold_switches *switches,
                                             char *message, size_t message_bytes);

#endif
