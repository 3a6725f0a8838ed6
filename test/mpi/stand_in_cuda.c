/*
 * stand_in_cuda.c: the stand-in device (stand_in.h) as libcuda.so.1. It has the functions that the
 * library and its tests call, and what an MPI library built for CUDA says.
 */
#include "stand_in.h"

#include <stdlib.h>

int cuInit(unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active);
int cuCtxSetCurrent(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuMemAlloc_v2(void **memory, size_t bytes);
int cuMemAllocAsync(void **memory, size_t bytes, void *stream);
int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags);
int cuMemFree_v2(void *memory);
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags);
int cuMemFreeHost(void *memory);
int cuPointerGetAttribute(void *answer, int attribute, const void *address);
int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream);
int cuMemcpy2DAsync_v2(const struct stand_in_rows *rows, void *stream);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuEventCreate(struct stand_in_event **event, unsigned flags);
int cuEventDestroy_v2(struct stand_in_event *event);
int cuEventRecord(struct stand_in_event *event, void *stream);
int cuEventQuery(struct stand_in_event *event);
int cuEventSynchronize(struct stand_in_event *event);

static _Thread_local void *pushed;

int cuInit(unsigned flags)
{
    return (int)flags;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    *context = stand_in_retain();
    return device;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return stand_in_release_context();
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    *flags = 0;
    *is_active = stand_in_is_active();
    return device;
}

int cuCtxSetCurrent(void *context)
{
    stand_in_set_context(context);
    return 0;
}

int cuCtxPushCurrent_v2(void *context)
{
    pushed = stand_in_context();
    stand_in_set_context(context);
    return 0;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = stand_in_context();
    stand_in_set_context(pushed);
    return 0;
}

int cuMemAlloc_v2(void **memory, size_t bytes)
{
    return stand_in_allocate(memory, bytes, STAND_IN_OWN);
}

int cuMemAllocAsync(void **memory, size_t bytes, void *stream)
{
    (void)stream;
    return stand_in_allocate(memory, bytes, STAND_IN_POOL);
}

int cuMemAllocManaged(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return stand_in_allocate(memory, bytes, STAND_IN_MANAGED);
}

int cuMemFree_v2(void *memory)
{
    return stand_in_release(memory);
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    return stand_in_allocate_pinned(memory, bytes);
}

int cuMemFreeHost(void *memory)
{
    return stand_in_release_pinned(memory);
}

int cuPointerGetAttribute(void *answer, int attribute, const void *address)
{
    return stand_in_ask(answer, attribute, address);
}

int cuMemcpyDtoHAsync_v2(void *to, const void *from, size_t bytes, void *stream)
{
    return stand_in_copy(to, from, bytes, stand_in_stream(stream));
}

int cuMemcpyHtoDAsync_v2(void *to, const void *from, size_t bytes, void *stream)
{
    return stand_in_copy(to, from, bytes, stand_in_stream(stream));
}

int cuMemcpy2DAsync_v2(const struct stand_in_rows *rows, void *stream)
{
    return stand_in_copy_rows(rows, stand_in_stream(stream));
}

int cuStreamSynchronize(void *stream)
{
    return stand_in_wait(stand_in_stream(stream));
}

int cuStreamCreate(void **stream, unsigned flags)
{
    (void)flags;
    *stream = malloc(1);
    return *stream == NULL ? STAND_IN_NO_MEMORY : 0;
}

int cuStreamDestroy_v2(void *stream)
{
    free(stream);
    return 0;
}

int cuEventCreate(struct stand_in_event **event, unsigned flags)
{
    (void)flags;
    return stand_in_make_event(event);
}

int cuEventDestroy_v2(struct stand_in_event *event)
{
    return stand_in_free_event(event);
}

int cuEventRecord(struct stand_in_event *event, void *stream)
{
    return stand_in_record(event, stand_in_stream(stream));
}

int cuEventQuery(struct stand_in_event *event)
{
    return stand_in_ask_event(event);
}

int cuEventSynchronize(struct stand_in_event *event)
{
    return stand_in_wait_event(event);
}

int MPIX_Query_cuda_support(void)
{
    return 1;
}
