/* The cache of shapes: what is found, and in which order entries go. A list of the test's own says
 * what should be there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "mpi/call/cache.h"
#include "util/memory.h"
#include "support.h"

static struct allfold_cache cache;

static int empty_cache(void **state)
{
    (void)state;
    struct allfold_entry *entry;
    while ((entry = allfold_cache_take(&cache)) != NULL)
        allfold_entry_free(entry);
    allfold_cache_empty(&cache);
    return 0;
}

static struct allfold_shape_key key_of(size_t count)
{
    return (struct allfold_shape_key){.count = count, .element_bytes = 4, .commutative = true};
}

static struct allfold_entry *added(struct allfold_shape_key key, size_t bytes)
{
    struct allfold_entry *entry = allfold_allocate_zeroed(sizeof *entry);
    assert_non_null(entry);
    entry->key = key;
    entry->bytes = bytes;
    allfold_cache_add(&cache, entry);
    return entry;
}

static struct allfold_entry *found(size_t count)
{
    const struct allfold_shape_key key = key_of(count);
    return allfold_cache_find(&cache, &key);
}

/* That the entry of this count is taken out as surplus. */
static void assert_surplus(size_t bytes, size_t count)
{
    struct allfold_entry *entry = allfold_cache_take_surplus(&cache, bytes);
    assert_non_null(entry);
    assert_int_equal(entry->key.count, count);
    allfold_entry_free(entry);
    assert_null(found(count));
}

static void test_empty(void **state)
{
    (void)state;
    assert_null(found(0));
    assert_null(allfold_cache_take(&cache));
    assert_null(allfold_cache_take_surplus(&cache, 0));
    assert_int_equal(cache.bytes, 0);
    allfold_entry_free(NULL);
}

static void test_find(void **state)
{
    (void)state;
    struct allfold_entry *entries[5];
    for (size_t i = 0; i < LENGTH(entries); i++)
        entries[i] = added(key_of(10 * i), 1);
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < LENGTH(entries); i++) {
            assert_ptr_equal(found(10 * i), entries[i]);
            assert_ptr_equal(found(10 * i), entries[i]); /* the newest now */
            assert_null(found(10 * i + 1));
        }
}

/* Blocks of any lengths: what these are matters, and neither where the key has them nor their hash
 * alone. */
static void test_blocks(void **state)
{
    (void)state;
    const size_t begins[] = {0, 5, 5, 6}, same[] = {0, 5, 5, 6}, others[] = {0, 1, 6, 6};
    struct allfold_shape_key key = key_of(5);
    struct allfold_entry *alike = added(key, 1);
    key.begins = begins;
    key.blocks = 3;
    key.begins_hash = 7;
    struct allfold_entry *entry = added(key, 1);
    key.begins = same;
    assert_ptr_equal(allfold_cache_find(&cache, &key), entry);
    key.begins = others;
    assert_null(allfold_cache_find(&cache, &key));
    assert_ptr_equal(found(5), alike);
}

static void test_every_field_matters(void **state)
{
    (void)state;
    const struct allfold_shape_key base = {.collective = ALLFOLD_REDUCE,
                                           .root = 3,
                                           .count = 17,
                                           .element_bytes = 8,
                                           .commutative = false,
                                           .exact = false,
                                           .in_place = false};
    struct allfold_shape_key others[12];
    for (size_t i = 0; i < LENGTH(others); i++)
        others[i] = base;
    others[0].collective = ALLFOLD_ALLREDUCE;
    others[1].collective = ALLFOLD_BCAST;
    others[2].root = 2;
    others[3].root = 3 + (1 << 28); /* the hash does not see it in 32 bits */
    others[4].count = 16;
    others[5].count = 17 + ((size_t)1 << 32);
    others[6].element_bytes = 4;
    others[7].element_bytes = 8 + ((size_t)1 << 32);
    others[8].commutative = true;
    others[9].exact = true;
    others[10].in_place = true;
    others[11].root = 0;
    struct allfold_entry *entry = added(base, 1), *mine[LENGTH(others)];
    for (size_t i = 0; i < LENGTH(others); i++) {
        assert_null(allfold_cache_find(&cache, &others[i]));
        assert_ptr_equal(allfold_cache_find(&cache, &base), entry);
    }
    for (size_t i = 0; i < LENGTH(others); i++)
        mine[i] = added(others[i], 1);
    assert_ptr_equal(allfold_cache_find(&cache, &base), entry);
    for (size_t i = 0; i < LENGTH(others); i++)
        assert_ptr_equal(allfold_cache_find(&cache, &others[i]), mine[i]);
}

