/* Traffic: the load of the links of a network graph (lab/network/graph.h) by an algorithm's
 * messages. */
#ifndef ALLFOLD_LAB_PICTURE_TRAFFIC_H
#define ALLFOLD_LAB_PICTURE_TRAFFIC_H

#include "lab/network/network.h"
#include "lab/verify/verifier.h"

enum { ALLFOLD_HEAVIEST_LINKS = 8 };

/* The traffic of one class of links. A load of 1 takes as long as one transfer of the whole vector
 * over one card, which is the first class of links. */
struct allfold_traffic_class {
    const char *name;
    uint32_t links;          /* a cable has two links, one in each direction */
    uint32_t used;           /* links with traffic */
    uint64_t elements, most; /* on all links; on the busiest link */
    double load;             /* the maximum over its links */
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
    struct allfold_traffic_link heaviest[ALLFOLD_HEAVIEST_LINKS]; /* sorted by load, descending */
};

/* Counts the messages of all ranks of a case with nodes; node i is host i. Returns ALLFOLD_OK;
 * ALLFOLD_NO_MEMORY; or ALLFOLD_BAD_INPUT with a message if the graph has too few hosts. `graph`
 * must outlive `traffic`. */
enum allfold_error allfold_traffic_count(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules,
                                         const struct allfold_graph *graph,
                                         struct allfold_traffic *traffic, char *message,
                                         size_t message_bytes);

/* Writes a bar for each class and a line for each of the heaviest links, as text. */
void allfold_traffic_write_text(const struct allfold_case *of, const char *network,
                                const struct allfold_traffic *traffic, FILE *stream);

/* Writes the same content as an SVG drawing. */
void allfold_traffic_write_svg(const struct allfold_case *of, const char *network,
                               const struct allfold_traffic *traffic, FILE *stream);

#endif
