/* Providers: the interface to a network library that writes into the memory of other processes
 * (RDMA).
 *
 * A write carries 32 bits of immediate data. The target's poll returns them once all data of that
 * write are in place. Writes may overtake each other, also writes between the same two processes,
 * so data and the flag that announces them are never two writes. One thread at a time. */
#ifndef ALLFOLD_FABRIC_PROVIDER_H
#define ALLFOLD_FABRIC_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_FABRIC_ADDRESS_BYTES = 120, ALLFOLD_FABRIC_NAME_BYTES = 48 };

/* Registered memory: peers may write to it, and this process may write from it. */
struct allfold_registration {
    void *handle;     /* NULL: the memory is not registered */
    void *local;      /* for the `local` of a write from this memory */
    uint64_t address; /* its start, as peers address it */
    uint64_t key;
};

/* Posted; not posted now, to be tried again later; failed. */
enum allfold_write_result { ALLFOLD_WRITE_POSTED, ALLFOLD_WRITE_LATER, ALLFOLD_WRITE_FAILED };

/* A write. It must not move before it has ended. */
struct allfold_write {
    void *room[8]; /* for the provider */
    const void *data;
    size_t bytes;
    void *local;     /* of the registration of `data`; NULL if the provider needs none */
    uint64_t peer;   /* from `insert` */
    uint64_t target; /* in the target's memory */
    uint64_t key;
    uint32_t immediate;
    void *owner; /* `owner` and `next` are for the caller */
    struct allfold_write *next;
};

/* A completion: a write of this process has ended, or a peer's write has arrived. If `write` is
 * NULL and `failed` is set, completions were lost, and the provider cannot be used any more. */
struct allfold_completion {
    struct allfold_write *write; /* NULL: a peer's write, with this immediate data */
    uint32_t immediate;
    bool failed;
};

struct allfold_provider;

/* The operations of a kind of provider. */
struct allfold_provider_operations {
    /* Adds a peer by its address, and sets *peer to its handle. False if that fails. */
    bool (*insert)(struct allfold_provider *provider, const void *address, uint64_t *peer);
    /* Registers memory. False if that fails. */
    bool (*enroll)(struct allfold_provider *provider, void *memory, size_t bytes,
                   struct allfold_registration *registration);
    /* Ends a registration. */
    void (*withdraw)(struct allfold_provider *provider, struct allfold_registration *registration);
    /* Posts a write. ALLFOLD_WRITE_LATER: the provider's queue is full. */
    enum allfold_write_result (*write)(struct allfold_provider *provider,
                                       struct allfold_write *write);
    /* Makes progress without waiting, and returns up to `room` completions. */
    uint32_t (*poll)(struct allfold_provider *provider, struct allfold_completion *completions,
                     uint32_t room);
    /* Closes and frees the provider. The memory of writes that have not ended may be freed
     * afterwards. */
    void (*close)(struct allfold_provider *provider);
};

/* An open provider. */
struct allfold_provider {
    const struct allfold_provider_operations *operations;
    char name[ALLFOLD_FABRIC_NAME_BYTES];
    unsigned char address[ALLFOLD_FABRIC_ADDRESS_BYTES]; /* of this process, for its peers */
    size_t most_bytes;                                   /* maximum length of a write */
    bool needs_local; /* whether writes must come from registered memory */
};

/* Opens the libfabric provider with that name, or the first suitable one if `name` is NULL. Returns
 * NULL if there is none; `why` is then the reason. The caller closes it with operations->close.
 * Local. */
struct allfold_provider *allfold_libfabric_open(const char *name, char *why, size_t why_bytes);

/* Returns the libfabric version that this build uses, or the reason why it uses none. */
const char *allfold_libfabric_built(void);

#endif
