/* Parses lists of message sizes (see size_list.h). */
#include "lab/measure/size_list.h"

#include <stdio.h>
#include <string.h>

#include "util/quantity.h"

struct range {
    size_t first, last, factor;
};

/* Reads a part up to a comma or the end; *end is there. */
static bool read_part(const char *text, struct range *range, const char **end)
{
    *range = (struct range){.factor = 2};
    if (!allfold_size_read(text, &range->first, end))
        return false;
    range->last = range->first;
    if (**end == ':' && !allfold_size_read(*end + 1, &range->last, end))
        return false;
    if (strncmp(*end, ":x", 2) == 0 && !allfold_size_read(*end + 2, &range->factor, end))
        return false;
    const bool is_single = range->first == range->last;
    return (**end == ',' || **end == '\0') && range->first <= range->last &&
           (is_single || (range->first > 0 && range->factor > 1));
}

static bool add(struct allfold_size_list *list, const struct range *range)
{
    size_t size = range->first;
    for (;;) {
        if (list->count == ALLFOLD_SIZE_LIST)
            return false;
        list->sizes[list->count++] = size;
        if (size == 0 || size > range->last / range->factor) /* the next would pass the last */
            return true;
        size *= range->factor;
    }
}

bool allfold_size_list_read(const char *text, struct allfold_size_list *list, char *message,
                            size_t message_bytes)
{
    const char *at = text, *end = text;
    struct range range;
    list->count = 0;
    do {
        if (!read_part(at, &range, &end)) {
            snprintf(message, message_bytes,
                     "'%.*s' is no list of sizes; expected one like 8:1M (times 2 each), 8:1M:x10, "
                     "or 8,100,4096",
                     60, at);
            return false;
        }
        if (!add(list, &range)) {
            snprintf(message, message_bytes, "there are more than %d sizes", ALLFOLD_SIZE_LIST);
            return false;
        }
        at = end + 1;
    } while (*end == ',');
    return true;
}
