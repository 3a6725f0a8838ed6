/* The formats of `allfold show` beside those of model/picture. */
#ifndef ALLFOLD_TOOLS_SHOW_FORMATS_H
#define ALLFOLD_TOOLS_SHOW_FORMATS_H

#include "model/picture/picture.h"

void allfold_show_json(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream);

/* For so many ranks that there is no picture. */
void allfold_show_summary(const struct allfold_case *of, const struct allfold_cost *cost);

#endif
