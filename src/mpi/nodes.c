/* Nodes and their memory (see nodes.h). */
#include "mpi/nodes.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schedule/memory.h"

const char allfold_alone_on_node[] = "one rank alone on its node";

/* What the first rank of a node tells the others of the file. */
struct told {
    long process;
    int descriptor;
    unsigned long device, inode;
};

/* Room for long messages to go through the caches, but not for more of it than many pairs need. */
static size_t chunk_bytes_for(int ranks)
{
    enum { FEW = 8, MANY = 32, LARGE = 64 << 10, MIDDLE = 32 << 10, SMALL = 16 << 10 };
    return ranks <= FEW ? LARGE : ranks <= MANY ? MIDDLE : SMALL;
}

static int make_file(size_t bytes, struct told *told)
{
    struct stat status;
    const int file = memfd_create("allfold", MFD_CLOEXEC);
    if (file < 0)
        return -1;
    if (ftruncate(file, (off_t)bytes) != 0 || fstat(file, &status) != 0) {
        close(file);
        return -1;
    }
    *told = (struct told){getpid(), file, status.st_dev, status.st_ino};
    return file;
}

/* The same number may be another process's in another container: only the same file will do. */
static int open_file(const struct told *told)
{
    char path[64];
    struct stat status;
    if (told->descriptor < 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", told->process, told->descriptor);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == told->device &&
        status.st_ino == told->inode)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* Maps the node's memory; false on all ranks of the node where one of them cannot. Collective over
 * the node. */
static bool share_memory(struct allfold_node *node, MPI_Comm ranks, int size, int index)
{
    struct told told = {.descriptor = -1};
    node->bytes = (1 + ALLFOLD_NODE_STREAMS) * (allfold_shared_bytes(size, chunk_bytes_for(size)) +
                                                (size_t)size * sizeof(struct allfold_arrival));
    int file = index == 0 ? make_file(node->bytes, &told) : -1;
    int is_mapped = PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, ranks) == MPI_SUCCESS;
    if (index > 0 && is_mapped)
        file = open_file(&told);
    if (file >= 0) {
        void *memory = mmap(NULL, node->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        node->memory = memory == MAP_FAILED ? NULL : memory;
    }
    is_mapped = node->memory != NULL;
    if (PMPI_Allreduce(MPI_IN_PLACE, &is_mapped, 1, MPI_INT, MPI_MIN, ranks) != MPI_SUCCESS)
        is_mapped = false;
    if (file >= 0)
        close(file); /* only now: the others open it through this one */
    return is_mapped;
}

/* Lists the node's ranks. Collective over the node. */
static bool find_ranks(struct allfold_node *node, MPI_Comm ranks, int size)
{
    int p, rank;
    PMPI_Comm_size(node->comm, &p);
    PMPI_Comm_rank(node->comm, &rank);
    int *list = allfold_allocate((size_t)size * sizeof *list);
    node->index_of = allfold_allocate((size_t)p * sizeof *node->index_of);
    int is_known = list != NULL && node->index_of != NULL;
    if (PMPI_Allreduce(MPI_IN_PLACE, &is_known, 1, MPI_INT, MPI_MIN, ranks) != MPI_SUCCESS)
        is_known = false;
    if (is_known)
        is_known = PMPI_Allgather(&rank, 1, MPI_INT, list, 1, MPI_INT, ranks) == MPI_SUCCESS;
    for (int r = 0; is_known && r < p; r++)
        node->index_of[r] = -1;
    for (int i = 0; is_known && i < size; i++)
        node->index_of[list[i]] = i;
    allfold_free(list);
    return is_known;
}

/* MPI libraries move messages only while they are called: a rank that waits for a neighbour in
 * shared memory must not keep back one that waits for a message sent before. */
static void let_mpi_go_on(void *context)
{
    int found;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *(MPI_Comm *)context, &found, MPI_STATUS_IGNORE);
}

