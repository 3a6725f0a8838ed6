/* Text of the report's page (see report_markup.h). */
#include "events/report_markup.h"

#include <string.h>

void allfold_markup_text(const char *text, size_t length, FILE *stream)
{
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fputc(text[i], stream);
        }
}

void allfold_markup_cell(const char *text, FILE *stream)
{
    fputs("<td class=\"t\">", stream);
    allfold_markup_text(text, strlen(text), stream);
    fputs("</td>", stream);
}
