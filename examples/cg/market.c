/* Reads Matrix Market files in coordinate format: real, integer or pattern, general or symmetric.
 * The format: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996.
 *
 * A valid matrix is square and symmetric, has no duplicates and has a positive diagonal. Whether it
 * is positive definite shows when solving. Counts must fit into an int, as MPI needs them. */
#include "cg.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct reader {
    const char *path;
    FILE *file;
    char *line;
    size_t line_size;
    long number; /* of the line, from 1 */
    int error;   /* errno of a failed read */
    bool pattern;
    bool integer;
    bool symmetric;
};

struct entry {
    int row; /* from 0 */
    int column;
    long line;
    double value;
};

struct entries {
    struct entry *list;
    size_t count;
    size_t room;
};

/* Always false, for `return complain(...)`. A line of 0 is not printed. A failed read goes before
 * the complaint about what then is missing. */
__attribute__((format(printf, 3, 4))) static bool complain(const struct reader *in, long line,
                                                           const char *format, ...)
{
    if (in->error != 0) {
        fprintf(stderr, "cg: %s: cannot be read: %s\n", in->path, strerror(in->error));
        return false;
    }
    fprintf(stderr, "cg: %s:", in->path);
    if (line > 0)
        fprintf(stderr, "%ld:", line);
    fputc(' ', stderr);
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return false;
}

static bool read_line(struct reader *in)
{
    ssize_t length = getline(&in->line, &in->line_size, in->file);
    if (length < 0) {
        in->error = ferror(in->file) ? errno : 0;
        return false;
    }
    in->number++;
    while (length > 0 && isspace((unsigned char)in->line[length - 1]))
        in->line[--length] = '\0';
    return true;
}

/* The next line that is neither blank nor a comment. */
static bool read_data(struct reader *in)
{
    while (read_line(in)) {
        const char *text = in->line + strspn(in->line, " \t");
        if (*text != '\0' && *text != '%')
            return true;
    }
    return false;
}

static bool read_header(struct reader *in)
{
    char word[5][64];
    char more[2];
    if (!read_line(in) ||
        sscanf(in->line, "%63s%63s%63s%63s%63s%1s", word[0], word[1], word[2], word[3], word[4],
               more) != 5 ||
        strcasecmp(word[0], "%%MatrixMarket") != 0)
        return complain(in, 1,
                        "no Matrix Market header; expected a first line such as "
                        "'%%%%MatrixMarket matrix coordinate real symmetric'");
    if (strcasecmp(word[1], "matrix") != 0)
        return complain(in, 1, "object '%s' is not supported; expected 'matrix'", word[1]);
    if (strcasecmp(word[2], "coordinate") != 0)
        return complain(in, 1, "format '%s' is not supported; expected 'coordinate'", word[2]);
    in->pattern = strcasecmp(word[3], "pattern") == 0;
    in->integer = strcasecmp(word[3], "integer") == 0;
    if (!in->pattern && !in->integer && strcasecmp(word[3], "real") != 0)
        return complain(in, 1,
                        "entries of kind '%s' are not supported; expected 'real', "
                        "'integer' or 'pattern'",
                        word[3]);
    in->symmetric = strcasecmp(word[4], "symmetric") == 0;
    if (!in->symmetric && strcasecmp(word[4], "general") != 0)
        return complain(in, 1, "symmetry '%s' is not supported; expected 'general' or 'symmetric'",
                        word[4]);
    return true;
}

/* A whole number at *text, which is moved behind it. */
static bool take_integer(char **text, long long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool good = end != *text && errno == 0 && (*end == '\0' || isspace((unsigned char)*end));
    *text = end;
    return good;
}

static bool read_sizes(struct reader *in, long long *rows, long long *stored)
{
    long long columns = 0;
    if (!read_data(in))
        return complain(in, in->number,
                        "the file ends before the line with rows, columns and entries");
    char *text = in->line;
    if (!take_integer(&text, rows) || !take_integer(&text, &columns) ||
        !take_integer(&text, stored) || *text != '\0')
        return complain(in, in->number,
                        "'%s': expected three whole numbers: rows, columns, entries", in->line);
    if (*rows != columns)
        return complain(in, in->number, "the matrix is %lld x %lld; expected a square one", *rows,
                        columns);
    if (*rows < 1 || *rows > INT_MAX - 1)
        return complain(in, in->number, "%lld rows; expected 1 to %d", *rows, INT_MAX - 1);
    long long most = in->symmetric ? INT_MAX / 2 : INT_MAX;
    if (*stored < 0 || *stored > most)
        return complain(in, in->number, "%lld entries; expected 0 to %lld", *stored, most);
    return true;
}

static bool take_value(const struct reader *in, char **text, double *value)
{
    *value = 1.0;
    if (in->pattern)
        return true;
    char *end = *text;
    long long whole = 0;
    if (in->integer) {
        bool good = take_integer(text, &whole);
        *value = (double)whole;
        return good;
    }
    *value = strtod(*text, &end);
    bool good = end != *text && isfinite(*value);
    *text = end;
    return good;
}

