/* Invariants are executable. Each case breaks one on purpose, in a process of its own, which must
 * end by the assert of the named file. Builds without asserts skip all cases. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "algorithms/binary_tree.h"
#include "algorithms/circulant.h"
#include "algorithms/levels.h"
#include "events/report_format.h"
#include "execute/executor.h"
#include "execute/sparse.h"
#include "kernels/rle.h"
#include "lab/measure/launches.h"
#include "lab/simulate/budget.h"
#include "lab/verify/mailbox.h"
#include "lab/verify/values.h"
#include "mpi/call/cache.h"
#include "schedule/hazards.h"
#include "schedule/verbs.h"
#include "select/table.h"
#include "support.h"
#include "support_builder.h"
#include "transport/buffers.h"
#include "transport/channels.h"
#include "transport/shared_memory.h"
#include "util/csv.h"
#include "util/memory.h"

#ifdef NDEBUG
enum { HAS_ASSERTS = false };
#else
enum { HAS_ASSERTS = true };
#endif

enum { BUFFER = 64, LONG = ALLFOLD_INLINE_BYTES + 1 };

static void widen_what_has_room(void)
{
    static char items[8];
    uint32_t capacity = 8;
    allfold_widen(items, 3, &capacity, 1);
}

static void watch_too_many_buffers(void)
{
    struct allfold_hazards hazards = {.interval_count = 0};
    allfold_hazards_add_buffer(&hazards, ALLFOLD_MAX_BUFFERS, 4);
}

static void name_the_value_of_no_rank(void)
{
    struct allfold_values *values = allfold_values_create();
    allfold_values_begin(values, 3, 4, false);
    allfold_values_leaf(values, 3, 0);
}

static void release_a_mail_of_nobody(void)
{
    struct allfold_mail_pool pool = {.unused = {NULL}};
    struct allfold_mail *mail = allfold_mail_take(&pool, 8);
    for (int i = 0; i < 3; i++)
        allfold_mail_release(&pool, mail);
}

static void give_back_more_than_was_taken(void)
{
    struct allfold_budget budget = {.limit_bytes = 64};
    allfold_budget_take(&budget, 8);
    allfold_budget_give_back(&budget, 16);
}

static void read_beyond_a_buffer(void)
{
    struct allfold_hazards hazards = {.interval_count = 0};
    allfold_hazards_add_buffer(&hazards, 0, 4);
    allfold_hazards_read(&hazards, span(0, 2, 4), 0);
}

static void let_a_step_wait_for_a_later_one(void)
{
    struct allfold_hazards hazards = {.interval_count = 0};
    allfold_hazards_add_buffer(&hazards, 0, 4);
    for (uint32_t step = 0; step < 3; step++)
        allfold_hazards_write(&hazards, span(0, 0, 4), step);
    allfold_hazards_write(&hazards, span(0, 0, 4), 1);
}

static void leave_no_frame(void)
{
    struct allfold_builder *s = builder_of(2, 0, 4, 4, false);
    allfold_frame_leave(s, (struct allfold_frame){.in = {.length = 4}});
}

static void encode_integers(void)
{
    const int32_t vector[4] = {0};
    int32_t block[4];
    allfold_rle_encode(ALLFOLD_INT32, ALLFOLD_RLE_ZEROS, block, vector, 4);
}

static void fill_more_buffers_than_there_are(void)
{
    struct allfold_buffers *buffers = allfold_buffers_create(1);
    for (uint32_t i = 0; i <= allfold_buffers_for(1); i++)
        allfold_buffer_fill(buffers, &(struct allfold_fragment){.run = 1, .index = i});
}

static void release_a_buffer_twice(void)
{
    struct allfold_buffers *buffers = allfold_buffers_create(1);
    const uint32_t buffer = allfold_buffer_fill(buffers, &(struct allfold_fragment){.run = 1});
    allfold_buffer_retain(buffers, buffer);
    allfold_buffer_release(buffers, buffer);
    allfold_buffer_release(buffers, buffer);
}

static void *node_memory(void)
{
    const size_t bytes = allfold_channels_bytes(2, BUFFER);
    return memset(aligned_alloc(64, bytes), 0, bytes);
}

static struct allfold_channels channels_of(char *memory, int index)
{
    struct allfold_channels channels;
    allfold_channels_open(&channels, memory, 2, index, BUFFER);
    return channels;
}

static void open_channels_beside_a_line(void)
{
    channels_of((char *)node_memory() + 8, 0);
}

static void release_what_has_not_arrived(void)
{
    struct allfold_channels channels = channels_of(node_memory(), 0);
    allfold_channel_release(&channels.ends[2 + 1]);
}

static void write_beyond_a_message(void)
{
    static const char data[LONG];
    struct allfold_channels channels = channels_of(node_memory(), 0);
    allfold_channel_write(&channels, &channels.ends[1], data, LONG, LONG, 0);
}

static void release_more_than_was_sent(void)
{
    static const char data[LONG];
    struct allfold_channels channels = channels_of(node_memory(), 0);
    struct allfold_end *end = &channels.ends[1];
    allfold_channel_write(&channels, end, data, LONG, 0, 0);
    atomic_store(&end->channel->released, 5);
    allfold_channel_has_released(&channels, end, 1);
}

static int add(const struct allfold_elements *elements, void *to, const void *left,
               const void *right, size_t count)
{
    (void)elements, (void)to, (void)left, (void)right, (void)count;
    return 0;
}

static int copy_elements(const struct allfold_elements *elements, void *to, const void *from,
                         size_t count)
{
    (void)elements, (void)to, (void)from, (void)count;
    return 0;
}

static const struct allfold_elements elements = {
    .extent_bytes = 4, .high_bytes = 4, .reduce = add, .copy = copy_elements};

/* A transport whose messages go nowhere, and end as `ended` says. */
static uint32_t ended[4], ended_count;

