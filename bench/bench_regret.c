/* Measures the regret of the built-in table: the time of the algorithm that it chooses over the
 * time of the fastest one that a search finds, for placements for which the table has no rows.
 *
 *     bench_regret [--points N] [--seed S] [--ranks P] [--bytes B] [--jobs J] [--csv FILE] TABLES
 *
 * N random problems are drawn: a class of networks, collective, nodes, ranks per node and bytes,
 * all uniform in their logarithms. TABLES is the directory of the networks' texts. Both sides are
 * simulated on the network of the class, with the placement as Allfold detects it there. A job
 * without a known network may be on one of three networks. Its regret is the worst regret of the
 * choice over these three, divided by that of the algorithm that the search finds for all three. A
 * search skips candidates that seem too slow, so a regret may be slightly less than 1.
 *
 * J processes (default: 2) share the problems. Prints the median, 95th percentile and maximum by
 * collective and by class; the CSV has all problems. The same seed draws the same problems. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "placing.h"
#include "lab/search/search.h"
#include "select/rules.h"
#include "select/simulated.h"

enum { MOST_POINTS = 100000, MOST_JOBS = 64, ELEMENT_BYTES = 8, NETWORKS = 3, LINE = 1024 };

static struct options {
    int points, ranks, jobs;
    uint64_t seed;
    size_t bytes;
    const char *csv, *tables;
} options = {.points = 300, .ranks = 128, .jobs = 2, .seed = 1, .bytes = 4 << 20};

/* Classes as `make tables` has them, and the networks that a job of each may be on. */
static const struct class
{
    enum allfold_network_class number;
    const char *networks[NETWORKS];
    bool is_told; /* the job knows the groups or cables */
    int card_mbit;
} classes[] = {
    {ALLFOLD_NETWORK_UNTOLD, {"fat_tree", "dragonfly", "torus"}, false, 0},
    {ALLFOLD_NETWORK_FAT_TREE, {"fat_tree"}, true, 0},
    {ALLFOLD_NETWORK_DRAGONFLY, {"dragonfly"}, true, 0},
    {ALLFOLD_NETWORK_TORUS, {"torus"}, true, 0},
    {ALLFOLD_NETWORK_ETHERNET, {"ethernet"}, false, 10000},
};

static const enum allfold_collective collectives[] = {
    ALLFOLD_ALLREDUCE, ALLFOLD_REDUCE,         ALLFOLD_BCAST,      ALLFOLD_REDUCE_SCATTER_BLOCK,
    ALLFOLD_ALLGATHER, ALLFOLD_REDUCE_SCATTER, ALLFOLD_ALLGATHERV, ALLFOLD_SCAN,
    ALLFOLD_EXSCAN,    ALLFOLD_BARRIER};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct allfold_network networks[COUNT(classes)][NETWORKS];

struct point {
    const struct class *of;
    enum allfold_collective collective;
    int nodes, ppn;
    size_t bytes;
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_regret: %s\n", what);
    exit(2);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *random)
{
    *random += 0x9e3779b97f4a7c15u;
    uint64_t x = *random;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* From `least` to `most`, each power of two as probable as the next one. */
static double draw_between(uint64_t *random, double least, double most)
{
    const double share = (double)(draw(random) >> 11) / (double)((uint64_t)1 << 53);
    return least * pow((most + 1) / least, share);
}

/* Has the table rows of this shape, of any class? */
static bool is_in_table(const struct point *point)
{
    uint32_t count;
    const struct allfold_simulated_row *rows = allfold_simulated_rows(&count);
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].nodes == point->nodes && rows[i].ppn == point->ppn)
            return true;
    return false;
}

static struct point draw_point(int number)
{
    uint64_t random = options.seed * 1000003 + (uint64_t)number;
    struct point point = {.of = &classes[draw(&random) % COUNT(classes)],
                          .collective = collectives[draw(&random) % COUNT(collectives)]};
    const double units = draw_between(&random, 1, (double)options.bytes / ELEMENT_BYTES);
    point.bytes = point.collective == ALLFOLD_BARRIER ? 0 : (size_t)units * ELEMENT_BYTES;
    do {
        point.nodes = (int)draw_between(&random, 2, fmin(64, options.ranks / 2.0));
        point.ppn = (int)draw_between(&random, 1, fmin(24, options.ranks / point.nodes));
    } while (point.nodes * point.ppn > options.ranks || is_in_table(&point));
    return point;
}

/* --- one problem ------------------------------------------------------------------------------ */

struct sites {
    struct allfold_tool_placed placed[NETWORKS];
    struct allfold_search_site sites[NETWORKS];
    int count;
};

