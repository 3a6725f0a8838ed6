/* The provider over libfabric (see provider.h).
 *
 * The library is loaded with dlopen if a job uses the fabric, so other programs do not load it.
 * Most of its functions are reached through the objects that it returns; dlsym finds the others. */
#include "fabric/provider.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

#ifdef ALLFOLD_HAS_LIBFABRIC

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

struct library {
    int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
                   const struct fi_info *hints, struct fi_info **info);
    void (*freeinfo)(struct fi_info *info);
    struct fi_info *(*dupinfo)(const struct fi_info *info);
    int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
    const char *(*strerror)(int error);
};

struct libfabric {
    struct allfold_provider provider; /* first: its callbacks come back with it */
    struct library library;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *peers;
    struct fid_cq *queue;
    struct fid_ep *endpoint;
    uint64_t next_key; /* if the provider lets us choose the keys */
};

_Static_assert(sizeof(struct fi_context2) <= sizeof(((struct allfold_write *)NULL)->room),
               "a write has room for what libfabric keeps of it");

/* Loads the library; once for each provider. It stays, as its threads may run. */
static bool load(struct library *library)
{
    static const char *const names[] = {"fi_getinfo", "fi_freeinfo", "fi_dupinfo", "fi_fabric",
                                        "fi_strerror"};
    enum { NAMES = sizeof names / sizeof *names };
    _Static_assert(sizeof *library == NAMES * sizeof(void *), "a name for each function");
    void *functions[NAMES], *handle = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; i < NAMES; i++) {
        functions[i] = handle == NULL ? NULL : dlsym(handle, names[i]);
        if (functions[i] == NULL)
            return false;
    }
    memcpy(library, functions, sizeof *library);
    return true;
}

/* What we need. Modes of local and remote memory, and bits of hosts, are all served. */
static struct fi_info *make_hints(const struct library *library, const char *name)
{
    struct fi_info *hints = library->dupinfo(NULL);
    if (hints == NULL)
        return NULL;
    hints->caps = FI_RMA | FI_WRITE | FI_REMOTE_WRITE;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->av_type = FI_AV_TABLE;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->domain_attr->cq_data_size = sizeof(uint32_t);
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    if (name != NULL)
        hints->fabric_attr->prov_name = strdup(name);
    return hints;
}

static int open_objects(struct libfabric *t)
{
    enum { QUEUE_ENTRIES = 1024 };
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_DATA, .size = QUEUE_ENTRIES};
    int error = t->library.fabric(t->info->fabric_attr, &t->fabric, NULL);
    if (error == 0)
        error = fi_domain(t->fabric, t->info, &t->domain, NULL);
    if (error == 0)
        error = fi_av_open(t->domain, &av, &t->peers, NULL);
    if (error == 0)
        error = fi_cq_open(t->domain, &cq, &t->queue, NULL);
    if (error == 0)
        error = fi_endpoint(t->domain, t->info, &t->endpoint, NULL);
    if (error == 0)
        error = fi_ep_bind(t->endpoint, &t->peers->fid, 0);
    if (error == 0)
        error = fi_ep_bind(t->endpoint, &t->queue->fid, FI_TRANSMIT | FI_RECV);
    return error == 0 ? fi_enable(t->endpoint) : error;
}

static void close_one(struct fid *object)
{
    if (object != NULL)
        fi_close(object);
}

static void libfabric_close(struct allfold_provider *provider)
{
    struct libfabric *t = (struct libfabric *)provider;
    close_one(t->endpoint == NULL ? NULL : &t->endpoint->fid);
    close_one(t->queue == NULL ? NULL : &t->queue->fid);
    close_one(t->peers == NULL ? NULL : &t->peers->fid);
    close_one(t->domain == NULL ? NULL : &t->domain->fid);
    close_one(t->fabric == NULL ? NULL : &t->fabric->fid);
    if (t->info != NULL)
        t->library.freeinfo(t->info);
    allfold_free(t);
}

static bool libfabric_insert(struct allfold_provider *provider, const void *address, uint64_t *peer)
{
    struct libfabric *t = (struct libfabric *)provider;
    fi_addr_t inserted = FI_ADDR_NOTAVAIL;
    const int count = fi_av_insert(t->peers, address, 1, &inserted, 0, NULL);
    *peer = inserted;
    return count == 1;
}

static bool libfabric_enroll(struct allfold_provider *provider, void *memory, size_t bytes,
                             struct allfold_registration *registration)
{
    struct libfabric *t = (struct libfabric *)provider;
    const int mode = t->info->domain_attr->mr_mode;
    struct fid_mr *region = NULL;
    int error = fi_mr_reg(t->domain, memory, bytes, FI_REMOTE_WRITE | FI_WRITE, 0, ++t->next_key, 0,
                          &region, NULL);
    if (error != 0)
        return false;
    if ((mode & FI_MR_ENDPOINT) != 0) {
        error = fi_mr_bind(region, &t->endpoint->fid, 0);
        if (error == 0)
            error = fi_mr_enable(region);
    }
    if (error != 0) {
        fi_close(&region->fid);
        return false;
    }
    *registration = (struct allfold_registration){
        .handle = region,
        .local = fi_mr_desc(region),
        .address = (mode & FI_MR_VIRT_ADDR) != 0 ? (uint64_t)(uintptr_t)memory : 0,
        .key = fi_mr_key(region)};
    return true;
}

