/* The parser of networks' texts (see text_reader.h). */
#include "lab/network/text_reader.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void allfold_text_skip_blanks(struct allfold_text_reader *reader)
{
    reader->at += strspn(reader->at, " \t\r");
}

bool allfold_text_at_end_of_line(struct allfold_text_reader *reader)
{
    allfold_text_skip_blanks(reader);
    return *reader->at == '\0' || *reader->at == '\n' || *reader->at == '#';
}

enum allfold_error allfold_text_error_expected(struct allfold_text_reader *reader, const char *what,
                                               const char *expected)
{
    enum { MOST_SHOWN = 60 };
    allfold_text_skip_blanks(reader);
    const int length = (int)strcspn(reader->at, " \t\r\n#,:=");
    if (allfold_text_at_end_of_line(reader))
        snprintf(reader->message, reader->message_bytes, "line %d: %s: expected %s", reader->line,
                 what, expected);
    else
        snprintf(reader->message, reader->message_bytes, "line %d: %s: '%.*s' is not %s",
                 reader->line, what,
                 length == 0           ? 1
                 : length > MOST_SHOWN ? MOST_SHOWN
                                       : length,
                 reader->at, expected);
    return ALLFOLD_BAD_INPUT;
}

enum allfold_error allfold_text_error(struct allfold_text_reader *reader, const char *words)
{
    snprintf(reader->message, reader->message_bytes, "line %d: %s", reader->line, words);
    return ALLFOLD_BAD_INPUT;
}

bool allfold_text_take(struct allfold_text_reader *reader, char c)
{
    allfold_text_skip_blanks(reader);
    if (*reader->at != c)
        return false;
    reader->at++;
    return true;
}

/* The number of the word in a list of names, which is skipped; or `count`. */
int allfold_text_take_word(struct allfold_text_reader *reader, const char *const *names, int count)
{
    allfold_text_skip_blanks(reader);
    size_t length = 0;
    while (isalpha((unsigned char)reader->at[length]) || reader->at[length] == '_')
        length++;
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) != length || strncmp(names[i], reader->at, length) != 0)
            continue;
        reader->at += length;
        return i;
    }
    return count;
}

enum allfold_error allfold_text_quantity(struct allfold_text_reader *reader, const char *what,
                                         const struct allfold_unit *units, const char *expected,
                                         double least, double *value)
{
    const char *end;
    double read;
    allfold_text_skip_blanks(reader);
    if (!allfold_quantity_read(reader->at, units, &read, &end) || read < least ||
        strchr(" \t\r\n#,", *end) == NULL)
        return allfold_text_error_expected(reader, what, expected);
    *value = read;
    reader->at = end;
    return ALLFOLD_OK;
}

enum allfold_error allfold_text_integer(struct allfold_text_reader *reader, const char *what,
                                        int least, int most, int *value)
{
    char expected[60];
    double read = 0;
    const char *const before = (allfold_text_skip_blanks(reader), reader->at);
    snprintf(expected, sizeof expected, "a whole number from %d to %d", least, most);
    enum allfold_error error =
        allfold_text_quantity(reader, what, allfold_no_units, expected, least, &read);
    if (error != ALLFOLD_OK)
        return error;
    *value = read <= most ? (int)read : most + 1;
    if (*value <= most && read <= *value)
        return ALLFOLD_OK;
    reader->at = before;
    return allfold_text_error_expected(reader, what, expected);
}

enum allfold_error allfold_text_switch(struct allfold_text_reader *reader, const char *what,
                                       bool *value)
{
    int read = 0;
    enum allfold_error error = allfold_text_integer(reader, what, 0, 1, &read);
    *value = read == 1;
    return error;
}