/* What was found last goes last; what was looked for in vain changes nothing. */
static void test_order(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 6; count++)
        added(key_of(count), 10);
    assert_non_null(found(2));
    assert_non_null(found(5));
    assert_non_null(found(1));
    assert_non_null(found(5));
    assert_null(found(7));
    static const size_t order[] = {3, 4, 6, 2, 1, 5};
    for (size_t i = 0; i < LENGTH(order); i++) {
        struct allfold_entry *entry = allfold_cache_take(&cache);
        assert_non_null(entry);
        assert_int_equal(entry->key.count, order[i]);
        assert_int_equal(cache.bytes, 10 * (LENGTH(order) - i - 1));
        allfold_entry_free(entry);
        assert_null(found(order[i]));
    }
    assert_null(allfold_cache_take(&cache));
    assert_int_equal(cache.bytes, 0);
}

/* As many as are needed, and never the only one, however large it is. */
static void test_surplus(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 4; count++)
        added(key_of(count), 100 * count);
    assert_int_equal(cache.bytes, 1000);
    assert_null(allfold_cache_take_surplus(&cache, 1001));
    assert_null(allfold_cache_take_surplus(&cache, 1000));
    assert_surplus(999, 1);
    assert_null(allfold_cache_take_surplus(&cache, 999));
    assert_non_null(found(2));
    assert_surplus(800, 3);
    assert_int_equal(cache.bytes, 600);
    assert_surplus(0, 4);
    assert_int_equal(cache.bytes, 200);
    assert_null(allfold_cache_take_surplus(&cache, 0));
    assert_non_null(found(2));
    added(key_of(9), 50);
    assert_surplus(60, 2);
    assert_null(allfold_cache_take_surplus(&cache, 0));
    assert_non_null(found(9));
}

/* Entries that differ in nothing that the hash sees share a place; so do some of very many. */
static void test_collisions(void **state)
{
    (void)state;
    enum { COUNTS = 300, KINDS = 8 };
    static struct allfold_entry *entries[COUNTS][KINDS];
    for (size_t i = 0; i < COUNTS * KINDS; i++) {
        struct allfold_shape_key key = key_of(i / KINDS);
        key.commutative = i & 1;
        key.exact = i & 2;
        key.in_place = i & 4;
        entries[i / KINDS][i % KINDS] = added(key, 1);
    }
    const size_t slots = (size_t)1 << cache.slots_lg;
    size_t used = 0;
    assert_non_null(cache.slots);
    assert_true(COUNTS * KINDS < 3 * slots);
    for (size_t i = 0; i < slots; i++)
        used += cache.slots[i] != NULL;
    assert_true(used > COUNTS / 2);
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        const size_t count = random_below(&seed, COUNTS), kind = random_below(&seed, KINDS);
        struct allfold_entry *entry = entries[count][kind];
        const struct allfold_shape_key key = entry->key;
        assert_ptr_equal(allfold_cache_find(&cache, &key), entry);
        assert_ptr_equal(cache.last, entry);
    }
    assert_int_equal(cache.bytes, COUNTS * KINDS);
}

enum { COUNTS = 40 };

/* The cache and lists of counts by last use, of those on trial and those that are kept, must stay
 * alike over random calls. */
static struct list {
    size_t counts[COUNTS]; /* the oldest first */
    size_t length;
} trial, kept;

static bool list_drop(struct list *list, size_t count)
{
    size_t at = 0;
    while (at < list->length && list->counts[at] != count)
        at++;
    if (at == list->length)
        return false;
    list->length--;
    memmove(&list->counts[at], &list->counts[at + 1], (list->length - at) * sizeof *list->counts);
    return true;
}

static void list_add(struct list *list, size_t count)
{
    list->counts[list->length++] = count;
}

/* The oldest on trial, else the oldest that is kept, but not `last`. */
static void check_taken(struct allfold_entry *entry, size_t last)
{
    const size_t count = entry->key.count;
    if (trial.length > 0 && trial.counts[0] != last) {
        assert_int_equal(count, trial.counts[0]);
        list_drop(&trial, count);
    } else {
        assert_int_equal(count, kept.counts[0]);
        list_drop(&kept, count);
    }
    assert_int_not_equal(count, last);
    allfold_entry_free(entry);
}

