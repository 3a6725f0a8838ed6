/* Copies with SSE2's non-temporal stores (see copy.h). */
#include "util/copy.h"

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>

bool allfold_has_way_past_caches(void)
{
    return true;
}

enum { LINE_BYTES = 64, WORDS = LINE_BYTES / sizeof(__m128i) };

static void copy_lines(__m128i *to, const __m128i *from, size_t lines)
{
    for (size_t i = 0; i < lines; i++, from += WORDS, to += WORDS) {
        __m128i words[WORDS];
        for (size_t w = 0; w < WORDS; w++)
            words[w] = _mm_loadu_si128(from + w);
        for (size_t w = 0; w < WORDS; w++)
            _mm_stream_si128(to + w, words[w]);
    }
    _mm_sfence(); /* a store-release alone does not wait for these stores */
}

/* Only whole lines of the destination go past the caches. */
void allfold_copy_past_caches(void *to, const void *from, size_t bytes)
{
    const size_t before = -(uintptr_t)to % LINE_BYTES;
    const size_t head = before < bytes ? before : bytes;
    const size_t whole = (bytes - head) / LINE_BYTES * LINE_BYTES;
    char *write = to;
    const char *read = from;
    memcpy(write, read, head);
    copy_lines((__m128i *)(void *)(write + head), (const __m128i *)(const void *)(read + head),
               whole / LINE_BYTES);
    memcpy(write + head + whole, read + head + whole, bytes - head - whole);
}
#else
bool allfold_has_way_past_caches(void)
{
    return false;
}

void allfold_copy_past_caches(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif
