/* Reading texts of one setting a line, `#` begins a comment. What is wrong is said with its line.
 */
#ifndef ALLFOLD_LAB_NETWORK_TEXT_READER_H
#define ALLFOLD_LAB_NETWORK_TEXT_READER_H

#include "allfold_core.h"
#include "util/quantity.h"

/* Where reading is, and where to say what is wrong. */
struct allfold_text_reader {
    const char *at;
    int line;
    char *message;
    size_t message_bytes;
};

void allfold_text_skip_blanks(struct allfold_text_reader *reader);
bool allfold_text_at_end_of_line(struct allfold_text_reader *reader);

/* Both give ALLFOLD_BAD_INPUT; the first names what stands where reading is. */
enum allfold_error allfold_text_error_expected(struct allfold_text_reader *reader, const char *what,
                                               const char *expected);
enum allfold_error allfold_text_error(struct allfold_text_reader *reader, const char *words);

/* Skips that character, if it is next. */
bool allfold_text_take(struct allfold_text_reader *reader, char c);

/* The number of the word in a list of names, which is skipped; or `count`. */
int allfold_text_take_word(struct allfold_text_reader *reader, const char *const *names, int count);

enum allfold_error allfold_text_quantity(struct allfold_text_reader *reader, const char *what,
                                         const struct allfold_unit *units, const char *expected,
                                         double least, double *value);
enum allfold_error allfold_text_integer(struct allfold_text_reader *reader, const char *what,
                                        int least, int most, int *value);
enum allfold_error allfold_text_switch(struct allfold_text_reader *reader, const char *what,
                                       bool *value);

#endif
