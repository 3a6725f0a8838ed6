/* The significance test of lateness (see late_test.h). */
#include "events/late_test.h"

#include <math.h>

bool allfold_is_above_chance(double behind_s, double chance_s, double squares, int ranks)
{
    const double clear_factor = 1.25;
    const double errors = sqrt(9 + 2 * log(ranks > 1 ? ranks : 1));
    return behind_s > 0 && behind_s >= clear_factor * chance_s &&
           behind_s - chance_s >= errors * sqrt(squares);
}
