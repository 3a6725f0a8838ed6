/* A network of the tests' own for the fabric: all ranks in one process. It lets writes overtake
 * each other, has no room now and then, and fails where a test wants it. It tells the test where a
 * write goes to memory that is not registered. */
#ifndef ALLFOLD_TEST_SUPPORT_FABRIC_H
#define ALLFOLD_TEST_SUPPORT_FABRIC_H

#include "fabric/fabric.h"

struct loose_options {
    uint64_t seed;
    bool has_offsets;   /* addresses count from the begin of registered memory */
    bool needs_local;   /* writes must come from registered memory */
    size_t most_bytes;  /* of one write */
    int no_long_places; /* each n-th registration of long messages fails; 0: none */
    int no_room;        /* each n-th write finds no room; 0: none */
    int fails_after;    /* after n writes of a rank it has that fault; 0: no rank has one */
    enum loose_fault {
        LOOSE_WRITES_FAIL,
        LOOSE_DIES,
        LOOSE_BREAKS,
        LOOSE_WRONG_KEY,
        LOOSE_VANISH /* writes end well, and do not arrive */
    } how;
    int failing; /* the rank */
};

/* Forgets the last network, and makes one for that many ranks. */
void loose_begin(const struct loose_options *options);

/* A provider of the next rank. */
struct allfold_provider *loose_provider(void);

/* What went wrong, or NULL. */
const char *loose_fault(void);

/* How many registrations there are. */
int loose_registrations(void);

#endif
