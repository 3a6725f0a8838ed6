/* Calibration: from measured messages to the constants of the models. */
#ifndef ALLFOLD_LAB_MEASURE_CALIBRATION_H
#define ALLFOLD_LAB_MEASURE_CALIBRATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lab/network/network.h"

enum allfold_calibration_kind {
    ALLFOLD_TIMED_ONE_WAY,   /* a message to another rank, half of the time there and back */
    ALLFOLD_TIMED_BOTH_WAYS, /* each rank sends to the next and receives from the one before */
    ALLFOLD_TIMED_REDUCTION, /* a reduction alone */
    ALLFOLD_TIMED_COPY,
    ALLFOLD_CALIBRATION_KINDS
};

struct allfold_calibration_sample {
    enum allfold_calibration_kind kind;
    enum allfold_level
        level;     /* on a socket, on a node and there between its sockets, or between nodes */
    int lanes;     /* ranks of each node, or socket, that take part */
    int messages;  /* of each of them, at once */
    size_t bytes;  /* of a message, or of each operand */
    double time_s; /* the median of the slowest rank's times */
    double least_s;
    int count; /* repetitions */
};

enum { ALLFOLD_CALIBRATION_SAMPLES = 1024, ALLFOLD_CALIBRATION_FITS = 30 };

/* How well the model fits some of the samples; errors are relative. */
struct allfold_calibration_fit {
    char what[60], constants[120]; /* for people */
    int points;
    double median_error, most_error;
};

struct allfold_calibration {
    struct allfold_network network;
    int fit_count;
    struct allfold_calibration_fit fits[ALLFOLD_CALIBRATION_FITS];
};

/* "one_way", "both_ways", ... */
const char *allfold_calibration_kind_name(enum allfold_calibration_kind kind);

/* Samples as lines of text: fields with tabs between them. False where it is none. */
void allfold_calibration_write_sample(const struct allfold_calibration_sample *sample,
                                      FILE *stream);
bool allfold_calibration_read_sample(const char *line, struct allfold_calibration_sample *sample);

/* Fits the constants. False with a message where samples are missing that it cannot do without. */
bool allfold_calibrate(const struct allfold_calibration_sample *samples, int count,
                       struct allfold_calibration *calibration, char *message,
                       size_t message_bytes);

#endif
