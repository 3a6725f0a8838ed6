/* JSON that the command writes (see json.h). */
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 10 /* more than measurements have */ };

json_t *allfold_json_text(const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *json = json_string(text);
    char *copy = json == NULL ? strdup(text) : NULL;
    for (char *c = copy; c != NULL && *c != '\0'; c++)
        if ((unsigned char)*c >= 0x80) /* not UTF-8, as a path may be */
            *c = '?';
    if (copy != NULL)
        json = json_string(copy);
    free(copy);
    return json;
}

json_t *allfold_json_number(double number)
{
    static const double most_whole =
        9007199254740992; /* 2^53: all whole numbers up to it are exact */
    if (!isfinite(number))
        return json_null();
    if (fabs(number) <= most_whole && number == floor(number))
        return json_integer((json_int_t)number);
    return json_real(number);
}

void allfold_json_set_text(json_t *object, const char *name, const char *text)
{
    json_object_set_new(object, name, allfold_json_text(text));
}

void allfold_json_set_number(json_t *object, const char *name, double number)
{
    json_object_set_new(object, name, allfold_json_number(number));
}

static void print_value(const json_t *value, FILE *file)
{
    json_dumpf(value, file, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
}

static void print_member(const char *name, const json_t *value, FILE *file)
{
    size_t i;
    json_t *item;
    fprintf(file, "\"%s\": ", name);
    if (!json_is_array(value)) {
        print_value(value, file);
        return;
    }
    putc('[', file);
    json_array_foreach(value, i, item)
    {
        fprintf(file, "%s\n    ", i == 0 ? "" : ",");
        print_value(item, file);
    }
    putc(']', file);
}

bool allfold_json_print(json_t *object, FILE *file)
{
    const char *name, *before = "{\n  ";
    json_t *value;
    if (object == NULL)
        return false;
    json_object_foreach(object, name, value)
    {
        fprintf(file, "%s", before);
        print_member(name, value, file);
        before = ",\n  ";
    }
    fprintf(file, "\n}\n");
    json_decref(object);
    return true;
}
