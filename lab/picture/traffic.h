/* Traffic: what an algorithm's messages put on the links of a graph (lab/network/graph.h). */
#ifndef ALLFOLD_LAB_PICTURE_TRAFFIC_H
#define ALLFOLD_LAB_PICTURE_TRAFFIC_H

#include "lab/network/network.h"
#include "lab/verify/verifier.h"

enum { ALLFOLD_HEAVIEST_LINKS = 8 };

/* A load of 1: as long as the whole vector takes over one card, the first class of links. */
struct allfold_traffic_class {
    const char *name;
    uint32_t links, used;    /* a cable has two links, one each way */
    uint64_t elements, most; /* on all links; on the busiest one */
    double load;             /* of the link that is busy for longest */
};

struct allfold_traffic_link {
    uint32_t number;
    uint64_t elements;
    double load;
};

struct allfold_traffic {
    const struct allfold_graph *graph;
    int class_count, heaviest_count;
    struct allfold_traffic_class classes[ALLFOLD_MAX_LINK_CLASSES];
    struct allfold_traffic_link heaviest[ALLFOLD_HEAVIEST_LINKS]; /* the heaviest first */
};

/* Counts the messages of all ranks of a case with nodes; node i is host i. ALLFOLD_BAD_INPUT where
 * the graph has too few hosts; ALLFOLD_NO_MEMORY. The graph must stay. */
enum allfold_error allfold_traffic_count(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules,
                                         const struct allfold_graph *graph,
                                         struct allfold_traffic *traffic, char *message,
                                         size_t message_bytes);

/* A bar for each class and a line for each of the heaviest links. */
void allfold_traffic_write_text(const struct allfold_case *of, const char *network,
                                const struct allfold_traffic *traffic, FILE *stream);
void allfold_traffic_write_svg(const struct allfold_case *of, const char *network,
                               const struct allfold_traffic *traffic, FILE *stream);

#endif
