/* The errors of everything below src/mpi/: 0 is success. */
#ifndef ALLFOLD_SCHEDULE_ERROR_H
#define ALLFOLD_SCHEDULE_ERROR_H

enum allfold_error {
    ALLFOLD_OK = 0,
    ALLFOLD_NO_MEMORY,
    ALLFOLD_BAD_SCHEDULE, /* an algorithm broke a rule of the schedule language */
    ALLFOLD_BAD_INPUT,    /* a text or value that a user gave */
    ALLFOLD_UNMET_NEED,   /* an algorithm cannot serve the problem */
    ALLFOLD_NO_PROGRESS,  /* virtual ranks that wait for each other for ever */
    ALLFOLD_DISPROVED,    /* the verifier found a schedule wrong */
};

#endif
