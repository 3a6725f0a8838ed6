/* A stand-in for libfabric that makes faults. It hands all calls to the real library, whose objects
 * it gives tables of functions of its own.
 *
 * STAND_IN_FABRIC=FAULT:RANK:AFTER: that rank of the job has the fault once it has written, or for
 * "register" has registered memory, with the count:
 *
 * - write: each write fails
 * - error: each write is posted, and its completion says that it failed
 * - lost: the queue says that it has lost completions
 * - register: no memory is registered any more
 * - key: each write has a key that the peer has not given out
 * - dies: the process is killed */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

/* The real tables, and copies with our functions. One process opens one fabric. */
static struct fi_ops_fabric *real_fabric, fabric_table;
static struct fi_ops_domain *real_domain, domain_table;
static struct fi_ops_mr *real_memory, memory_table;
static struct fi_ops_cq *real_queue, queue_table;
static struct fi_ops_rma *real_writes, write_table;

static int writes, registrations;
static void *failed[4096]; /* the contexts of writes that shall fail, a ring */
static unsigned failed_put, failed_taken;

static int rank_of_job(void)
{
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *mpich = getenv("PMI_RANK");
    return atoi(open_mpi != NULL ? open_mpi : mpich != NULL ? mpich : "-1");
}

/* Has this rank that fault by now? */
static bool has(const char *fault, int count)
{
    char name[16];
    int rank, after;
    const char *wanted = getenv("STAND_IN_FABRIC");
    return wanted != NULL && sscanf(wanted, "%15[a-z]:%d:%d", name, &rank, &after) == 3 &&
           strcmp(name, fault) == 0 && rank == rank_of_job() && count > after;
}

static ssize_t write_data(struct fid_ep *endpoint, const void *from, size_t bytes, void *local,
                          uint64_t data, fi_addr_t peer, uint64_t address, uint64_t key,
                          void *context)
{
    writes++;
    if (has("dies", writes))
        raise(SIGKILL);
    if (has("write", writes))
        return -FI_EIO;
    if (has("error", writes) && failed_put - failed_taken < sizeof failed / sizeof *failed) {
        failed[failed_put++ % (sizeof failed / sizeof *failed)] = context;
        return 0; /* it goes nowhere */
    }
    if (has("key", writes))
        key = 987654321;
    return real_writes->writedata(endpoint, from, bytes, local, data, peer, address, key, context);
}

static ssize_t read_queue(struct fid_cq *queue, void *entries, size_t count)
{
    if (has("lost", writes))
        return -FI_EOVERRUN;
    if (failed_put != failed_taken)
        return -FI_EAVAIL;
    return real_queue->read(queue, entries, count);
}

static ssize_t read_error(struct fid_cq *queue, struct fi_cq_err_entry *entry, uint64_t flags)
{
    if (failed_put == failed_taken)
        return real_queue->readerr(queue, entry, flags);
    entry->op_context = failed[failed_taken++ % (sizeof failed / sizeof *failed)];
    entry->err = FI_EIO;
    return 1;
}

static int enroll(struct fid *domain, const void *memory, size_t bytes, uint64_t access,
                  uint64_t offset, uint64_t wanted_key, uint64_t flags, struct fid_mr **region,
                  void *context)
{
    registrations++;
    if (has("register", registrations))
        return -FI_ENOMEM;
    return real_memory->reg(domain, memory, bytes, access, offset, wanted_key, flags, region,
                            context);
}

static int open_queue(struct fid_domain *domain, struct fi_cq_attr *attributes,
                      struct fid_cq **queue, void *context)
{
    static bool has_one; /* others are the provider's own, beneath the first */
    const bool is_first = !has_one;
    has_one = true;
    const int error = real_domain->cq_open(domain, attributes, queue, context);
    if (error == 0 && is_first) {
        real_queue = (*queue)->ops;
        queue_table = *real_queue;
        queue_table.read = read_queue;
        queue_table.readerr = read_error;
        (*queue)->ops = &queue_table;
    }
    return error;
}

static int open_endpoint(struct fid_domain *domain, struct fi_info *info, struct fid_ep **endpoint,
                         void *context)
{
    static bool has_one; /* others are the provider's own, beneath the first */
    const bool is_first = !has_one;
    has_one = true;
    const int error = real_domain->endpoint(domain, info, endpoint, context);
    if (error == 0 && is_first) {
        real_writes = (*endpoint)->rma;
        write_table = *real_writes;
        write_table.writedata = write_data;
        (*endpoint)->rma = &write_table;
    }
    return error;
}

static int open_domain(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain,
                       void *context)
{
    const int error = real_fabric->domain(fabric, info, domain, context);
    if (error == 0) {
        real_domain = (*domain)->ops;
        domain_table = *real_domain;
        domain_table.cq_open = open_queue;
        domain_table.endpoint = open_endpoint;
        (*domain)->ops = &domain_table;
        real_memory = (*domain)->mr;
        memory_table = *real_memory;
        memory_table.reg = enroll;
        (*domain)->mr = &memory_table;
    }
    return error;
}

/* A function of the real library. */
static void *real(const char *name)
{
    static void *library;
    if (library == NULL)
        library = dlopen(REAL_LIBFABRIC, RTLD_NOW | RTLD_LOCAL);
    void *function = library == NULL ? NULL : dlsym(library, name);
    if (function == NULL) {
        fprintf(stderr, "the stand-in finds no %s in %s\n", name, REAL_LIBFABRIC);
        abort();
    }
    return function;
}

int fi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
               const struct fi_info *hints, struct fi_info **info)
{
    int (*function)(uint32_t, const char *, const char *, uint64_t, const struct fi_info *,
                    struct fi_info **) = NULL;
    *(void **)&function = real("fi_getinfo");
    return function(version, node, service, flags, hints, info);
}

void fi_freeinfo(struct fi_info *info)
{
    void (*function)(struct fi_info *) = NULL;
    *(void **)&function = real("fi_freeinfo");
    function(info);
}

struct fi_info *fi_dupinfo(const struct fi_info *info)
{
    struct fi_info *(*function)(const struct fi_info *) = NULL;
    *(void **)&function = real("fi_dupinfo");
    return function(info);
}

const char *fi_strerror(int error)
{
    const char *(*function)(int) = NULL;
    *(void **)&function = real("fi_strerror");
    return function(error);
}

int fi_fabric(struct fi_fabric_attr *attributes, struct fid_fabric **fabric, void *context)
{
    int (*function)(struct fi_fabric_attr *, struct fid_fabric **, void *) = NULL;
    *(void **)&function = real("fi_fabric");
    const int error = function(attributes, fabric, context);
    if (error == 0) {
        real_fabric = (*fabric)->ops;
        fabric_table = *real_fabric;
        fabric_table.domain = open_domain;
        (*fabric)->ops = &fabric_table;
    }
    return error;
}
