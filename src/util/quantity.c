/* Quantities (see quantity.h). */
#include "util/quantity.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct allfold_unit allfold_time_units[] = {{"s", 1},     {"ms", 1e-3},  {"us", 1e-6},
                                                  {"ns", 1e-9}, {"ps", 1e-12}, {NULL, 0}};
const struct allfold_unit allfold_rate_units[] = {
    {"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {"B/s", 1}, {NULL, 0}};
const struct allfold_unit allfold_no_units[] = {{"", 1}, {NULL, 0}};

static size_t digits(const char *text)
{
    size_t length = 0;
    while (isdigit((unsigned char)text[length]))
        length++;
    return length;
}

/* How many characters are a number: 12, 1.5, 6.2e-9; 0 where there is none. */
static size_t number_length(const char *text)
{
    size_t length = digits(text);
    if (length == 0)
        return 0;
    if (text[length] == '.' && digits(text + length + 1) > 0)
        length += 1 + digits(text + length + 1);
    if (text[length] != 'e')
        return length;
    const size_t sign = text[length + 1] == '-' || text[length + 1] == '+';
    const size_t exponent = digits(text + length + 1 + sign);
    return exponent > 0 ? length + 1 + sign + exponent : length;
}

static bool read_number(const char *text, size_t length, double *number)
{
    char copy[64];
    if (length == 0 || length >= sizeof copy)
        return false;
    const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *number = strtod_l(copy, NULL, plain);
    freelocale(plain);
    return isfinite(*number);
}

bool allfold_quantity_read(const char *text, const struct allfold_unit *units, double *value,
                           const char **end)
{
    const size_t length = number_length(text);
    double number;
    if (!read_number(text, length, &number))
        return false;
    const char *at = text + length;
    size_t word = 0;
    while (isalpha((unsigned char)at[word]) || at[word] == '/')
        word++;
    *end = at + word;
    *value = 0;
    if (word == 0 && number <= 0)
        return true;
    for (; units->name != NULL; units++) {
        if (strlen(units->name) != word || strncmp(units->name, at, word) != 0)
            continue;
        *value = number * units->value;
        return isfinite(*value);
    }
    return false;
}

/* The largest unit of which there is at least one, else the smallest. */
static const struct allfold_unit *fitting(double value, const struct allfold_unit *units)
{
    while (value < units->value && units[1].name != NULL)
        units++;
    return units;
}

void allfold_quantity_write(double value, const struct allfold_unit *units, char *text,
                            size_t text_bytes)
{
    enum { MOST_DIGITS = 18 };
    const struct allfold_unit *unit = fitting(value, units);
    if (value <= 0) {
        snprintf(text, text_bytes, "0");
        return;
    }
    for (int precision = 1; precision <= MOST_DIGITS; precision++) {
        double back;
        const char *end;
        snprintf(text, text_bytes, "%.*g%s", precision, value / unit->value, unit->name);
        char *comma = strchr(text, ','); /* of the locale */
        if (comma != NULL)
            *comma = '.';
        if (allfold_quantity_read(text, units, &back, &end) && fabs(back - value) <= 0)
            return;
    }
}

bool allfold_duration_read(const char *text, size_t length, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const double most_s = 7 * 86400;
    char copy[32];
    double number;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const size_t digits_end = number_length(copy);
    if (!read_number(copy, digits_end, &number))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const double value = number * units[i].seconds;
        if (strcmp(units[i].name, copy + digits_end) != 0 || !(value > 0 && value <= most_s))
            continue;
        *seconds = value;
        return true;
    }
    return false;
}
