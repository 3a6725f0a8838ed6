/* The public functions of kernels.h, rle.h and exact_format.h: properties of types and operations,
 * and the choice of a variant. */
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "kernels/exact_format.h"
#include "kernels/kernels.h"
#include "kernels/rle.h"
#include "kernels/kernel_variants.h"

static const struct {
    const char *name;
    bool is_exact;
} types[ALLFOLD_TYPE_COUNT] = {
    [ALLFOLD_INT8] = {"int8", true},
    [ALLFOLD_UINT8] = {"uint8", true},
    [ALLFOLD_INT16] = {"int16", true},
    [ALLFOLD_UINT16] = {"uint16", true},
    [ALLFOLD_INT32] = {"int32", true},
    [ALLFOLD_UINT32] = {"uint32", true},
    [ALLFOLD_INT64] = {"int64", true},
    [ALLFOLD_UINT64] = {"uint64", true},
    [ALLFOLD_BOOL] = {"bool", true},
    [ALLFOLD_BYTE] = {"byte", true},
    [ALLFOLD_FLOAT16] = {"float16", false},
    [ALLFOLD_FLOAT] = {"float", false},
    [ALLFOLD_DOUBLE] = {"double", false},
    [ALLFOLD_LONG_DOUBLE] = {"long_double", false},
    [ALLFOLD_COMPLEX_FLOAT] = {"complex_float", false},
    [ALLFOLD_COMPLEX_DOUBLE] = {"complex_double", false},
    [ALLFOLD_COMPLEX_LONG_DOUBLE] = {"complex_long_double", false},
    [ALLFOLD_FLOAT128] = {"float128", false},
    [ALLFOLD_COMPLEX_FLOAT128] = {"complex_float128", false},
    [ALLFOLD_FLOAT_INT] = {"float_int", false},
    [ALLFOLD_DOUBLE_INT] = {"double_int", false},
    [ALLFOLD_LONG_INT] = {"long_int", true},
    [ALLFOLD_INT_INT] = {"int_int", true},
    [ALLFOLD_SHORT_INT] = {"short_int", true},
    [ALLFOLD_LONG_DOUBLE_INT] = {"long_double_int", false},
    [ALLFOLD_FLOAT_FLOAT] = {"float_float", false},
    [ALLFOLD_DOUBLE_DOUBLE] = {"double_double", false},
};

static const char *const operation_names[ALLFOLD_OPERATION_COUNT] = {
    [ALLFOLD_SUM] = "sum",   [ALLFOLD_PROD] = "prod",     [ALLFOLD_MAX] = "max",
    [ALLFOLD_MIN] = "min",   [ALLFOLD_LAND] = "land",     [ALLFOLD_LOR] = "lor",
    [ALLFOLD_LXOR] = "lxor", [ALLFOLD_BAND] = "band",     [ALLFOLD_BOR] = "bor",
    [ALLFOLD_BXOR] = "bxor", [ALLFOLD_MAXLOC] = "maxloc", [ALLFOLD_MINLOC] = "minloc",
};

static bool is_type(enum allfold_type type)
{
    return (unsigned)type < ALLFOLD_TYPE_COUNT;
}

static bool is_operation(enum allfold_operation operation)
{
    return (unsigned)operation < ALLFOLD_OPERATION_COUNT;
}

/* The loader has asked the processor already. The compiler's own check asks it again as the library
 * is loaded, which takes 40 us in a virtual machine; it stays for systems without glibc 2.33. */
#if defined ALLFOLD_HAS_avx2
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif

#if defined CPU_FEATURE_ACTIVE
/* As CPU_FEATURE_ACTIVE, which shifts a signed 1 by 31 bits. */
static bool is_active(unsigned feature)
{
    enum { BITS = 32, REGISTERS = 4 };
    const unsigned bit = feature % (BITS * REGISTERS);
    return __x86_get_cpuid_feature_leaf(feature / (BITS * REGISTERS))->active_array[bit / BITS] >>
               bit % BITS &
           1;
}

