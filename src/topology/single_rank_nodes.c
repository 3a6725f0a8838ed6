/* Nodes with one rank each (see single_rank_nodes.h). */
#include "topology/single_rank_nodes.h"

#include <string.h>

struct allfold_nodes allfold_nodes_alone(int count, int *room)
{
    int *const self = room, *const zeros = self + count + 1, *const lane = zeros + count;
    for (int v = 0; v <= count; v++)
        self[v] = v;
    memset(zeros, 0, (size_t)count * sizeof *zeros);
    lane[0] = 0;
    lane[1] = count;
    return (struct allfold_nodes){.count = count,
                                  .most = 1,
                                  .least = 1,
                                  .arrangement = ALLFOLD_IN_BLOCKS,
                                  .node_of = self,
                                  .index_of = zeros,
                                  .first = self,
                                  .members = self,
                                  .leaders = self,
                                  .lasts = self,
                                  .lane_first = lane,
                                  .lane_members = self,
                                  .is_in_order = true,
                                  .along = self,
                                  .place_of = self};
}
