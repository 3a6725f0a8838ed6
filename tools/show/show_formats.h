/* The formats of `allfold show`, all to standard output. */
#ifndef ALLFOLD_TOOLS_SHOW_FORMATS_H
#define ALLFOLD_TOOLS_SHOW_FORMATS_H

#include "model/picture/picture.h"

void allfold_show_text(const struct allfold_case *of, const struct allfold_picture *picture);
void allfold_show_svg(const struct allfold_case *of, const struct allfold_picture *picture);
void allfold_show_json(const struct allfold_case *of, const struct allfold_picture *picture);

/* For so many ranks that there is no picture. */
void allfold_show_summary(const struct allfold_case *of, const struct allfold_cost *cost);

#endif
