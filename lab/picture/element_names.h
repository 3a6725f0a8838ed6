/* The rows of a picture, each for one element, and labels of elements and ranks, such as "A-D 0-1".
 */
#ifndef ALLFOLD_LAB_PICTURE_ELEMENT_NAMES_H
#define ALLFOLD_LAB_PICTURE_ELEMENT_NAMES_H

#include "allfold_core.h"

enum { ALLFOLD_LABEL_BYTES = 64 };

/* Returns whether the elements of a case are named by letters; else by numbers in brackets. */
bool allfold_names_are_letters(const struct allfold_case *of);

/* Writes the elements `first` to `last`, as "A-D" or "[0-3]", at offset `at` of `text`, a buffer of
 * ALLFOLD_LABEL_BYTES bytes. Cuts the text off if the buffer is full. Returns the offset of its
 * end. */
size_t allfold_name_elements(bool letters, char *text, size_t at, size_t first, size_t last);

/* Writes a set of ranks (bit r: rank r), as " 0-1" or " 0,4", at offset `at` of `text`, in the same
 * way. Returns the offset of its end. */
size_t allfold_name_ranks(char *text, size_t at, uint64_t ranks);

/* The maximum number of rows. If there are more elements, a picture shows some, evenly spaced. */
enum { ALLFOLD_PICTURE_ROWS = 64 };

/* Returns the number of rows. */
size_t allfold_row_count(const struct allfold_case *of);

/* Returns the element that a row shows. */
size_t allfold_row_element(const struct allfold_case *of, size_t row);

/* Finds the row of an element. Returns false if no row shows the element. */
bool allfold_row_of(const struct allfold_case *of, size_t element, size_t *row);

#endif