static int start(struct allfold_transport *transport, const struct allfold_message *message)
{
    (void)transport, (void)message;
    return 0;
}

static int end_some(struct allfold_transport *transport, uint32_t *slots, uint32_t *count)
{
    (void)transport;
    *count = ended_count;
    for (uint32_t i = 0; i < ended_count; i++)
        slots[i] = ended[i];
    return 0;
}

static const struct allfold_transport_operations operations = {
    .send = start, .receive = start, .test = end_some};
static struct allfold_transport transport = {.operations = &operations};
static int32_t in[4], out[4];
static _Alignas(64) int32_t scratch_memory[64];

static const struct allfold_schedule *schedule_of_a_send(void)
{
    struct allfold_builder *s = builder_of(2, 0, 4, 4, false);
    const struct allfold_span kept = scratch(s, 4);
    copy(s, kept, span(ALLFOLD_IN, 0, 4));
    send_to(s, 1, kept);
    send_to(s, 1, kept);
    return frozen(s);
}

static struct allfold_binding binding_of(void)
{
    return (struct allfold_binding){in, out, scratch_memory, &elements, &transport, 0, NULL};
}

static void take_an_odd_window(void)
{
    allfold_executor_create(schedule_of_a_send(), 3);
}

static void run_in_crooked_scratch(void)
{
    struct allfold_executor *executor = allfold_executor_create(schedule_of_a_send(), 4);
    struct allfold_binding binding = binding_of();
    binding.scratch = scratch_memory + 1;
    allfold_executor_start(executor, &binding);
}

static void lose_without_poison(void)
{
    struct allfold_executor *executor = allfold_executor_create(schedule_of_a_send(), 4);
    struct allfold_binding binding = binding_of();
    binding.lost = 1;
    allfold_executor_start(executor, &binding);
}

static void start_twice(void)
{
    struct allfold_executor *executor = allfold_executor_create(schedule_of_a_send(), 4);
    const struct allfold_binding binding = binding_of();
    allfold_executor_start(executor, &binding);
    allfold_executor_start(executor, &binding);
}

/* The slots are what a faulty transport says that it ended. */
static void end_slots(uint32_t first, uint32_t second)
{
    struct allfold_executor *executor = allfold_executor_create(schedule_of_a_send(), 4);
    const struct allfold_binding binding = binding_of();
    bool done;
    allfold_executor_start(executor, &binding);
    allfold_executor_test(executor, &done); /* the copy; now both sends are in flight */
    ended[0] = first;
    ended[1] = second;
    ended_count = 2;
    allfold_executor_test(executor, &done);
}

static void end_a_message_twice(void)
{
    end_slots(1, 1);
}

static void end_a_slot_beyond_the_window(void)
{
    end_slots(0, 4);
}

static void reduce_two_blocks(void)
{
    static double vector[8];
    const struct allfold_sparse sparse = {.type = ALLFOLD_DOUBLE, .operation = ALLFOLD_SUM};
    const struct allfold_rle_block block = {vector, 1};
    allfold_sparse_reduce(&sparse, vector, block, block, 8);
}

