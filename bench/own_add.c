/* The machine's own add bandwidth (see own_add.h). */
#include "own_add.h"

#include <stdint.h>

static void add_plain(double *c, const double *a, const double *b, size_t count)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        c[i] = a[i] + b[i];
}

static bool always(void)
{
    return true;
}

#if defined __x86_64__
#include <immintrin.h>

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}

__attribute__((target("avx2"))) static void add_avx2(double *c, const double *a, const double *b,
                                                     size_t count)
{
    for (size_t i = 0; i < count; i += 4)
        _mm256_store_pd(c + i, _mm256_add_pd(_mm256_load_pd(a + i), _mm256_load_pd(b + i)));
}

__attribute__((target("avx2"))) static void add_avx2_unrolled(double *c, const double *a,
                                                              const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += 16) {
        const __m256d s0 = _mm256_add_pd(_mm256_load_pd(a + i), _mm256_load_pd(b + i));
        const __m256d s1 = _mm256_add_pd(_mm256_load_pd(a + i + 4), _mm256_load_pd(b + i + 4));
        const __m256d s2 = _mm256_add_pd(_mm256_load_pd(a + i + 8), _mm256_load_pd(b + i + 8));
        const __m256d s3 = _mm256_add_pd(_mm256_load_pd(a + i + 12), _mm256_load_pd(b + i + 12));
        _mm256_store_pd(c + i, s0);
        _mm256_store_pd(c + i + 4, s1);
        _mm256_store_pd(c + i + 8, s2);
        _mm256_store_pd(c + i + 12, s3);
    }
}

__attribute__((target("avx2"))) static void add_avx2_streamed(double *c, const double *a,
                                                              const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += 4)
        _mm256_stream_pd(c + i, _mm256_add_pd(_mm256_load_pd(a + i), _mm256_load_pd(b + i)));
    _mm_sfence();
}

__attribute__((target("avx512f"))) static void add_avx512(double *c, const double *a,
                                                          const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        _mm512_store_pd(c + i, _mm512_add_pd(_mm512_load_pd(a + i), _mm512_load_pd(b + i)));
}

__attribute__((target("avx512f"))) static void add_avx512_streamed(double *c, const double *a,
                                                                   const double *b, size_t count)
{
    for (size_t i = 0; i < count; i += 8)
        _mm512_stream_pd(c + i, _mm512_add_pd(_mm512_load_pd(a + i), _mm512_load_pd(b + i)));
    _mm_sfence();
}
#endif

const struct own_add own_adds[] = {
    {"plain", false, always, add_plain},
#if defined __x86_64__
    {"avx2", false, has_avx2, add_avx2},
    {"avx2, unrolled", false, has_avx2, add_avx2_unrolled},
    {"avx2, streamed", true, has_avx2, add_avx2_streamed},
    {"avx512", false, has_avx512, add_avx512},
    {"avx512, streamed", true, has_avx512, add_avx512_streamed},
#endif
    {NULL, false, NULL, NULL},
};
