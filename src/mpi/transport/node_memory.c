/* Opens and closes the shared memory of a node (see node_memory.h). */
#include "mpi/transport/node_memory.h"

#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "events/live_page.h"
#include "mpi/process/runtime.h"
#include "mpi/transport/node_heaps.h"
#include "util/cores.h"
#include "util/machine_key.h"
#include "util/memory.h"
#include "util/number.h"

const char allfold_alone_on_node[] = "one rank alone on its node";

/* Messages of at least this many bytes in a shared block are read in place (zero-copy). At 4 KiB
 * this halves the time of a sum on two ranks. Copying a shorter message takes less time than
 * waiting until the peer has read it. */
enum { LEAST_PUBLISHED = 4 << 10 };

int64_t allfold_node_machine(void)
{
    return allfold_machine_key();
}

int64_t allfold_node_socket(void)
{
    const struct allfold_cores mine = allfold_cores_bound();
    return allfold_cache_key(&mine, "/sys/devices/system/cpu");
}

/* Bytes for each ordered pair of ranks: enough to pipeline long messages, and less with more ranks,
 * because there are size^2 pairs. */
static size_t buffer_bytes_for(int ranks)
{
    enum { FEW = 8, MANY = 32, LARGE = 64 << 10, MIDDLE = 32 << 10, SMALL = 16 << 10 };
    return ranks <= FEW ? LARGE : ranks <= MANY ? MIDDLE : SMALL;
}

/* What a rank sends the others of its node. */
struct neighbor {
    int rank;
    struct allfold_shared_file heap;
    struct allfold_xpmem_share share;
    struct allfold_cores cores;
};

