/* The transport over MPI point-to-point messages, on a communicator of the library's own. */
#ifndef ALLFOLD_MPI_TRANSPORT_POINT_TO_POINT_H
#define ALLFOLD_MPI_TRANSPORT_POINT_TO_POINT_H

#include <assert.h>
#include <mpi.h>

#include "transport/transport.h"

/* Far more than a window, and so few that MPI's least upper bound of tags, 32767, gives 31 lanes.
 */
enum { ALLFOLD_LANE_TAGS = 1024 };

struct allfold_point_to_point {
    struct allfold_transport transport; /* first: its callbacks come back with it */
    MPI_Comm comm;
    MPI_Datatype datatype; /* of the elements; set before each run */
    const int *rank_of;    /* of each rank of the runs' group: its rank in comm; NULL: the same */
    int first_tag;         /* of ALLFOLD_LANE_TAGS; message numbers become tags modulo that */
    bool are_short;        /* no message of the run is long */
    bool have_bytes;       /* elements have any, so that poison differs from data */
    uint32_t used;         /* slots that the run has used so far */
    bool tells_length[ALLFOLD_MAX_WINDOW]; /* a receive, of no more elements than an int counts */
    MPI_Request requests[ALLFOLD_MAX_WINDOW];
    bool receives[ALLFOLD_MAX_WINDOW];
    MPI_Status statuses[ALLFOLD_MAX_WINDOW];
};

/* Makes a transport over `comm`, which stays the caller's. Only such transports use `comm`, each
 * with a lane of its own, from 0 on. False where there are no more tags. */
bool allfold_point_to_point_open(struct allfold_point_to_point *transport, MPI_Comm comm, int lane);

/* The last tag but one is for questions, and the last one for answers. No lane has either. */
int allfold_question_tag(void);

/* The one before these, which no lane has either: for the ranks' clocks. */
int allfold_clock_tag(void);

/* And the one before it: for news of the fabric (fabrics.h). */
int allfold_news_tag(void);

#ifndef NDEBUG
static inline bool allfold_point_to_point_is_idle(const struct allfold_point_to_point *transport)
{
    for (uint32_t i = 0; i < transport->used; i++)
        if (transport->requests[i] != MPI_REQUEST_NULL)
            return false;
    return true;
}
#endif

/* Says what the elements of the next run are, and how many bytes a message has at most. Nothing is
 * in flight. */
static inline void allfold_point_to_point_begin(struct allfold_point_to_point *transport,
                                                MPI_Datatype datatype, size_t most_bytes)
{
    enum { SHORT_BYTES = 1024 };
    assert(allfold_point_to_point_is_idle(transport));
    transport->datatype = datatype;
    transport->are_short = most_bytes <= SHORT_BYTES;
    transport->have_bytes = most_bytes > 0;
    transport->used = 0;
}

#endif
