/* Algorithms and values of their parameters as texts, as rules of the user have them. */
#include "algorithms/algorithm.h"

#include <stdio.h>

#include "util/sizes.h"

void allfold_parameter_write(const struct allfold_parameter *parameter, size_t value, char *text,
                             size_t text_bytes)
{
    const struct allfold_algorithm *inner = allfold_inner(parameter, value);
    if (inner != NULL)
        snprintf(text, text_bytes, "%s", inner->name);
    else
        allfold_size_write_exact(value, text, text_bytes);
}

void allfold_algorithm_write(const struct allfold_algorithm *algorithm,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes)
{
    int at = snprintf(text, text_bytes, "%s", algorithm == NULL ? "native" : algorithm->name);
    const char *before = "(";
    for (int i = 0; algorithm != NULL && algorithm->parameters[i].name != NULL; i++) {
        char value[64];
        if (parameters->value[i] == allfold_parameter_preset(&algorithm->parameters[i]))
            continue;
        allfold_parameter_write(&algorithm->parameters[i], parameters->value[i], value,
                                sizeof value);
        if (at >= 0 && (size_t)at < text_bytes)
            at += snprintf(text + at, text_bytes - (size_t)at, "%s%s=%s", before,
                           algorithm->parameters[i].name, value);
        before = ",";
    }
    if (*before == ',' && at >= 0 && (size_t)at < text_bytes)
        snprintf(text + at, text_bytes - (size_t)at, ")");
}