static void *map(int file, size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Process and inode numbers may be equal on two machines; a random number is not. */
static uint64_t word_by_chance(void)
{
    uint64_t word = 0;
    const ssize_t got = getrandom(&word, sizeof word, GRND_NONBLOCK);
    return got == (ssize_t)sizeof word ? word : (uint64_t)getpid() << 32 | (uintptr_t)&word >> 4;
}

/* Properties of which the ranks of a node take the logical AND. */
enum { IS_MAPPED, SEES_ALL, OWNS_CORES, ATTACHES, AGREED };

/* Makes the file on rank 0 of the node, and maps it on all ranks. Returns false on all ranks if one
 * of them cannot. Collective over the node. */
static bool map_everywhere(struct allfold_node *node, MPI_Comm ranks, int index, bool is_named,
                           int all[AGREED])
{
    struct {
        struct allfold_shared_file file;
        uint64_t word; /* which the memory begins with, until all have seen it there */
    } sent = {.file = {.descriptor = -1}};
    if (index == 0) {
        sent.word = word_by_chance();
        sent.file = is_named ? allfold_shared_file_make_named(node->bytes, sent.word)
                             : allfold_shared_file_make(node->bytes);
    }
    int file = sent.file.descriptor;
    node->memory = file < 0 ? NULL : map(file, node->bytes);
    if (node->memory != NULL)
        memcpy(node->memory, &sent.word, sizeof sent.word);
    if (PMPI_Bcast(&sent, sizeof sent, MPI_BYTE, 0, ranks) == MPI_SUCCESS && index > 0) {
        file = allfold_shared_file_open(&sent.file, O_RDWR);
        node->memory = file < 0 ? NULL : map(file, node->bytes);
    }
    all[IS_MAPPED] =
        node->memory != NULL && memcmp(node->memory, &sent.word, sizeof sent.word) == 0;
    if (PMPI_Allreduce(MPI_IN_PLACE, all, AGREED, MPI_INT, MPI_MIN, ranks) != MPI_SUCCESS)
        memset(all, 0, AGREED * sizeof *all);
    if (index == 0 && node->memory != NULL) /* it is used only after the next synchronization */
        memset(node->memory, 0, sizeof sent.word);
    if (index == 0)
        allfold_shared_file_unlink(&sent.file);
    if (file >= 0)
        close(file); /* only now: the others open it through this one */
    if (!all[IS_MAPPED] && node->memory != NULL) {
        munmap(node->memory, node->bytes);
        node->memory = NULL;
    }
    return all[IS_MAPPED];
}

/* Maps the node's memory. Returns false on all ranks of the node if one of them cannot. *sees_all
 * says whether this rank can access the heaps of all. On return *sees_all, `attaches` and
 * `shares_cores` are the same on all ranks of the node. Collective over the node. */
static bool share_memory(struct allfold_node *node, MPI_Comm ranks, int size, int index,
                         bool *sees_all)
{
    node->bytes =
        (1 + (size_t)node->streams) * (allfold_shared_bytes(size, buffer_bytes_for(size)) +
                                       (size_t)size * sizeof(struct allfold_arrival));
    int all[AGREED] = {
        [SEES_ALL] = *sees_all, [OWNS_CORES] = !node->shares_cores, [ATTACHES] = node->attaches};
    const bool is_mapped = map_everywhere(node, ranks, index, false, all) ||
                           map_everywhere(node, ranks, index, true, all);
    *sees_all = all[SEES_ALL];
    node->shares_cores = !all[OWNS_CORES];
    node->attaches = all[SEES_ALL] && all[ATTACHES];
    return is_mapped;
}

/* Lists the node's ranks, as received from them, and maps their heaps. Returns whether all heaps
 * were mapped. */
static bool list_ranks(struct allfold_node *node, const struct neighbor *neighbors, int size)
{
    bool sees_all = true;
    for (int i = 0; i < size; i++) {
        node->index_of[neighbors[i].rank] = i;
        sees_all = allfold_heap_map(&neighbors[i].heap, &node->heaps[i]) && sees_all;
    }
    return sees_all;
}

/* Returns what this process shares besides its heap: all of its memory, if the program wants
 * that. */
static struct allfold_xpmem_share find_share(void)
{
    const struct allfold_xpmem_share nothing = {0};
    return allfold_settings()->one_copy ? allfold_xpmem_share() : nothing;
}

/* Opens the memory of all other ranks, and returns whether it could. This rank's own entry is a
 * non-null marker that is never attached. */
static bool open_processes(struct allfold_node *node, const struct neighbor *neighbors, int size,
                           int rank)
{
    bool opens_all = true;
    for (int i = 0; i < size && opens_all; i++) {
        const bool is_own = neighbors[i].rank == rank;
        node->heaps[i].process = is_own ? (void *)node : allfold_xpmem_open(&neighbors[i].share);
        opens_all = node->heaps[i].process != NULL && neighbors[i].share.segment != 0;
    }
    return opens_all;
}

/* All ranks of a node attach each other's memory, or none does. */
static void agree_on_processes(struct allfold_node *node, int size)
{
    for (int i = 0; i < size && !node->attaches; i++)
        node->heaps[i].process = NULL;
}

/* Ranks of the job on this node as the launcher reports them; otherwise the communicator's. */
static int count_neighbors(int size)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        const char *text = getenv(variables[i]);
        long ranks;
        if (text != NULL && allfold_whole_is(text, size, INT_MAX, &ranks))
            return (int)ranks;
    }
    return size;
}

/* Do ranks of the node share cores? Of those that are not in the communicator only the number is
 * known. */
static bool share_cores(const struct neighbor *neighbors, int size)
{
    struct allfold_cores *each = allfold_allocate((size_t)size * sizeof *each);
    const int ranks = count_neighbors(size);
    if (each == NULL)
        return true; /* the safe answer: it only costs time */
    for (int i = 0; i < size; i++)
        each[i] = neighbors[i].cores;
    const bool share = allfold_cores_are_shared(each, size) || ranks > each[0].quota ||
                       (ranks > size && ranks > allfold_cores_in_all(each, size));
    allfold_free(each);
    return share;
}

