/* A hash of bytes (FNV-1a, 64 bits): to tell whether ranks have the same, not against attacks. */
#ifndef ALLFOLD_UTIL_HASH_H
#define ALLFOLD_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

static const uint64_t allfold_hash_of_nothing = 0xcbf29ce484222325u;

static inline uint64_t allfold_hash(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ at[i]) * 0x100000001b3u;
    return hash;
}

#endif
