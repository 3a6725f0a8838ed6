/* Groups: the ranks that an algorithm works on, as an arithmetic row or as a list.
 *
 * An algorithm sees a size p and its own index r; what ranks these are is the group's business. So
 * the same algorithm serves a communicator, a node, or one lane across nodes. */
#ifndef ALLFOLD_SCHEDULE_GROUP_H
#define ALLFOLD_SCHEDULE_GROUP_H

#include <stddef.h>

struct allfold_group {
    int size;
    int index; /* of this rank in the group */
    int first; /* rank of index 0, where `ranks` is NULL */
    int stride;
    const int *ranks; /* index -> rank, or NULL; not owned, must outlive the use of the group */
};

/* All p ranks, of which this is number r. */
static inline struct allfold_group allfold_group_all(int p, int r)
{
    return (struct allfold_group){.size = p, .index = r, .first = 0, .stride = 1};
}

static inline int allfold_group_rank(const struct allfold_group *group, int index)
{
    return group->ranks != NULL ? group->ranks[index] : group->first + index * group->stride;
}

#endif
