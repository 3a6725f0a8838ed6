/* Compares sparse reductions with uncompressed and native ones, after section 4 of Hofmann and
 * Ruenger, "MPI Reduction Operations for Sparse Floating-Point Data".
 *
 * Vectors are of doubles, of which a given share is not zero, at random positions. The positions
 * are the same on all ranks or differ (figure 3); the length may also vary (figure 2). Other
 * vectors are those of the finite elements of examples/fem, step by step (figure 4). Each contender
 * has its own communicator, and they alternate. The time of a call is that of its slowest rank.
 *
 * Rank 0 prints lines of CSV: median, minimum and maximum of the times and of the ratios to `off`;
 * then the bytes that the ranks sent per call: the maximum, and those of each rank. If LINK is an
 * interface, these are all bytes through it, including headers. Otherwise, as in a simulation, they
 * are the bytes of messages that may be compressed, and exist only for `on` and `auto`. In that
 * case, one-time initialization is done in calls with one element.
 *
 * Usage: bench_sparse_MPI [CONTENDERS:]RULE CALLS LINK same|differ BYTES SHARE...
 *        bench_sparse_MPI [CONTENDERS:]RULE CALLS LINK length SHARE BYTES...
 *        bench_sparse_MPI [CONTENDERS:]RULE CALLS LINK fem BASE STEPS
 *        bench_sparse_MPI [CONTENDERS:]RULE CALLS LINK structure BASE STEPS
 *
 * CONTENDERS: any of native, off, on and auto, as native,on; default: all. RULE: as for
 * ALLFOLD_ALGORITHM=reduce. LINK: an interface, or -. SHARE: of non-zeros, in percent. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../examples/fem/fem.h"
#include "allfold.h"
#include "mpi/call/caller.h"

enum { NATIVE, OFF, ON, AUTO, CONTENDERS, MOST_CALLS = 99, WARM_CALLS = 1, TRIES = 6 };

static const char *const names[] = {"native", "off", "on", "auto"};

static struct {
    int count, calls, rank, size;
    const char *link, *rule;
    double *in, *out;
    bool takes_part[CONTENDERS];
    MPI_Comm comm[CONTENDERS];
} bench;

static bool has_link(void)
{
    return strcmp(bench.link, "-") != 0;
}

/* Bytes that the interface sent so far. */
static double bytes_through_link(void)
{
    char line[512];
    double sent = 0;
    FILE *file = fopen("/proc/self/net/dev", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        char name[64];
        if (colon != NULL && sscanf(line, " %63[^:]", name) == 1 && strcmp(name, bench.link) == 0)
            sscanf(colon + 1, "%*f %*f %*f %*f %*f %*f %*f %*f %lf", &sent);
    }
    if (file != NULL)
        fclose(file);
    return sent;
}

/* Bytes that this rank sent for a contender so far. */
static double sent_bytes(int contender)
{
    if (has_link())
        return bytes_through_link();
    const struct allfold_communicator *state =
        contender == NATIVE ? NULL : allfold_communicator_known(bench.comm[contender]);
    const struct allfold_entry *entry =
        state == NULL ? NULL : allfold_caller_of(state)->prepared.entry;
    if (entry == NULL || entry->key.count != (size_t)bench.count)
        return 0; /* of another shape */
    return (double)entry->sparse.sent * sizeof(double);
}

