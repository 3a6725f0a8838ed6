/* Data-parallel training: what the files of this program share.
 *
 * The network has one hidden layer: softmax(W2 relu(W1 x + b1) + b2). All its parameters are one
 * vector, and so is their gradient: an allreduce a step adds the gradients of all ranks. */
#ifndef TRAINING_H
#define TRAINING_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../options.h"

enum { CLASSES = 10 };

struct options {
    int inputs;
    int hidden;
    int batch; /* samples of a rank in a step */
    int steps;
    double rate;
    bool alloc_mem; /* the gradient's memory is MPI_Alloc_mem's, not malloc's */
};

/* A layer's weights have a row for each input; a row has an entry for each output. */
struct layer {
    size_t inputs;
    size_t outputs;
    size_t weights; /* index of the first in the vector of parameters */
    size_t biases;  /* the same */
};

struct model {
    struct layer first;
    struct layer second;
    size_t parameters;
    float *parameter;
};

/* Room for what a batch makes on its way through the network: a row a sample. */
struct batch {
    size_t samples;
    float *input;
    float *hidden;       /* after relu */
    float *hidden_slope; /* of the loss by what relu gets */
    float *output;       /* probabilities, then the slope of the loss by what softmax gets */
    int *label;
};

/* Rank 0 only. Prints help or what is wrong. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Zeroed memory; ends all ranks when there is none. */
void *allocate(size_t count, size_t size);

/* A number from -1 to below 1 that depends on its two arguments alone. */
float random_number(uint64_t stream, uint64_t index);

/* All ranks make the same model. */
void model_make(struct model *model, const struct options *options);

void model_free(struct model *model);

void batch_make(struct batch *batch, const struct model *model, const struct options *options);

void batch_free(struct batch *batch);

/* Makes the samples `first`, `first` + 1, ...; any rank would make the same ones. */
void batch_fill(struct batch *batch, const struct model *model, uint64_t first);

/* Writes the gradient of the batch's loss, and returns that loss: a sum over the samples. */
float model_gradient(const struct model *model, struct batch *batch, float *gradient);

/* parameter -= rate x gradient */
void model_step(struct model *model, float rate, const float *gradient);

#endif
