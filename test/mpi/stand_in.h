/*
 * stand_in.h: a device whose memory nothing but its own copies can touch: its pages are PROT_NONE,
 * so whoever reads or writes one crashes. Copies happen when somebody waits for them, or one at a
 * time as somebody asks whether they have ended, and not before. With STAND_IN_US=N each takes N
 * microseconds, with STAND_IN_GBS=R its bytes go at R GB/s. Copies of one direction go one after
 * the other, and so do those of one stream, as on devices with a copy engine for each direction.
 * Behind the names of CUDA
 * (stand_in_cuda.c), of HIP (stand_in_hip.c) and of Level Zero (stand_in_ze.c).
 */
#ifndef STAND_IN_H
#define STAND_IN_H

#include <stddef.h>

/* As the drivers number them. */
enum { STAND_IN_INVALID = 1, STAND_IN_NO_MEMORY = 2, STAND_IN_NO_CONTEXT = 201 };
enum { STAND_IN_NOT_READY = 600 };
enum { STAND_IN_HOST = 1, STAND_IN_DEVICE = 2 };
enum { STAND_IN_ASK_CONTEXT = 1, STAND_IN_ASK_TYPE = 2, STAND_IN_ASK_MANAGED = 8 };
enum { STAND_IN_ASK_DEVICE = 9 };

/* The memory of a pool belongs to no context. */
enum stand_in_kind {
    STAND_IN_NOTHING,
    STAND_IN_OWN,
    STAND_IN_POOL,
    STAND_IN_MANAGED,
    STAND_IN_PINNED
};

/* Rows of bytes, as the drivers have them. */
struct stand_in_side {
    size_t x_bytes, y;
    unsigned type;
    const void *host, *device;
    void *array;
    size_t pitch_bytes;
};

struct stand_in_rows {
    struct stand_in_side from, to;
    size_t width_bytes, height;
};

/* All return 0 or an error of those. */
int stand_in_allocate(void **memory, size_t bytes, enum stand_in_kind kind);
int stand_in_release(void *memory);
int stand_in_allocate_pinned(void **memory, size_t bytes);
int stand_in_release_pinned(void *memory);
int stand_in_ask(void *answer, int attribute, const void *address);
int stand_in_copy(void *to, const void *from, size_t bytes, const void *stream);
int stand_in_copy_rows(const struct stand_in_rows *rows, const void *stream);
int stand_in_wait(const void *stream);

/* Streams are any addresses. Those that the drivers number, from NULL on, are the calling thread's.
 */
const void *stand_in_stream(const void *stream);

/* An event comes once all copies that its stream had when it was recorded have ended.
 * Asking for it twice ends one copy of these; STAND_IN_NOT_READY: there are more. */
struct stand_in_event;
int stand_in_make_event(struct stand_in_event **event);
int stand_in_free_event(struct stand_in_event *event);
int stand_in_record(struct stand_in_event *event, const void *stream);
int stand_in_ask_event(struct stand_in_event *event);
int stand_in_wait_event(struct stand_in_event *event);

/* Each thread has a current context, without which nothing but asking works. There is one context,
 * which is retained and released. */
void *stand_in_context(void);
void stand_in_set_context(void *context);
void *stand_in_retain(void);
int stand_in_release_context(void);
int stand_in_is_active(void);

/* Tests look these up. The n-th copy, or allocation of pinned memory, from now on fails; if `n` is
 * negative (-1 is the next), all later ones fail, too. 0: none fails. `stand_in_asked` counts how
 * often the driver was asked so far; the last two count copies that are begun and have not ended.
 */
extern __attribute__((visibility("default"))) int stand_in_fail_copy, stand_in_fail_pinned;
extern __attribute__((visibility("default"))) int stand_in_asked;
extern __attribute__((visibility("default"))) int stand_in_to_host, stand_in_to_device;

/* What MPI libraries have: is the library device-aware? Here it is said to be. */
int MPIX_Query_cuda_support(void);
int MPIX_Query_hip_support(void);
int MPIX_Query_rocm_support(void);
int MPIX_Query_ze_support(void);

#endif
