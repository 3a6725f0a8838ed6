/* The data pattern of measured vectors (see pattern.h). */
#include "lab/measure/pattern.h"

#include <complex.h>
#include <stdio.h>
#include <string.h>

enum { LENGTH = ALLFOLD_PATTERN_LENGTH };

bool allfold_pattern_has(enum allfold_type type)
{
    return type <= ALLFOLD_UINT64 || type == ALLFOLD_BYTE || type == ALLFOLD_FLOAT ||
           type == ALLFOLD_DOUBLE || type == ALLFOLD_COMPLEX_FLOAT ||
           type == ALLFOLD_COMPLEX_DOUBLE;
}

/* Integers as their lowest bytes, which are the first ones on the machines that we build for. */
static void put(enum allfold_type type, int value, void *element)
{
    const int64_t integer = value;
    const float single = (float)value;
    const double number = value;
    const float complex single_complex = single;
    const double complex number_complex = number;
    const void *from = type == ALLFOLD_FLOAT            ? (const void *)&single
                       : type == ALLFOLD_DOUBLE         ? (const void *)&number
                       : type == ALLFOLD_COMPLEX_FLOAT  ? (const void *)&single_complex
                       : type == ALLFOLD_COMPLEX_DOUBLE ? (const void *)&number_complex
                                                        : (const void *)&integer;
    memcpy(element, from, allfold_type_bytes(type));
}

void allfold_pattern_make(enum allfold_type type, enum allfold_operation operation, void *table)
{
    const size_t bytes = allfold_type_bytes(type);
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < LENGTH; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const int random = (int)(state >> 40 & 127);
        const int value = operation == ALLFOLD_SUM    ? random & 15
                          : operation == ALLFOLD_PROD ? 1 + (random < 2)
                                                      : random;
        put(type, value, (char *)table + i * bytes);
    }
}

size_t allfold_pattern_offset(int rank, uint64_t call)
{
    const uint64_t ranks_a_call = 390; /* no few calls come near a multiple of LENGTH */
    return (size_t)(((uint64_t)rank + call % LENGTH * ranks_a_call) * 37 % LENGTH);
}

bool allfold_pattern_varies(const void *table, size_t element_bytes)
{
    const size_t step = allfold_pattern_offset(0, 1);
    size_t alike = 0;
    for (size_t i = 0; i < LENGTH; i++)
        alike +=
            memcmp((const char *)table + i * element_bytes,
                   (const char *)table + (i + step) % LENGTH * element_bytes, element_bytes) == 0;
    return alike < LENGTH / 4;
}

void allfold_pattern_fill(const void *table, size_t element_bytes, size_t offset, void *elements,
                          size_t count)
{
    char *to = elements;
    for (size_t done = 0; done < count;) {
        const size_t rest = LENGTH - (offset + done) % LENGTH;
        const size_t now = rest < count - done ? rest : count - done;
        memcpy(to + done * element_bytes,
               (const char *)table + (offset + done) % LENGTH * element_bytes, now * element_bytes);
        done += now;
    }
}

static size_t first_difference(const char *left, const char *right, size_t element_bytes)
{
    size_t i = 0;
    while (memcmp(left + i * element_bytes, right + i * element_bytes, element_bytes) == 0)
        i++;
    return i;
}

size_t allfold_pattern_differs(const void *table, size_t element_bytes, size_t offset,
                               const void *elements, size_t count)
{
    const char *from = elements;
    for (size_t done = 0; done < count;) {
        const size_t rest = LENGTH - (offset + done) % LENGTH;
        const size_t now = rest < count - done ? rest : count - done;
        const char *expected = (const char *)table + (offset + done) % LENGTH * element_bytes;
        if (memcmp(from, expected, now * element_bytes) != 0)
            return done + first_difference(from, expected, element_bytes);
        from += now * element_bytes;
        done += now;
    }
    return count;
}

void allfold_pattern_print(enum allfold_type type, const void *element, char *text,
                           size_t text_bytes)
{
    int64_t integer = 0;
    float single[2] = {0};
    double number[2] = {0};
    const size_t bytes = allfold_type_bytes(type);
    if (type == ALLFOLD_FLOAT || type == ALLFOLD_COMPLEX_FLOAT)
        memcpy(single, element, bytes);
    else if (type == ALLFOLD_DOUBLE || type == ALLFOLD_COMPLEX_DOUBLE)
        memcpy(number, element, bytes);
    else
        memcpy(&integer, element, bytes);
    if (type == ALLFOLD_COMPLEX_FLOAT || type == ALLFOLD_COMPLEX_DOUBLE)
        snprintf(text, text_bytes, "(%g, %g)", single[0] + number[0], single[1] + number[1]);
    else if (type == ALLFOLD_FLOAT || type == ALLFOLD_DOUBLE)
        snprintf(text, text_bytes, "%g", single[0] + number[0]);
    else
        snprintf(text, text_bytes, "%lld", (long long)integer);
}
