/* Lists of sizes as people write them: parts with commas between them, each a size (see
 * util/quantity.h) or a range.
 *
 *     8:1M            powers of 2 times the first: 8, 16, ... up to the last at most
 *     8:1M:x10        times 10 each
 *     8,100,4K:64K    whatever is wanted */
#ifndef ALLFOLD_LAB_MEASURE_SIZE_LIST_H
#define ALLFOLD_LAB_MEASURE_SIZE_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_SIZE_LIST = 128 };

struct allfold_size_list {
    int count;
    size_t sizes[ALLFOLD_SIZE_LIST];
};

/* False with a message that says which part is wrong, and what would be right. */
bool allfold_size_list_read(const char *text, struct allfold_size_list *list, char *message,
                            size_t message_bytes);

#endif
