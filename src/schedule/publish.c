/* Publications (see publish.h): goes through the program once and remembers the last few of them.
 */
#include "schedule/publish.h"

#include <stdbool.h>

enum { MOST_REMEMBERED = 4 };

void allfold_publish(const struct allfold_step *steps, uint32_t step_count, uint32_t *publication)
{
    uint32_t first[MOST_REMEMBERED]; /* the newest at the end */
    int count = 0;
    for (uint32_t i = 0; i < step_count; i++) {
        const struct allfold_step *step = &steps[i];
        const bool is_send = step->kind == ALLFOLD_STEP_SEND;
        publication[i] = is_send ? i : ALLFOLD_NO_STEP;
        int kept = 0;
        for (int k = 0; k < count; k++) {
            if (is_send && allfold_is_same_operand(&steps[first[k]], 0, step, 0))
                publication[i] = first[k];
            if (is_send || !allfold_operands_overlap(&steps[first[k]], 0, step, 0))
                first[kept++] = first[k];
        }
        count = kept;
        if (!is_send || publication[i] != i)
            continue;
        if (count == MOST_REMEMBERED)
            for (int k = 1; k < count; k++)
                first[k - 1] = first[k];
        count -= count == MOST_REMEMBERED;
        first[count++] = i;
    }
}
