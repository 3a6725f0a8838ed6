/* Decides whether the fabric is faster than another transport (see fabric.h). */
#include "fabric/fabric.h"

#include <math.h>

bool allfold_fabric_is_faster(const double *other_s, const double *fabric_s, int count,
                              struct allfold_fabric_gain *gain)
{
    const double least_gain = 0.95, mean_gain = 1.05; /* less is noise, and worth no library more */
    double logarithms = 0;
    *gain = (struct allfold_fabric_gain){.least = INFINITY};
    for (int i = 0; i < count; i++) {
        const double ratio = other_s[i] / fabric_s[i];
        if (!isfinite(ratio) || ratio <= 0) {
            *gain = (struct allfold_fabric_gain){0, 0};
            return false;
        }
        gain->least = fmin(gain->least, ratio);
        logarithms += log(ratio);
    }
    gain->mean = exp(logarithms / count);
    return gain->least >= least_gain && gain->mean >= mean_gain;
}
