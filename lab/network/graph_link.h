/* Links of graphs (graph.h), and how many there may be. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_LINK_H
#define ALLFOLD_LAB_NETWORK_GRAPH_LINK_H

#include "allfold_core.h"

enum {
    ALLFOLD_MAX_DIMENSIONS = 8,
    ALLFOLD_MAX_LINK_CLASSES = 16,
    ALLFOLD_CLASS_NAME_BYTES = 24,
    ALLFOLD_MAX_HOSTS = 1 << 24
};

/* The end of a link that several routes use between different vertices. */
static const uint32_t ALLFOLD_NO_VERTEX = UINT32_MAX;

struct allfold_graph_link {
    uint32_t from, to; /* vertices */
    int link_class;
    bool both_ways;   /* one link for both directions, which share it */
    double bandwidth; /* bytes a second */
    double latency_s;
};

#endif
