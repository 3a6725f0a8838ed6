/* Networks: the performance model of a machine, for the simulator, and its text format.
 *
 * A message of s bytes takes latency + s / bandwidth (the postal model). Both depend on the level:
 * between ranks of one socket, of one node, or of different nodes. They also depend on the size,
 * because MPI libraries use different protocols for different sizes. If a message is one-way (its
 * sender receives nothing and its receiver sends nothing meanwhile), both terms are multiplied by a
 * factor (Rabenseifner 2004, section 2.1). All messages of a network card together do not exceed
 * its limit (the max-rate model: Bienz et al. 2019, equations 2 to 6).
 *
 * The text format has one setting on each line; `#` starts a comment:
 *
 *     name = example
 *     sockets = 2                    per node; each socket has a block of the node's ranks
 *     cards = 1                      per node; rank i of a node uses card i mod cards
 *     ejection = 1                   the limit of a card applies to incoming messages, too
 *     one_way_latency = 0.7          factors for one-way messages
 *     one_way_byte = 0.5
 *     reduce = 0.1ns                 for each byte that is reduced
 *     copy = 0.05ns                  for each byte that is copied
 *     node: latency=0.5us, bandwidth=5GB/s
 *     network 0-8K: latency=2us, overhead=0.5us, bandwidth=1GB/s
 *     network 8K-: latency=4us, bandwidth=3GB/s, limit=6GB/s, waits=1
 *
 * Only `network` is required. A level without a line is the same as the next outer level. Defaults
 * are one socket, one card and factors of 1; all others are 0. A link without `bandwidth` or
 * `limit` is unlimited.
 *
 * A network may have a graph (graph.h; its lines: graph_text.h). Then the latency of a message
 * between nodes is that of `network` plus that of each link of its route. Its bytes share the links
 * with other messages; `bandwidth` is still a bound on one message. Such a network must not
 * have `cards`, `ejection`, the factors, or a `limit` of `network`. For messages within a node,
 * `offloaded=1` then says that the bytes are transferred without the cores.
 *
 * `in_memory=1` is for a level within a node. It models shared memory as the executor uses it: the
 * receiver reads the bytes from the sender's memory, at `bandwidth`, after `take=0.3us`, the time
 * to load the first cache line. With `store=10GB/s` the sender first copies the bytes to shared
 * memory at that rate, once for all receivers of the same data. With `piece=32K` the receiver reads
 * one piece while the sender copies the next one. */
#ifndef ALLFOLD_LAB_NETWORK_NETWORK_H
#define ALLFOLD_LAB_NETWORK_NETWORK_H

#include "lab/network/graph.h"

enum allfold_level {
    ALLFOLD_LEVEL_SOCKET,
    ALLFOLD_LEVEL_NODE,
    ALLFOLD_LEVEL_NETWORK,
    ALLFOLD_LEVEL_COUNT
};

/* The names of the levels in texts. */
extern const char *const allfold_level_names[ALLFOLD_LEVEL_COUNT];

enum { ALLFOLD_MAX_LINKS = 6, ALLFOLD_MAX_SOCKETS = 64, ALLFOLD_MAX_CARDS = 64 };

/* The costs of messages of a level with sizes in [from_bytes, to_bytes). Rates are in bytes per
 * second; 0: unlimited. */
struct allfold_link {
    size_t from_bytes, to_bytes;
    double latency_s;
    double overhead_s; /* the part of the latency that occupies the sender and the receiver; by
                          default all of it, as in the papers */
    double bandwidth;  /* of one message */
    double limit;      /* of all messages of a card; within a node: of the node or socket */
    bool waits;        /* a message starts only when its receive is ready */
    bool offloaded; /* within a node, with a graph: bytes are transferred without the cores, which
                       are occupied only for the overhead */
    bool in_memory; /* within a node: the receiver reads the sender's memory */
    double store;   /* with in_memory: rate at which the sender first copies the data to shared
                       memory, once for all receivers; 0: receivers read the sender's buffer */
    size_t piece_bytes; /* with in_memory: unit in which stored data is read; 0: all of it */
    double take_s;      /* with in_memory: time that a receiver needs before it reads */
};

/* A network. `links` of each level are sorted by size. */
struct allfold_network {
    char name[40];
    int sockets;
    int cards;
    bool ejection;
    double one_way_latency, one_way_byte;
    double reduce_s, copy_s;     /* per byte */
    struct allfold_graph *graph; /* owned; NULL: none */
    int link_count[ALLFOLD_LEVEL_COUNT];
    struct allfold_link links[ALLFOLD_LEVEL_COUNT][ALLFOLD_MAX_LINKS];
};

/* Reads a network from a text. Returns ALLFOLD_OK, ALLFOLD_NO_MEMORY, or ALLFOLD_BAD_INPUT; the
 * message then names the line, the error and what was expected. On errors *network is unchanged.
 * The caller frees the network with allfold_network_clear. */
enum allfold_error allfold_network_read(const char *text, struct allfold_network *network,
                                        char *message, size_t message_bytes);

/* Frees the graph of a network. */
void allfold_network_clear(struct allfold_network *network);

/* Returns the costs of a message of `bytes` bytes at a level. */
const struct allfold_link *allfold_network_link(const struct allfold_network *network,
                                                enum allfold_level level, size_t bytes);

/* Predefined networks, as texts; the list ends with a name of NULL. */
struct allfold_network_preset {
    const char *name;
    const char *text;
};
extern const struct allfold_network_preset allfold_network_presets[];

/* Reads a network by its name: a predefined network, a topology such as "torus 16x16" with default
 * links, or a file. Returns as allfold_network_read. */
enum allfold_error allfold_network_find(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes);

#endif
