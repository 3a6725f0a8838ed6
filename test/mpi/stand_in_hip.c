/*
 * stand_in_hip.c: the stand-in device (stand_in.h) as libamdhip64.so.6. It has the functions that
 * the library and its tests call, and what an MPI library built for HIP says.
 */
#include "stand_in.h"

#include <stdlib.h>

int hipInit(unsigned flags);
int hipGetLastError(void);
int hipRuntimeGetVersion(int *version);
int hipMalloc(void **memory, size_t bytes);
int hipMallocAsync(void **memory, size_t bytes, void *stream);
int hipMallocManaged(void **memory, size_t bytes, unsigned flags);
int hipFree(void *memory);
int hipHostMalloc(void **memory, size_t bytes, unsigned flags);
int hipHostFree(void *memory);
int hipPointerGetAttribute(void *answer, int attribute, const void *address);
int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream);
int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream);
int hipMemcpyParam2DAsync(const struct stand_in_rows *rows, void *stream);
int hipStreamCreateWithFlags(void **stream, unsigned flags);
int hipStreamDestroy(void *stream);
int hipStreamSynchronize(void *stream);
int hipEventCreateWithFlags(struct stand_in_event **event, unsigned flags);
int hipEventDestroy(struct stand_in_event *event);
int hipEventRecord(struct stand_in_event *event, void *stream);
int hipEventQuery(struct stand_in_event *event);
int hipEventSynchronize(struct stand_in_event *event);

static _Thread_local int last_error;

/* HIP keeps a thread's last error for the program, and gives each thread a device. */
static int note(int code)
{
    if (code != 0)
        last_error = code;
    return code;
}

static void use_device(void)
{
    static int the_context;
    stand_in_set_context(&the_context);
}

int hipInit(unsigned flags)
{
    return (int)flags;
}

int hipGetLastError(void)
{
    const int code = last_error;
    last_error = 0;
    return code;
}

int hipRuntimeGetVersion(int *version)
{
    *version = 60200000;
    return 0;
}

int hipMalloc(void **memory, size_t bytes)
{
    use_device();
    return note(stand_in_allocate(memory, bytes, STAND_IN_OWN));
}

int hipMallocAsync(void **memory, size_t bytes, void *stream)
{
    (void)stream;
    use_device();
    return note(stand_in_allocate(memory, bytes, STAND_IN_POOL));
}

int hipMallocManaged(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    use_device();
    return note(stand_in_allocate(memory, bytes, STAND_IN_MANAGED));
}

int hipFree(void *memory)
{
    return note(stand_in_release(memory));
}

int hipHostMalloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    use_device();
    return note(stand_in_allocate_pinned(memory, bytes));
}

int hipHostFree(void *memory)
{
    return note(stand_in_release_pinned(memory));
}

int hipPointerGetAttribute(void *answer, int attribute, const void *address)
{
    return note(stand_in_ask(answer, attribute, address));
}

int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream)
{
    use_device();
    return note(stand_in_copy(to, from, bytes, stand_in_stream(stream)));
}

int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream)
{
    use_device();
    return note(stand_in_copy(to, from, bytes, stand_in_stream(stream)));
}

int hipMemcpyParam2DAsync(const struct stand_in_rows *rows, void *stream)
{
    use_device();
    return note(stand_in_copy_rows(rows, stand_in_stream(stream)));
}

int hipStreamCreateWithFlags(void **stream, unsigned flags)
{
    (void)flags;
    *stream = malloc(1);
    return note(*stream == NULL ? STAND_IN_NO_MEMORY : 0);
}

int hipStreamDestroy(void *stream)
{
    free(stream);
    return 0;
}

int hipStreamSynchronize(void *stream)
{
    use_device();
    return note(stand_in_wait(stand_in_stream(stream)));
}

int hipEventCreateWithFlags(struct stand_in_event **event, unsigned flags)
{
    (void)flags;
    use_device();
    return note(stand_in_make_event(event));
}

int hipEventDestroy(struct stand_in_event *event)
{
    return note(stand_in_free_event(event));
}

int hipEventRecord(struct stand_in_event *event, void *stream)
{
    use_device();
    return note(stand_in_record(event, stand_in_stream(stream)));
}

int hipEventQuery(struct stand_in_event *event)
{
    return note(stand_in_ask_event(event));
}

int hipEventSynchronize(struct stand_in_event *event)
{
    return note(stand_in_wait_event(event));
}

int MPIX_Query_hip_support(void)
{
    return 1;
}

int MPIX_Query_rocm_support(void)
{
    return 1;
}
