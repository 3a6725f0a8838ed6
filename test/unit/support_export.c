/* Exports for tests (see support_export.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "support_export.h"
#include "support_table.h"

char export_reason[300];

/* The row of a line, as tables have it. */
static void write_row(FILE *file, const char *line)
{
    int nodes, ppn, more = 0;
    char collective[40], algorithm[80];
    unsigned long long from, to;
    assert_int_equal(sscanf(line, "%d %d %39s %llu %llu %79s%n", &nodes, &ppn, collective, &from,
                            &to, algorithm, &more),
                     6);
    fprintf(file, "{\"nodes\": %d, \"ppn\": %d, \"collective\": \"%s\", \"from_bytes\": %llu",
            nodes, ppn, collective, from);
    if (to != 0)
        fprintf(file, ", \"to_bytes\": %llu", to);
    fprintf(file, "%s%s, \"algorithm\": \"%s\"}", line[more] == '\0' ? "" : ",", line + more,
            algorithm);
}

struct allfold_table *table_of(const char *rows)
{
    char message[1000], *text = NULL, *copy = strdup(rows), *rest = NULL;
    size_t bytes;
    FILE *file = open_memstream(&text, &bytes);
    const char *separator = "";
    fprintf(file, "{\"allfold_table\": 1, \"rows\": [");
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        fprintf(file, "%s", separator);
        write_row(file, line);
        separator = ", ";
    }
    fprintf(file, "]}");
    fclose(file);
    struct allfold_table *table = read_text_table(text, message, sizeof message);
    assert_string_equal(message, "");
    free(text);
    free(copy);
    return table;
}

/* A library of MPICH, as far as it is looked at: its decisions somewhere in it. */
static const char library[] =
    "\177ELF\0{\"collective=bcast\":{\"comm_type=intra\":{\"composition=alpha\":{}}}}\0other\0"
    "{\"collective=bcast\":{\"comm_type=intra\":{\"algorithm=MPIR_Bcast_intra_OWN\":{}}},"
    "\"collective=allreduce\":{\"comm_type=intra\":{\"algorithm=MPIR_Allreduce_intra_OWN\":{}},"
    "\"comm_type=inter\":{\"algorithm=X\":{}}},"
    "\"collective=reduce_scatter_block\":{\"comm_type=intra\":"
    "{\"algorithm=MPIR_Reduce_scatter_block_intra_OWN\":{}}},"
    "\"collective=barrier\":{\"comm_type=intra\":{\"algorithm=MPIR_Barrier_intra_OWN\":{}}}}\0more";

void read_library(struct allfold_export *export)
{
    char message[1000] = "";
    const enum allfold_error error = allfold_export_find_defaults(
        export, text_in_file(library, sizeof library), message, sizeof message);
    text_in_file(NULL, 0);
    assert_string_equal(message, "");
    assert_int_equal(error, ALLFOLD_OK);
}

char *file_of(const char *peer, const char *rows, struct allfold_export_choice choice)
{
    struct allfold_table *table = table_of(rows);
    struct allfold_export export;
    char message[1000] = "", *text = NULL;
    size_t bytes;
    assert_int_equal(allfold_export_make(allfold_peer_find(peer), table, &choice, &export, message,
                                         sizeof message),
                     ALLFOLD_OK);
    snprintf(export_reason, sizeof export_reason, "%s",
             export.omission_count == 1 ? export.omissions[0].reason : "");
    if (export.peer->needs_defaults)
        read_library(&export);
    FILE *file = open_memstream(&text, &bytes);
    if (export.rule_count > 0)
        assert_int_equal(export.peer->write(file, &export), ALLFOLD_OK);
    fclose(file);
    if (export.rule_count == 0) {
        free(text);
        text = NULL;
    }
    allfold_export_free(&export);
    allfold_table_free(table);
    return text;
}

void expect_file(const char *peer, const char *rows, const char *expected)
{
    char *text = file_of(peer, rows, (struct allfold_export_choice){0});
    assert_non_null(text);
    const char *begin = text; /* behind the lines on where it is from */
    while (*begin == '#')
        begin = strchr(begin, '\n') + 1;
    assert_string_equal(begin, expected);
    free(text);
}

void expect_omission(const char *peer, const char *row, const char *why)
{
    assert_null(file_of(peer, row, (struct allfold_export_choice){0}));
    if (strstr(export_reason, why) == NULL)
        fail_msg("'%s' is not in '%s'", why, export_reason);
}
