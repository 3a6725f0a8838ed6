/* A parser for texts with one setting on each line, in which `#` starts a comment. Error messages
 * name the line. */
#ifndef ALLFOLD_LAB_NETWORK_TEXT_READER_H
#define ALLFOLD_LAB_NETWORK_TEXT_READER_H

#include "allfold_core.h"
#include "util/quantity.h"

/* The state of the parser. */
struct allfold_text_reader {
    const char *at; /* the next character */
    int line;       /* the number of the current line */
    char *message;  /* buffer for error messages */
    size_t message_bytes;
};

/* Skips blanks and tabs. */
void allfold_text_skip_blanks(struct allfold_text_reader *reader);

/* Skips blanks and returns whether the line or its part before a comment ends. */
bool allfold_text_at_end_of_line(struct allfold_text_reader *reader);

/* Writes an error message that quotes the next word of the text and says what was expected. Returns
 * ALLFOLD_BAD_INPUT. */
enum allfold_error allfold_text_error_expected(struct allfold_text_reader *reader, const char *what,
                                               const char *expected);

/* Writes an error message with the number of the line. Returns ALLFOLD_BAD_INPUT. */
enum allfold_error allfold_text_error(struct allfold_text_reader *reader, const char *words);

/* Skips blanks, and then the character c. Returns false if c is not next. */
bool allfold_text_take(struct allfold_text_reader *reader, char c);

/* Skips blanks, and then the next word if it is one of `count` names. Returns its index in `names`;
 * `count` if there is no such word. */
int allfold_text_take_word(struct allfold_text_reader *reader, const char *const *names, int count);

/* Reads a number with a unit, such as 5GB/s, that is at least `least`. Returns ALLFOLD_OK, or
 * ALLFOLD_BAD_INPUT with a message; `what` is the name of the setting. */
enum allfold_error allfold_text_quantity(struct allfold_text_reader *reader, const char *what,
                                         const struct allfold_unit *units, const char *expected,
                                         double least, double *value);
/* Reads an integer from `least` to `most`. Returns as allfold_text_quantity. */
enum allfold_error allfold_text_integer(struct allfold_text_reader *reader, const char *what,
                                        int least, int most, int *value);
/* Reads 0 or 1. Returns as allfold_text_quantity. */
enum allfold_error allfold_text_switch(struct allfold_text_reader *reader, const char *what,
                                       bool *value);

#endif
