/* Compares a part of a text, which no zero byte ends, with a word. */
#ifndef ALLFOLD_UTIL_WORD_H
#define ALLFOLD_UTIL_WORD_H

#include <stdbool.h>
#include <string.h>

/* Returns whether the first `length` characters of `text` are exactly `word`. */
static inline bool allfold_is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(word, text, length) == 0;
}

#endif
