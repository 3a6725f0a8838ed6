/* Sweeps: the cases that the verifier goes through, one after the other. */
#ifndef ALLFOLD_MODEL_SWEEP_H
#define ALLFOLD_MODEL_SWEEP_H

#include "model/verify/verify.h"

#endif
