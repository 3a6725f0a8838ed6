/* Objects of a table's file: which members they have, and where these go (see table_json.c). */
#ifndef ALLFOLD_SELECT_TABLE_MEMBERS_H
#define ALLFOLD_SELECT_TABLE_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "select/table_file.h"

enum kind { TEXT, WHOLE, NUMBER, TRUTH, OBJECT, ARRAY }; /* numbers are never less than 0 */

/* A member of an object, and where it goes: a const char *, int64_t, double, int or json_t *. */
struct member {
    const char *name; /* NULL ends a list */
    enum kind kind;
    bool is_needed;
    size_t offset;
};

/* Where reading is, and where to say what is wrong. */
struct parser {
    struct allfold_table_draft *draft;
    char *message;
    size_t message_bytes;
};

/* Reads an object: nothing but members, of the right kinds, and all that are needed; the others
 * stay in *into. `what` is what messages call it. */
enum allfold_error allfold_members_read(struct parser *parser, const char *what, json_t *object,
                                        const struct member *members, void *into);

#endif
