/* Lengths of segments (see segments.h). */
#include "algorithms/segments.h"

#include "algorithms/costs.h"
#include "algorithms/peers.h"

struct segments allfold_segments(size_t n, size_t bytes, size_t element_bytes, size_t preset)
{
    const size_t most = bytes == 0 ? preset : bytes / element_bytes;
    const size_t count = ceil_divide(n, most == 0 ? 1 : most);
    return (struct segments){.length = count == 0 ? 1 : ceil_divide(n, count), .count = count};
}

struct segments allfold_pipeline(const struct allfold_problem *problem, size_t bytes, double fixed,
                                 double slope)
{
    return allfold_segments(problem->count, bytes, problem->element_bytes,
                            allfold_best_segment(problem, fixed, slope));
}
