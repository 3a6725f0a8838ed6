/* Compares Allfold's reductions with the native ones in one run. For each size there are rounds; in
 * each round every contender has a block of calls, in a new random order. Prints medians of the
 * times of the rounds and of their ratios. The results of every contender are checked first.
 *
 * Any number of ranks, on one or several nodes. With --link the program also counts the bytes
 * through each node's link. `bench/cluster` starts it on emulated nodes. */
#include <argp.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "comparison.h"
#include "util/cores.h"
#include "util/machine_key.h"
#include "util/hash.h"
#include "util/quantity.h"

enum { TEXT_BYTES = 256 };

struct options {
    enum bench_collective collective;
    size_t smallest_bytes, largest_bytes;
    const char *contenders;
    double seconds;     /* for one size */
    const char *expect; /* "4x2" */
    const char *csv, *json;
    bool allocates_by_mpi;
    char machine[TEXT_BYTES];
    struct bench_setting setting;
};

/* What a rank needs to measure. */
struct bench {
    struct bench_contenders contenders;
    const char *link;
    bool counts_link;  /* one rank of each node */
    bool keeps_inputs; /* and nobody reads results */
    int p, rank;
    int index, ranks; /* among those of this kernel */
    double *in, *out;
};

/* Bytes that went through an interface of this node, out and in. */
static void read_link(const struct bench *bench, double bytes[2])
{
    char line[512];
    FILE *file = bench->counts_link ? fopen("/proc/self/net/dev", "r") : NULL;
    bytes[0] = bytes[1] = 0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *name = line + strspn(line, " "), *colon = strchr(name, ':');
        if (colon == NULL || strncmp(name, bench->link, (size_t)(colon - name)) != 0 ||
            bench->link[colon - name] != '\0')
            continue;
        sscanf(colon + 1, "%lf %*f %*f %*f %*f %*f %*f %*f %lf", &bytes[1], &bytes[0]);
    }
    if (file != NULL)
        fclose(file);
}

/* A vector of small numbers, which sum exactly. */
static void fill(const struct bench *bench, int count)
{
    for (int i = 0, small = 0; i < count; i++, small = small == 16 ? 0 : small + 1)
        bench->in[i] = bench->rank + (double)small;
}

/* Reads the whole result, as a program would. */
static void use(const struct bench *bench, int count)
{
    static volatile double sum;
    double of_all = 0;
    for (int i = 0; i < count; i++)
        of_all += bench->out[i];
    sum = of_all;
    (void)sum;
}

/* Seconds a call, of the slowest rank. Between calls a rank writes its input and reads its result,
 * which is not timed; else the inputs would stay in other ranks' caches. Those that call a
 * reduction to a root one after the other would let the next begin before the last has ended. */
static double time_block(struct bench *bench, int contender, int count, int calls, double sums[2])
{
    double before[2], after[2], seconds = 0;
    const bool times_each = bench->contenders.collective != BENCH_ALLREDUCE || !bench->keeps_inputs;
    const bool is_rooted = bench->contenders.collective != BENCH_ALLREDUCE;
    bench_take_turn(&bench->contenders, contender);
    PMPI_Barrier(MPI_COMM_WORLD);
    read_link(bench, before);
    PMPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        if (!bench->keeps_inputs)
            fill(bench, count);
        if (is_rooted)
            PMPI_Barrier(MPI_COMM_WORLD);
        if (times_each)
            start = MPI_Wtime();
        bench_call(&bench->contenders, contender, bench->in, bench->out, count);
        if (times_each)
            seconds += MPI_Wtime() - start;
        if (!bench->keeps_inputs)
            use(bench, count);
    }
    seconds = (times_each ? seconds : MPI_Wtime() - start) / calls;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    read_link(bench, after);
    for (int way = 0; way < 2; way++)
        sums[way] += (after[way] - before[way]) / calls;
    return seconds;
}

static int all_least(int value)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return value;
}

/* Calls once and looks at what came out. False where it cannot serve this size; ends the program
 * where the result is wrong. */
