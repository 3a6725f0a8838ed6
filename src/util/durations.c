/* Durations as people write them (see durations.h). */
#include "util/durations.h"

#include <stdlib.h>
#include <string.h>

bool allfold_duration_read(const char *text, size_t length, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    const double most_s = 7 * 86400;
    char copy[32], *end;
    if (length == 0 || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const double number = strtod(copy, &end);
    for (size_t i = 0; end != copy && i < sizeof units / sizeof *units; i++) {
        const double value = number * units[i].seconds;
        if (strcmp(units[i].name, end) != 0 || !(value > 0 && value <= most_s))
            continue;
        *seconds = value;
        return true;
    }
    return false;
}