static void place(const struct point *point, struct sites *sites)
{
    struct allfold_network *of = networks[point->of - classes];
    for (sites->count = 0; sites->count < NETWORKS; sites->count++) {
        struct allfold_tool_placed *placed = &sites->placed[sites->count];
        if (point->of->networks[sites->count] == NULL)
            return;
        if (!allfold_tool_place("bench_regret", "block", point->nodes, point->ppn, placed) ||
            (point->of->is_told && !allfold_tool_group("bench_regret", "block", &of[sites->count],
                                                       placed->hosts, &placed->nodes)) ||
            !allfold_tool_extend("bench_regret",
                                 (struct allfold_nodes_facts){.card_mbit = point->of->card_mbit},
                                 &placed->nodes))
            fail("no memory");
        sites->sites[sites->count] =
            (struct allfold_search_site){&of[sites->count], placed->nodes, placed->hosts};
    }
}

/* What a job looks up, by its name. */
static bool look_up(const struct point *point, const struct allfold_nodes *nodes, char *name,
                    size_t name_bytes)
{
    const int p = point->nodes * point->ppn;
    const size_t length = point->bytes / ELEMENT_BYTES;
    const bool is_barrier = point->collective == ALLFOLD_BARRIER;
    struct allfold_problem problem = {.collective = point->collective,
                                      .group = allfold_group_all(p, 0),
                                      .count = is_barrier ? 1
                                               : allfold_has_blocks(point->collective)
                                                   ? (length + (size_t)p - 1) / (size_t)p
                                                   : length,
                                      .element_bytes = is_barrier ? 1 : ELEMENT_BYTES,
                                      .commutative = true};
    problem.nodes = allfold_nodes_for(&problem, nodes);
    struct allfold_simulated_choice choice;
    if (!allfold_simulated_find(&problem, &choice))
        return false;
    allfold_algorithm_write(choice.algorithm, &choice.parameters, name, name_bytes);
    return true;
}

/* Writes a line of the CSV. */
static void try_point(const struct point *point, char *line)
{
    char name[ALLFOLD_NAME_BYTES] = "";
    struct sites sites;
    struct allfold_search_result result;
    double time_s[ALLFOLD_SEARCH_SITES], regret = 0;
    place(point, &sites);
    const struct allfold_search search = {.collective = point->collective,
                                          .bytes = point->bytes,
                                          .element_bytes = ELEMENT_BYTES,
                                          .sites = sites.sites,
                                          .site_count = sites.count};
    const enum allfold_error error = allfold_search_run(&search, &result);
    if (error != ALLFOLD_OK)
        fail(result.message);
    if (!look_up(point, sites.sites[0].nodes, name, sizeof name) ||
        !allfold_search_time(&search, name, time_s))
        fail("a choice cannot be simulated");
    /* the fastest on a network took the time of the found one over that one's regret there, which
     * is known of the worst network alone: so take it from a search there */
    for (int i = 0; i < sites.count; i++) {
        struct allfold_search alone = search;
        struct allfold_search_result best = result;
        alone.sites = &sites.sites[i];
        alone.site_count = 1;
        if (sites.count > 1 && allfold_search_run(&alone, &best) != ALLFOLD_OK)
            fail(best.message);
        regret = fmax(regret, time_s[i] * best.best.regret / best.best.time_s[0]);
    }
    const double found = sites.count > 1 ? result.best.regret : 1;
    snprintf(line, LINE, "%s,%s,%d,%d,%zu,\"%s\",\"%s\",%.4f\n",
             allfold_network_class_name(point->of->number),
             allfold_collective_name(point->collective), point->nodes, point->ppn, point->bytes,
             name, result.best.name, regret / found);
    for (int i = 0; i < sites.count; i++)
        allfold_tool_placed_free(&sites.placed[i]);
}

/* --- all ---------------------------------------------------------------------------------------*/

/* Lines are shorter than what a pipe takes at once. */
static void work(int job, int pipe_end)
{
    char line[LINE];
    for (int i = job; i < options.points; i += options.jobs) {
        const struct point point = draw_point(i);
        try_point(&point, line);
        if (write(pipe_end, line, strlen(line)) < 0)
            fail("a pipe cannot be written");
    }
}

struct done {
    char group[2][40]; /* class and collective */
    double regret;
    char line[LINE];
};

static int by_regret(const void *left, const void *right)
{
    const double a = ((const struct done *)left)->regret, b = ((const struct done *)right)->regret;
    return a < b ? -1 : a > b;
}

/* The sorted problems of one class or collective; "" for all. */
static void print_group(const struct done *done, int count, int which, const char *name)
{
    const struct done *of[MOST_POINTS];
    int found = 0;
    for (int i = 0; i < count; i++)
        if (name[0] == '\0' || strcmp(done[i].group[which], name) == 0)
            of[found++] = &done[i];
    if (found == 0)
        return;
    const struct done *worst = of[found - 1];
    printf("%-20s %6d %7.1f %% %7.1f %% %7.1f %%  %s", name[0] == '\0' ? "all" : name, found,
           100 * (of[(found - 1) / 2]->regret - 1), 100 * (of[(found - 1) * 95 / 100]->regret - 1),
           100 * (worst->regret - 1), worst->line);
}

