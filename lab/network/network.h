/* Networks: what the simulator knows of a machine.
 *
 * A message of s bytes takes latency + s / bandwidth (the postal model). Both depend on the level:
 * between ranks of a socket, of a node, of several nodes. They depend on the size, too, because MPI
 * libraries change their protocols with it. Where a message goes one way only, while its sender
 * receives nothing and its receiver sends nothing, both terms have a factor (Rabenseifner 2004,
 * section 2.1). All messages of a card together go no faster than its limit (the max-rate model:
 * Bienz et al. 2019, equations 2 to 6).
 *
 * As a text, one setting a line, `#` begins a comment:
 *
 *     name = example
 *     sockets = 2                    of a node; its ranks are dealt out to them in blocks
 *     cards = 1                      of a node; rank i of a node takes card i mod cards
 *     ejection = 1                   a card's limit holds for what comes in, too
 *     one_way_latency = 0.7          the factors
 *     one_way_byte = 0.5
 *     reduce = 0.1ns                 for each byte reduced
 *     copy = 0.05ns                  for each byte copied
 *     node: latency=0.5us, bandwidth=5GB/s
 *     network 0-8K: latency=2us, overhead=0.5us, bandwidth=1GB/s
 *     network 8K-: latency=4us, bandwidth=3GB/s, limit=6GB/s, waits=1
 *
 * Only `network` has to be there. A level without a line is like the one outside of it. Preset are
 * one socket, one card, factors of 1, and 0 for the rest; a link without `bandwidth` or `limit` has
 * no bound.
 *
 * A network may have a graph (graph.h; its lines: graph_text.h). Then a message between nodes takes
 * the latency of `network` and that of each link of its route. Its bytes share the links with
 * others. The `bandwidth` stays a bound on one message. Limit, cards, ejection and the factors are
 * not for networks with a graph. There `offloaded=1` says of a message on a node that its bytes
 * travel without the cores.
 *
 * `in_memory=1` of a level on a node describes node memory as the executor uses it: the receiver
 * reads the bytes where the sender has them, at `bandwidth`, after `take=0.3us`, in which it gets
 * their first line. With `store=10GB/s` the sender first copies them into shared memory at that
 * rate, once for all receivers of the same data. With `piece=32K` they are read when the first
 * piece is there, while the sender copies the next one. */
#ifndef ALLFOLD_LAB_NETWORK_NETWORK_H
#define ALLFOLD_LAB_NETWORK_NETWORK_H

#include "lab/network/graph.h"

enum allfold_level {
    ALLFOLD_LEVEL_SOCKET,
    ALLFOLD_LEVEL_NODE,
    ALLFOLD_LEVEL_NETWORK,
    ALLFOLD_LEVEL_COUNT
};

/* What they are called in texts. */
extern const char *const allfold_level_names[ALLFOLD_LEVEL_COUNT];

enum { ALLFOLD_MAX_LINKS = 6, ALLFOLD_MAX_SOCKETS = 64, ALLFOLD_MAX_CARDS = 64 };

/* How messages of from_bytes and more, and less than to_bytes, travel. A rate of 0: no bound. */
struct allfold_link {
    size_t from_bytes, to_bytes;
    double latency_s;
    double overhead_s; /* the part of the latency in which its sender can start no other message,
                          and its receiver take none in; preset: all of it, as in the papers */
    double bandwidth;  /* bytes a second of one message */
    double limit;   /* bytes a second of all messages of a card; on a node: of the node, or of the
                       socket */
    bool waits;     /* starts only when its receive is there */
    bool offloaded; /* on a node of a network with a graph: bytes travel without the cores, which
                       are busy for the overhead alone */
    bool in_memory; /* on a node: the receiver reads what the sender has in memory */
    double store;   /* with in_memory, bytes a second: the sender first copies the data there, once
                       for all its receivers; 0: receivers read the sender's own buffer */
    size_t piece_bytes; /* with in_memory: what is read as soon as it is stored; 0: all of it */
    double take_s;      /* with in_memory: how long a receiver is busy before it reads */
};

struct allfold_network {
    char name[40];
    int sockets;
    int cards;
    bool ejection;
    double one_way_latency, one_way_byte;
    double reduce_s, copy_s;     /* a byte */
    struct allfold_graph *graph; /* owned: allfold_network_clear; NULL: none */
    int link_count[ALLFOLD_LEVEL_COUNT];
    struct allfold_link links[ALLFOLD_LEVEL_COUNT][ALLFOLD_MAX_LINKS]; /* by ascending size */
};

/* Reads a text. ALLFOLD_BAD_INPUT with `message` saying in which line what is wrong and what would
 * be right; then *network is as it was. What is read is freed by allfold_network_clear. */
enum allfold_error allfold_network_read(const char *text, struct allfold_network *network,
                                        char *message, size_t message_bytes);

/* Frees what a network has beside itself: its graph. */
void allfold_network_clear(struct allfold_network *network);

/* How a message of so many bytes travels. */
const struct allfold_link *allfold_network_link(const struct allfold_network *network,
                                                enum allfold_level level, size_t bytes);

/* Named machines, as texts; a name of NULL ends them. */
struct allfold_network_preset {
    const char *name;
    const char *text;
};
extern const struct allfold_network_preset allfold_network_presets[];

/* The named machine, else the network in the file of that name. ALLFOLD_BAD_INPUT with `message`
 * naming it. */
enum allfold_error allfold_network_find(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes);

#endif