static void libfabric_withdraw(struct allfold_provider *provider,
                               struct allfold_registration *registration)
{
    struct fid_mr *region = registration->handle;
    (void)provider;
    if (region != NULL)
        fi_close(&region->fid);
    registration->handle = NULL;
}

static enum allfold_write_result libfabric_write(struct allfold_provider *provider,
                                                 struct allfold_write *write)
{
    struct libfabric *t = (struct libfabric *)provider;
    const ssize_t error =
        fi_writedata(t->endpoint, write->data, write->bytes, write->local, write->immediate,
                     write->peer, write->target, write->key, write);
    return error == 0            ? ALLFOLD_WRITE_POSTED
           : error == -FI_EAGAIN ? ALLFOLD_WRITE_LATER
                                 : ALLFOLD_WRITE_FAILED;
}

/* One completion that is an error. */
static uint32_t take_error(struct libfabric *t, struct allfold_completion *completion)
{
    struct fi_cq_err_entry entry;
    memset(&entry, 0, sizeof entry);
    if (fi_cq_readerr(t->queue, &entry, 0) < 1)
        return 0;
    *completion = (struct allfold_completion){.write = entry.op_context, .failed = true};
    return completion->write != NULL;
}

static uint32_t libfabric_poll(struct allfold_provider *provider,
                               struct allfold_completion *completions, uint32_t room)
{
    enum { MOST = 16 };
    struct libfabric *t = (struct libfabric *)provider;
    struct fi_cq_data_entry entries[MOST];
    const ssize_t count = fi_cq_read(t->queue, entries, room < MOST ? room : MOST);
    if (count == -FI_EAVAIL)
        return take_error(t, completions);
    if (count < 0 && count != -FI_EAGAIN && count != -FI_EINTR) { /* the queue overran, say */
        completions[0] = (struct allfold_completion){.failed = true};
        return 1;
    }
    for (ssize_t i = 0; i < count; i++) {
        const bool is_peers = (entries[i].flags & (FI_REMOTE_CQ_DATA | FI_REMOTE_WRITE)) != 0;
        completions[i] =
            (struct allfold_completion){.write = is_peers ? NULL : entries[i].op_context,
                                        .immediate = is_peers ? (uint32_t)entries[i].data : 0};
    }
    return count < 0 ? 0 : (uint32_t)count;
}

static const struct allfold_provider_operations operations = {
    .insert = libfabric_insert,
    .enroll = libfabric_enroll,
    .withdraw = libfabric_withdraw,
    .write = libfabric_write,
    .poll = libfabric_poll,
    .close = libfabric_close,
};

/* The first of the providers found whose objects can be opened. */
static int open_info(struct libfabric *t, const char *name)
{
    struct fi_info *hints = make_hints(&t->library, name);
    if (hints == NULL)
        return -FI_ENOMEM;
    const int error = t->library.getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &t->info);
    t->library.freeinfo(hints);
    return error == 0 ? open_objects(t) : error;
}

static int find_address(struct libfabric *t)
{
    size_t bytes = sizeof t->provider.address;
    return fi_getname(&t->endpoint->fid, t->provider.address, &bytes);
}

struct allfold_provider *allfold_libfabric_open(const char *name, char *why, size_t why_bytes)
{
    struct libfabric *t = allfold_allocate_zeroed(sizeof *t);
    if (t == NULL || !load(&t->library)) {
        snprintf(why, why_bytes, "%s", t == NULL ? "no memory" : "libfabric.so.1 was not found");
        allfold_free(t);
        return NULL;
    }
    t->provider.operations = &operations;
    int error = open_info(t, name);
    if (error == 0)
        error = find_address(t);
    if (error != 0) {
        snprintf(why, why_bytes, "libfabric has no provider%s%s for writes with immediate data: %s",
                 name == NULL ? "" : " ", name == NULL ? "" : name, t->library.strerror(-error));
        libfabric_close(&t->provider);
        return NULL;
    }
    snprintf(t->provider.name, sizeof t->provider.name, "%s", t->info->fabric_attr->prov_name);
    t->provider.most_bytes = t->info->ep_attr->max_msg_size;
    t->provider.needs_local = (t->info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
    return &t->provider;
}

#define TEXT_OF(number) #number
#define NUMBER_TEXT(number) TEXT_OF(number)

const char *allfold_libfabric_built(void)
{
    return "libfabric " NUMBER_TEXT(FI_MAJOR_VERSION) "." NUMBER_TEXT(FI_MINOR_VERSION);
}

#else

const char *allfold_libfabric_built(void)
{
    return "none: this build had no headers of libfabric";
}

struct allfold_provider *allfold_libfabric_open(const char *name, char *why, size_t why_bytes)
{
    (void)name;
    snprintf(why, why_bytes, "this build had no headers of libfabric");
    return NULL;
}

#endif