static void random_call(uint64_t *seed)
{
    const size_t count = random_below(seed, COUNTS), none = COUNTS;
    struct allfold_entry *entry = found(count);
    const bool was_there = list_drop(&trial, count) || list_drop(&kept, count);
    assert_true((entry != NULL) == was_there);
    assert_true(entry == NULL || (entry->key.count == count && entry->is_kept));
    if (entry == NULL)
        added(key_of(count), count + 1);
    list_add(was_there ? &kept : &trial, count);
    const size_t most = random_below(seed, 2000);
    while ((entry = allfold_cache_take_surplus(&cache, most)) != NULL)
        check_taken(entry, count);
    assert_true(cache.bytes <= most || trial.length + kept.length == 1);
    if (random_below(seed, 50) == 0)
        check_taken(allfold_cache_take(&cache), none);
    size_t bytes = 0;
    for (size_t i = 0; i < trial.length; i++)
        bytes += trial.counts[i] + 1;
    for (size_t i = 0; i < kept.length; i++)
        bytes += kept.counts[i] + 1;
    assert_int_equal(cache.bytes, bytes);
    assert_int_equal(cache.count, trial.length + kept.length);
}

static void test_random_calls(void **state)
{
    (void)state;
    uint64_t seed = 4;
    trial.length = kept.length = 0;
    for (int i = 0; i < 100000; i++)
        random_call(&seed);
}

static struct allfold_entry *surplus(void)
{
    return allfold_cache_take_surplus(&cache, 1 << 20);
}

/* However many shapes come once, what is asked for again stays, and so do long schedules. */
static void test_trial(void **state)
{
    (void)state;
    enum { BYTES = 2 << 10, ONCE = 5000, LONG = 1 << 20 };
    struct allfold_entry *entry, *often = added(key_of(ONCE), BYTES);
    added(key_of(LONG), ALLFOLD_TRIAL_ENTRY_BYTES + 1);
    assert_ptr_equal(found(ONCE), often);
    size_t gone = 0;
    for (size_t count = 0; count < ONCE; count++) {
        added(key_of(count), BYTES);
        for (; (entry = surplus()) != NULL; gone++) {
            assert_int_equal(entry->key.count, gone); /* in their order */
            allfold_entry_free(entry);
        }
        assert_true(cache.trial.bytes <= ALLFOLD_TRIAL_BYTES);
    }
    assert_int_equal(gone, ONCE - ALLFOLD_TRIAL_BYTES / BYTES);
    assert_ptr_equal(found(ONCE), often);
    assert_non_null(found(LONG));
    assert_null(found(gone - 1));
    assert_non_null(found(gone)); /* just in time: it is kept now */
    assert_true(found(gone)->is_kept);
    assert_true(cache.slots_lg <= 10);
}

/* All of one collective, wherever they are, and no others. */
static void test_take_of(void **state)
{
    (void)state;
    struct allfold_shape_key reduce = key_of(3);
    reduce.collective = ALLFOLD_REDUCE;
    assert_null(allfold_cache_take_of(&cache, ALLFOLD_REDUCE));
    for (size_t count = 0; count < 6; count++)
        added(key_of(count), 10); /* of an allreduce */
    for (size_t i = 0; i < 3; i++, reduce.count++)
        added(reduce, 1);
    assert_non_null(found(1)); /* newer than the reductions now */
    for (int i = 0; i < 3; i++) {
        struct allfold_entry *entry = allfold_cache_take_of(&cache, ALLFOLD_REDUCE);
        assert_non_null(entry);
        assert_int_equal(entry->key.collective, ALLFOLD_REDUCE);
        allfold_entry_free(entry);
    }
    assert_null(allfold_cache_take_of(&cache, ALLFOLD_REDUCE));
    assert_null(allfold_cache_take_of(&cache, ALLFOLD_BCAST));
    assert_int_equal(cache.bytes, 60);
    for (size_t count = 0; count < 6; count++)
        assert_non_null(found(count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_empty, empty_cache),
        cmocka_unit_test_teardown(test_find, empty_cache),
        cmocka_unit_test_teardown(test_blocks, empty_cache),
        cmocka_unit_test_teardown(test_every_field_matters, empty_cache),
        cmocka_unit_test_teardown(test_order, empty_cache),
        cmocka_unit_test_teardown(test_surplus, empty_cache),
        cmocka_unit_test_teardown(test_collisions, empty_cache),
        cmocka_unit_test_teardown(test_random_calls, empty_cache),
        cmocka_unit_test_teardown(test_take_of, empty_cache),
        cmocka_unit_test_teardown(test_trial, empty_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
