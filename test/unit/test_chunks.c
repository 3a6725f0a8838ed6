/* Chunks: readers that take what they hold in any order, some of them never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "transport/chunks.h"
#include "transport/channels.h"

enum { MOST_READERS = 9, MOST_HELD = 64 };

struct reader {
    uint32_t held, chunks[MOST_HELD];
    struct allfold_piece pieces[MOST_HELD];
};

struct play {
    struct allfold_chunks *chunks;
    struct reader readers[MOST_READERS];
    struct allfold_piece shown[MOST_READERS + 7]; /* by chunk */
    int count;
    uint32_t random;
};

static uint32_t next_random(struct play *play)
{
    play->random = play->random * 1664525u + 1013904223u;
    return play->random >> 8;
}

/* Every chunk that a reader holds shows still what it showed when the reader got it. */
static void assert_kept(const struct play *play)
{
    for (int r = 0; r < play->count; r++)
        for (uint32_t k = 0; k < play->readers[r].held; k++)
            assert_memory_equal(&play->shown[play->readers[r].chunks[k]],
                                &play->readers[r].pieces[k], sizeof(struct allfold_piece));
}

static bool give(struct play *play, struct reader *reader)
{
    struct allfold_piece piece;
    memset(&piece, 0, sizeof piece);
    piece.run = 1;
    piece.publication = next_random(play) % 4;
    piece.index = next_random(play) % 4;
    if (!allfold_chunks_may_hold(play->chunks, reader->held))
        return false;
    uint32_t chunk = allfold_chunk_find(play->chunks, &piece);
    if (chunk == ALLFOLD_NO_CHUNK) {
        chunk = allfold_chunk_fill(play->chunks, &piece);
        play->shown[chunk] = piece;
    }
    allfold_chunk_hold(play->chunks, chunk);
    reader->chunks[reader->held] = chunk;
    reader->pieces[reader->held++] = piece;
    return true;
}

static void take(struct play *play, struct reader *reader)
{
    allfold_chunk_let_go(play->chunks, reader->chunks[0]);
    reader->held--;
    memmove(reader->chunks, reader->chunks + 1, reader->held * sizeof *reader->chunks);
    memmove(reader->pieces, reader->pieces + 1, reader->held * sizeof *reader->pieces);
}

static void test_readers_do_not_wait_for_each_other(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST_READERS; count++) {
        struct play play = {
            .chunks = allfold_chunks_create(count), .count = count, .random = (uint32_t)count};
        for (int step = 0; step < 20000; step++) {
            struct reader *reader = &play.readers[next_random(&play) % (unsigned)count];
            const bool had_none = reader->held == 0;
            /* reader 0 takes nothing in the first half */
            if (next_random(&play) % 2 == 0 && !had_none &&
                (reader != play.readers || step > 10000))
                take(&play, reader);
            else if (!give(&play, reader))
                assert_false(had_none);
            assert_kept(&play);
        }
        allfold_chunks_free(play.chunks);
    }
}

static void test_same_data_is_shown_once(void **state)
{
    (void)state;
    struct allfold_chunks *chunks = allfold_chunks_create(3);
    const struct allfold_piece piece = {.run = 1, .publication = 5, .index = 2};
    const struct allfold_piece later = {.run = 2, .publication = 5, .index = 2};
    assert_int_equal(allfold_chunk_find(chunks, &piece), ALLFOLD_NO_CHUNK);
    const uint32_t chunk = allfold_chunk_fill(chunks, &piece);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(r == 0 ? chunk : allfold_chunk_find(chunks, &piece), chunk);
        allfold_chunk_hold(chunks, chunk);
    }
    assert_int_equal(allfold_chunk_find(chunks, &later), ALLFOLD_NO_CHUNK);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(allfold_chunk_find(chunks, &piece), chunk);
        allfold_chunk_let_go(chunks, chunk);
    }
    assert_int_equal(allfold_chunk_find(chunks, &piece), ALLFOLD_NO_CHUNK);
    allfold_chunks_free(chunks);
}

/* Through channels: what three readers get of one vector lies at one place. */
static void test_channels_show_once(void **state)
{
    (void)state;
    enum { SIZE = 4, CHUNK = 64, LENGTH = ALLFOLD_INLINE_BYTES + 100 };
    void *memory = aligned_alloc(64, allfold_channels_bytes(SIZE, CHUNK));
    memset(memory, 0, allfold_channels_bytes(SIZE, CHUNK));
    struct allfold_channels ranks[SIZE];
    unsigned char data[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        data[i] = (unsigned char)i;
    for (int r = 0; r < SIZE; r++)
        assert_true(allfold_channels_open(&ranks[r], memory, SIZE, r, CHUNK));
    for (int run = 0; run < 3; run++)
        for (size_t done = 0; done < LENGTH; done += CHUNK) {
            const void *first = NULL;
            for (int r = 1; r < SIZE; r++) {
                struct allfold_end *end = &ranks[r].ends[SIZE + 0];
                assert_false(allfold_channel_has_piece(end));
                assert_true(
                    allfold_channel_write(&ranks[0], &ranks[0].ends[r], data, LENGTH, done, 7));
                assert_true(allfold_channel_has_piece(end));
                const void *at = allfold_channel_read(&ranks[r], end, LENGTH, LENGTH);
                assert_true(first == NULL || at == first);
                first = at;
                assert_memory_equal(at, data + done, allfold_piece_length(&ranks[r], LENGTH, done));
            }
            for (int r = 1; r < SIZE; r++)
                allfold_channel_take(&ranks[r].ends[SIZE + 0]);
        }
    for (int r = 0; r < SIZE; r++)
        allfold_channels_close(&ranks[r]);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readers_do_not_wait_for_each_other),
        cmocka_unit_test(test_same_data_is_shown_once),
        cmocka_unit_test(test_channels_show_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
