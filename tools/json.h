/* JSON that the command writes: jansson's, with values of ours and a layout that people can read.
 *
 * Where there is no memory, a member is null or missing. */
#ifndef ALLFOLD_JSON_H
#define ALLFOLD_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* A text; null where it is NULL. Bytes that are no UTF-8 become question marks. */
json_t *allfold_json_text(const char *text);

/* A number; one that is whole has no decimal point. null where it is not finite. */
json_t *allfold_json_number(double number);

void allfold_json_set_text(json_t *object, const char *name, const char *text);
void allfold_json_set_number(json_t *object, const char *name, double number);

/* Writes an object, and releases it: a line for each member, and for each item where that is a
 * list. False where it is NULL, as it is without memory. */
bool allfold_json_print(json_t *object, FILE *file);

#endif
