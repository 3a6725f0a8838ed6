/* Sizes as people write them (see sizes.h). */
#include "util/sizes.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char units[] = "KMGT";

bool allfold_size_read(const char *text, size_t *size, const char **end)
{
    size_t value = 0;
    const char *at = text;
    for (; isdigit((unsigned char)*at); at++) {
        const size_t digit = (size_t)(*at - '0');
        if (value > (SIZE_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (at == text)
        return false;
    const char *unit = *at == '\0' ? NULL : strchr(units, toupper((unsigned char)*at));
    for (const char *u = units; unit != NULL && u <= unit; u++) {
        if (value > SIZE_MAX / 1024)
            return false;
        value *= 1024;
    }
    *size = value;
    *end = unit == NULL ? at : at + 1;
    return true;
}

/* Whole numbers only, so that no locale has a say in it. */
void allfold_size_write(size_t size, char *text, size_t text_bytes)
{
    size_t unit = 1;
    const char *name = "";
    for (const char *u = units; *u != '\0' && size / unit >= 1024; u++) {
        unit *= 1024;
        name = u;
    }
    const size_t rest = size % unit;
    const size_t tenths = (rest * 10 + unit / 2) / unit;
    const size_t whole = size / unit + tenths / 10;
    if (rest == 0)
        snprintf(text, text_bytes, "%zu%.1s", whole, name);
    else if (whole == 1024 && name[1] != '\0') /* rounded up to the next unit */
        snprintf(text, text_bytes, "1.0%.1s", name + 1);
    else
        snprintf(text, text_bytes, "%zu.%zu%.1s", whole, tenths % 10, name);
}

void allfold_size_write_exact(size_t size, char *text, size_t text_bytes)
{
    const char *name = "";
    for (const char *u = units; *u != '\0' && size >= 1024 && size % 1024 == 0; u++) {
        size /= 1024;
        name = u;
    }
    snprintf(text, text_bytes, "%zu%.1s", size, name);
}
