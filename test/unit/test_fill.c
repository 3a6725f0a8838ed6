/* Filling of buffers: what is copied, and when past the caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "transport/fill.h"

/* Any length, any begin of the data, whichever way is taken. */
static void test_copies(void **state)
{
    (void)state;
    enum { ROOM = 1 << 15, SHIFTS = 17, FILLS = 200 };
    unsigned char *data = malloc(ROOM + SHIFTS), *buffer = aligned_alloc(64, ROOM + 64);
    for (size_t i = 0; i < ROOM + SHIFTS; i++)
        data[i] = (unsigned char)(i * 31 + i / 251);
    for (int past = 0; past < 2; past++) {
        struct allfold_filler filler = {.goes_past = past};
        for (size_t i = 0; i < FILLS; i++) {
            const size_t bytes = i * 7919 % ROOM + 1;
            const unsigned char *from = data + i % SHIFTS;
            memset(buffer, 0xa5, ROOM + 64);
            filler.goes_past = past;
            allfold_fill(&filler, buffer, from, bytes);
            assert_memory_equal(buffer, from, bytes);
            assert_int_equal(buffer[bytes], 0xa5);
        }
    }
    free(buffer);
    free(data);
}

static void test_decisions(void **state)
{
    (void)state;
    struct allfold_filler filler = {0};
    allfold_filler_note(&filler, false, 4);
    assert_false(filler.goes_past); /* it does not know yet */
    allfold_filler_note(&filler, true, 1);
    assert_true(filler.goes_past);
    allfold_filler_note(&filler, false, 1.2f);
    assert_false(filler.goes_past); /* the least of the last ones counts */
    for (int i = 0; i < ALLFOLD_FILL_TIMES; i++) {
        assert_false(filler.goes_past);
        allfold_filler_note(&filler, false, 4);
    }
    assert_true(filler.goes_past); /* that was long ago */
    allfold_filler_note(&filler, true, 1000);
    assert_true(filler.goes_past); /* an interruption */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
