/* Reads and writes CSV files (see csv.h). */
#include "util/csv.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Cuts the next cell off a line, without its quotes. */
static char *cut_cell(char **line)
{
    char *from = *line, *to = from, *cell = from;
    bool is_quoted = false;
    for (; *from != '\0' && *from != '\n' && (*from != ',' || is_quoted); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (is_quoted && from[1] == '"')
            *to++ = *from++;
        else
            is_quoted = !is_quoted;
    }
    *line = *from == ',' ? from + 1 : NULL;
    *to = '\0';
    return cell;
}

/* All cells of a line; their number. */
static int cut_line(char *line, const char *cells[ALLFOLD_CSV_COLUMNS])
{
    int count = 0;
    while (line != NULL && count < ALLFOLD_CSV_COLUMNS)
        cells[count++] = cut_cell(&line);
    return count;
}

struct reading {
    const char *writer;
    const char *const *names;
    int count, width;                /* of the file's columns */
    int column[ALLFOLD_CSV_COLUMNS]; /* of each name */
    allfold_csv_take *take;
    void *context;
};

static bool take_names(struct reading *reading, char *line, char *message, size_t message_bytes)
{
    const char *cells[ALLFOLD_CSV_COLUMNS];
    reading->width = cut_line(line, cells);
    for (int i = 0; i < reading->count; i++) {
        int at = 0;
        while (at < reading->width && strcmp(cells[at], reading->names[i]) != 0)
            at++;
        if (at == reading->width) {
            snprintf(message, message_bytes, "there is no column '%s'; expected a CSV file of %s",
                     reading->names[i], reading->writer);
            return false;
        }
        reading->column[i] = at;
    }
    return true;
}

static bool take_line(struct reading *reading, int number, char *line, char *message,
                      size_t message_bytes)
{
    const char *cells[ALLFOLD_CSV_COLUMNS], *wanted[ALLFOLD_CSV_COLUMNS];
    const int width = cut_line(line, cells);
    if (width != reading->width) {
        snprintf(message, message_bytes, "%d cells; expected %d, as in line 1", width,
                 reading->width);
        return false;
    }
    for (int i = 0; i < reading->count; i++)
        wanted[i] = cells[reading->column[i]];
    return reading->take(reading->context, number, wanted, message, message_bytes);
}

bool allfold_csv_read(const char *path, const char *writer, const char *const *names, int count,
                      allfold_csv_take *take, void *context, char *message, size_t message_bytes)
{
    assert(count >= 0 && count <= ALLFOLD_CSV_COLUMNS);
    struct reading reading = {writer, names, .count = count, .take = take, .context = context};
    FILE *file = fopen(path, "r");
    char *line = NULL, what[600];
    size_t line_bytes = 0;
    int number = 0;
    bool fits = file != NULL;
    while (fits && getline(&line, &line_bytes, file) > 0)
        fits = ++number == 1 ? take_names(&reading, line, what, sizeof what)
                             : take_line(&reading, number, line, what, sizeof what);
    if (number == 0)
        snprintf(what, sizeof what, "it is empty; expected a CSV file of %s", writer);
    if (file == NULL || ferror(file))
        snprintf(message, message_bytes, "%s: %s", path, strerror(errno));
    else if (!fits || number == 0)
        snprintf(message, message_bytes, "%s, line %d: %s", path, number, what);
    fits = fits && number > 0 && !ferror(file);
    free(line);
    if (file != NULL)
        fclose(file);
    return fits;
}

void allfold_csv_write_text(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++)
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    putc('"', file);
}
