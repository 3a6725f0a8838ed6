/* Shared-memory buffers: readers that release what they retain in any order, some of them never;
 * what filling copies, and when it goes past the caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "transport/buffers.h"
#include "transport/channels.h"

enum { MOST_READERS = 9, MOST_HELD = 64 };

struct reader {
    uint32_t retained, buffers[MOST_HELD];
    struct allfold_fragment fragments[MOST_HELD];
};

struct play {
    struct allfold_buffers *buffers;
    struct reader readers[MOST_READERS];
    struct allfold_fragment filled[MOST_READERS + 15]; /* by buffer */
    int count;
    uint32_t random;
};

static uint32_t next_random(struct play *play)
{
    play->random = play->random * 1664525u + 1013904223u;
    return play->random >> 8;
}

/* Every buffer that a reader retains has still what it had when the reader got it. */
static void assert_kept(const struct play *play)
{
    for (int r = 0; r < play->count; r++)
        for (uint32_t k = 0; k < play->readers[r].retained; k++)
            assert_memory_equal(&play->filled[play->readers[r].buffers[k]],
                                &play->readers[r].fragments[k], sizeof(struct allfold_fragment));
}

static bool give(struct play *play, struct reader *reader)
{
    struct allfold_fragment fragment;
    memset(&fragment, 0, sizeof fragment);
    fragment.run = 1;
    fragment.publication = next_random(play) % 4;
    fragment.index = next_random(play) % 4;
    if (!allfold_buffers_may_retain(play->buffers, reader->retained))
        return false;
    uint32_t buffer = allfold_buffer_find(play->buffers, &fragment);
    if (buffer == ALLFOLD_NO_BUFFER) {
        buffer = allfold_buffer_fill(play->buffers, &fragment);
        play->filled[buffer] = fragment;
    }
    allfold_buffer_retain(play->buffers, buffer);
    reader->buffers[reader->retained] = buffer;
    reader->fragments[reader->retained++] = fragment;
    return true;
}

static void take(struct play *play, struct reader *reader)
{
    allfold_buffer_release(play->buffers, reader->buffers[0]);
    reader->retained--;
    memmove(reader->buffers, reader->buffers + 1, reader->retained * sizeof *reader->buffers);
    memmove(reader->fragments, reader->fragments + 1, reader->retained * sizeof *reader->fragments);
}

static void test_readers_do_not_wait_for_each_other(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST_READERS; count++) {
        struct play play = {
            .buffers = allfold_buffers_create(count), .count = count, .random = (uint32_t)count};
        for (int step = 0; step < 20000; step++) {
            struct reader *reader = &play.readers[next_random(&play) % (unsigned)count];
            const bool had_none = reader->retained == 0;
            /* reader 0 takes nothing in the first half */
            if (next_random(&play) % 2 == 0 && !had_none &&
                (reader != play.readers || step > 10000))
                take(&play, reader);
            else if (!give(&play, reader))
                assert_false(had_none);
            assert_kept(&play);
        }
        allfold_buffers_free(play.buffers);
    }
}

static void test_same_data_is_filled_once(void **state)
{
    (void)state;
    struct allfold_buffers *buffers = allfold_buffers_create(3);
    const struct allfold_fragment fragment = {.run = 1, .publication = 5, .index = 2};
    const struct allfold_fragment later = {.run = 2, .publication = 5, .index = 2};
    assert_int_equal(allfold_buffer_find(buffers, &fragment), ALLFOLD_NO_BUFFER);
    const uint32_t buffer = allfold_buffer_fill(buffers, &fragment);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(r == 0 ? buffer : allfold_buffer_find(buffers, &fragment), buffer);
        allfold_buffer_retain(buffers, buffer);
    }
    assert_int_equal(allfold_buffer_find(buffers, &later), ALLFOLD_NO_BUFFER);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(allfold_buffer_find(buffers, &fragment), buffer);
        allfold_buffer_release(buffers, buffer);
    }
    assert_int_equal(allfold_buffer_find(buffers, &fragment), ALLFOLD_NO_BUFFER);
    allfold_buffers_free(buffers);
}

/* Through channels: what three readers get of one vector lies at one place. */
static void test_channels_fill_once(void **state)
{
    (void)state;
    enum { SIZE = 4, BUFFER = 64, LENGTH = ALLFOLD_INLINE_BYTES + 100 };
    void *memory = aligned_alloc(64, allfold_channels_bytes(SIZE, BUFFER));
    memset(memory, 0, allfold_channels_bytes(SIZE, BUFFER));
    struct allfold_channels ranks[SIZE];
    unsigned char data[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        data[i] = (unsigned char)i;
    for (int r = 0; r < SIZE; r++)
        assert_true(allfold_channels_open(&ranks[r], memory, SIZE, r, BUFFER));
    for (int run = 0; run < 3; run++)
        for (size_t done = 0; done < LENGTH; done += BUFFER) {
            const void *first = NULL;
            for (int r = 1; r < SIZE; r++) {
                struct allfold_end *end = &ranks[r].ends[SIZE + 0];
                assert_false(allfold_channel_has_fragment(end));
                assert_true(
                    allfold_channel_write(&ranks[0], &ranks[0].ends[r], data, LENGTH, done, 7) > 0);
                assert_true(allfold_channel_has_fragment(end));
                const void *at = allfold_channel_read(&ranks[r], end, LENGTH);
                assert_true(first == NULL || at == first);
                first = at;
                assert_memory_equal(at, data + done,
                                    allfold_fragment_length(&ranks[r], LENGTH, done));
            }
            for (int r = 1; r < SIZE; r++)
                allfold_channel_release(&ranks[r].ends[SIZE + 0]);
        }
    for (int r = 0; r < SIZE; r++)
        allfold_channels_close(&ranks[r]);
    free(memory);
}

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
    for (int i = 0; i < ALLFOLD_FILL_TIMES; i++)
        allfold_filler_note(&filler, false, 1.2f);
    assert_false(filler.goes_past); /* the last ones count */
    for (int i = 0; i < ALLFOLD_FILL_TIMES; i++)
        allfold_filler_note(&filler, false, 4);
    assert_true(filler.goes_past); /* that was long ago */
    allfold_filler_note(&filler, true, 1000);
    assert_true(filler.goes_past); /* an interruption */
}

/* Notes the times of fills as allfold_fill would. Through the caches, fills of a call's first half
 * take 1 and those of the other half 5. Past the caches each fill takes 1. */
static void note_calls(struct allfold_filler *filler, uint32_t fills_a_call)
{
    enum { ENOUGH = 4096 };
    for (uint32_t fill = 0; fill < ENOUGH; fill++) {
        if (fill % ALLFOLD_FILLS_BETWEEN == 0)
            allfold_filler_note(filler, false, fill % fills_a_call < fills_a_call / 2 ? 1 : 5);
        if (fill % ALLFOLD_FILLS_BETWEEN == 1)
            allfold_filler_note(filler, true, 1);
        if (fill >= ALLFOLD_FILL_TIMES * ALLFOLD_FILLS_BETWEEN)
            assert_true(filler->goes_past);
    }
}

/* The cheap first fills of calls do not stand for all. */
static void test_calls_of_any_length(void **state)
{
    (void)state;
    for (uint32_t fills = 2; fills <= 128; fills *= 2)
        note_calls(&(struct allfold_filler){0}, fills);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_do_not_wait_for_each_other),
        cmocka_unit_test(test_same_data_is_filled_once),
        cmocka_unit_test(test_channels_fill_once),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_decisions),
        cmocka_unit_test(test_calls_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
