/* A word of a text, which no 0 byte ends. */
#ifndef ALLFOLD_UTIL_WORD_H
#define ALLFOLD_UTIL_WORD_H

#include <stdbool.h>
#include <string.h>

/* Are the `length` characters at `text` that word? */
static inline bool allfold_is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

#endif
