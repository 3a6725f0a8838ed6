/*
 * test_algorithms.c: every algorithm that the library lists, in one program. allfold_comm_set
 * forces each on a communicator, with its preset parameters and with others. Then it serves a
 * sample of calls drawn from all shapes. An algorithm that cannot serve a call must say so with the
 * documented error.
 *
 * What is expected is read from the algorithms' descriptors.
 */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithm.h"
#include "topology/cables.h"
#include "comm_set.h"
#include "topology/placement.h"
#include "select/rules.h"
#include "served.h"
#include "topology/nodes_make.h"

static const char *placement, *switches, *torus;
static const struct allfold_nodes *nodes;
static int cases = 6, others = 3, large = 20011;

static MPI_Comm comm;

/* An algorithm with parameters, and which cases were its. */
struct variant {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    bool is_preset;
    bool is_unordered; /* the word is in the rule; it has to be where ranks get different bits */
    char rule[ALLFOLD_NAME_BYTES];
    int first, end;
};

enum { VARIANTS_LIMIT = 256 };
static struct variant variants[VARIANTS_LIMIT];
static int variant_count;

/* What a run is asked: all of it follows from the case's seed. */
struct shape {
    const struct subject *subject;
    int count, root;
    bool in_place;
};

static const struct subject *pick_subject(int number, uint64_t random)
{
    static const int first[] = {SUM_INT64, AFFINE, MIXED_NEGATIVE, MATRIX_GAPS};

    return &subjects[number < 4 ? first[number] : (int)(random % SUBJECTS)];
}

/* The first calls of an algorithm are large ones; with other parameters there may be a message for
 * each element, so there are few. */
static struct shape pick(const struct variant *variant, int number)
{
    uint64_t random =
        check_random((uint64_t)variant_count, (uint64_t)number, (uint64_t)check_size());
    int p = check_size();
    const int counts[] = {0, 1, p - 1, p + 1, 3 * p + 2};
    int count = counts[random % 5];

    if (variant->is_preset && number < 2)
        count = number == 0 ? large : 1000;
    if (allfold_has_blocks(variant->algorithm->collective))
        count = (count + p - 1) / p;
    return (struct shape){pick_subject(number, random >> 16 & 0xff), count,
                          (int)(random >> 24 & 0xff) % p, random >> 32 & 1};
}

/* The error that the library is to give, or NULL. */
static const char *expected_error(const struct variant *variant, const struct shape *shape,
                                  char *text, size_t text_bytes)
{
    const struct allfold_algorithm *algorithm = variant->algorithm;
    bool reduces = collective_reduces(collectives[algorithm->collective]);
    int commutes = 1;

    if (reduces)
        MPI_Op_commutative(shape->subject->op, &commutes);
    const struct allfold_problem problem = {
        .collective = algorithm->collective,
        .group = allfold_group_all(check_size(), check_rank()),
        .root = allfold_traits(algorithm->collective)->has_root ? shape->root : 0,
        .count = (size_t)shape->count * (reduces ? 1 : shape->subject->kind->bytes),
        .element_bytes = reduces ? shape->subject->kind->bytes : 1,
        .nodes = allfold_nodes_seen(nodes),
        .commutative = commutes,
        .exact = !reduces || shape->subject == &subjects[SUM_INT64],
    };
    const struct allfold_rule rule = {.algorithm = algorithm,
                                      .parameters = variant->parameters,
                                      .unordered = variant->is_unordered};
    const char *unmet = allfold_rule_unmet(&rule, &problem);
    if (check_size() == 1 || !unmet) /* one rank alone is native */
        return NULL;
    snprintf(text, text_bytes, "%s.%s is forced, but it needs %s",
             allfold_collective_name(algorithm->collective), algorithm->name, unmet);
    return text;
}

static void test_shape(const struct variant *variant, const struct shape *shape)
{
    const char *collective = allfold_collective_name(variant->algorithm->collective);
    char text[300];

    const char *error = expected_error(variant, shape, text, sizeof text);
    if (!check_case("%s.%s: %s, %s, count %d, root %d%s%s", collective, variant->rule,
                    shape->subject->kind->name, shape->subject->layout->name, shape->count,
                    shape->root, shape->in_place ? ", in place" : "", error ? ", an error" : ""))
        return;
    struct call call = call_of(collectives[variant->algorithm->collective], shape->subject, comm,
                               shape->count, shape->root);
    call.in_place = shape->in_place;
    call.error = error;
    call_run(&call);
}

/* Writes the rule that forces the algorithm, as a user does. */
static void write_rule(struct variant *variant)
{
    const struct allfold_parameter *of = variant->algorithm->parameters;
    const char *before = "(";
    size_t at =
        (size_t)snprintf(variant->rule, sizeof variant->rule, "%s", variant->algorithm->name);

    for (int i = 0; of[i].name && !variant->is_preset; i++) {
        char value[ALLFOLD_NAME_BYTES];
        allfold_parameter_write(variant->algorithm, i, &variant->parameters, value, sizeof value);
        at += (size_t)snprintf(variant->rule + at, sizeof variant->rule - at, "%s%s=%s", before,
                               of[i].name, value);
        before = ",";
    }
    if (variant->is_unordered)
        at +=
            (size_t)snprintf(variant->rule + at, sizeof variant->rule - at, "%sunordered", before);
    if (at > strlen(variant->algorithm->name))
        snprintf(variant->rule + at, sizeof variant->rule - at, ")");
}

