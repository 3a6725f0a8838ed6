/* Network cards: what this machine's sends at, as the kernel says.
 *
 * What counts is a port of InfiniBand, Omni-Path, RoCE or EFA (class/infiniband), or Ethernet of 1
 * Gbit/s and more. An Ethernet card for management alone is slower than the network's own.
 * Interfaces without a device, as those of containers and bridges, are no cards.
 */
#ifndef ALLFOLD_TOPOLOGY_NIC_RATE_H
#define ALLFOLD_TOPOLOGY_NIC_RATE_H

/* The rate of the fastest active one, in Mbit a second; 0 if there is none, or its rate is unknown.
 * `root` is /sys, or what stands for it. */
int allfold_nic_mbit(const char *root);

#endif
