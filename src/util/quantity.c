/* Numbers with units (see quantity.h). */
#include "util/quantity.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"

const struct allfold_unit allfold_time_units[] = {{"s", 1},     {"ms", 1e-3},  {"us", 1e-6},
                                                  {"ns", 1e-9}, {"ps", 1e-12}, {NULL, 0}};
const struct allfold_unit allfold_rate_units[] = {
    {"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}, {"B/s", 1}, {NULL, 0}};
const struct allfold_unit allfold_bit_rate_units[] = {{"Gbit/s", 1e3}, {"Mbit/s", 1}, {NULL, 0}};
const struct allfold_unit allfold_no_units[] = {{"", 1}, {NULL, 0}};

/* Not isalpha, which obeys the locale. */
static bool is_of_unit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '/';
}

/* Reads the unit's power of ten; false if it is not a unit. */
static bool find_exponent(const struct allfold_unit *unit, int *exponent)
{
    static const double powers[] = {1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9};
    for (int i = 0; i < (int)(sizeof powers / sizeof *powers); i++)
        if (unit->value >= powers[i] && unit->value <= powers[i]) {
            *exponent = 3 * i - 12;
            return true;
        }
    return false;
}

/* Read as 0.2e-6, 0.2 us are the double next to 2e-7 s; multiplied by that of 1e-6 they are not. */
static double in_base(const char *digits, size_t length, double number,
                      const struct allfold_unit *unit)
{
    char text[64];
    const char *end;
    double value;
    int exponent;
    if (find_exponent(unit, &exponent) && memchr(digits, 'e', length) == NULL &&
        memchr(digits, 'E', length) == NULL && length < sizeof text - 8) {
        snprintf(text, sizeof text, "%.*se%d", (int)length, digits, exponent);
        if (allfold_number_read(text, &value, &end) && *end == '\0')
            return value;
    }
    return number * unit->value;
}

bool allfold_quantity_read(const char *text, const struct allfold_unit *units, double *value,
                           const char **end)
{
    const char *at;
    double number;
    if (*text == '-' || *text == '.' || !allfold_number_read(text, &number, &at))
        return false;
    size_t word = 0;
    while (is_of_unit(at[word]))
        word++;
    *end = at + word;
    *value = 0;
    if (word == 0 && number <= 0)
        return true;
    for (; units->name != NULL; units++) {
        if (strlen(units->name) != word || strncmp(units->name, at, word) != 0)
            continue;
        *value = in_base(text, (size_t)(at - text), number, units);
        return isfinite(*value);
    }
    return false;
}

const struct allfold_unit *allfold_fitting_unit(double value, const struct allfold_unit *units)
{
    while (value < units->value && units[1].name != NULL)
        units++;
    return units;
}

/* As precisely as to read it back as the same double: powers of ten up to 10^12 are exact. */
static long double in_unit(double value, const struct allfold_unit *unit)
{
    int exponent;
    long double power = 1;
    if (!find_exponent(unit, &exponent))
        return (long double)value / unit->value;
    for (int i = 0; i < abs(exponent); i++)
        power *= 10;
    return exponent < 0 ? value * power : value / power;
}

void allfold_quantity_write(double value, const struct allfold_unit *units, char *text,
                            size_t text_bytes)
{
    enum { MOST_DIGITS = 18, MOST_WHOLE = 6 };
    const struct allfold_unit *unit = allfold_fitting_unit(value, units);
    if (value <= 0) {
        snprintf(text, text_bytes, "0");
        return;
    }
    /* with as many digits as there are before the point there is no exponent */
    const long double number = in_unit(value, unit);
    int whole = 1;
    for (long double bound = 10; number >= bound && whole < MOST_WHOLE; bound *= 10)
        whole++;
    const locale_t before = allfold_numbers_plain();
    for (int precision = whole; precision <= MOST_DIGITS; precision++) {
        double back;
        const char *end;
        snprintf(text, text_bytes, "%.*Lg%s", precision, number, unit->name);
        if (allfold_quantity_read(text, units, &back, &end) && fabs(back - value) <= 0)
            break;
    }
    allfold_numbers_restore(before);
}

bool allfold_duration_read(const char *text, size_t length, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const double most_s = 7 * 86400;
    char copy[32];
    const char *unit;
    double number;
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (!allfold_number_read(copy, &number, &unit))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const double value = number * units[i].seconds;
        if (strcmp(units[i].name, unit) != 0 || !(value > 0 && value <= most_s))
            continue;
        *seconds = value;
        return true;
    }
    return false;
}

static const char size_units[] = "KMGT";

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
    const char *unit = *at == '\0' ? NULL : strchr(size_units, toupper((unsigned char)*at));
    for (const char *u = size_units; unit != NULL && u <= unit; u++) {
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
    for (const char *u = size_units; *u != '\0' && size / unit >= 1024; u++) {
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
    for (const char *u = size_units; *u != '\0' && size >= 1024 && size % 1024 == 0; u++) {
        size /= 1024;
        name = u;
    }
    snprintf(text, text_bytes, "%zu%.1s", size, name);
}
