/* The example training: data-parallel stochastic gradient descent on a network with one hidden
 * layer.
 *
 * Every rank has the whole network and its own samples. In each step it computes their gradient, an
 * allreduce adds the gradients of all ranks, and all ranks make the same update. At the end, the
 * program checks that the loss fell and that all ranks have bitwise identical weights.
 *
 * The allreduce sends 4 bytes for each parameter, however small the batch of a rank is. The more
 * ranks share a batch, the larger is the part of the time that is spent in reductions. The batches
 * per rank are small here, as in training on many machines. */
#include "training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct result {
    double first_loss;        /* of a sample, mean of the first steps */
    double last_loss;         /* the same of the last ones */
    double norm;              /* 2-norm of the parameters */
    bool same;                /* all ranks have the same parameters */
    double seconds;           /* of the slowest rank: all steps, */
    double allreduce_seconds; /* and of these in allreduce */
};

void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        fprintf(stderr, "training: no memory for %zu x %zu bytes\n", count, size);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory;
}

static void *allocate_gradient(const struct options *options, size_t count)
{
    void *memory = NULL;
    if (!options->alloc_mem)
        return allocate(count, sizeof(float));
    /* MPI's preset error handler ends all ranks where there is none. */
    MPI_Alloc_mem((MPI_Aint)(count * sizeof(float)), MPI_INFO_NULL, &memory);
    return memory;
}

static void free_gradient(const struct options *options, void *memory)
{
    if (options->alloc_mem)
        MPI_Free_mem(memory);
    else
        free(memory);
}

/* Collective: goes one step; the loss of a sample in it. The loss travels behind the gradient. */
static double advance(const struct options *options, struct model *model, struct batch *batch,
                      float *gradient, int step, double *allreduce_seconds)
{
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int samples = options->batch * size;
    batch_fill(batch, model, (uint64_t)step * (uint64_t)samples + (uint64_t)rank * batch->samples);
    gradient[model->parameters] = model_gradient(model, batch, gradient);
    double start = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, gradient, (int)model->parameters + 1, MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    *allreduce_seconds += MPI_Wtime() - start;
    model_step(model, (float)options->rate / (float)samples, gradient);
    return gradient[model->parameters] / (float)samples;
}

/* Collective: whether all ranks have the same parameters, by a hash of their bits (FNV-1a). */
static bool same_everywhere(const struct model *model)
{
    uint64_t hash = 0xcbf29ce484222325U;
    uint64_t bounds[2];
    const unsigned char *byte = (const unsigned char *)model->parameter;
    for (size_t i = 0; i < model->parameters * sizeof(float); i++)
        hash = (hash ^ byte[i]) * 0x100000001b3U;
    MPI_Allreduce(&hash, &bounds[0], 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&hash, &bounds[1], 1, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return bounds[0] == bounds[1];
}

static struct result run(const struct options *options, struct model *model)
{
    struct result result = {0};
    struct batch batch;
    int ends = (options->steps + 9) / 10; /* the loss of a step is noisy: a mean of a tenth */
    model_make(model, options);
    batch_make(&batch, model, options);
    float *gradient = allocate_gradient(options, model->parameters + 1);
    double seconds[2] = {0.0, 0.0};
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int step = 0; step < options->steps; step++) {
        double loss = advance(options, model, &batch, gradient, step, &seconds[1]);
        result.first_loss += step < ends ? loss / ends : 0.0;
        result.last_loss += step >= options->steps - ends ? loss / ends : 0.0;
    }
    seconds[0] = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    result.seconds = seconds[0];
    result.allreduce_seconds = seconds[1];
    result.same = same_everywhere(model);
    for (size_t i = 0; i < model->parameters; i++)
        result.norm += (double)model->parameter[i] * (double)model->parameter[i];
    result.norm = sqrt(result.norm);
    free_gradient(options, gradient);
    batch_free(&batch);
    return result;
}

static void print_result(const struct options *options, const struct model *model,
                         const struct result *result)
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("network: %d x %d x %d\n", options->inputs, options->hidden, CLASSES);
    printf("parameters: %zu\n", model->parameters);
    printf("ranks: %d\n", size);
    printf("samples a step: %d\n", size * options->batch);
    printf("steps: %d\n", options->steps);
    printf("MB an allreduce: %.1f\n", 1e-6 * (double)((model->parameters + 1) * sizeof(float)));
    printf("first loss: %.6f\n", result->first_loss);
    printf("last loss: %.6f\n", result->last_loss);
    printf("seconds total: %.6f\n", result->seconds);
    printf("seconds in allreduce: %.6f\n", result->allreduce_seconds);
    printf("checksum: %.11e\n", result->norm);
}

/* Prints on rank 0 what is wrong with the result; false if something is. */
static bool judge(const struct options *options, const struct result *result, int rank)
{
    bool fell = options->steps == 1 || result->last_loss < result->first_loss; /* not with a NaN */
    bool good = result->same && fell;
    if (rank != 0)
        return good;
    printf("result: %s\n", good ? "passed" : "failed");
    fflush(stdout);
    if (!result->same)
        fprintf(stderr, "training: the ranks ended with different parameters: "
                        "an allreduce gave them different sums\n");
    if (!fell)
        fprintf(stderr,
                "training: the loss did not fall: %g in the first steps, %g in the last; try a "
                "smaller --rate or more --steps\n",
                result->first_loss, result->last_loss);
    return good;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    int parsed = PARSED_RUN;
    struct options options = {0};
    struct model model = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        parsed = (int)options_parse(argc, argv, &options);
    MPI_Bcast(&parsed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    bool good = parsed == PARSED_HELP;
    if (parsed == PARSED_RUN) {
        MPI_Bcast(&options, (int)sizeof options, MPI_BYTE, 0, MPI_COMM_WORLD);
        struct result result = run(&options, &model);
        if (rank == 0)
            print_result(&options, &model, &result);
        good = judge(&options, &result, rank);
        model_free(&model);
    }
    MPI_Finalize();
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