static int count_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        const int mine = CPU_COUNT(&set);
        return mine > 1 || online < 1 ? mine : (int)online; /* pinned, each to a core of its own */
    }
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* How many of the program's ranks share this node's cores: a communicator of two may be one of
 * many. Launchers tell each rank; without one that does, as many as the communicator has here. */
static int count_neighbours(int size)
{
    static const char *const told_by[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof told_by / sizeof told_by[0]; i++) {
        const char *text = getenv(told_by[i]);
        const long told = text == NULL ? 0 : strtol(text, NULL, 10);
        if (told > size && told <= INT_MAX)
            return (int)told;
    }
    return size;
}

/* Who waits for its node's memory soon leaves the core to others where there are not cores enough,
 * and where there are other nodes: then it may wait for a neighbour that waits for a message from
 * there, which takes longer than looking for it long is worth. */
static const char *open_on_node(struct allfold_node *node, MPI_Comm ranks,
                                struct allfold_transport *beyond)
{
    int p, size, index;
    PMPI_Comm_size(node->comm, &p);
    PMPI_Comm_size(ranks, &size);
    PMPI_Comm_rank(ranks, &index);
    if (size == 1)
        return allfold_alone_on_node;
    if (!find_ranks(node, ranks, size))
        return "no memory";
    if (!share_memory(node, ranks, size, index))
        return "the node's ranks cannot open each other's memory";
    node->options = (struct allfold_shared_options){
        .memory = node->memory,
        .size = size,
        .index = index,
        .index_of = node->index_of,
        .chunk_bytes = chunk_bytes_for(size),
        .empty_error = MPI_ERR_OTHER,
        .must_yield = size < p || count_neighbours(size) > count_cores(),
        .beyond = size < p ? beyond : NULL,
        .idle = let_mpi_go_on,
        .idle_context = &node->comm};
    node->shared = allfold_shared_create(&node->options);
    int is_made = node->shared != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, ranks);
    return is_made ? NULL : "no memory";
}

/* The ranks that share memory, of those that are to be on one node. Collective. */
static bool split(MPI_Comm comm, const struct allfold_nodes *nodes, MPI_Comm *ranks)
{
    MPI_Comm sharing;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharing) != MPI_SUCCESS)
        return false;
    PMPI_Comm_set_errhandler(sharing, MPI_ERRORS_RETURN);
    const int error = PMPI_Comm_split(sharing, nodes->node_of[rank], 0, ranks);
    PMPI_Comm_free(&sharing);
    if (error == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*ranks, MPI_ERRORS_RETURN);
    return error == MPI_SUCCESS;
}

const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, struct allfold_transport *beyond)
{
    MPI_Comm ranks;
    *node = (struct allfold_node){.comm = comm};
    if (!split(comm, nodes, &ranks))
        return "no communicator for the node could be made";
    const char *why = open_on_node(node, ranks, beyond);
    PMPI_Comm_free(&ranks);
    if (why != NULL)
        allfold_node_close(node);
    return why;
}

struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond)
{
    struct allfold_shared_options options = node->options;
    options.memory = (char *)node->memory +
                     (size_t)number * allfold_shared_bytes(options.size, options.chunk_bytes);
    if (options.beyond != NULL)
        options.beyond = beyond;
    return allfold_shared_create(&options);
}

struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number)
{
    const size_t size = (size_t)node->options.size;
    char *behind_streams = (char *)node->memory +
                           (1 + ALLFOLD_NODE_STREAMS) *
                               allfold_shared_bytes(node->options.size, node->options.chunk_bytes);
    return (struct allfold_arrival *)(void *)behind_streams + (size_t)number * size;
}

void allfold_node_close(struct allfold_node *node)
{
    allfold_shared_free(node->shared);
    if (node->memory != NULL)
        munmap(node->memory, node->bytes);
    allfold_free(node->index_of);
    node->shared = NULL;
    node->memory = NULL;
    node->index_of = NULL;
}
