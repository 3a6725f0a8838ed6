/* The arguments of `allfold bench`: lists of sizes, algorithms, types, operations and roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lab/measure/measurement_plan.h"
#include "support.h"

static void expect_sizes(const char *text, int count, const size_t *sizes)
{
    struct allfold_size_list list;
    char message[300] = "";
    assert_true(allfold_size_list_read(text, &list, message, sizeof message));
    assert_int_equal(list.count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(list.sizes[i], sizes[i]);
}

static void test_sizes(void **state)
{
    (void)state;
    expect_sizes("8", 1, (const size_t[]){8});
    expect_sizes("0", 1, (const size_t[]){0});
    expect_sizes("8:64", 4, (const size_t[]){8, 16, 32, 64});
    expect_sizes("8:100", 4, (const size_t[]){8, 16, 32, 64}); /* up to the last at most */
    expect_sizes("8:8", 1, (const size_t[]){8});
    expect_sizes("10:1000:x10", 3, (const size_t[]){10, 100, 1000});
    expect_sizes("1K:3K:x3", 2, (const size_t[]){1024, 3072});
    expect_sizes("8,100,4096", 3, (const size_t[]){8, 100, 4096});
    expect_sizes("0,8:16,1M", 4, (const size_t[]){0, 8, 16, 1 << 20});
    struct allfold_size_list list;
    char message[300];
    assert_true(allfold_size_list_read("1:9223372036854775808", &list, message, sizeof message));
    assert_int_equal(list.count, 64);
    assert_true(allfold_size_list_read("3:18446744073709551615", &list, message, sizeof message));
}

static void test_wrong_sizes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",      ",",      "8,",        "8:",      ":8",        "16:8",   "0:8",
        "8:16:", "8:16:x", "8:16:x1",   "8:16:x0", "8:16:10",   "8:16x2", "a",
        "8 16",  "-8",     "8:16:x10,", "8;16",    "1:1:x1:x1",
    };
    for (size_t i = 0; i < LENGTH(texts); i++) {
        struct allfold_size_list list;
        char message[300] = "";
        if (allfold_size_list_read(texts[i], &list, message, sizeof message))
            fail_msg("'%s' is taken", texts[i]);
        assert_non_null(strstr(message, "is no list of sizes"));
    }
}

static void test_too_many_sizes(void **state)
{
    (void)state;
    char text[3 * ALLFOLD_SIZE_LIST + 10] = "1", message[300];
    struct allfold_size_list list;
    for (int i = 1; i < ALLFOLD_SIZE_LIST; i++)
        strcat(text, ",1");
    assert_true(allfold_size_list_read(text, &list, message, sizeof message));
    strcat(text, ",1");
    assert_false(allfold_size_list_read(text, &list, message, sizeof message));
}

/* Reads a plan from words "NAME=VALUE NAME=VALUE"; an empty message where it is right. */
static void read_plan(struct allfold_bench_plan *plan, const char *words, char message[1024])
{
    static char copy[2000];
    char *rest = NULL;
    bool fits = true;
    message[0] = '\0';
    snprintf(copy, sizeof copy, "%s", words);
    allfold_bench_plan_begin(plan);
    for (char *name = strtok_r(copy, " ", &rest); fits && name != NULL;
         name = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(name, '=');
        *value = '\0';
        fits = allfold_bench_plan_take(plan, name, value + 1, message, 1024);
    }
    fits = fits && allfold_bench_plan_end(plan, message, 1024);
    assert_int_equal(fits, message[0] == '\0');
}

static struct allfold_bench_plan plan;

static void test_presets(void **state)
{
    (void)state;
    char message[1024];
    read_plan(&plan, "", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.collective, ALLFOLD_ALLREDUCE);
    assert_int_equal(plan.algorithm_count, 2);
    assert_int_equal(plan.algorithms[0].kind, ALLFOLD_PLAN_CHOICE);
    assert_int_equal(plan.algorithms[1].kind, ALLFOLD_PLAN_NATIVE);
    assert_int_equal(plan.sizes.count, 18);
    assert_int_equal(plan.series_count, 1);
    assert_int_equal(plan.series[0].type, ALLFOLD_DOUBLE);
    assert_int_equal(plan.series[0].operation, ALLFOLD_SUM);
    assert_int_equal(allfold_bench_plan_count(&plan, &plan.series[0], 100),
                     12); /* whole elements */
}

static void test_copy(void **state)
{
    (void)state;
    char message[1024];
    read_plan(&plan, "algorithm=copy,native,copy,allfold", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.algorithm_count, 3);
    assert_int_equal(plan.algorithms[0].kind, ALLFOLD_PLAN_COPY);
    assert_string_equal(plan.algorithms[0].name, "copy");
    read_plan(&plan, "algorithm=copy collective=barrier", message);
    assert_string_equal(message, "--algorithm copy: expected another one: a barrier has no vector");
    read_plan(&plan, "algorithm=all", message);
    for (int i = 0; i < plan.algorithm_count; i++) /* it is no algorithm */
        assert_int_equal(plan.algorithms[i].kind, ALLFOLD_PLAN_FORCED);
}

