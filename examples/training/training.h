/* The declarations of the example training: data-parallel training of a neural network.
 *
 * The network has one hidden layer: softmax(W2 relu(W1 x + b1) + b2). All parameters are in one
 * vector, and so is their gradient. One allreduce in each step adds the gradients of all ranks. */
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
    int batch; /* samples per rank and step */
    int steps;
    double rate;
    bool alloc_mem; /* allocate the gradient by MPI_Alloc_mem, not by malloc */
};

/* A layer. Its weights have a row for each input and a column for each output. */
struct layer {
    size_t inputs;
    size_t outputs;
    size_t weights; /* offset of the weights in the vector of parameters */
    size_t biases;  /* offset of the biases there */
};

struct model {
    struct layer first;
    struct layer second;
    size_t parameters;
    float *parameter;
};

/* The memory of a batch: one row for each sample. */
struct batch {
    size_t samples;
    float *input;
    float *hidden;       /* after relu */
    float *hidden_slope; /* the gradient of the loss with respect to the input of relu */
    float *output; /* probabilities; then the gradient of the loss with respect to the input of
                      softmax */
    int *label;
};

/* Parses the command line; prints help if requested, or an error. Rank 0 only. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Allocates zeroed memory. Aborts all ranks if out of memory. */
void *allocate(size_t count, size_t size);

/* Returns a pseudo-random number in [-1, 1) that depends only on the arguments. */
float random_number(uint64_t stream, uint64_t index);

/* Initializes the model, which is the same on all ranks. */
void model_make(struct model *model, const struct options *options);

void model_free(struct model *model);

void batch_make(struct batch *batch, const struct model *model, const struct options *options);

void batch_free(struct batch *batch);

/* Generates the samples `first`, `first` + 1, ... They do not depend on the rank. */
void batch_fill(struct batch *batch, const struct model *model, uint64_t first);

/* Computes the gradient of the loss of a batch. Returns the loss, summed over the samples. */
float model_gradient(const struct model *model, struct batch *batch, float *gradient);

/* Updates the parameters: parameter -= rate x gradient. */
void model_step(struct model *model, float rate, const float *gradient);

#endif
