/* The rate of this machine's network cards, as Linux reports it in /sys.
 *
 * It considers ports of InfiniBand, Omni-Path, RoCE and EFA (class/infiniband), and Ethernet
 * interfaces of 1 Gbit/s and more. A card for management alone is slower than the network's own.
 * Interfaces without a device, such as those of containers and bridges, are ignored. */
#ifndef ALLFOLD_TOPOLOGY_NIC_RATE_H
#define ALLFOLD_TOPOLOGY_NIC_RATE_H

/* Returns the rate of the fastest active card in Mbit/s; 0 if there is none, or its rate is
 * unknown. `root` is /sys, or a directory that replaces it in a test. Thread-safe. */
int allfold_nic_mbit(const char *root);

#endif
