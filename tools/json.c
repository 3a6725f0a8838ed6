/* Texts in JSON (see json.h). */
#include "json.h"

void allfold_json_text(FILE *file, const char *text)
{
    if (text == NULL) {
        fprintf(file, "null");
        return;
    }
    putc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ')
            fprintf(file, "\\u%04x", (unsigned)*c);
        else
            putc(*c, file);
    }
    putc('"', file);
}
