/* The samples. The center of each class is far from the others, and the samples of a class are
 * around its center. A sample depends only on its number, so any number of ranks trains on the same
 * samples. */
#include "training.h"

#include <math.h>
#include <stdlib.h>

enum { CENTERS = 2, SAMPLES = 3 }; /* streams of random numbers; SAMPLES and above: one a sample */

/* Steele, Lea, Flood, "Fast splittable pseudorandom number generators": SplitMix64 */
static uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15U;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
    return value ^ (value >> 31);
}

float random_number(uint64_t stream, uint64_t index)
{
    return (float)(int32_t)(mix(mix(stream) + index) >> 40) * 0x1p-23F - 1.0F;
}

void batch_make(struct batch *batch, const struct model *model, const struct options *options)
{
    size_t samples = (size_t)options->batch;
    batch->samples = samples;
    batch->input = allocate(samples * model->first.inputs, sizeof(float));
    batch->hidden = allocate(samples * model->first.outputs, sizeof(float));
    batch->hidden_slope = allocate(samples * model->first.outputs, sizeof(float));
    batch->output = allocate(samples * CLASSES, sizeof(float));
    batch->label = allocate(samples, sizeof(int));
}

void batch_free(struct batch *batch)
{
    free(batch->input);
    free(batch->hidden);
    free(batch->hidden_slope);
    free(batch->output);
    free(batch->label);
}

void batch_fill(struct batch *batch, const struct model *model, uint64_t first)
{
    size_t inputs = model->first.inputs;
    float scale = 1.0F / sqrtf((float)inputs);
    for (size_t s = 0; s < batch->samples; s++) {
        uint64_t label = (first + s) % CLASSES;
        for (size_t i = 0; i < inputs; i++)
            batch->input[s * inputs + i] = scale * (random_number(CENTERS, label * inputs + i) +
                                                    2.0F * random_number(SAMPLES + first + s, i));
        batch->label[s] = (int)label;
    }
}
