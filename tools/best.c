/* Where algorithms are the best (see best.h). */
#include "best.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "directory.h"
#include "util/csv.h"
#include "util/memory.h"
#include "util/number.h"
#include "util/quantity.h"

enum { NETWORK_BYTES = 24, BEST_BYTES = 600 };

struct best_case {
    enum allfold_collective collective;
    char network[NETWORK_BYTES];
    long nodes, ppn, bytes;
    double us, next_us;    /* of the best, and of the next one; 0: there is none */
    char best[BEST_BYTES]; /* names with semicolons between them */
};

struct allfold_best_cases {
    struct best_case *cases;
    uint32_t count, capacity;
};

enum { COLLECTIVE, NETWORK, NODES, PPN, BYTES, US, BEST, NEXT, COLUMNS };
static const char *const columns[COLUMNS] = {"collective", "network", "nodes", "ppn",
                                             "bytes",      "us",      "best",  "next_us"};

static bool take(void *context, int line, const char *const *cells, char *message,
                 size_t message_bytes)
{
    struct allfold_best_cases *cases = context;
    struct best_case one = {.collective = allfold_collective_find(cells[COLLECTIVE])};
    (void)line;
    if (one.collective == ALLFOLD_COLLECTIVE_COUNT ||
        !allfold_whole_is(cells[NODES], 1, INT_MAX, &one.nodes) ||
        !allfold_whole_is(cells[PPN], 1, INT_MAX, &one.ppn) ||
        !allfold_whole_is(cells[BYTES], 0, INT_MAX, &one.bytes) ||
        !allfold_number_is(cells[US], &one.us) ||
        (cells[NEXT][0] != '\0' && !allfold_number_is(cells[NEXT], &one.next_us))) {
        snprintf(message, message_bytes, "no case; make the table anew with scripts/best");
        return false;
    }
    snprintf(one.network, sizeof one.network, "%s", cells[NETWORK]);
    snprintf(one.best, sizeof one.best, "%s", cells[BEST]);
    void *room = allfold_make_room(cases->cases, cases->count, &cases->capacity, sizeof one);
    if (room == NULL) {
        snprintf(message, message_bytes, "no memory");
        return false;
    }
    cases->cases = room;
    cases->cases[cases->count++] = one;
    return true;
}

struct allfold_best_cases *allfold_best_read(char *message, size_t message_bytes)
{
    char directory[PATH_MAX], path[PATH_MAX + 16];
    struct allfold_best_cases *cases = calloc(1, sizeof *cases);
    snprintf(message, message_bytes, "the simulations' table is not found");
    if (cases == NULL || !allfold_tool_library_directory(directory, sizeof directory)) {
        free(cases);
        return NULL;
    }
    snprintf(path, sizeof path, "%s/best.csv", directory);
    if (allfold_csv_read(path, "scripts/best", columns, COLUMNS, take, cases, message,
                         message_bytes))
        return cases;
    allfold_best_free(cases);
    return NULL;
}

void allfold_best_free(struct allfold_best_cases *cases)
{
    if (cases != NULL)
        allfold_free(cases->cases);
    free(cases);
}

/* Is the name among them? */
static bool has_name(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (; *names != '\0'; names += strcspn(names, ";"), names += *names == ';')
        if (strncmp(names, name, length) == 0 && (names[length] == ';' || names[length] == '\0'))
            return true;
    return false;
}

/* What the cases have in common in which an algorithm is the best. */
struct extent {
    long least_bytes, most_bytes, least_ppn, most_ppn;
    char networks[5 * NETWORK_BYTES];
    const struct best_case *ahead; /* where it leads most, alone */
};

static void widen(struct extent *extent, const struct best_case *one, bool is_first)
{
    if (is_first || one->bytes < extent->least_bytes)
        extent->least_bytes = one->bytes;
    if (is_first || one->bytes > extent->most_bytes)
        extent->most_bytes = one->bytes;
    if (is_first || one->ppn < extent->least_ppn)
        extent->least_ppn = one->ppn;
    if (is_first || one->ppn > extent->most_ppn)
        extent->most_ppn = one->ppn;
    const size_t length = strlen(extent->networks);
    if (strstr(extent->networks, one->network) == NULL)
        snprintf(extent->networks + length, sizeof extent->networks - length, "%s%s",
                 length == 0 ? "" : ", ", one->network);
    const bool is_alone = strchr(one->best, ';') == NULL && one->next_us > 0;
    if (is_alone && (extent->ahead == NULL ||
                     one->next_us / one->us > extent->ahead->next_us / extent->ahead->us))
        extent->ahead = one;
}

static void write_range(long least, long most, char *text, size_t text_bytes)
{
    char from[32], to[32];
    allfold_size_write((size_t)least, from, sizeof from);
    allfold_size_write((size_t)most, to, sizeof to);
    snprintf(text, text_bytes, "%s%s%s", from, least == most ? "" : " to ",
             least == most ? "" : to);
}

static void describe(const struct extent *extent, struct allfold_best *best)
{
    char bytes[70], ppn[70], size[32];
    write_range(extent->least_bytes, extent->most_bytes, bytes, sizeof bytes);
    write_range(extent->least_ppn, extent->most_ppn, ppn, sizeof ppn);
    const int length = snprintf(best->text, sizeof best->text, "%s bytes; %s rank%s a node; %s",
                                bytes, ppn, extent->most_ppn == 1 ? "" : "s", extent->networks);
    if (extent->ahead == NULL || length < 0 || (size_t)length >= sizeof best->text)
        return;
    const struct best_case *one = extent->ahead;
    allfold_size_write((size_t)one->bytes, size, sizeof size);
    snprintf(best->text + length, sizeof best->text - (size_t)length,
             "; most ahead %.2f times, with %s bytes on %ld x %ld, %s", one->next_us / one->us,
             size, one->nodes, one->ppn, one->network);
}

struct allfold_best allfold_best_of(const struct allfold_best_cases *cases,
                                    const struct allfold_algorithm *algorithm)
{
    struct allfold_best best = {.cases = 0};
    struct extent extent = {.ahead = NULL};
    for (uint32_t i = 0; i < cases->count; i++) {
        const struct best_case *one = &cases->cases[i];
        if (one->collective != algorithm->collective)
            continue;
        best.cases++;
        if (!has_name(one->best, algorithm->name))
            continue;
        widen(&extent, one, best.best++ == 0);
        best.alone += strchr(one->best, ';') == NULL;
    }
    if (best.best > 0)
        describe(&extent, &best);
    return best;
}
