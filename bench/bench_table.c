/* Tables: how long it takes to load one of 10,000 rows, to search it, and to choose by it. Beside
 * it are a choice by the built-in table and the communicator's cache of shapes, which serves each
 * call but the first. Prints medians and quartiles of many repetitions. Then what new choices take
 * on several placements, as the least of many. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "topology/nodes.h"
#include "mpi/call/cache.h"
#include "select/choose.h"
#include "select/table_file.h"

enum { ROWS = 10000, REPETITIONS = 101, CALLS = 20000, SIZES = 10, MOST_RANKS = 512 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void print(const char *what, double *times, double unit, const char *name)
{
    qsort(times, REPETITIONS, sizeof *times, compare);
    printf("%-46s %9.2f %s (quartiles %.2f to %.2f)\n", what, times[REPETITIONS / 2] / unit, name,
           times[REPETITIONS / 4] / unit, times[3 * REPETITIONS / 4] / unit);
}

/* Ten sizes each of 1000 shapes, with all that a measured row has. */
static void write_rows(const char *path)
{
    static struct allfold_table_row rows[ROWS];
    const struct allfold_table_head head = {.mpi = "Open MPI 4.1.4"};
    struct allfold_table *table;
    char message[300] = "";
    for (int i = 0; i < ROWS; i++) {
        struct allfold_table_row *row = &rows[i];
        const int shape = i / SIZES, size = i % SIZES;
        *row = (struct allfold_table_row){.collective = ALLFOLD_ALLREDUCE,
                                          .nodes = 2 + shape,
                                          .ppn = 8,
                                          .p = 8 * (2 + shape),
                                          .arrangements = allfold_only(ALLFOLD_IN_BLOCKS),
                                          .commutative = allfold_only(true),
                                          .exact = ALLFOLD_ANY_TRUTH,
                                          .from_bytes = size == 0 ? 0 : (size_t)64 << 2 * size,
                                          .to_bytes = (size_t)256 << 2 * size,
                                          .us = 12.5 + i,
                                          .native_us = 20.25 + i,
                                          .samples = 100};
        row->algorithm = allfold_algorithm_find(ALLFOLD_ALLREDUCE, "circulant");
        row->parameters = allfold_parameter_presets(row->algorithm);
    }
    if (allfold_table_make(&head, rows, ROWS, &table, message, sizeof message) != ALLFOLD_OK ||
        allfold_table_write(table, path, message, sizeof message) != ALLFOLD_OK) {
        fprintf(stderr, "bench_table: %s\n", message);
        exit(1);
    }
    allfold_table_free(table);
}

static struct allfold_table *load(const char *path)
{
    double times[REPETITIONS];
    char message[900] = "";
    struct allfold_table *table = NULL;
    for (int i = 0; i < REPETITIONS; i++) {
        allfold_table_free(table);
        const double begin_s = now_s();
        if (allfold_table_read(path, allfold_table_parse, &table, message, sizeof message) !=
            ALLFOLD_OK)
            fprintf(stderr, "bench_table: %s\n", message);
        times[i] = now_s() - begin_s;
    }
    print("load 10,000 rows", times, 1e-3, "ms");
    return table;
}

/* Other keys each time, so that no branch is learned. */
static void search(const struct allfold_table *table)
{
    double times[REPETITIONS];
    size_t found = 0;
    uint32_t random = 1;
    for (int i = 0; i < REPETITIONS; i++) {
        const double begin_s = now_s();
        for (int k = 0; k < CALLS; k++) {
            random = random * 1664525 + 1013904223;
            const int nodes = 2 + (int)(random >> 8) % 1000;
            const struct allfold_table_key key = {
                ALLFOLD_ALLREDUCE, nodes, 8, 8 * nodes, 1, 2, 1, (random >> 3) & 0xfffff};
            found += allfold_table_find(table, &key) != NULL;
        }
        times[i] = (now_s() - begin_s) / CALLS;
    }
    print("find a row, other keys each time", times, 1e-9, "ns");
    if (found == 0)
        printf("nothing was found\n");
}

/* So many nodes of so many ranks, four nodes a group where the groups are told. */
/* With groups of so many nodes, of which the last one may have fewer; 0: none are known. */
static struct allfold_nodes *placed(int count, int ranks, int in_group)
{
    static int64_t keys[MOST_RANKS], groups[MOST_RANKS];
    for (int r = 0; r < count * ranks; r++) {
        keys[r] = r / ranks;
        groups[r] = in_group == 0 ? 0 : r / ranks / in_group;
    }
    struct allfold_nodes *nodes = allfold_nodes_make(keys, count * ranks);
    if (nodes == NULL || (in_group > 0 && !allfold_nodes_group(nodes, groups))) {
        fprintf(stderr, "bench_table: no memory\n");
        exit(1);
    }
    return nodes;
}

