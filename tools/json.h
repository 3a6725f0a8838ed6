/* JSON that the command writes: values for jansson, and a layout that people can read.
 *
 * If out of memory, a member is null or missing. */
#ifndef ALLFOLD_JSON_H
#define ALLFOLD_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns a text as JSON; null if `text` is NULL. Bytes that are not UTF-8 become question
 * marks. */
json_t *allfold_json_text(const char *text);

/* Returns a number as JSON, without a decimal point if it is whole; null if it is not finite. */
json_t *allfold_json_number(double number);

void allfold_json_set_text(json_t *object, const char *name, const char *text);
void allfold_json_set_number(json_t *object, const char *name, double number);

/* Writes `object` and releases it. Each member is on a line of its own, and so is each item of a
 * member that is a list. Returns false if `object` is NULL, as it is if out of memory. */
bool allfold_json_print(json_t *object, FILE *file);

#endif
