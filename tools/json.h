/* Texts in JSON. */
#ifndef ALLFOLD_TOOLS_JSON_H
#define ALLFOLD_TOOLS_JSON_H

#include <stdio.h>

/* Writes it in quotes, with what must be escaped; null where it is NULL. */
void allfold_json_text(FILE *file, const char *text);

#endif