static void print_all(struct done *done, int count)
{
    qsort(done, (size_t)count, sizeof *done, by_regret);
    printf("%-20s %6s %9s %9s %9s  %s\n", "regret", "points", "median", "95th", "most",
           "the worst: class,collective,nodes,ppn,bytes,chosen,found,regret");
    for (size_t i = 0; i < COUNT(collectives); i++)
        print_group(done, count, 1, allfold_collective_name(collectives[i]));
    for (size_t i = 0; i < COUNT(classes); i++)
        print_group(done, count, 0, allfold_network_class_name(classes[i].number));
    print_group(done, count, 0, "");
}

/* Reads the workers' lines as they come. */
static int collect(FILE *stream, FILE *csv, struct done *done)
{
    int count = 0;
    while (count < options.points && fgets(done[count].line, LINE, stream) != NULL) {
        struct done *one = &done[count++];
        const char *regret = strrchr(one->line, ',');
        if (sscanf(one->line, "%39[^,],%39[^,]", one->group[0], one->group[1]) != 2 ||
            regret == NULL)
            fail("a worker wrote no line");
        one->regret = strtod(regret + 1, NULL);
        if (csv != NULL)
            fputs(one->line, csv);
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r%d of %d\033[K%s", count, options.points,
                    count == options.points ? "\n" : "");
    }
    return count;
}

static void read_networks(void)
{
    char path[4096], message[400];
    for (size_t c = 0; c < COUNT(classes); c++)
        for (int i = 0; i < NETWORKS && classes[c].networks[i] != NULL; i++) {
            snprintf(path, sizeof path, "%s/%s.txt", options.tables, classes[c].networks[i]);
            if (allfold_network_find(path, &networks[c][i], message, sizeof message) != ALLFOLD_OK)
                fail(message);
        }
}

static size_t number_of(struct argp_state *state, const char *text, size_t least, size_t most)
{
    char *end;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number < least || number > most)
        argp_error(state, "'%s': expected a number from %zu to %zu", text, least, most);
    return (size_t)number;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    switch (key) {
    case 'n':
        options.points = (int)number_of(state, text, 1, MOST_POINTS);
        return 0;
    case 's':
        options.seed = number_of(state, text, 0, UINT32_MAX);
        return 0;
    case 'p':
        options.ranks = (int)number_of(state, text, 10, 1024);
        return 0;
    case 'b':
        options.bytes = number_of(state, text, ELEMENT_BYTES, 1 << 28);
        return 0;
    case 'j':
        options.jobs = (int)number_of(state, text, 1, MOST_JOBS);
        return 0;
    case 'v':
        options.csv = text;
        return 0;
    case ARGP_KEY_ARG:
        options.tables = text;
        return 0;
    case ARGP_KEY_END:
        if (options.tables == NULL)
            argp_usage(state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"points", 'n', "N", 0, "problems; preset: 300", 0},
        {"seed", 's', "S", 0, "of the problems; preset: 1", 0},
        {"ranks", 'p', "P", 0, "at most, from 10 on; preset: 128", 0},
        {"bytes", 'b', "B", 0, "at most; preset: 4194304", 0},
        {"jobs", 'j', "J", 0, "processes at a time; preset: 2", 0},
        {"csv", 'v', "FILE", 0, "all problems", 0},
        {0}};
    const struct argp argp = {list, parse, "TABLES", "Regret of the built-in table's look-up.",
                              NULL, NULL,  NULL};
    int ends[2];
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    read_networks();
    FILE *csv = options.csv != NULL ? fopen(options.csv, "w") : NULL;
    struct done *done = calloc((size_t)options.points, sizeof *done);
    if (done == NULL || pipe(ends) != 0 || (options.csv != NULL && csv == NULL))
        fail("no memory, or the CSV cannot be written");
    if (csv != NULL)
        fprintf(csv, "class,collective,nodes,ppn,bytes,chosen,found,regret\n");
    fflush(NULL);
    for (int job = 0; job < options.jobs; job++)
        if (fork() == 0) {
            work(job, ends[1]);
            _exit(0);
        }
    close(ends[1]);
    const int count = collect(fdopen(ends[0], "r"), csv, done);
    while (wait(NULL) > 0)
        ;
    print_all(done, count);
    const bool is_written = csv == NULL || fclose(csv) == 0;
    free(done);
    return count == options.points && is_written ? 0 : 1;
}
