/* Providers: who writes into another process's memory, and tells that process so.
 *
 * A write carries 32 bits of immediate data. The target's poll returns them once all data of that
 * write lie in place. Nothing else is assumed: writes may overtake each other, also those of a
 * pair. So no message is ever data and a flag in two writes. */
#ifndef ALLFOLD_FABRIC_PROVIDER_H
#define ALLFOLD_FABRIC_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_FABRIC_ADDRESS_BYTES = 120, ALLFOLD_FABRIC_NAME_BYTES = 48 };

/* Memory that peers may write to, and this process from. */
struct allfold_registration {
    void *handle;     /* NULL: the memory is not registered */
    void *local;      /* what a write from there says */
    uint64_t address; /* its begin, as peers say it */
    uint64_t key;
};

enum allfold_write_result { ALLFOLD_WRITE_POSTED, ALLFOLD_WRITE_LATER, ALLFOLD_WRITE_FAILED };

/* A write; it stays where it is until it has ended. */
struct allfold_write {
    void *room[8]; /* the provider's */
    const void *data;
    size_t bytes;
    void *local;     /* of the registration that `data` lie in; NULL where none is needed */
    uint64_t peer;   /* from `insert` */
    uint64_t target; /* address there */
    uint64_t key;
    uint32_t immediate;
    void *owner; /* who posts writes may keep these two as he likes */
    struct allfold_write *next;
};

/* What a poll finds: a write of this process has ended, or a peer's has arrived. Where none failed
 * and yet `failed` is set, completions were lost: the provider cannot be used any more. */
struct allfold_completion {
    struct allfold_write *write; /* NULL: a peer's arrived, and brought this: */
    uint32_t immediate;
    bool failed;
};

struct allfold_provider;

struct allfold_provider_operations {
    /* Makes a peer known by its address; false: it cannot be. */
    bool (*insert)(struct allfold_provider *provider, const void *address, uint64_t *peer);
    /* Registers memory; false where the provider does not take it. */
    bool (*enroll)(struct allfold_provider *provider, void *memory, size_t bytes,
                   struct allfold_registration *registration);
    void (*withdraw)(struct allfold_provider *provider, struct allfold_registration *registration);
    /* Posts a write. LATER: the provider has no room for it now. */
    enum allfold_write_result (*write)(struct allfold_provider *provider,
                                       struct allfold_write *write);
    /* Makes progress, and writes up to `room` completions. Does not wait. */
    uint32_t (*poll)(struct allfold_provider *provider, struct allfold_completion *completions,
                     uint32_t room);
    void (*close)(struct allfold_provider *provider);
};

struct allfold_provider {
    const struct allfold_provider_operations *operations;
    char name[ALLFOLD_FABRIC_NAME_BYTES];
    unsigned char address[ALLFOLD_FABRIC_ADDRESS_BYTES]; /* as all its peers see it */
    size_t most_bytes;                                   /* of one write */
    bool needs_local; /* writes must come from registered memory */
};

/* Opens libfabric's provider of that name, or with NULL the first one that can do what we need.
 * Returns NULL where there is none; `why` then says so. Local. */
struct allfold_provider *allfold_libfabric_open(const char *name, char *why, size_t why_bytes);

/* What libfabric this build can use: its version at build time, or why there is none. */
const char *allfold_libfabric_built(void);

#endif
