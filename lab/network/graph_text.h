/* Parses the lines of a network's text (network.h) that describe its graph:
 *
 *     topology = fat-tree 16:6 32                     a generated graph (graph.h)
 *     links: bandwidth=12.5GB/s, latency=200ns        all of its cables
 *     links card: bandwidth=25GB/s, latency=100ns     cables of a class; later lines win
 *
 * or those of a listed graph, in which every name without a `host` line is a switch:
 *
 *     host node[00-31]                                the hosts, in the order of a job's nodes
 *     link node[00-15] leaf0: bandwidth=12.5GB/s, latency=200ns, class=card
 *     link leaf[0-1] spine0: bandwidth=12.5GB/s, latency=200ns, class=uplink
 *
 * A cable has its bandwidth in each direction; with shared=1 both directions share it. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_TEXT_H
#define ALLFOLD_LAB_NETWORK_GRAPH_TEXT_H

#include "lab/network/graph.h"
#include "lab/network/text_reader.h"

/* The graph as far as it is read. All zero before the first line. */
struct allfold_graph_reader {
    struct allfold_graph *generated;
    struct allfold_listed *listed;
};

enum { ALLFOLD_GRAPH_WORDS = 4 };

/* The keywords that start the lines. */
extern const char *const allfold_graph_words[ALLFOLD_GRAPH_WORDS];

/* Reads the rest of a line after the keyword allfold_graph_words[word]. Returns ALLFOLD_OK,
 * ALLFOLD_BAD_INPUT with a message in `text`, or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_graph_text_line(struct allfold_graph_reader *graphs, int word,
                                           struct allfold_text_reader *text);

/* Creates the graph from all lines read; *graph is NULL if there were none. The reader is then
 * empty. Returns as allfold_graph_text_line. */
enum allfold_error allfold_graph_text_end(struct allfold_graph_reader *graphs,
                                          struct allfold_text_reader *text,
                                          struct allfold_graph **graph);

/* Frees a reader after an error. */
void allfold_graph_text_drop(struct allfold_graph_reader *graphs);

#endif