static bool parse_entry(const struct reader *in, int rows, struct entry *entry)
{
    long long row = 0;
    long long column = 0;
    char *text = in->line;
    if (!take_integer(&text, &row) || !take_integer(&text, &column) ||
        !take_value(in, &text, &entry->value) || *text != '\0')
        return complain(in, in->number, "'%s': expected row, column%s", in->line,
                        in->pattern   ? ", and nothing else in a pattern"
                        : in->integer ? " and a whole number"
                                      : " and a finite number");
    if (row < 1 || row > rows || column < 1 || column > rows)
        return complain(in, in->number, "entry (%lld, %lld) is outside of the %d x %d matrix", row,
                        column, rows, rows);
    entry->row = (int)row - 1;
    entry->column = (int)column - 1;
    entry->line = in->number;
    return true;
}

static void append(struct entries *entries, struct entry entry)
{
    if (entries->count == entries->room) {
        size_t room = 2 * entries->room + 64;
        struct entry *list = allocate(room, sizeof *list);
        if (entries->count > 0)
            memcpy(list, entries->list, entries->count * sizeof *list);
        free(entries->list);
        entries->list = list;
        entries->room = room;
    }
    entries->list[entries->count++] = entry;
}

static bool read_entries(struct reader *in, int rows, long long stored, struct entries *entries)
{
    for (long long i = 0; i < stored; i++) {
        struct entry entry = {0};
        if (!read_data(in))
            return complain(in, in->number, "the file ends after %lld of %lld entries", i, stored);
        if (!parse_entry(in, rows, &entry))
            return false;
        append(entries, entry);
        if (!in->symmetric || entry.row == entry.column)
            continue;
        append(entries, (struct entry){entry.column, entry.row, entry.line, entry.value});
    }
    if (read_data(in))
        return complain(in, in->number, "'%s': more lines than the %lld entries announced",
                        in->line, stored);
    return true;
}

static int by_place(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

static bool check_diagonal(const struct reader *in, int rows, const struct entries *entries)
{
    size_t at = 0;
    for (int row = 0; row < rows; row++) {
        while (at < entries->count &&
               (entries->list[at].row < row ||
                (entries->list[at].row == row && entries->list[at].column < row)))
            at++;
        const struct entry *entry = &entries->list[at];
        if (at == entries->count || entry->row != row || entry->column != row)
            return complain(in, 0,
                            "row %d has no diagonal entry; conjugate gradients need a "
                            "positive diagonal",
                            row + 1);
        if (!(entry->value > 0.0))
            return complain(in, entry->line,
                            "diagonal entry (%d, %d) is %g; conjugate gradients "
                            "need a positive diagonal",
                            row + 1, row + 1, entry->value);
    }
    return true;
}

/* Needs the entries sorted. */
static bool check_places(const struct reader *in, const struct entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->list[i];
        if (i > 0 && by_place(entry - 1, entry) == 0)
            return complain(in, entry->line > entry[-1].line ? entry->line : entry[-1].line,
                            "entry (%d, %d) is given twice", entry->row + 1, entry->column + 1);
        if (in->symmetric)
            continue;
        struct entry wanted = {.row = entry->column, .column = entry->row};
        const struct entry *mirror =
            bsearch(&wanted, entries->list, entries->count, sizeof wanted, by_place);
        if (mirror == NULL || mirror->value != entry->value)
            return complain(in, entry->line,
                            "entry (%d, %d) = %g has no equal at (%d, %d); "
                            "conjugate gradients need a symmetric matrix",
                            entry->row + 1, entry->column + 1, entry->value, entry->column + 1,
                            entry->row + 1);
    }
    return true;
}

static void compress(struct matrix *whole, int rows, const struct entries *entries)
{
    *whole = (struct matrix){.rows = rows, .count = rows};
    whole->row_start = allocate((size_t)rows + 1, sizeof *whole->row_start);
    whole->column = allocate(entries->count, sizeof *whole->column);
    whole->value = allocate(entries->count, sizeof *whole->value);
    for (size_t i = 0; i < entries->count; i++) {
        whole->row_start[entries->list[i].row + 1]++;
        whole->column[i] = entries->list[i].column;
        whole->value[i] = entries->list[i].value;
    }
    for (int row = 0; row < rows; row++)
        whole->row_start[row + 1] += whole->row_start[row];
}

bool market_read(const char *path, struct matrix *whole)
{
    struct reader in = {.path = path, .file = fopen(path, "r")};
    struct entries entries = {0};
    long long rows = 0;
    long long stored = 0;
    if (in.file == NULL)
        return complain(&in, 0, "cannot be opened: %s", strerror(errno));
    bool good = false;
    if (!read_header(&in) || !read_sizes(&in, &rows, &stored) ||
        !read_entries(&in, (int)rows, stored, &entries))
        goto out;
    if (entries.count > 1)
        qsort(entries.list, entries.count, sizeof *entries.list, by_place);
    if (!check_places(&in, &entries) || !check_diagonal(&in, (int)rows, &entries))
        goto out;
    compress(whole, (int)rows, &entries);
    good = true;
out:
    free(entries.list);
    free(in.line);
    fclose(in.file);
    return good;
}
