/* Parses lists of message sizes. Items are separated by commas; an item is a size (see
 * util/quantity.h) or a range:
 *
 *     8:1M            8, 16, 32, ... up to 1M
 *     8:1M:x10        8, 80, 800, ... up to 1M
 *     8,100,4K:64K    sizes and ranges together */
#ifndef ALLFOLD_LAB_MEASURE_SIZE_LIST_H
#define ALLFOLD_LAB_MEASURE_SIZE_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_SIZE_LIST = 128 };

struct allfold_size_list {
    int count;
    size_t sizes[ALLFOLD_SIZE_LIST];
};

/* Reads `text`. Returns false if an item is wrong; the message names it and what was expected. */
bool allfold_size_list_read(const char *text, struct allfold_size_list *list, char *message,
                            size_t message_bytes);

#endif
