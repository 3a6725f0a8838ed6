/* Writes table files with jansson (see table_file.h). */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/replace_file.h"
#include "select/rules.h"
#include "select/table_file.h"

enum { DIGITS = 6 /* more than measurements have */ };

/* json_object_set_new takes ownership of the value, even if it fails; NULL counts as a failure. */
static bool set(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) == 0;
}

static bool set_text(json_t *object, const char *name, const char *text)
{
    return *text == '\0' || set(object, name, json_string(text));
}

static bool set_number(json_t *object, const char *name, double value)
{
    return set(object, name, json_real(value));
}

static bool set_truth(json_t *object, const char *name, unsigned truths)
{
    return truths == ALLFOLD_ANY_TRUTH ||
           set(object, name, json_boolean(truths == allfold_only(true)));
}

/* One line of the file; the caller frees it. NULL without memory. */
static char *line_of(json_t *value, bool is_whole)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS);
    char *line = is_whole ? json_dumps(value, flags) : NULL;
    json_decref(value);
    return line;
}

static char *machine_line(const struct allfold_table_head *head)
{
    json_t *object = json_object();
    const bool is_whole =
        set_text(object, "host", head->host) && set_text(object, "processor", head->processor) &&
        set_text(object, "mpi", head->mpi) && set_text(object, "allfold", head->allfold);
    return line_of(object, is_whole);
}

static bool set_shape(json_t *object, const struct allfold_table_row *row)
{
    bool is_whole = set_text(object, "collective", allfold_collective_name(row->collective)) &&
                    set(object, "nodes", json_integer(row->nodes)) &&
                    set(object, "ppn", json_integer(row->ppn));
    if (row->p != row->nodes * row->ppn)
        is_whole = is_whole && set(object, "p", json_integer(row->p));
    return is_whole;
}

static const char *placement_of(const struct allfold_table_row *row)
{
    for (unsigned i = 0; i <= ALLFOLD_IRREGULAR; i++)
        if (row->arrangements == allfold_only(i))
            return allfold_arrangement_name((enum allfold_arrangement)i);
    return "";
}

static char *row_line(const struct allfold_table_row *row)
{
    char name[ALLFOLD_NAME_BYTES];
    json_t *object = json_object();
    allfold_algorithm_write(row->algorithm, &row->parameters, name, sizeof name);
    bool is_whole = set_shape(object, row) && set_text(object, "placement", placement_of(row)) &&
                    set(object, "from_bytes", json_integer((json_int_t)row->from_bytes));
    if (row->to_bytes <= INT64_MAX)
        is_whole = is_whole && set(object, "to_bytes", json_integer((json_int_t)row->to_bytes));
    is_whole = is_whole && set_truth(object, "commutative", row->commutative) &&
               set_truth(object, "exact", row->exact) && set_text(object, "algorithm", name);
    if (row->us > 0)
        is_whole = is_whole && set_number(object, "us", row->us);
    if (row->native_us > 0)
        is_whole = is_whole && set_number(object, "native_us", row->native_us);
    if (row->samples > 0)
        is_whole = is_whole && set(object, "samples", json_integer(row->samples));
    return line_of(object, is_whole);
}

/* What is being written, and what came of it so far. */
struct writer {
    FILE *file;
    enum allfold_error error;
};

/* Writes a line, which is freed, between two texts. */
static void put_line(struct writer *writer, const char *before, char *line, const char *after)
{
    if (line == NULL)
        writer->error = ALLFOLD_NO_MEMORY;
    else
        fprintf(writer->file, "%s%s%s", before, line, after);
    free(line);
}

static enum allfold_error put_table(FILE *file, const void *what)
{
    const struct allfold_table *table = what;
    struct writer writer = {file, ALLFOLD_OK};
    fprintf(file, "{\"allfold_table\": 1,\n");
    if (table->head.created[0] != '\0')
        put_line(&writer, " \"created\": ", line_of(json_string(table->head.created), true), ",\n");
    put_line(&writer, " \"machine\": ", machine_line(&table->head), ",\n");
    fprintf(file, " \"rows\": [");
    for (uint32_t i = 0; i < table->count && writer.error == ALLFOLD_OK; i++)
        put_line(&writer, i == 0 ? "\n  " : ",\n  ", row_line(&table->rows[i]), "");
    fprintf(file, "\n ]}\n");
    return writer.error;
}

__attribute__((visibility("default"))) enum allfold_error
allfold_table_write(const struct allfold_table *table, const char *path, char *message,
                    size_t message_bytes)
{
    return allfold_replace_file(path, put_table, table, message, message_bytes);
}