static void test_algorithms(void **state)
{
    (void)state;
    char message[1024];
    int all = 0;
    for (int i = 0; allfold_algorithms[i] != NULL; i++)
        all += allfold_algorithms[i]->collective == ALLFOLD_REDUCE;
    read_plan(&plan, "algorithm=native,all,binomial_tree,chain(segment=8192) collective=reduce",
              message);
    assert_string_equal(message, "");
    assert_int_equal(plan.algorithm_count, all + 2); /* binomial_tree is one of all */
    assert_string_equal(plan.algorithms[0].name, "native");
    assert_string_equal(plan.algorithms[all + 1].name, "chain(segment=8K)");
    for (int i = 1; i <= all; i++)
        assert_int_equal(plan.algorithms[i].is_named,
                         strcmp(plan.algorithms[i].name, "binomial_tree") == 0);
    read_plan(&plan, "algorithm=smp(node=flat,leaders=circulant),ring", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.algorithm_count, 2); /* a comma in parentheses parts nothing */
    assert_string_equal(plan.algorithms[1].name, "ring");
    assert_ptr_equal(plan.algorithms[1].algorithm,
                     allfold_algorithm_find(ALLFOLD_ALLREDUCE, "ring"));
}

static void test_series(void **state)
{
    (void)state;
    char message[1024];
    read_plan(&plan, "collective=reduce type=int,double operation=sum,max root=0,2,3", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.series_count, 12);
    assert_int_equal(plan.series[0].type, ALLFOLD_INT32);
    assert_int_equal(plan.series[11].type, ALLFOLD_DOUBLE);
    assert_int_equal(plan.series[11].operation, ALLFOLD_MAX);
    assert_int_equal(plan.series[11].root, 3);
    read_plan(&plan, "collective=bcast root=1 type=complex_double bytes=16", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.series[0].operation, ALLFOLD_OPERATION_COUNT);
    read_plan(&plan, "collective=barrier bytes=8:1M", message);
    assert_string_equal(message, "");
    assert_int_equal(plan.sizes.count, 1);
    assert_int_equal(allfold_bench_plan_count(&plan, &plan.series[0], 100), 0);
}

static void test_effort(void **state)
{
    (void)state;
    char message[1024];
    read_plan(&plan,
              "precision=2 confidence=99 time=0.5 least=20 most=40 skew=150 buffers=cold:3M "
              "buffers=mpi buffers=kept",
              message);
    assert_string_equal(message, "");
    assert_true(plan.effort.width > 0.0199 && plan.effort.width < 0.0201);
    assert_true(plan.effort.confidence > 0.9899 && plan.effort.confidence < 0.9901);
    assert_true(plan.effort.longest_s == 0.5);
    assert_int_equal(plan.effort.least, 20);
    assert_int_equal(plan.effort.most, 40);
    assert_true(plan.skew_s > 149e-6 && plan.skew_s < 151e-6);
    assert_int_equal(plan.cold_bytes, 3 << 20);
    assert_true(plan.allocates_by_mpi);
    assert_true(plan.keeps_inputs);
    read_plan(&plan, "most=4", message); /* less than the preset of `least` */
    assert_string_equal(message, "");
    assert_int_equal(plan.effort.least, 4);
    assert_false(plan.keeps_inputs);
}

static const struct {
    const char *words, *message;
} wrong[] = {
    {"collective=alltoall", "--collective alltoall: expected one of: allreduce"},
    {"algorithm=nonsense", "unknown algorithm for allreduce: 'nonsense'"},
    {"algorithm=ring(segment=x)", "segment: 'x' is not a number"},
    {"algorithm=", "names without ranges"},
    {"algorithm=ring,", "names without ranges"},
    {"algorithm=0-4K:ring", "names without ranges"},
    {"algorithm=ring;flat", "names without ranges"},
    {"collective=bcast algorithm=recursive_doubling", "algorithm for bcast"},
    {"type=quadruple", "--type quadruple: expected types of: int8"},
    {"type=long_double", "--type long_double"}, /* its padding cannot be compared */
    {"operation=mean", "--operation mean: expected operations of: sum"},
    {"type=double operation=bxor", "MPI does not allow bxor of double"},
    {"type=int operation=sum,maxloc", "MPI does not allow maxloc of int32"},
    {"collective=allgather operation=sum", "the collective has none"},
    {"root=1", "--root 1: expected none"},
    {"collective=reduce root=-1", "--root -1: expected ranks"},
    {"collective=reduce root=1x", "--root 1x: expected ranks"},
    {"bytes=8:", "is no list of sizes"},
    {"bytes=2G", "more than 1G"},
    {"bytes=0,8,4", "4 bytes are less than an element of double"},
    {"precision=0", "--precision 0: expected percent"},
    {"precision=nan", "--precision nan: expected percent"},
    {"confidence=100", "--precision 100: expected percent"},
    {"time=-1", "--budget -1: expected seconds"},
    {"least=1.5", "--repetitions 1.5: expected a whole number"},
    {"warmup=0", "--warmup 0: expected a whole number"},
    {"most=10x", "--repetitions 10x: expected a whole number"},
    {"skew=1e9", "--skew 1e9: expected microseconds"},
    {"buffers=cold:0", "--buffers cold:0: expected kept"},
    {"start=now", "--start now: expected auto, window, barrier or loop"},
    {"start=loop skew=1", "--start loop: expected another one with --skew"},
    {"start=loop collective=reduce", "--start loop: expected another one where ranks do not wait"},
    {"buffers=mine", "--buffers mine: expected kept, in_place, mpi, malloc, cold"},
    {"start=sun", "--start sun: expected auto, window, barrier or loop, or measured"},
    {"refuse=because", "because"},
    {"colour=red", "'colour' is no word of a plan"},
};

static void test_wrong_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        char message[1024];
        read_plan(&plan, wrong[i].words, message);
        if (strstr(message, wrong[i].message) == NULL)
            fail_msg("%s: '%s' instead of '%s'", wrong[i].words, message, wrong[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_wrong_sizes),
        cmocka_unit_test(test_too_many_sizes), cmocka_unit_test(test_presets),
        cmocka_unit_test(test_copy),           cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_series),         cmocka_unit_test(test_effort),
        cmocka_unit_test(test_wrong_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