static void set_rule(const struct variant *variant, const char *rule)
{
    char name[64];

    snprintf(name, sizeof name, "ALLFOLD_%s",
             allfold_collective_name(variant->algorithm->collective));
    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    if (check_case("%s: setting '%s'", name, rule))
        check_equal("code of allfold_comm_set", MPI_SUCCESS, comm_set(comm, name, rule));
}

/* Values that are tried, at random; also of the parameters of inner algorithms. */
static void vary(struct variant *variant)
{
    const struct allfold_parameter *of = variant->algorithm->parameters;

    for (int i = 0; of[i].name; i++) {
        const unsigned count = allfold_parameter_tried_count(&of[i]);
        if (count > 0)
            variant->parameters.value[i] = allfold_parameter_tried(
                &of[i], check_random((uint64_t)i, check_seed(), 12) % count);
        if (of[i].inner) {
            struct allfold_named inner = allfold_named(&variant->parameters, i);
            inner.parameters =
                allfold_tried(inner.algorithm, false,
                              (unsigned)(check_random((uint64_t)i, check_seed(), 13) %
                                         allfold_tried_count(inner.algorithm, false)));
            allfold_name(&variant->parameters, i, &inner);
        }
    }
}

static void test_variant(const struct allfold_algorithm *algorithm, bool is_preset)
{
    struct variant *variant = &variants[variant_count++];

    variant->algorithm = algorithm;
    variant->is_preset = is_preset;
    variant->is_unordered = !is_preset && allfold_may_be_unordered(algorithm);
    variant->parameters = allfold_parameter_presets(algorithm);
    if (!is_preset)
        vary(variant);
    write_rule(variant);
    variant->first = check_begun();
    set_rule(variant, variant->rule);
    for (int number = 0; number < (is_preset ? cases : others); number++) {
        struct shape shape = pick(variant, number);
        test_shape(variant, &shape);
    }
    set_rule(variant, "");
    variant->end = check_begun();
}

/* Links the nodes as a torus like 3x2, which ALLFOLD_NETWORK tells the library of, too. */
static bool cable(void)
{
    enum { MOST = 64 };
    struct allfold_cable pairs[2 * MOST];
    int rows, columns, count = 0;

    if (!nodes || sscanf(torus, "%dx%d", &rows, &columns) != 2 || rows < 2 || columns < 2 ||
        nodes->count > MOST || rows * columns != nodes->count)
        return false;
    for (int n = 0; n < nodes->count; n++) {
        const int row = n / columns, column = n % columns;
        pairs[count++] = (struct allfold_cable){n, (row + 1) % rows * columns + column};
        pairs[count++] = (struct allfold_cable){n, row * columns + (column + 1) % columns};
    }
    nodes = allfold_nodes_extended(
        nodes, (struct allfold_nodes_facts){.cables = pairs, .cable_count = count});
    return nodes && nodes->cables;
}

/* The nodes, switches and cables that ALLFOLD_NETWORK tells the library of, too.
 */
static void place(void)
{
    enum { MOST = 64 };
    int64_t keys[MOST];
    char message[300];

    if (placement && check_size() <= MOST &&
        allfold_placement_read(placement, check_size(), keys, message, sizeof message) ==
            ALLFOLD_OK)
        nodes = allfold_nodes_create(&(const struct allfold_nodes_facts){
            .p = check_size(), .keys = keys, .even_sockets = allfold_placement_sockets(placement)});
    const struct allfold_group_level groups = {.keys = keys};
    if (switches &&
        allfold_placement_read(switches, check_size(), keys, message, sizeof message) == ALLFOLD_OK)
        nodes = allfold_nodes_extended(
            nodes, (struct allfold_nodes_facts){.groups = &groups, .levels = 1});
    if (switches && !(nodes && nodes->groups) && check_case("switches %s", switches))
        check_fail("--switches %s says no groups of these nodes", switches);
    if (torus && !cable() && check_case("torus %s", torus))
        check_fail("--torus %s says no cables of these nodes", torus);
}

static void run(void)
{
    if (!comm_set_find())
        return;
    kinds_start();
    place();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (size_t i = 0; allfold_algorithms[i] && variant_count < VARIANTS_LIMIT - 2; i++) {
        test_variant(allfold_algorithms[i], true);
        if (allfold_algorithms[i]->parameters[0].name)
            test_variant(allfold_algorithms[i], false);
    }
    MPI_Comm_free(&comm);
    allfold_nodes_free(nodes);
    kinds_end();
}

static void report(void)
{
    for (int i = 0; i < variant_count; i++) {
        const struct variant *v = &variants[i];
        int failures = check_failures(v->first, v->end);
        printf("%s %s.%s\n", failures ? "FAILED" : "passed",
               allfold_collective_name(v->algorithm->collective), v->rule);
    }
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"cases", "calls of each algorithm with its preset parameters", &cases, 1, NULL},
        {"others", "calls of each algorithm with other parameters", &others, 0, NULL},
        {"large", "elements of the largest vector", &large, 1, NULL},
        {"nodes", "where the ranks live, as nodes of ALLFOLD_NETWORK", NULL, 0, &placement},
        {"switches", "which ranks share a switch, written alike", NULL, 0, &switches},
        {"torus", "how the nodes are linked directly, like 3x2", NULL, 0, &torus},
    };
    static const struct check_program program = {
        .doc = "Checks every algorithm of the library, forced by allfold_comm_set.",
        .run = run,
        .report = report,
        .flags = flags,
        .flag_count = 6,
        .least_ranks = 1,
    };
    return check_main(argc, argv, &program);
}
