/* Pools: pieces never overlap, are used again, and the pool stays as large as what was out at
 * once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "support.h"
#include "util/memory.h"
#include "util/memory_pool.h"

enum { LINE_BYTES = 64, MOST_BYTES = ALLFOLD_PIECE_LINES * LINE_BYTES };

struct piece {
    unsigned char *memory;
    size_t bytes;
    unsigned char mark;
};

static void check_and_give(struct allfold_pool *pool, struct piece *piece)
{
    for (size_t i = 0; i < piece->bytes; i++)
        assert_int_equal(piece->memory[i], piece->mark);
    allfold_pool_give(pool, piece->memory, piece->bytes);
    piece->memory = NULL;
}

/* Each piece holds its mark as long as it is out. */
static void test_pieces(void **state)
{
    (void)state;
    static struct piece pieces[200];
    struct allfold_pool pool = {.chunks = NULL};
    uint64_t seed = 3;
    for (int i = 0; i < 100000; i++) {
        struct piece *piece = &pieces[random_below(&seed, LENGTH(pieces))];
        if (piece->memory != NULL) {
            check_and_give(&pool, piece);
            continue;
        }
        piece->bytes = random_below(&seed, 1 + (MOST_BYTES + 1000) / (1 + random_below(&seed, 20)));
        piece->mark = (unsigned char)random_below(&seed, 256);
        piece->memory = allfold_pool_take(&pool, piece->bytes);
        assert_non_null(piece->memory);
        assert_int_equal((uintptr_t)piece->memory % LINE_BYTES, 0);
        memset(piece->memory, piece->mark, piece->bytes);
    }
    for (size_t i = 0; i < LENGTH(pieces); i++)
        if (pieces[i].memory != NULL)
            check_and_give(&pool, &pieces[i]);
    assert_int_equal(pool.taken_bytes, 0);
    allfold_pool_empty(&pool);
    assert_int_equal(pool.chunk_bytes, 0);
    allfold_pool_give(&pool, NULL, 100);
}

/* The newest piece that was given back comes first, and no chunk is added as long as one does. */
static void test_pieces_come_again(void **state)
{
    (void)state;
    struct allfold_pool pool = {.chunks = NULL};
    void *small = allfold_pool_take(&pool, 65), *large = allfold_pool_take(&pool, MOST_BYTES);
    allfold_pool_give(&pool, small, 65);
    assert_ptr_equal(allfold_pool_take(&pool, 128), small);
    allfold_pool_give(&pool, small, 100);
    allfold_pool_give(&pool, large, MOST_BYTES);
    const size_t bytes = pool.chunk_bytes;
    for (int i = 0; i < 1000; i++) {
        void *again = allfold_pool_take(&pool, MOST_BYTES);
        assert_ptr_equal(again, large);
        allfold_pool_give(&pool, again, MOST_BYTES);
    }
    assert_int_equal(pool.chunk_bytes, bytes);
    assert_true(bytes <= 16 << 10);
    allfold_pool_empty(&pool);
    allfold_pool_empty(&pool);
}

/* What a chunk has no more room for is not lost: of each of 64 KiB, 15 lines are left. */
static void test_rests_are_used(void **state)
{
    (void)state;
    enum { PIECES = 2000, RESTS = 50, BYTES = 48 * LINE_BYTES, REST_BYTES = 15 * LINE_BYTES };
    static void *pieces[PIECES], *rests[RESTS];
    struct allfold_pool pool = {.chunks = NULL};
    for (int i = 0; i < PIECES; i++)
        pieces[i] = allfold_pool_take(&pool, BYTES);
    const size_t bytes = pool.chunk_bytes;
    assert_true(bytes < (size_t)PIECES * BYTES * 5 / 4);
    for (int i = 0; i < RESTS; i++)
        rests[i] = allfold_pool_take(&pool, REST_BYTES);
    assert_int_equal(pool.chunk_bytes, bytes);
    assert_int_equal(pool.taken_bytes, PIECES * BYTES + RESTS * REST_BYTES);
    for (int i = 0; i < RESTS; i++)
        allfold_pool_give(&pool, rests[i], REST_BYTES);
    for (int i = 0; i < PIECES; i++)
        allfold_pool_give(&pool, pieces[i], BYTES);
    allfold_pool_empty(&pool);
}

/* Each piece counts as an allocation, also one that needs none, and so does its chunk. */
static void test_no_memory(void **state)
{
    (void)state;
    struct allfold_pool pool = {.chunks = NULL};
    for (unsigned long n = 1; n <= 2; n++) {
        allfold_fail_allocation(n);
        assert_null(allfold_pool_take(&pool, 100));
        assert_int_equal(pool.chunk_bytes + pool.taken_bytes, 0);
    }
    allfold_fail_allocation(0);
    void *memory = allfold_pool_take(&pool, 100);
    assert_non_null(memory);
    allfold_pool_give(&pool, memory, 100);
    allfold_fail_allocation(1);
    assert_null(allfold_pool_take(&pool, 100));
    allfold_fail_allocation(1);
    assert_null(allfold_pool_take(&pool, MOST_BYTES + 1));
    allfold_fail_allocation(0);
    assert_ptr_equal(allfold_pool_take(&pool, 100), memory);
    allfold_pool_give(&pool, memory, 100);
    memory = allfold_pool_take(NULL, 100);
    assert_non_null(memory);
    allfold_pool_give(NULL, memory, 100);
    allfold_pool_empty(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_pieces_come_again),
        cmocka_unit_test(test_rests_are_used),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