static bool check(struct bench *bench, int contender, int count)
{
    const char *name = bench->contenders.list[contender].name;
    const enum bench_collective collective = bench->contenders.collective;
    const bool has_result =
        collective == BENCH_ALLREDUCE || (bench->rank == 0) == (collective == BENCH_REDUCE);
    const int terms = collective == BENCH_BCAST ? 1 : bench->p; /* rank 0's alone */
    const double of_ranks = 0.5 * terms * (terms - 1);
    int is_right = 1;
    if (bench->contenders.list[contender].kind == BENCH_COPY)
        return true;
    for (int i = 0; i < count; i++)
        bench->out[i] = -1;
    bench_take_turn(&bench->contenders, contender);
    const int error = bench_call(&bench->contenders, contender, bench->in, bench->out, count);
    if (!all_least(error == MPI_SUCCESS))
        return false;
    for (int i = 0; has_result && i < count; i++)
        is_right &= bench->out[i] == of_ranks + terms * (i % 17);
    if (!all_least(is_right)) {
        if (bench->rank == 0)
            fprintf(stderr, "bench_native: %s gives wrong results for %d elements\n", name, count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return true;
}

/* How many calls make a block: few where a call takes long. */
static void plan(struct bench *bench, struct bench_size *size, int calls[], double seconds)
{
    enum { FEWEST = 5, MOST_CALLS = 400 };
    const double block_s = 0.02;
    const int count = (int)(size->bytes / sizeof(double));
    double round_s = 0, sums[2];
    for (int i = 0; i < bench->contenders.count; i++) {
        size->figures[i].is_there = check(bench, i, count);
        if (!size->figures[i].is_there)
            continue;
        double call_s = time_block(bench, i, count, 1, sums);
        if (call_s < block_s / 4)
            call_s = time_block(bench, i, count, 4, sums);
        calls[i] = call_s * MOST_CALLS < block_s ? MOST_CALLS : (int)(block_s / call_s);
        calls[i] = calls[i] < 1 ? 1 : calls[i];
        round_s += calls[i] * call_s;
    }
    const double rounds = seconds / round_s;
    size->rounds = rounds > BENCH_ROUNDS ? BENCH_ROUNDS : rounds < FEWEST ? FEWEST : (int)rounds;
}

/* All contenders, in the same order on all ranks. None may always follow the same one, which leaves
 * caches, and links that let bursts pass, in a state of its own. */
static void draw_order(uint64_t seed, int order[], int n)
{
    for (int i = 0; i < n; i++) {
        const int other = (int)((allfold_hash(seed, &i, sizeof i) >> 32) % (uint64_t)(i + 1));
        order[i] = order[other];
        order[other] = i;
    }
}

static void measure(struct bench *bench, struct bench_size *size, double seconds, int nodes)
{
    const int count = (int)(size->bytes / sizeof(double)), n = bench->contenders.count;
    int calls[BENCH_CONTENDERS] = {0}, order[BENCH_CONTENDERS];
    double sums[BENCH_CONTENDERS][2] = {{0}};
    plan(bench, size, calls, seconds);
    for (int round = 0; round < size->rounds; round++) {
        const uint64_t seed = allfold_hash(size->bytes, &round, sizeof round);
        draw_order(seed, order, n);
        if (bench->ranks >
            allfold_machine_cores()) /* or they would stay on the cores of the start */
            allfold_cores_deal(seed, bench->index, bench->ranks);
        for (int k = 0; k < n; k++)
            if (size->figures[order[k]].is_there)
                size->figures[order[k]].samples_s[round] =
                    time_block(bench, order[k], count, calls[order[k]], sums[order[k]]);
    }
    for (int i = 0; i < n; i++) {
        double busiest = sums[i][0] > sums[i][1] ? sums[i][0] : sums[i][1], sum = sums[i][0];
        PMPI_Allreduce(MPI_IN_PLACE, &busiest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        size->figures[i].busiest_bytes = busiest / size->rounds;
        size->figures[i].mean_bytes = sum / size->rounds / nodes;
    }
    bench_evaluate(&bench->contenders, size);
}

/* Which of the ranks on its kernel this one is. */
static void find_kernel(struct bench *bench)
{
    MPI_Comm kernel;
    PMPI_Comm_split(MPI_COMM_WORLD, (int)(allfold_machine_key() & INT_MAX), 0, &kernel);
    PMPI_Comm_size(kernel, &bench->ranks);
    PMPI_Comm_rank(kernel, &bench->index);
    PMPI_Comm_free(&kernel);
}

/* Different host names among the ranks; on rank 0. */
static int count_hosts(int p, int rank)
{
    enum { NAME = MPI_MAX_PROCESSOR_NAME };
    char name[NAME] = "", *names = calloc((size_t)p, NAME);
    int length, hosts = 0;
    MPI_Get_processor_name(name, &length);
    PMPI_Gather(name, NAME, MPI_CHAR, names, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < p; r++) {
        int before = 0;
        while (strcmp(names + before * NAME, names + r * NAME) != 0)
            before++;
        hosts += before == r;
    }
    free(names);
    return hosts;
}

/* Says how the ranks lie; false where that is not what was expected. */
static bool look_at_nodes(struct bench *bench, struct options *options)
{
    MPI_Comm node;
    int size, index;
    char seen[64];
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &size);
    PMPI_Comm_rank(node, &index);
    PMPI_Comm_free(&node);
    bench->counts_link = index == 0 && bench->link != NULL;
    int nodes = index == 0, extremes[2] = {size, -size};
    PMPI_Allreduce(MPI_IN_PLACE, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const int hosts = count_hosts(bench->p, bench->rank);
    options->setting.nodes = nodes;
    options->setting.ranks_per_node = extremes[0];
    if (extremes[0] == -extremes[1])
        snprintf(seen, sizeof seen, "%dx%d", nodes, size);
    else
        snprintf(seen, sizeof seen, "%dx(%d to %d)", nodes, -extremes[1], extremes[0]);
    if (bench->rank == 0)
        printf("Nodes x ranks that the MPI library sees: %s, with %d host name%s\n", seen, hosts,
               hosts == 1 ? "" : "s");
    int fits = bench->rank != 0 || options->expect == NULL ||
               (strcmp(options->expect, seen) == 0 && hosts == nodes);
    fits = all_least(fits);
    if (!fits && bench->rank == 0)
        fprintf(stderr, "bench_native: expected %s, one host name a node\n", options->expect);
    return fits;
}

typedef void write_comparison(const struct bench_comparison *comparison, FILE *file);

static bool write_file(const char *name, const struct bench_comparison *comparison,
                       write_comparison *write)
{
    if (name == NULL)
        return true;
    FILE *file = strcmp(name, "-") == 0 ? stdout : fopen(name, "w");
    if (file != NULL)
        write(comparison, file);
    const bool is_written = file != NULL && ferror(file) == 0;
    if (file == NULL || (file != stdout && fclose(file) != 0) || !is_written) {
        fprintf(stderr, "bench_native: %s: cannot be written\n", name);
        return false;
    }
    return true;
}

static double *make_vector(const struct options *options)
{
    const size_t bytes = options->largest_bytes + sizeof(double);
    void *vector;
    if (options->allocates_by_mpi)
        return MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &vector) == 0 ? vector : NULL;
    return malloc(bytes);
}

static void run(struct bench *bench, struct options *options, struct bench_comparison *comparison)
{
    const bool prints = bench->rank == 0;
    comparison->setting = options->setting;
    comparison->contenders = &bench->contenders;
    bench->in = make_vector(options);
    bench->out = make_vector(options);
    bench->keeps_inputs = options->setting.keeps_inputs;
    fill(bench, (int)(options->largest_bytes / sizeof(double)));
    if (prints)
        bench_print_heading(comparison);
    for (size_t bytes = options->smallest_bytes;
         bytes <= options->largest_bytes && comparison->sizes < BENCH_SIZES; bytes *= 4) {
        struct bench_size *size = &comparison->size[comparison->sizes++];
        size->bytes = bytes;
        measure(bench, size, options->seconds, options->setting.nodes);
        if (prints)
            bench_print_ratios(comparison, size);
    }
    if (prints && bench->contenders.count > 2)
        bench_print_medians(comparison);
    if (prints)
        bench_print_links(comparison);
    if (options->allocates_by_mpi) {
        MPI_Free_mem(bench->in);
        MPI_Free_mem(bench->out);
    } else {
        free(bench->in);
        free(bench->out);
    }
}

static void read_sizes(struct options *options, const char *text, struct argp_state *state)
{
    const char *end;
    if (!allfold_size_read(text, &options->smallest_bytes, &end) || *end != ':' ||
        !allfold_size_read(end + 1, &options->largest_bytes, &end) || *end != '\0' ||
        options->smallest_bytes < sizeof(double) ||
        options->smallest_bytes > options->largest_bytes || options->largest_bytes > 1 << 30)
        argp_error(state, "--sizes %s: expected SMALLEST:LARGEST, as 8:8M", text);
}

/* It goes into quotes in the files. */
static void read_machine(struct options *options, const char *text)
{
    snprintf(options->machine, sizeof options->machine, "%s", text);
    for (char *c = options->machine; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            *c = '\'';
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'o':
        if (!bench_collective_find(argument, &options->collective))
            argp_error(state, "--collective %s: expected allreduce, reduce or bcast", argument);
        return 0;
    case 's':
        read_sizes(options, argument, state);
        return 0;
    case 't':
        options->seconds = atof(argument);
        return 0;
    case 'm':
        read_machine(options, argument);
        return 0;
    case 'b':
        options->setting.mbit = atof(argument);
        return 0;
    case 'l':
        options->setting.link = argument;
        return 0;
    case 'c':
        options->contenders = argument;
        return 0;
    case 'a':
        options->allocates_by_mpi = true;
        return 0;
    case 'w':
        options->setting.keeps_inputs = true;
        return 0;
    case 'e':
        options->expect = argument;
        return 0;
    case 'v':
        options->csv = argument;
        return 0;
    case 'j':
        options->json = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"collective", 'o', "NAME", 0, "allreduce (preset), reduce or bcast", 0},
    {"sizes", 's', "FROM:TO", 0, "bytes of a vector, times 4 each; preset 8:4M", 0},
    {"contenders", 'c', "LIST", 0,
     "besides native: native:NAME, model, rules, or copy (the floor that memory sets), "
     "separated by blanks; preset model",
     0},
    {"alloc-mem", 'a', 0, 0, "vectors are in memory of MPI_Alloc_mem", 0},
    {"warm", 'w', 0, 0,
     "leave inputs as they are and results unread; without it each rank writes its input before "
     "and reads its result after each call",
     0},
    {"seconds", 't', "S", 0, "about so long for each size; preset 2", 0},
    {"link", 'l', "INTERFACE", 0, "count the bytes through it on each node", 0},
    {"expect", 'e', "NxK", 0, "fail unless there are N nodes of K ranks", 0},
    {"csv", 'v', "FILE", 0, "figures as CSV; - is the standard output", 0},
    {"json", 'j', "FILE", 0, "figures as JSON, an object a line", 0},
    {"machine", 'm', "TEXT", 0, "what to call the machine; preset: its name", 0},
    {"mbit", 'b', "MBIT", 0, "Mbit/s of a link, for the record", 0},
    {0},
};

static int compete(struct bench *bench, struct options *options)
{
    char message[TEXT_BYTES] = "", version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, failed = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0';
    for (char *tab = version; (tab = strchr(tab, '\t')) != NULL;)
        *tab = ' ';
    options->setting.mpi = version;
    options->setting.machine = options->machine;
    options->setting.p = bench->p;
    if (!look_at_nodes(bench, options))
        return 3;
    find_kernel(bench);
    if (!bench_contenders_open(&bench->contenders, options->collective, options->contenders,
                               message, sizeof message)) {
        if (bench->rank == 0)
            fprintf(stderr, "bench_native: %s\n", message);
        return 2;
    }
    struct bench_comparison *comparison = calloc(1, sizeof *comparison);
    run(bench, options, comparison);
    if (bench->rank == 0)
        failed = !write_file(options->csv, comparison, bench_write_csv) ||
                 !write_file(options->json, comparison, bench_write_json);
    free(comparison);
    bench_contenders_close(&bench->contenders);
    return failed;
}

int main(int argc, char **argv)
{
    struct utsname name;
    struct options options = {.smallest_bytes = sizeof(double),
                              .largest_bytes = 4 << 20,
                              .contenders = "model",
                              .seconds = 2};
    const struct argp argp = {
        option_list, parse, NULL, "Ours against the MPI library's own reductions.",
        NULL,        NULL,  NULL};
    uname(&name);
    read_machine(&options, name.nodename);
    MPI_Init(&argc, &argv);
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    struct bench bench = {.link = options.setting.link};
    MPI_Comm_size(MPI_COMM_WORLD, &bench.p);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    const int status = compete(&bench, &options);
    MPI_Finalize();
    return status;
}
