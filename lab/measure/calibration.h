/* Calibration: fits the constants of a network model (lab/network/network.h) to measured messages,
 * reductions and copies. */
#ifndef ALLFOLD_LAB_MEASURE_CALIBRATION_H
#define ALLFOLD_LAB_MEASURE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lab/network/network.h"

enum allfold_calibration_kind {
    ALLFOLD_TIMED_ONE_WAY,   /* a message to another rank: half of the round-trip time */
    ALLFOLD_TIMED_BOTH_WAYS, /* each rank sends to the next rank and receives from the previous rank
                              */
    ALLFOLD_TIMED_REDUCTION, /* a local reduction, without messages */
    ALLFOLD_TIMED_COPY,      /* a copy in local memory */
    ALLFOLD_CALIBRATION_KINDS
};

struct allfold_calibration_sample {
    enum allfold_calibration_kind kind;
    enum allfold_level level; /* within a socket, between the sockets of a node, or between nodes */
    int lanes;                /* ranks that take part, on each node or socket */
    int messages;             /* concurrent messages of each of these ranks */
    size_t bytes;             /* size of a message, or of each operand of a reduction */
    double time_s;            /* median over the repetitions of the slowest rank's time */
    double least_s;           /* minimum over the repetitions */
    int count;                /* repetitions */
};

enum { ALLFOLD_CALIBRATION_SAMPLES = 1024, ALLFOLD_CALIBRATION_FITS = 30 };

/* The quality of the fit of one group of samples. Errors are relative. */
struct allfold_calibration_fit {
    char what[60], constants[120];   /* what was fitted and its constants, as text for the user */
    int points;                      /* samples of this fit */
    double median_error, most_error; /* the median and the maximum */
};

struct allfold_calibration {
    struct allfold_network network;
    int fit_count;
    struct allfold_calibration_fit fits[ALLFOLD_CALIBRATION_FITS];
};

/* Returns the name of a kind: "one_way", "both_ways", ... */
const char *allfold_calibration_kind_name(enum allfold_calibration_kind kind);

/* Writes a sample as one line of text, with tabs between its fields. */
void allfold_calibration_write_sample(const struct allfold_calibration_sample *sample,
                                      FILE *stream);

/* Reads a line that allfold_calibration_write_sample wrote. Returns false if the line is no sample.
 */
bool allfold_calibration_read_sample(const char *line, struct allfold_calibration_sample *sample);

/* Fits the constants of the network to the samples. Returns false and writes a message if samples
 * that the fit needs are missing. */
bool allfold_calibrate(const struct allfold_calibration_sample *samples, int count,
                       struct allfold_calibration *calibration, char *message,
                       size_t message_bytes);

#endif
