/* The lines of a network's text that describe its graph:
 *
 *     topology = fat-tree 16:6 32                     a generated one (graph.h)
 *     links: bandwidth=12.5GB/s, latency=200ns        each of its cables
 *     links card: bandwidth=25GB/s, latency=100ns     those of a class; later lines win
 *
 * or a listed one, in which a name that no `host` line has is a switch:
 *
 *     host node[00-31]                                each host, in the order of a job's nodes
 *     link node[00-15] leaf0: bandwidth=12.5GB/s, latency=200ns, class=card
 *     link leaf[0-1] spine0: bandwidth=12.5GB/s, latency=200ns, class=uplink
 *
 * A cable has that bandwidth each way; with shared=1 both ways share it. */
#ifndef ALLFOLD_LAB_NETWORK_GRAPH_TEXT_H
#define ALLFOLD_LAB_NETWORK_GRAPH_TEXT_H

#include "lab/network/graph.h"
#include "lab/network/text_reader.h"

/* Zeroed before the first line. */
struct allfold_graph_reader {
    struct allfold_graph *generated;
    struct allfold_listed *listed;
};

enum { ALLFOLD_GRAPH_WORDS = 4 };

/* The words with which the lines begin. */
extern const char *const allfold_graph_words[ALLFOLD_GRAPH_WORDS];

/* Reads what is behind word number `word`. */
enum allfold_error allfold_graph_text_line(struct allfold_graph_reader *graphs, int word,
                                           struct allfold_text_reader *text);

/* The graph of all lines, NULL where there was none; the reader has nothing left to free. */
enum allfold_error allfold_graph_text_end(struct allfold_graph_reader *graphs,
                                          struct allfold_text_reader *text,
                                          struct allfold_graph **graph);

/* Frees what was read, after an error. */
void allfold_graph_text_drop(struct allfold_graph_reader *graphs);

#endif
