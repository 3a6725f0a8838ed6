/* The elements that a picture draws, and the names of elements and ranks: "A-D 0-1". */
#ifndef ALLFOLD_LAB_PICTURE_ELEMENT_NAMES_H
#define ALLFOLD_LAB_PICTURE_ELEMENT_NAMES_H

#include "allfold_core.h"

enum { ALLFOLD_LABEL_BYTES = 64 };

/* Has every element of a case a letter? Else they are numbers in brackets. */
bool allfold_names_are_letters(const struct allfold_case *of);

/* Appends "A-D" or "[0-3]" at `at` of a text of ALLFOLD_LABEL_BYTES, cut off where it is full.
 * Gives where it ends. */
size_t allfold_name_elements(bool letters, char *text, size_t at, size_t first, size_t last);

/* The same of the ranks of a set: " 0-1", " 0,4". */
size_t allfold_name_ranks(char *text, size_t at, uint64_t ranks);

/* A picture draws one row for an element, and at most so many rows, spread evenly. */
enum { ALLFOLD_PICTURE_ROWS = 64 };

/* The number of rows; the element of a row; the row of an element, false where it has none. */
size_t allfold_row_count(const struct allfold_case *of);
size_t allfold_row_element(const struct allfold_case *of, size_t row);
bool allfold_row_of(const struct allfold_case *of, size_t element, size_t *row);

#endif