static void look_up_any_placement(void)
{
    static const struct allfold_table empty = {.count = 0};
    const struct allfold_table_key key = {.arrangements = ALLFOLD_ANY_ARRANGEMENT,
                                          .commutative = allfold_only(true),
                                          .exact = allfold_only(true)};
    allfold_table_find(&empty, &key);
}

static void pool_no_launches(void)
{
    static struct allfold_contest pooled;
    allfold_launches_pool(NULL, 0, &pooled);
}

static void read_too_many_columns(void)
{
    char message[200];
    allfold_csv_read("/dev/null", "nobody", NULL, ALLFOLD_CSV_COLUMNS + 1, NULL, NULL, message,
                     sizeof message);
}

static void keep_a_shape_twice(void)
{
    static struct allfold_cache cache;
    static struct allfold_entry entries[2];
    allfold_cache_add(&cache, &entries[0]);
    allfold_cache_add(&cache, &entries[1]);
}

static void merge_what_is_not_alike(void)
{
    struct allfold_report_row into = {.collective = ALLFOLD_ALLREDUCE, .p = 4};
    const struct allfold_report_row row = {.collective = ALLFOLD_ALLREDUCE, .p = 8};
    allfold_report_merge(&into, &row);
}

static void ask_a_tree_for_a_rank_beyond_it(void)
{
    allfold_binary_tree(0, 4, 1, 9, EVEN_SHARES);
}

static void skip_with_radix_1(void)
{
    allfold_skips(5, 1);
}

static void multiply_levels_that_are_not_the_core(void)
{
    const struct levels levels = {.count = 1, .core = 3, .level = {{.radix = 2}}};
    const struct allfold_problem problem = {
        .collective = ALLFOLD_ALLREDUCE, .group = allfold_group_all(3, 0), .count = 4};
    allfold_levels_allreduce(builder_of(3, 0, 4, 4, false), &problem, &levels);
}

static const struct {
    const char *file; /* whose assert is to fire */
    void (*break_it)(void);
} cases[] = {
    {"util/memory.c", widen_what_has_room},
    {"schedule/hazards.c", watch_too_many_buffers},
    {"schedule/hazards.c", read_beyond_a_buffer},
    {"verify/values.c", name_the_value_of_no_rank},
    {"verify/mailbox.c", release_a_mail_of_nobody},
    {"simulate/budget.h", give_back_more_than_was_taken},
    {"schedule/hazards.c", let_a_step_wait_for_a_later_one},
    {"schedule/builder.c", leave_no_frame},
    {"algorithms/binary_tree.c", ask_a_tree_for_a_rank_beyond_it},
    {"algorithms/circulant.c", skip_with_radix_1},
    {"algorithms/levels.c", multiply_levels_that_are_not_the_core},
    {"kernels/choice.c", encode_integers},
    {"transport/buffers.c", fill_more_buffers_than_there_are},
    {"transport/buffers.c", release_a_buffer_twice},
    {"transport/channels.c", open_channels_beside_a_line},
    {"transport/channels.h", release_what_has_not_arrived},
    {"transport/channels.c", write_beyond_a_message},
    {"transport/channels.c", release_more_than_was_sent},
    {"execute/executor.c", take_an_odd_window},
    {"execute/executor.c", run_in_crooked_scratch},
    {"execute/executor.c", lose_without_poison},
    {"execute/executor.c", start_twice},
    {"execute/executor.c", end_a_message_twice},
    {"execute/executor.c", end_a_slot_beyond_the_window},
    {"execute/sparse.c", reduce_two_blocks},
    {"select/table.c", look_up_any_placement},
    {"measure/launches.c", pool_no_launches},
    {"util/csv.c", read_too_many_columns},
    {"mpi/call/cache.c", keep_a_shape_twice},
    {"events/report_figures.c", merge_what_is_not_alike},
};

/* Runs a case in a process of its own; what that said on stderr is in `said`. Returns its status.
 */
static int run_apart(void (*break_it)(void), char *said, size_t said_bytes)
{
    int ends[2], status = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        break_it();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; (n = read(ends[0], said + length, said_bytes - 1 - length)) > 0;)
        length += (size_t)n;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_each_assert_fires(void **state)
{
    (void)state;
    if (!HAS_ASSERTS) {
        print_message("this build has no asserts: configure it with -DALLFOLD_ASSERTS=ON\n");
        skip();
    }
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char said[4096];
        const int status = run_apart(cases[i].break_it, said, sizeof said);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT ||
            strstr(said, cases[i].file) == NULL || strstr(said, "Assertion") == NULL)
            fail_msg("case %zu: status %d, expected an assert of %s: %s", i, status, cases[i].file,
                     said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_assert_fires)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
