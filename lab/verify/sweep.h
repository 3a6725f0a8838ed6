/* Sweeps: the cases that the verifier goes through, one after the other. */
#ifndef ALLFOLD_LAB_VERIFY_SWEEP_H
#define ALLFOLD_LAB_VERIFY_SWEEP_H

#include "lab/verify/verifier.h"

#endif
