/* Objects of a table's file (see table_members.h). */
#include "select/table_members.h"

#include <stdio.h>
#include <string.h>

static const char *const kind_texts[] = {
    [TEXT] = "a text",
    [WHOLE] = "a whole number of 0 or more",
    [NUMBER] = "a number of 0 or more",
    [TRUTH] = "true or false",
    [OBJECT] = "an object, {...}",
    [ARRAY] = "an array, [...]",
};

static bool is_kind(const json_t *value, enum kind kind)
{
    switch (kind) {
    case TEXT:
        return json_is_string(value);
    case WHOLE:
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case NUMBER:
        return json_is_number(value) && json_number_value(value) >= 0;
    case TRUTH:
        return json_is_boolean(value);
    case OBJECT:
        return json_is_object(value);
    default:
        return json_is_array(value);
    }
}

static void put(void *into, const json_t *value, enum kind kind)
{
    if (kind == TEXT)
        *(const char **)into = json_string_value(value);
    else if (kind == WHOLE)
        *(int64_t *)into = json_integer_value(value);
    else if (kind == NUMBER)
        *(double *)into = json_number_value(value);
    else if (kind == TRUTH)
        *(int *)into = json_is_true(value);
    else
        *(const json_t **)into = value;
}

static void describe(const json_t *value, char *text, size_t text_bytes)
{
    if (json_is_string(value))
        snprintf(text, text_bytes, "\"%.40s\"", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, text_bytes, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, text_bytes, "%g", json_real_value(value));
    else
        snprintf(text, text_bytes, "%s",
                 json_is_object(value)  ? "an object"
                 : json_is_array(value) ? "an array"
                 : json_is_true(value)  ? "true"
                 : json_is_false(value) ? "false"
                                        : "null");
}

/* A value that is of another kind; `name` is NULL where it is no member. */
static enum allfold_error refuse_kind(struct parser *parser, const char *what, const char *name,
                                      const json_t *value, enum kind kind)
{
    char text[64];
    describe(value, text, sizeof text);
    snprintf(parser->message, parser->message_bytes, "%s%s%s%s is %s; expected %s", what,
             name == NULL ? "" : ": \"", name == NULL ? "" : name, name == NULL ? "" : "\"", text,
             kind_texts[kind]);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_member(struct parser *parser, const char *what, const char *name,
                                        const struct member *members)
{
    int at = snprintf(parser->message, parser->message_bytes,
                      "%s: \"%.40s\" is no member of it; "
                      "expected one of:",
                      what, name);
    for (int i = 0; members[i].name != NULL && (size_t)at < parser->message_bytes; i++)
        at += snprintf(parser->message + at, parser->message_bytes - (size_t)at, "%s %s",
                       i == 0 ? "" : ",", members[i].name);
    return ALLFOLD_BAD_INPUT;
}

/* The member of a name, sought first at `next`, as files have members in one order mostly. */
static const struct member *find_member(const char *name, const struct member *members,
                                        const struct member *next)
{
    if (next->name != NULL && strcmp(next->name, name) == 0)
        return next;
    while (members->name != NULL && strcmp(members->name, name) != 0)
        members++;
    return members;
}

static enum allfold_error check_all_came(struct parser *parser, const char *what,
                                         const struct member *members, unsigned came_bits)
{
    for (int i = 0; members[i].name != NULL; i++)
        if (members[i].is_needed && (came_bits >> i & 1) == 0) {
            snprintf(parser->message, parser->message_bytes, "%s: \"%s\" is missing; expected %s",
                     what, members[i].name, kind_texts[members[i].kind]);
            return ALLFOLD_BAD_INPUT;
        }
    return ALLFOLD_OK;
}

/* By iterators: json_object_foreach and json_object_get hash each name once more. */
enum allfold_error allfold_members_read(struct parser *parser, const char *what, json_t *object,
                                        const struct member *members, void *into)
{
    const struct member *next = members;
    unsigned came = 0;
    if (!is_kind(object, OBJECT))
        return refuse_kind(parser, what, NULL, object, OBJECT);
    for (void *at = json_object_iter(object); at != NULL; at = json_object_iter_next(object, at)) {
        const char *name = json_object_iter_key(at);
        const struct member *member = find_member(name, members, next);
        if (member->name == NULL)
            return refuse_member(parser, what, name, members);
        const json_t *value = json_object_iter_value(at);
        if (!is_kind(value, member->kind))
            return refuse_kind(parser, what, member->name, value, member->kind);
        put((char *)into + member->offset, value, member->kind);
        came |= 1u << (member - members);
        next = member + 1;
    }
    return check_all_came(parser, what, members, came);
}
