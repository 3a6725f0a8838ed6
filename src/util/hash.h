/* The FNV-1a hash of 64 bits: to compare data of ranks. It does not resist attacks. */
#ifndef ALLFOLD_UTIL_HASH_H
#define ALLFOLD_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes, with which a hash starts. */
static const uint64_t allfold_hash_of_nothing = 0xcbf29ce484222325u;

/* Returns the hash of the data hashed before, whose hash is `hash`, followed by `count` bytes. */
static inline uint64_t allfold_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

#endif