/* Finds out who the node's ranks are. Collective over the node. */
static bool exchange_neighbors(struct allfold_node *node, MPI_Comm ranks, int size,
                               const struct allfold_node *around, bool *sees_all)
{
    struct neighbor mine = {
        .heap = allfold_heap()->file(), .share = find_share(), .cores = allfold_cores_of_process()};
    int p;
    PMPI_Comm_size(node->comm, &p);
    PMPI_Comm_rank(node->comm, &mine.rank);
    struct neighbor *neighbors = allfold_allocate((size_t)size * sizeof *neighbors);
    node->index_of = allfold_allocate((size_t)p * sizeof *node->index_of);
    node->heaps = allfold_allocate((size_t)size * sizeof *node->heaps);
    int is_known = neighbors != NULL && node->index_of != NULL && node->heaps != NULL;
    if (PMPI_Allreduce(MPI_IN_PLACE, &is_known, 1, MPI_INT, MPI_MIN, ranks) != MPI_SUCCESS)
        is_known = false;
    if (is_known)
        is_known = PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, neighbors, sizeof mine, MPI_BYTE,
                                  ranks) == MPI_SUCCESS;
    for (int r = 0; is_known && r < p; r++)
        node->index_of[r] = -1;
    *sees_all = is_known && list_ranks(node, neighbors, size);
    node->attaches = is_known && open_processes(node, neighbors, size, mine.rank);
    if (around != NULL && around->memory != NULL)
        node->shares_cores = around->shares_cores;
    else
        node->shares_cores = is_known && share_cores(neighbors, size);
    allfold_free(neighbors);
    return is_known;
}

/* MPI libraries make progress only while they are called. So a rank that waits for a neighbor in
 * shared memory must not keep back one that waits for a message sent before. */
static void progress_mpi(void *context)
{
    int found;
    allfold_page_time_call();
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, *(MPI_Comm *)context, &found, MPI_STATUS_IGNORE);
}

/* A rank that waits for its node's memory soon yields its core in two cases: ranks share cores, or
 * there are other nodes. In the second case it may wait for a neighbor that waits for a message
 * from another node. Such a message takes too long to spin for. */
static const char *open_on_node(struct allfold_node *node, MPI_Comm ranks,
                                struct allfold_transport *beyond, const struct allfold_node *around)
{
    enum { MOST_POPULATED = 16 }; /* with more ranks the rings have fewer pages, and are many */
    int p, size, index;
    bool sees_all;
    PMPI_Comm_size(node->comm, &p);
    PMPI_Comm_size(ranks, &size);
    PMPI_Comm_rank(ranks, &index);
    if (size == 1)
        return allfold_alone_on_node;
    if (!exchange_neighbors(node, ranks, size, around, &sees_all))
        return "there is no memory for more";
    if (!share_memory(node, ranks, size, index, &sees_all))
        return "they can open each other's memory neither through /proc nor in /dev/shm "
               "(docs/containers.md)";
    agree_on_processes(node, size);
    node->options = (struct allfold_shared_options){.memory = node->memory,
                                                    .size = size,
                                                    .index = index,
                                                    .index_of = node->index_of,
                                                    .buffer_bytes = buffer_bytes_for(size),
                                                    .poison_error = MPI_ERR_OTHER,
                                                    .visible = sees_all ? node->heaps : NULL,
                                                    .access = allfold_heap_access,
                                                    .publish_bytes = LEAST_PUBLISHED,
                                                    .must_yield = node->shares_cores,
                                                    .beyond = size < p ? beyond : NULL,
                                                    .idle = progress_mpi,
                                                    .idle_context = &node->comm};
    node->shared = allfold_shared_create(&node->options);
    if (node->shared != NULL && size <= MOST_POPULATED)
        allfold_shared_populate(node->shared);
    int is_made = node->shared != NULL;
    PMPI_Allreduce(MPI_IN_PLACE, &is_made, 1, MPI_INT, MPI_MIN, ranks);
    return is_made ? NULL : "there is no memory for more";
}

/* Makes a communicator of the ranks of this rank's node. Collective over these alone. */
static bool make_communicator(MPI_Comm comm, const struct allfold_nodes *nodes, MPI_Comm *ranks)
{
    enum { TAG = 0 };
    MPI_Group all, members;
    int rank;
    PMPI_Comm_rank(comm, &rank);
    const int n = nodes->node_of[rank], *first = nodes->members + nodes->first[n];
    if (PMPI_Comm_group(comm, &all) != MPI_SUCCESS)
        return false;
    int error = PMPI_Group_incl(all, nodes->first[n + 1] - nodes->first[n], first, &members);
    if (error == MPI_SUCCESS) {
        error = PMPI_Comm_create_group(comm, members, TAG, ranks);
        PMPI_Group_free(&members);
    }
    PMPI_Group_free(&all);
    if (error == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*ranks, MPI_ERRORS_RETURN);
    return error == MPI_SUCCESS;
}

