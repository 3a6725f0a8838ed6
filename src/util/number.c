/* Numbers without the program's locale (see number.h). */
#include "util/number.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "C" for all categories is a constant of the C library: it takes no memory and is never freed. */
static locale_t plain_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Not isdigit: which bytes are digits or letters is the locale's to say, too. */
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits(const char *text)
{
    size_t length = 0;
    while (is_digit(text[length]))
        length++;
    return length;
}

/* Returns the number of characters of the number; 0 if there is none. */
static size_t number_length(const char *text)
{
    const size_t sign = *text == '-';
    const size_t whole = digits(text + sign);
    size_t length = sign + whole;
    if (text[length] == '.' && whole + digits(text + length + 1) > 0)
        length += 1 + digits(text + length + 1);
    else if (whole == 0)
        return 0;
    if (text[length] != 'e' && text[length] != 'E')
        return length;
    const size_t exponent_sign = text[length + 1] == '-' || text[length + 1] == '+';
    const size_t exponent = digits(text + length + 1 + exponent_sign);
    return exponent > 0 ? length + 1 + exponent_sign + exponent : length;
}

/* strtod_l may read further than the number that we take ("0x1" is 0 to us), so it gets a copy. */
bool allfold_number_read(const char *text, double *value, const char **end)
{
    char copy[64];
    const size_t length = number_length(text);
    const locale_t plain = plain_locale();
    if (length == 0 || length >= sizeof copy || plain == (locale_t)0)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *stop;
    const double number = strtod_l(copy, &stop, plain);
    assert(stop == copy + length); /* all of what we take for a number is one */
    if (!isfinite(number))
        return false;
    *value = number;
    *end = text + length;
    return true;
}

bool allfold_number_is(const char *text, double *value)
{
    const char *end;
    double number;
    if (!allfold_number_read(text, &number, &end) || *end != '\0')
        return false;
    *value = number;
    return true;
}

bool allfold_whole_read(const char *text, long least, long most, long *value, const char **end)
{
    const bool is_negative = *text == '-';
    const char *at = text + is_negative;
    long number = 0; /* kept negative, as there is one more of these */
    if (!is_digit(*at))
        return false;
    for (; is_digit(*at); at++) {
        const int digit = *at - '0';
        if (number < (LONG_MIN + digit) / 10)
            return false;
        number = number * 10 - digit;
    }
    if (!is_negative && number == LONG_MIN)
        return false;
    number = is_negative ? number : -number;
    if (number < least || number > most)
        return false;
    *value = number;
    *end = at;
    return true;
}

bool allfold_whole_is(const char *text, long least, long most, long *value)
{
    const char *end;
    long number;
    if (!allfold_whole_read(text, least, most, &number, &end) || *end != '\0')
        return false;
    *value = number;
    return true;
}

locale_t allfold_numbers_plain(void)
{
    const locale_t plain = plain_locale();
    return uselocale(plain); /* 0 would only ask */
}

void allfold_numbers_restore(locale_t before)
{
    uselocale(before);
}
