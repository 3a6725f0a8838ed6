/* Level Zero's values and layouts as the library has them, beside its header where that is
 * installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mpi/device/level_zero_abi.h"

#if __has_include(<level_zero/ze_api.h>)
#include <level_zero/ze_api.h>

static void test_values(void **state)
{
    (void)state;
    assert_int_equal(ALLFOLD_ZE_GROUP_PROPERTIES, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
    assert_int_equal(ALLFOLD_ZE_CONTEXT, ZE_STRUCTURE_TYPE_CONTEXT_DESC);
    assert_int_equal(ALLFOLD_ZE_QUEUE, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC);
    assert_int_equal(ALLFOLD_ZE_EVENT_POOL, ZE_STRUCTURE_TYPE_EVENT_POOL_DESC);
    assert_int_equal(ALLFOLD_ZE_EVENT, ZE_STRUCTURE_TYPE_EVENT_DESC);
    assert_int_equal(ALLFOLD_ZE_HOST_MEMORY, ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC);
    assert_int_equal(ALLFOLD_ZE_MEMORY_PROPERTIES, ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES);
    assert_int_equal(ALLFOLD_ZE_NOT_READY, ZE_RESULT_NOT_READY);
    assert_int_equal(ALLFOLD_ZE_NO_DEVICE_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY);
    assert_int_equal(ALLFOLD_ZE_HOST, ZE_MEMORY_TYPE_HOST);
    assert_int_equal(ALLFOLD_ZE_DEVICE, ZE_MEMORY_TYPE_DEVICE);
    assert_int_equal(ALLFOLD_ZE_COMPUTES, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE);
    assert_int_equal(ALLFOLD_ZE_COPIES, ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);
    assert_int_equal(ALLFOLD_ZE_SYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    assert_int_equal(ALLFOLD_ZE_ASYNCHRONOUS, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
    assert_int_equal(ALLFOLD_ZE_SEEN_BY_HOST, ZE_EVENT_POOL_FLAG_HOST_VISIBLE);
    assert_int_equal(ALLFOLD_ZE_FOR_HOST, ZE_EVENT_SCOPE_FLAG_HOST);
}

static void test_layouts(void **state)
{
    (void)state;
    static const struct {
        size_t ours, theirs;
    } same[] = {
        {sizeof(struct allfold_ze_plain), sizeof(ze_context_desc_t)},
        {sizeof(struct allfold_ze_plain), sizeof(ze_host_mem_alloc_desc_t)},
        {offsetof(struct allfold_ze_plain, flags), offsetof(ze_context_desc_t, flags)},
        {sizeof(struct allfold_ze_queue), sizeof(ze_command_queue_desc_t)},
        {offsetof(struct allfold_ze_queue, group), offsetof(ze_command_queue_desc_t, ordinal)},
        {offsetof(struct allfold_ze_queue, mode), offsetof(ze_command_queue_desc_t, mode)},
        {sizeof(struct allfold_ze_group), sizeof(ze_command_queue_group_properties_t)},
        {offsetof(struct allfold_ze_group, flags),
         offsetof(ze_command_queue_group_properties_t, flags)},
        {sizeof(struct allfold_ze_event_pool), sizeof(ze_event_pool_desc_t)},
        {offsetof(struct allfold_ze_event_pool, count), offsetof(ze_event_pool_desc_t, count)},
        {sizeof(struct allfold_ze_event), sizeof(ze_event_desc_t)},
        {offsetof(struct allfold_ze_event, signal), offsetof(ze_event_desc_t, signal)},
        {sizeof(struct allfold_ze_memory), sizeof(ze_memory_allocation_properties_t)},
        {offsetof(struct allfold_ze_memory, type),
         offsetof(ze_memory_allocation_properties_t, type)},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (same[i].ours != same[i].theirs)
            fail_msg("layout %zu: %zu, not %zu", i, same[i].ours, same[i].theirs);
}
#else
static void test_values(void **state)
{
    (void)state;
    print_message("skipped: Level Zero's header is not installed\n");
    skip();
}

static void test_layouts(void **state)
{
    test_values(state);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
