/* Builders in tests (see support_builder.h). */
#include "support_builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "schedule/verbs.h"

struct allfold_builder *builder_of(int p, int r, size_t in, size_t out, bool in_place)
{
    const struct allfold_shape shape = {
        .group = allfold_group_all(p, r), .in_length = in, .out_length = out, .in_place = in_place};
    struct allfold_builder *s = allfold_builder_create(&shape);
    assert_non_null(s);
    return s;
}

struct allfold_builder *plain_builder(void)
{
    return builder_of(4, 1, 10, 10, false);
}

struct allfold_schedule *frozen(struct allfold_builder *s)
{
    struct allfold_schedule *schedule = NULL;
    const enum allfold_error error = allfold_builder_freeze(s, &schedule);
    if (error != ALLFOLD_OK)
        fail_msg("%s", allfold_builder_message(s));
    allfold_builder_free(s);
    assert_non_null(schedule);
    return schedule;
}

void assert_prints(struct allfold_builder *s, const char *text)
{
    struct allfold_schedule *schedule = frozen(s);
    char *printed = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&printed, &bytes);
    assert_non_null(stream);
    allfold_schedule_print(schedule, stream);
    fclose(stream);
    assert_string_equal(printed, text);
    free(printed);
    allfold_schedule_free(schedule);
}

void assert_refused(struct allfold_builder *s, const char *words)
{
    assert_int_equal(allfold_builder_error(s), ALLFOLD_BAD_SCHEDULE);
    assert_string_equal(allfold_builder_message(s), words);
    send_to(s, 77, span(ALLFOLD_IN, 0, 1));
    recv_from(s, 0, span(ALLFOLD_IN, 0, 1));
    reduce(s, span(ALLFOLD_OUT, 0, 1), span(ALLFOLD_IN, 0, 1), span(ALLFOLD_IN, 99, 1));
    copy(s, span(ALLFOLD_OUT, 0, 1), span(ALLFOLD_IN, 0, 1));
    scratch(s, 5);
    assert_string_equal(allfold_builder_message(s), words);
    struct allfold_schedule *schedule = (struct allfold_schedule *)(uintptr_t)1;
    assert_int_equal(allfold_builder_freeze(s, &schedule), ALLFOLD_BAD_SCHEDULE);
    assert_null(schedule);
    allfold_builder_free(s);
}
