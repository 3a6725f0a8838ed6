/* How buffers are filled (see fill.h). */
#include "transport/fill.h"

#include <string.h>
#include <time.h>

enum { FILLS_BETWEEN = 64, LEAST_BYTES = 8 << 10 };

#if defined(__x86_64__)
#include <emmintrin.h>

enum { HAS_WAY_PAST = true };

static void copy_past_caches(void *to, const void *from, size_t bytes)
{
    enum { LINE_BYTES = 64, WORDS = LINE_BYTES / sizeof(__m128i) };
    const size_t lines = bytes / LINE_BYTES;
    const __m128i *read = from;
    __m128i *write = to;
    for (size_t i = 0; i < lines; i++, read += WORDS, write += WORDS) {
        __m128i words[WORDS];
        for (size_t w = 0; w < WORDS; w++)
            words[w] = _mm_loadu_si128(read + w);
        for (size_t w = 0; w < WORDS; w++)
            _mm_stream_si128(write + w, words[w]);
    }
    memcpy(write, read, bytes % LINE_BYTES);
    _mm_sfence(); /* a store-release alone does not wait for these stores */
}
#else
enum { HAS_WAY_PAST = false };

static void copy_past_caches(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}
#endif

static void copy(void *to, const void *from, size_t bytes, bool past)
{
    if (past)
        copy_past_caches(to, from, bytes);
    else
        memcpy(to, from, bytes);
}

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

/* The least of the last times: whoever was interrupted took longer. */
static float least(const struct allfold_filler *filler, bool past)
{
    float least = filler->ns_per_byte[past][0];
    for (uint32_t i = 1; i < filler->count[past] && i < ALLFOLD_FILL_TIMES; i++)
        if (filler->ns_per_byte[past][i] < least)
            least = filler->ns_per_byte[past][i];
    return least;
}

void allfold_filler_note(struct allfold_filler *filler, bool past, float ns_per_byte)
{
    filler->ns_per_byte[past][filler->count[past]++ % ALLFOLD_FILL_TIMES] = ns_per_byte;
    filler->goes_past = filler->count[0] > 0 && filler->count[1] > 0 &&
                        least(filler, false) > 2 * least(filler, true);
}

void allfold_fill(struct allfold_filler *filler, void *buffer, const void *data, size_t bytes)
{
    if (!HAS_WAY_PAST || bytes < LEAST_BYTES) {
        memcpy(buffer, data, bytes);
        return;
    }
    const uint32_t turn = filler->fills++ % FILLS_BETWEEN;
    if (turn > 1) {
        copy(buffer, data, bytes, filler->goes_past);
        return;
    }
    const bool past = turn == 1;
    const double begin_ns = now_ns();
    copy(buffer, data, bytes, past);
    allfold_filler_note(filler, past, (float)((now_ns() - begin_ns) / (double)bytes));
}
