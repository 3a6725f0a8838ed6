/* Named machines. None of them was measured by us; docs/model.md says where the figures are from.
 */
#include "model/network/network.h"

/* Bienz et al. 2019, section IV: a socket, a node and the network apart, a limit on what a node
 * sends, each message whole on its sender and receiver. The paper prints no figures; these are of
 * the order that its authors' other papers give for Blue Waters, recalled and not looked up. */
static const char blue_waters[] =
    "name = blue_waters\n"
    "sockets = 2\n"
    "reduce = 0.2ns\n"
    "socket 0-512: latency=0.44us, bandwidth=2.2GB/s\n"
    "socket 512-8K: latency=0.53us, bandwidth=3.2GB/s\n"
    "socket 8K-: latency=1.7us, bandwidth=6.2GB/s, waits=1\n"
    "node 0-512: latency=0.83us, bandwidth=0.48GB/s\n"
    "node 512-8K: latency=1.2us, bandwidth=0.96GB/s\n"
    "node 8K-: latency=2.5us, bandwidth=6.2GB/s, waits=1\n"
    "network 0-512: latency=2.3us, bandwidth=0.61GB/s, limit=6.6GB/s\n"
    "network 512-8K: latency=7us, bandwidth=0.75GB/s, limit=6.6GB/s\n"
    "network 8K-: latency=3us, bandwidth=2.9GB/s, limit=6.6GB/s, waits=1\n";

/* Rabenseifner 2004, section 2.1: flat, alpha + n beta both ways at once, factors one way. The
 * paper gives the factors' range, 0.5 to 1, and no figures of its Cray T3E 900; one way, a message
 * takes 5 us and goes at 300 MB/s here, as Ames Laboratory measured Cray's MPI there (MP_Lite
 * performance on the Cray T3E). The factors and the time of a reduction are guessed. */
static const char t3e[] = "name = t3e\n"
                          "one_way_latency = 0.7\n"
                          "one_way_byte = 0.7\n"
                          "reduce = 3ns\n"
                          "network: latency=7.1us, bandwidth=210MB/s\n";

/* Two sockets and one card of 200 Gbit/s: rough figures, as of many clusters today. */
static const char cluster[] =
    "name = cluster\n"
    "sockets = 2\n"
    "ejection = 1\n"
    "reduce = 0.1ns\n"
    "copy = 0.1ns\n"
    "socket: latency=0.2us, overhead=0.1us, bandwidth=10GB/s, limit=80GB/s\n"
    "node: latency=0.4us, overhead=0.1us, bandwidth=7GB/s, limit=120GB/s\n"
    "network 0-8K: latency=1.5us, overhead=0.3us, bandwidth=10GB/s, limit=24GB/s\n"
    "network 8K-: latency=3us, overhead=0.5us, bandwidth=12GB/s, limit=24GB/s, waits=1\n";

const struct allfold_network_preset allfold_network_presets[] = {
    {"blue_waters", blue_waters}, {"t3e", t3e}, {"cluster", cluster}, {NULL, NULL}};