static struct allfold_problem allreduce_on(const struct allfold_nodes *nodes, size_t count)
{
    return (struct allfold_problem){.collective = ALLFOLD_ALLREDUCE,
                                    .group = allfold_group_all(nodes->first[nodes->count], 0),
                                    .count = count,
                                    .element_bytes = 8,
                                    .commutative = true,
                                    .nodes = nodes};
}

static void choose(const struct allfold_table *table, const char *what)
{
    double times[REPETITIONS];
    const struct allfold_guides guides = {.tables = {table, NULL}};
    struct allfold_nodes *nodes = placed(8, 8, 0);
    const struct allfold_problem problem = allreduce_on(nodes, 1000);
    struct allfold_choice choice;
    for (int i = 0; i < REPETITIONS; i++) {
        const double begin_s = now_s();
        for (int k = 0; k < 100; k++)
            allfold_choose(&guides, &problem, &choice, NULL, 0);
        times[i] = (now_s() - begin_s) / 100;
    }
    print(what, times, 1e-9, "ns");
    allfold_nodes_free(nodes);
}

static double least_choice_s(const struct allfold_problem *problem)
{
    double least_s = 1;
    struct allfold_choice choice;
    for (int i = 0; i < REPETITIONS; i++) {
        const double begin_s = now_s();
        allfold_choose(NULL, problem, &choice, NULL, 0);
        const double took_s = now_s() - begin_s;
        least_s = took_s < least_s ? took_s : least_s;
    }
    return least_s;
}

/* A first choice for each of four lengths, with and without known groups of nodes. */
static void choose_on_placements(void)
{
    static const struct {
        int nodes, ranks, in_group; /* 0: no groups are known */
    } known[] = {{4, 2, 0}, {16, 1, 0}, {8, 8, 0}, {8, 8, 4}, {16, 8, 0}, {128, 1, 0}, {8, 64, 0}};
    static const size_t bytes[] = {8, 8 << 10, 256 << 10, 8 << 20};
    printf("\n%-38s  8 bytes    8 KiB  256 KiB    8 MiB\n",
           "us of a new choice, the least of many");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct allfold_nodes *nodes = placed(known[i].nodes, known[i].ranks, known[i].in_group);
        printf("%3d nodes of %2d ranks, %-15s", known[i].nodes, known[i].ranks,
               known[i].in_group > 0 ? "known groups" : "no groups");
        for (size_t b = 0; b < sizeof bytes / sizeof *bytes; b++) {
            const struct allfold_problem problem = allreduce_on(nodes, bytes[b] / 8);
            printf(" %8.1f", least_choice_s(&problem) / 1e-6);
        }
        printf("\n");
        allfold_nodes_free(nodes);
    }
}

/* What each call but the first of a shape costs: 16 shapes in turn. */
static void look_up_shapes(void)
{
    enum { SHAPES = 16 };
    static struct allfold_cache cache;
    static struct allfold_entry entries[SHAPES];
    double times[REPETITIONS];
    size_t found = 0;
    for (int i = 0; i < SHAPES; i++) {
        entries[i].key = (struct allfold_shape_key){.count = 100 + (size_t)i, .element_bytes = 8};
        allfold_cache_add(&cache, &entries[i]);
    }
    for (int i = 0; i < REPETITIONS; i++) {
        const double begin_s = now_s();
        for (int k = 0; k < CALLS; k++)
            found += allfold_cache_find(&cache, &entries[k % SHAPES].key) != NULL;
        times[i] = (now_s() - begin_s) / CALLS;
    }
    print("a known shape, 16 in turn", times, 1e-9, "ns");
    if (found != (size_t)REPETITIONS * CALLS)
        printf("not all were found\n");
}

/* With any argument: new choices alone. */
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        choose_on_placements();
        return 0;
    }
    char path[64];
    snprintf(path, sizeof path, "bench_table_%ld.json", (long)getpid());
    write_rows(path);
    struct allfold_table *table = load(path);
    unlink(path);
    search(table);
    choose(table, "choose by a row, 64 ranks on 8 nodes");
    choose(NULL, "choose by the built-in table");
    look_up_shapes();
    choose_on_placements();
    allfold_table_free(table);
    return 0;
}
