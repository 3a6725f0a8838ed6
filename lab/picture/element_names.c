/* The rows and labels of a picture (see element_names.h). */
#include "lab/picture/element_names.h"

#include <stdio.h>

#include "lab/verify/case.h"

bool allfold_names_are_letters(const struct allfold_case *of)
{
    return allfold_case_elements(of) <= 26;
}

size_t allfold_name_elements(bool letters, char *text, size_t at, size_t first, size_t last)
{
    char range[48];
    if (letters && first == last)
        snprintf(range, sizeof range, "%c", (char)('A' + first));
    else if (letters)
        snprintf(range, sizeof range, "%c-%c", (char)('A' + first), (char)('A' + last));
    else if (first == last)
        snprintf(range, sizeof range, "[%zu]", first);
    else
        snprintf(range, sizeof range, "[%zu-%zu]", first, last);
    at += (size_t)snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%s", at > 0 ? " " : "", range);
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

size_t allfold_name_ranks(char *text, size_t at, uint64_t ranks)
{
    const char *before = " ";
    for (int r = 0; r < 64; r++) {
        int last = r;
        if ((ranks >> r & 1) == 0)
            continue;
        while (last < 63 && (ranks >> (last + 1) & 1) != 0)
            last++;
        if (at < ALLFOLD_LABEL_BYTES)
            at += (size_t)(last == r
                               ? snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d", before, r)
                               : snprintf(text + at, ALLFOLD_LABEL_BYTES - at, "%s%d-%d", before, r,
                                          last));
        before = ",";
        r = last;
    }
    return at < ALLFOLD_LABEL_BYTES ? at : ALLFOLD_LABEL_BYTES - 1;
}

size_t allfold_row_count(const struct allfold_case *of)
{
    const size_t elements = allfold_case_elements(of);
    return elements < ALLFOLD_PICTURE_ROWS ? elements : ALLFOLD_PICTURE_ROWS;
}

size_t allfold_row_element(const struct allfold_case *of, size_t row)
{
    return row * allfold_case_elements(of) / allfold_row_count(of);
}

bool allfold_row_of(const struct allfold_case *of, size_t element, size_t *row)
{
    const size_t elements = allfold_case_elements(of), rows = allfold_row_count(of);
    if (element >= elements)
        return false;
    *row = (element * rows + elements - 1) / elements;
    return *row < rows && allfold_row_element(of, *row) == element;
}