static bool has_avx2(void)
{
    return is_active(x86_cpu_AVX2) && is_active(x86_cpu_F16C);
}
#else
#include <cpuid.h>

/* Not all compilers' check knows F16C. */
static bool has_avx2(void)
{
    unsigned a, b, c = 0, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif
#endif

#if defined ALLFOLD_HAS_avx512
static bool has_avx512(void)
{
#if defined CPU_FEATURE_ACTIVE
    return has_avx2() && is_active(x86_cpu_AVX512F) && is_active(x86_cpu_AVX512BW) &&
           is_active(x86_cpu_AVX512DQ) && is_active(x86_cpu_AVX512VL);
#else
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
}
#endif

static bool has_c(void)
{
    return true;
}

/* From the plainest to the best. The checks ask for the operating system's support too. */
static const struct variant {
    const char *name;
    bool (*is_supported)(void);
    const struct allfold_kernel_set *sets;
    const struct allfold_rle_set *rle_sets;
    const struct allfold_exact_set *exact_sets;
} variants[] = {
    {"plain", has_c, allfold_kernels_plain, allfold_rle_plain, allfold_exact_plain},
#if defined ALLFOLD_HAS_avx2
    {"avx2", has_avx2, allfold_kernels_avx2, allfold_rle_avx2, allfold_exact_avx2},
#endif
#if defined ALLFOLD_HAS_avx512
    {"avx512", has_avx512, allfold_kernels_avx512, allfold_rle_avx512, allfold_exact_avx512},
#endif
};

enum { VARIANTS = sizeof variants / sizeof *variants };

/* Threads that get here at the same time find the same. */
static _Atomic(const struct variant *) used;
atomic_size_t allfold_stream_bytes = SIZE_MAX;

/* A part of the last cache's size, if the system reports it: that cache also has the operands, and
 * data of other cores. Some systems report the sum of all caches of the machine; the limit here is
 * hardly less than the part that one core can use. */
static size_t too_large_bytes(void)
{
    enum { MOST = 32 << 20, PARTS = 4 };
    long bytes = 0;
#if defined _SC_LEVEL3_CACHE_SIZE
    bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return (bytes > 0 && bytes < MOST ? (size_t)bytes : MOST) / PARTS;
}

static const struct variant *best_variant(void)
{
    int i = VARIANTS - 1;
    while (!variants[i].is_supported())
        i--;
    return &variants[i];
}

static const struct variant *used_variant(void)
{
    const struct variant *variant = atomic_load_explicit(&used, memory_order_relaxed);
    if (variant == NULL) {
        variant = best_variant();
        atomic_store_explicit(&allfold_stream_bytes, too_large_bytes(), memory_order_relaxed);
        atomic_store_explicit(&used, variant, memory_order_relaxed);
    }
    return variant;
}

static const struct variant *named_variant(const char *name)
{
    for (int i = 0; i < VARIANTS; i++)
        if (strcmp(variants[i].name, name) == 0)
            return &variants[i];
    return NULL;
}

const char *allfold_simd_name(int i)
{
    return i >= 0 && i < VARIANTS ? variants[i].name : NULL;
}

bool allfold_simd_is_supported(const char *name)
{
    const struct variant *variant = named_variant(name);
    return variant != NULL && variant->is_supported();
}

bool allfold_simd_use(const char *name)
{
    used_variant(); /* whatever else is found once */
    const struct variant *variant = name == NULL ? best_variant() : named_variant(name);
    if (variant == NULL || !variant->is_supported())
        return false;
    atomic_store_explicit(&used, variant, memory_order_relaxed);
    return true;
}

size_t allfold_kernel_stream_bytes(void)
{
    used_variant();
    return atomic_load_explicit(&allfold_stream_bytes, memory_order_relaxed);
}

const char *allfold_simd_used(void)
{
    return used_variant()->name;
}

const struct allfold_kernel_set *allfold_kernel_set(enum allfold_type type)
{
    assert(is_type(type));
    return &used_variant()->sets[type];
}

const struct allfold_rle_set *allfold_rle_set(enum allfold_type type)
{
    assert(is_type(type));
    return &used_variant()->rle_sets[type];
}

allfold_kernel *allfold_kernel_find(enum allfold_type type, enum allfold_operation operation)
{
    if (!is_type(type) || !is_operation(operation))
        return NULL;
    return allfold_kernel_set(type)->kernels[operation];
}

allfold_fold *const *allfold_folds_find(enum allfold_type type, enum allfold_operation operation)
{
    return is_type(type) && operation == ALLFOLD_SUM ? allfold_kernel_set(type)->sums : NULL;
}

size_t allfold_type_bytes(enum allfold_type type)
{
    return is_type(type) ? allfold_kernels_plain[type].bytes : 0;
}

const char *allfold_type_name(enum allfold_type type)
{
    return is_type(type) ? types[type].name : NULL;
}

const char *allfold_operation_name(enum allfold_operation operation)
{
    return is_operation(operation) ? operation_names[operation] : NULL;
}

enum allfold_type allfold_type_find(const char *name)
{
    int type = 0;
    while (type < ALLFOLD_TYPE_COUNT && strcmp(types[type].name, name) != 0)
        type++;
    return (enum allfold_type)type;
}

enum allfold_operation allfold_operation_find(const char *name)
{
    int operation = 0;
    while (operation < ALLFOLD_OPERATION_COUNT && strcmp(operation_names[operation], name) != 0)
        operation++;
    return (enum allfold_operation)operation;
}

bool allfold_reduction_is_exact(enum allfold_type type, enum allfold_operation operation)
{
    return allfold_kernel_find(type, operation) != NULL && types[type].is_exact;
}

bool allfold_rle_serves(enum allfold_type type)
{
    return type == ALLFOLD_FLOAT || type == ALLFOLD_DOUBLE;
}

size_t allfold_rle_encode(enum allfold_type type, enum allfold_rle_runs runs, void *to,
                          const void *vector, size_t count)
{
    assert(allfold_rle_serves(type));
    const size_t length = allfold_rle_set(type)->encode(runs, to, vector, count);
    assert(length <= count);
    return length;
}

bool allfold_rle_decode(enum allfold_type type, void *to, size_t count,
                        struct allfold_rle_block block)
{
    return allfold_rle_serves(type) && allfold_rle_set(type)->decode(to, count, block);
}

bool allfold_rle_reduce(enum allfold_type type, enum allfold_operation operation, void *to,
                        struct allfold_rle_block left, struct allfold_rle_block right, size_t count)
{
    allfold_kernel *kernel = allfold_kernel_find(type, operation);
    return kernel != NULL && allfold_rle_serves(type) &&
           allfold_rle_set(type)->reduce(kernel, to, left, right, count);
}

static const struct allfold_exact_set *exact_set(enum allfold_type type)
{
    assert(allfold_exact_numbers(type) == type);
    return &used_variant()->exact_sets[type];
}

struct allfold_exact_need allfold_exact_look(enum allfold_type type, const void *numbers, size_t n)
{
    return exact_set(type)->look(numbers, n);
}

void allfold_exact_encode_plane(enum allfold_type type, const struct allfold_exact_format *format,
                                int k, int64_t *plane, const void *numbers, size_t n)
{
    exact_set(type)->encode_plane(format, k, plane, numbers, n);
}

void allfold_exact_encode(enum allfold_type type, const struct allfold_exact_format *format,
                          int64_t *planes, const void *numbers, size_t n)
{
    const struct allfold_exact_set *set = exact_set(type);
    for (int k = 0; k < (int)allfold_exact_planes(format); k++, planes += n)
        set->encode_plane(format, k, planes, numbers, n);
}

void allfold_exact_decode(enum allfold_type type, const struct allfold_exact_format *format,
                          void *numbers, int64_t *planes, size_t n)
{
    exact_set(type)->decode(format, numbers, planes, n);
}
