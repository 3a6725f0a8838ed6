/* A replacement of node_memory.c for ranks that are simulated in one process (see node_memory.h):
 * they share no memory. A simulated rank lets other ranks run only in calls of MPI, so a rank that
 * polls memory until another rank writes to it would poll for ever. */
#include "mpi/transport/node_heaps.h"
#include "mpi/transport/node_memory.h"

const char allfold_alone_on_node[] = "ranks are simulated";

/* They are on cores of their own, and only here on this machine. */
int64_t allfold_node_machine(void)
{
    return 0;
}

/* Their node has no caches. */
int64_t allfold_node_socket(void)
{
    return 0;
}

const char *allfold_node_open(struct allfold_node *node, MPI_Comm comm,
                              const struct allfold_nodes *nodes, int streams,
                              struct allfold_transport *beyond, const struct allfold_node *around)
{
    (void)nodes, (void)beyond, (void)around;
    *node = (struct allfold_node){.comm = comm, .streams = streams};
    return allfold_alone_on_node;
}

struct allfold_shared_memory *allfold_node_stream(const struct allfold_node *node, int number,
                                                  struct allfold_transport *beyond)
{
    (void)node, (void)number, (void)beyond;
    return NULL;
}

struct allfold_arrival *allfold_node_arrivals(const struct allfold_node *node, int number)
{
    (void)node, (void)number;
    return NULL;
}

void allfold_node_close(struct allfold_node *node)
{
    (void)node;
}

void *allfold_node_allocate(size_t bytes)
{
    (void)bytes;
    return NULL;
}

bool allfold_node_take_back(void *memory)
{
    (void)memory;
    return false;
}

void allfold_nodes_forget(void)
{
}

bool allfold_one_copy_has_heap(void)
{
    return false;
}

const char *allfold_one_copy_is_off(const struct allfold_node *node)
{
    (void)node;
    return "the ranks are simulated in one process";
}

const struct allfold_heap *allfold_heap(void)
{
    return NULL;
}

const struct allfold_one_copy *allfold_heap_one_copy(void)
{
    return NULL;
}
