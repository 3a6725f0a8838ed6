/* Sweeps: series of cases that the verifier proves one after the other. The functions are declared
 * in allfold_core.h. */
#ifndef ALLFOLD_LAB_VERIFY_SWEEP_H
#define ALLFOLD_LAB_VERIFY_SWEEP_H

#include "lab/verify/verifier.h"

#endif
