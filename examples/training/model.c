/* The network, and its gradient by backpropagation: Goodfellow, Bengio, Courville, "Deep Learning",
 * section 6.5. The loops over a row of weights access consecutive memory, so that the compiler
 * vectorizes them. They add in a fixed order, so that the results of all runs are bitwise
 * identical. */
#include "training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INITIAL = 1 }; /* stream of random numbers */

static size_t layer_make(struct layer *layer, size_t inputs, size_t outputs, size_t begin)
{
    layer->inputs = inputs;
    layer->outputs = outputs;
    layer->weights = begin;
    layer->biases = begin + inputs * outputs;
    return layer->biases + outputs;
}

/* He et al., "Delving Deep into Rectifiers": the variance of a weight is 2 / inputs. */
static void draw_weights(const struct model *model, const struct layer *layer)
{
    float scale = sqrtf(6.0F / (float)layer->inputs);
    for (size_t i = layer->weights; i < layer->biases; i++)
        model->parameter[i] = scale * random_number(INITIAL, i);
}

void model_make(struct model *model, const struct options *options)
{
    size_t hidden = (size_t)options->hidden;
    size_t end = layer_make(&model->first, (size_t)options->inputs, hidden, 0);
    model->parameters = layer_make(&model->second, hidden, CLASSES, end);
    model->parameter = allocate(model->parameters, sizeof(float));
    draw_weights(model, &model->first);
    draw_weights(model, &model->second);
}

void model_free(struct model *model)
{
    free(model->parameter);
}

/* y += a x */
static void add_scaled(size_t count, float a, const float *restrict x, float *restrict y)
{
    for (size_t i = 0; i < count; i++)
        y[i] += a * x[i];
}

/* output = input W + b. Each row of W is read once for all samples. */
static void forward(const struct model *model, const struct layer *layer, size_t samples,
                    const float *input, float *output)
{
    size_t width = layer->outputs;
    for (size_t s = 0; s < samples; s++)
        memcpy(output + s * width, model->parameter + layer->biases, width * sizeof(float));
    for (size_t i = 0; i < layer->inputs; i++) {
        const float *row = model->parameter + layer->weights + i * width;
        for (size_t s = 0; s < samples; s++)
            add_scaled(width, input[s * layer->inputs + i], row, output + s * width);
    }
}

/* The gradient of a layer's parameters, of the slopes of the loss by the layer's outputs. */
static void gradient_of(const struct layer *layer, size_t samples, const float *input,
                        const float *slope, float *gradient)
{
    size_t width = layer->outputs;
    for (size_t i = 0; i < layer->inputs; i++) {
        float *row = gradient + layer->weights + i * width;
        for (size_t j = 0; j < width; j++)
            row[j] = input[i] * slope[j];
        for (size_t s = 1; s < samples; s++)
            add_scaled(width, input[s * layer->inputs + i], slope + s * width, row);
    }
    float *biases = gradient + layer->biases;
    memcpy(biases, slope, width * sizeof(float));
    for (size_t s = 1; s < samples; s++)
        add_scaled(width, 1.0F, slope + s * width, biases);
}

/* Slopes by a layer's inputs, which are relu's outputs: where relu gave 0, it stops them. */
static void backward(const struct model *model, const struct layer *layer, size_t samples,
                     const float *slope, const float *input, float *input_slope)
{
    size_t width = layer->outputs;
    for (size_t s = 0; s < samples; s++) {
        for (size_t i = 0; i < layer->inputs; i++) {
            const float *row = model->parameter + layer->weights + i * width;
            float sum = 0.0F;
            for (size_t j = 0; j < width; j++)
                sum += row[j] * slope[s * width + j];
            input_slope[s * layer->inputs + i] = input[s * layer->inputs + i] > 0.0F ? sum : 0.0F;
        }
    }
}

/* Turns the outputs into the loss's slopes by them; the loss, cross-entropy, is returned. */
static float softmax(float *output, int label)
{
    float largest = output[0];
    float sum = 0.0F;
    for (int c = 1; c < CLASSES; c++)
        largest = output[c] > largest ? output[c] : largest;
    float wanted = output[label] - largest;
    for (int c = 0; c < CLASSES; c++) {
        output[c] = expf(output[c] - largest);
        sum += output[c];
    }
    for (int c = 0; c < CLASSES; c++)
        output[c] /= sum;
    output[label] -= 1.0F;
    return logf(sum) - wanted;
}

float model_gradient(const struct model *model, struct batch *batch, float *gradient)
{
    size_t samples = batch->samples;
    float loss = 0.0F;
    forward(model, &model->first, samples, batch->input, batch->hidden);
    for (size_t i = 0; i < samples * model->first.outputs; i++)
        batch->hidden[i] = batch->hidden[i] > 0.0F ? batch->hidden[i] : 0.0F;
    forward(model, &model->second, samples, batch->hidden, batch->output);
    for (size_t s = 0; s < samples; s++)
        loss += softmax(batch->output + s * CLASSES, batch->label[s]);
    backward(model, &model->second, samples, batch->output, batch->hidden, batch->hidden_slope);
    gradient_of(&model->second, samples, batch->hidden, batch->output, gradient);
    gradient_of(&model->first, samples, batch->input, batch->hidden_slope, gradient);
    return loss;
}

void model_step(struct model *model, float rate, const float *gradient)
{
    add_scaled(model->parameters, -rate, gradient, model->parameter);
}