/* Opens the memory of those ranks of `ranks` that share memory according to MPI. Collective over
 * them. */
static const char *open_on_parts(struct allfold_node *node, MPI_Comm ranks,
                                 struct allfold_transport *beyond,
                                 const struct allfold_node *around)
{
    MPI_Comm sharing;
    if (PMPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &sharing) !=
        MPI_SUCCESS)
        return "MPI could not make a communicator of them";
    PMPI_Comm_set_errhandler(sharing, MPI_ERRORS_RETURN);
    const char *why = open_on_node(node, sharing, beyond, around);
    PMPI_Comm_free(&sharing);
    return why;
}

/* First tries the node's ranks as the placement has them, which needs no rank of another node; only
 * if these cannot share memory, MPI is asked which of them can. */
const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, int streams,
                              struct allfold_transport *beyond, const struct allfold_node *around)
{
    const struct allfold_node closed = {.comm = comm, .streams = streams};
    const bool is_one_node = nodes->count == 1;
    int rank;
    MPI_Comm ranks = comm;
    assert(streams >= 0 && streams <= ALLFOLD_NODE_STREAMS);
    *node = closed;
    PMPI_Comm_rank(comm, &rank);
    const int n = nodes->node_of[rank];
    if (nodes->first[n + 1] - nodes->first[n] == 1)
        return allfold_alone_on_node;
    if (!is_one_node && !make_communicator(comm, nodes, &ranks))
        return "MPI could not make a communicator of them";
    const char *why = open_on_node(node, ranks, beyond, around);
    if (why != NULL) {
        allfold_node_close(node);
        *node = closed;
        why = open_on_parts(node, ranks, beyond, around);
    }
    if (!is_one_node)
        PMPI_Comm_free(&ranks);
    if (why != NULL)
        allfold_node_close(node);
    return why;
}

struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond)
{
    assert(node->memory != NULL && number >= 1 && number <= node->streams);
    struct allfold_shared_options options = node->options;
    options.memory = (char *)node->memory +
                     (size_t)number * allfold_shared_bytes(options.size, options.buffer_bytes);
    if (options.beyond != NULL)
        options.beyond = beyond;
    return allfold_shared_create(&options);
}

struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number)
{
    assert(node->memory != NULL && number >= 0 && number <= node->streams);
    const size_t size = (size_t)node->options.size;
    char *behind_streams = (char *)node->memory +
                           (1 + (size_t)node->streams) *
                               allfold_shared_bytes(node->options.size, node->options.buffer_bytes);
    return (struct allfold_arrival *)(void *)behind_streams + (size_t)number * size;
}

void allfold_node_close(struct allfold_node *node)
{
    allfold_shared_free(node->shared);
    if (node->memory != NULL)
        munmap(node->memory, node->bytes);
    allfold_free(node->index_of);
    allfold_free(node->heaps);
    node->shared = NULL;
    node->memory = NULL;
    node->index_of = NULL;
    node->heaps = NULL;
}

void *allfold_node_allocate(size_t bytes)
{
    return bytes < ALLFOLD_HEAP_LEAST_BYTES ? NULL : allfold_heap()->allocate(bytes, 1, true);
}

bool allfold_node_take_back(void *memory)
{
    return allfold_heap()->release(memory);
}

void allfold_nodes_forget(void)
{
    allfold_heaps_forget();
}

bool allfold_one_copy_has_heap(void)
{
    const struct allfold_one_copy *other = allfold_heap_one_copy();
    return other != NULL && other->why_off() == NULL && other->heap->file().descriptor >= 0;
}

const char *allfold_one_copy_is_off(const struct allfold_node *node)
{
    const struct allfold_one_copy *other = allfold_heap_one_copy();
    if (node->attaches)
        return NULL;
    if (other != NULL)
        return other->why_off();
    return find_share().segment != 0 ? "a rank cannot attach the memory of another one (XPMEM)"
                                     : "liballfold-one-copy.so is not loaded";
}
