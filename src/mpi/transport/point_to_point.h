/* The transport over MPI point-to-point messages, on a communicator of the library's own. */
#ifndef ALLFOLD_MPI_TRANSPORT_POINT_TO_POINT_H
#define ALLFOLD_MPI_TRANSPORT_POINT_TO_POINT_H

#include <assert.h>
#include <mpi.h>

#include "transport/transport.h"

/* Tags of a lane: far more than a window has messages, but few enough that 32767, the smallest
 * MPI_TAG_UB that MPI allows, gives 31 lanes. */
enum { ALLFOLD_LANE_TAGS = 1024 };

struct allfold_point_to_point {
    struct allfold_transport transport; /* first, because its callbacks get its address */
    MPI_Comm comm;
    MPI_Datatype datatype; /* of the elements; set before each run */
    /* rank_of[r]: rank in `comm` of rank r of the runs' group; NULL: the same. */
    const int *rank_of;
    int first_tag;   /* first of ALLFOLD_LANE_TAGS tags; message numbers become tags modulo that */
    bool are_short;  /* no message of the run is long */
    bool have_bytes; /* elements have more than 0 bytes, so that poisoned data differs from data */
    uint32_t used;   /* slots that the run has used so far */
    bool tells_length[ALLFOLD_MAX_WINDOW]; /* a receive that reports its length, which an int can
                                              count */
    MPI_Request requests[ALLFOLD_MAX_WINDOW];
    bool receives[ALLFOLD_MAX_WINDOW];
    MPI_Status statuses[ALLFOLD_MAX_WINDOW];
};

/* Makes a transport for lane `lane` over `comm`, which the caller keeps. Only such transports may
 * use `comm`, each with another lane. Returns false if there are no more tags. */
bool allfold_point_to_point_open(struct allfold_point_to_point *transport, MPI_Comm comm, int lane);

/* Returns the tag of queries in roll-calls. The last tag is for the answers. No lane uses these
 * two. */
int allfold_question_tag(void);

/* Returns the tag of messages that compare the ranks' clocks. No lane uses it. */
int allfold_clock_tag(void);

/* Returns the tag of the fabric's news (fabrics.h). No lane uses it. */
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

/* Sets the datatype of the next run's elements, and the maximum bytes of its messages. Nothing may
 * be in flight. */
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
