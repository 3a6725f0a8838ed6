/* Order of hosts by the numbers in their names, as an estimate of their position in the network.
 *
 * Clusters number their hosts by racks and switches: hosts with near numbers are mostly near each
 * other. If the host names of a job differ only in their numbers, nodes are sorted by these
 * numbers, otherwise by their lowest ranks. */
#ifndef ALLFOLD_HOST_ORDER_H
#define ALLFOLD_HOST_ORDER_H

#include <stdint.h>

/* The sort key of a host name. */
struct allfold_host_key {
    int64_t kind;         /* hash of the name without its numbers; 0: do not sort */
    int64_t major, minor; /* the last six numbers of the name: the first three of them packed into
                             `major`, the other three into `minor` */
};

/* Returns the key of a host name. Only the part before the first dot is used, except in an IP
 * address. */
struct allfold_host_key allfold_host_key_of(const char *name);

/* Returns for each of p ranks the position of its host in the order, for struct
 * allfold_nodes_facts. hosts[r] is the key of rank r's host. All positions are 0 if the hosts have
 * different kinds, or the kind 0. Returns NULL if out of memory. The caller frees the array with
 * allfold_free. */
int64_t *allfold_host_keys_order(const struct allfold_host_key *hosts, int p);

#endif
