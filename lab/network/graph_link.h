/* Links of network graphs (graph.h), and limits on the size of graphs. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_LINK_H
#define ALLFOLD_LAB_NETWORK_GRAPH_LINK_H

#include "allfold_core.h"

enum {
    ALLFOLD_MAX_DIMENSIONS = 8,
    ALLFOLD_MAX_LINK_CLASSES = 16,
    ALLFOLD_CLASS_NAME_BYTES = 24,
    ALLFOLD_MAX_HOSTS = 1 << 24
};

/* The end of a link that connects different vertices on different routes, as in SimGrid's routes.
 */
static const uint32_t ALLFOLD_NO_VERTEX = UINT32_MAX;

struct allfold_graph_link {
    uint32_t from, to; /* vertices */
    int link_class;    /* the number of its class */
    bool both_ways;    /* one link that both directions share */
    double bandwidth;  /* bytes per second */
    double latency_s;
};

#endif
