/* Sweeps: the cases that the verifier goes through, one after the other. */
#ifndef ALLFOLD_MODEL_SWEEP_H
#define ALLFOLD_MODEL_SWEEP_H

#include "lab/verify/verify.h"

#endif
