/* Host places: where a host is in its network, by the numbers in its name.
 *
 * Clusters number their hosts by racks and switches: hosts with near numbers are mostly near each
 * other. The hosts of a job may be named alike but for the numbers. Then nodes are in the order of
 * the numbers. Else nodes are in the order of their ranks, as if nothing was known. */
#ifndef ALLFOLD_TOPOLOGY_HOST_PLACE_H
#define ALLFOLD_TOPOLOGY_HOST_PLACE_H

#include <stdint.h>

struct allfold_host_place {
    int64_t kind;         /* what the name has besides numbers; 0: nothing is to be known */
    int64_t major, minor; /* its numbers, the first ones in `major` */
};

/* That of a name, or of what stands in it before the first dot: the last six numbers in that. A
 * name that is all numbers and dots, as an address, counts as a whole. */
struct allfold_host_place allfold_host_place_of(const char *name);

/* The order of ranks by the places of their hosts: keys for struct allfold_nodes_facts, to be
 * freed; NULL without memory. All are the same where the kinds differ, or one is 0. */
int64_t *allfold_host_places_order(const struct allfold_host_place *places, int p);

#endif