static void call(int contender, int count)
{
    const MPI_Comm comm = bench.comm[contender];
    if (contender == NATIVE)
        PMPI_Reduce(bench.in, bench.out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    else
        allfold_reduce(bench.in, bench.out, (size_t)count, MPI_DOUBLE, MPI_SUM, 0, comm);
}

static double time_s(int contender)
{
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin_s = PMPI_Wtime();
    call(contender, bench.count);
    double seconds = PMPI_Wtime() - begin_s;
    PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

/* Calls in which communicators are made, shapes built, and `auto` tries what it tries. */
static void warm_up(int contender)
{
    static bool is_warm[CONTENDERS];
    const int calls = contender == AUTO || !has_link() ? TRIES : WARM_CALLS;
    for (int i = 0; i < calls && (has_link() || !is_warm[contender]); i++)
        call(contender, has_link() ? bench.count : 1);
    is_warm[contender] = true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_spread(const double *samples, int digits)
{
    double sorted[MOST_CALLS];
    const int n = bench.calls;
    memcpy(sorted, samples, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    printf(",%.*f,%.*f,%.*f", digits, sorted[n / 2], digits, sorted[0], digits, sorted[n - 1]);
}

/* Rank 0 only. */
static void print(const char *kind, double percent, int contender, double s[][MOST_CALLS],
                  const double *sent)
{
    double ratio[MOST_CALLS], most = 0;
    for (int i = 0; i < bench.size; i++)
        most = sent[i] > most ? sent[i] : most;
    for (int i = 0; i < bench.calls; i++)
        ratio[i] = s[contender][i] / s[OFF][i];
    printf("%s,%d,%g,%zu,%s,%d", kind, bench.size, percent, (size_t)bench.count * sizeof(double),
           names[contender], bench.calls);
    print_spread(s[contender], 6);
    if (bench.takes_part[OFF])
        print_spread(ratio, 3);
    else
        printf(",,,");
    printf(",%.0f,", most);
    for (int i = 0; i < bench.size; i++)
        printf(i == 0 ? "%.0f" : " %.0f", sent[i]);
    printf("\n");
    fflush(stdout);
}

/* Has a contender's communicator be as it wants it, with nothing left of calls before. */
static void prepare(int contender)
{
    if (contender == NATIVE)
        return;
    char rule[200];
    snprintf(rule, sizeof rule, "reduce=%s", bench.rule);
    allfold_comm_set(bench.comm[contender], "ALLFOLD_ALGORITHM", rule);
    allfold_comm_set(bench.comm[contender], "ALLFOLD_SPARSE", names[contender]);
}

/* One vector: the contenders in turn. */
static void measure(const char *kind, double percent)
{
    static double s[CONTENDERS][MOST_CALLS];
    double bytes[CONTENDERS] = {0};
    for (int c = 0; c < CONTENDERS; c++)
        if (bench.takes_part[c])
            warm_up(c);
    for (int i = 0; i < bench.calls; i++)
        for (int c = 0; c < CONTENDERS; c++) {
            if (!bench.takes_part[c])
                continue;
            if (!has_link())
                prepare(c);
            const double before = sent_bytes(c);
            s[c][i] = time_s(c);
            bytes[c] += (sent_bytes(c) - before) / bench.calls;
        }
    double *sent = allocate(bench.size, sizeof *sent);
    for (int c = 0; c < CONTENDERS; c++) {
        if (!bench.takes_part[c])
            continue;
        PMPI_Gather(&bytes[c], 1, MPI_DOUBLE, sent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (bench.rank == 0)
            print(kind, percent, c, s, sent);
    }
    free(sent);
}

/* --- numbers in random places --- */

static void fill(double percent, bool differs)
{
    unsigned long long seed = 1 + (differs ? 977ull * (unsigned)bench.rank : 0);
    for (int i = 0; i < bench.count; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const double any = (double)(seed >> 33) / (double)(1ull << 31);
        bench.in[i] = 100 * any < percent ? 1 + any + bench.rank : 0;
    }
}

static void measure_random(const char *kind, int bytes, int shares, char *const *share)
{
    bench.count = bytes / (int)sizeof(double);
    bench.in = allocate(bench.count, sizeof(double));
    bench.out = allocate(bench.count, sizeof(double));
    for (int i = 0; i < shares; i++) {
        fill(atof(share[i]), strcmp(kind, "differ") == 0);
        measure(kind, atof(share[i]));
    }
    free(bench.in);
    free(bench.out);
}

/* --- finite elements --- */

/* Percent, mean of all ranks. */
static double share_of_nonzeros(void)
{
    int nonzeros = 0;
    for (int i = 0; i < bench.count; i++)
        nonzeros += bench.in[i] != 0;
    double percent = 100.0 * nonzeros / bench.count;
    PMPI_Allreduce(MPI_IN_PLACE, &percent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return percent / bench.size;
}

/* As examples/fem/main.c does it. */
static void adapt(struct mesh *mesh, int base, double *const part[])
{
    double *sum[VECTORS];
    unsigned char *marks = allocate(mesh->triangles, 1);
    for (int which = 0; which < VECTORS; which++) {
        sum[which] = allocate(mesh->nodes, sizeof(double));
        PMPI_Reduce(part[which], sum[which], mesh->nodes, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    if (bench.rank == 0)
        mark(mesh, finest_area(base), sum, marks);
    PMPI_Bcast(marks, mesh->triangles, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    mesh_refine(mesh, marks);
    free(marks);
    for (int which = 0; which < VECTORS; which++)
        free(sum[which]);
}

/* What the vectors of the mesh are, as figure 4 (left): each triangle's owner and corners, and the
 * non-zero elements of each rank's load vector. Rank 0 only. */
static void print_structure(const struct mesh *mesh, double radius, double *const part[])
{
    printf("kind,rank,values\n");
    for (int i = 0; i < mesh->triangles; i++) {
        const struct triangle *triangle = &mesh->triangle[i];
        printf("triangle,%d", triangle->owner);
        for (int k = 0; k < 3; k++)
            printf(",%g,%g", mesh->node[triangle->node[k]].x, mesh->node[triangle->node[k]].y);
        printf("\n");
    }
    for (int rank = 0; rank < bench.size; rank++) {
        memset(part[LOAD], 0, (size_t)mesh->nodes * sizeof(double));
        assemble(mesh, rank, radius, part);
        for (int i = 0; i < mesh->nodes; i++)
            if (part[LOAD][i] != 0)
                printf("element,%d,%d\n", rank, i);
    }
}

/* Measures with the vectors of each step, or prints those of the last one. */
static void walk_elements(int base, int steps, bool measures)
{
    struct mesh mesh;
    mesh_make(&mesh, base, bench.size);
    for (int step = 1; step <= steps; step++) {
        double *const part[VECTORS] = {allocate(mesh.nodes, sizeof(double)),
                                       allocate(mesh.nodes, sizeof(double))};
        const double radius = 0.15 + 0.5 * step / steps;
        assemble(&mesh, bench.rank, radius, part);
        bench.count = mesh.nodes;
        bench.in = part[LOAD];
        bench.out = allocate(mesh.nodes, sizeof(double));
        if (measures)
            measure("fem", share_of_nonzeros());
        else if (step == steps && bench.rank == 0)
            print_structure(&mesh, radius, part);
        if (step < steps)
            adapt(&mesh, base, part);
        free(part[LOAD]);
        free(part[MASS]);
        free(bench.out);
    }
    mesh_free(&mesh);
}

static void read_contenders(const char *text)
{
    const char *colon = strchr(text, ':');
    for (int c = 0; c < CONTENDERS; c++) {
        const char *found = strstr(text, names[c]);
        bench.takes_part[c] = colon == NULL || (found != NULL && found < colon);
    }
    bench.rule = colon == NULL ? text : colon + 1;
}

/* In a simulation there is one for all: to make some takes longer than what is measured. */
static void make_communicators(void)
{
    for (int c = 0; c < CONTENDERS; c++) {
        bench.comm[c] = MPI_COMM_WORLD;
        if (!bench.takes_part[c] || !has_link())
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &bench.comm[c]);
        prepare(c);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (argc < 7) {
        if (bench.rank == 0)
            fprintf(stderr, "bench_sparse: six words or more; the head of bench_sparse.c says\n");
        MPI_Finalize();
        return 2;
    }
    bench.calls = atoi(argv[2]) < MOST_CALLS ? atoi(argv[2]) : MOST_CALLS;
    bench.link = argv[3];
    read_contenders(argv[1]);
    make_communicators();
    const bool measures = strcmp(argv[4], "structure") != 0;
    if (bench.rank == 0 && measures)
        printf("kind,p,percent,bytes,contender,calls,seconds,least,most,ratio_to_off,ratio_least,"
               "ratio_most,most_sent,sent\n");
    if (!measures || strcmp(argv[4], "fem") == 0)
        walk_elements(atoi(argv[5]), atoi(argv[6]), measures);
    else if (strcmp(argv[4], "length") == 0)
        for (int i = 6; i < argc; i++)
            measure_random(argv[4], atoi(argv[i]), 1, &argv[5]);
    else
        measure_random(argv[4], atoi(argv[5]), argc - 6, argv + 6);
    for (int c = 0; c < CONTENDERS; c++)
        if (bench.comm[c] != MPI_COMM_WORLD)
            MPI_Comm_free(&bench.comm[c]);
    MPI_Finalize();
    return 0;
}
