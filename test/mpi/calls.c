/*
 * calls.c: runs one collective call and checks all of its effects; see calls.h.
 *
 * Each buffer lies inside an image: guard bytes, the elements with their gaps, guard bytes, all in
 * a pattern at first. After the call everything that was not to be written must be as it was
 * before.
 */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD_BYTES = 64 };

const char *const collective_names[COLLECTIVES] = {"Allreduce", "Reduce", "Bcast"};

struct image {
    unsigned char *raw, *before;
    size_t bytes;
    size_t offset; /* of the address that MPI gets */
};

static void *image_data(const struct image *image)
{
    return image->raw ? image->raw + image->offset : NULL;
}

static void image_make(struct image *image, const struct layout *layout, int count)
{
    MPI_Aint low = layout->at[0], high = layout->at[layout->pieces - 1];
    size_t span = 0;

    if (count > 0)
        span = (size_t)((count - 1) * layout->extent + high - low) + layout->piece_bytes;
    image->bytes = span + 2 * GUARD_BYTES;
    image->offset = (size_t)(GUARD_BYTES - low);
    image->raw = check_memory(image->bytes);
    image->before = check_memory(image->bytes);
    for (size_t i = 0; i < image->bytes; i++)
        image->raw[i] = (unsigned char)(i * 37 + 11);
}

static void image_input(const struct image *image, const struct call *call)
{
    _Alignas(max_align_t) unsigned char element[ELEMENT_BYTES_LIMIT] = {0};

    for (int i = 0; i < call->count; i++) {
        call->kind->input(element, check_random((uint64_t)call->self, (uint64_t)i, call->seed));
        layout_scatter(call->layout, image_data(image), i, element);
    }
}

static void image_untouched(const struct image *image, const char *what)
{
    if (!image->raw || !memcmp(image->raw, image->before, image->bytes))
        return;
    size_t i = 0;
    while (image->raw[i] == image->before[i])
        i++;
    check_fail("%s: byte %ld from its start was not to be written: expected %#x, got %#x", what,
               (long)i - (long)image->offset, image->before[i], image->raw[i]);
}

static void image_free(struct image *image)
{
    free(image->raw);
    free(image->before);
}

/* The contributors' elements, folded in the order of their ranks. */
static void fold(const struct call *call, int i, void *result)
{
    _Alignas(max_align_t) unsigned char right[ELEMENT_BYTES_LIMIT] = {0};
    uint64_t first = (uint64_t)call->first, n = (uint64_t)call->contributors;

    memset(result, 0, ELEMENT_BYTES_LIMIT);
    call->kind->input(result, check_random(first, (uint64_t)i, call->seed));
    for (uint64_t r = first + 1; r < first + n; r++) {
        call->kind->input(right, check_random(r, (uint64_t)i, call->seed));
        call->kind->combine(result, right);
    }
}

static bool same(const struct kind *kind, const void *a, const void *b)
{
    return kind->equal ? kind->equal(a, b) : !memcmp(a, b, kind->bytes);
}

/* Compares the result; what has been compared is as good as expected for image_untouched(). */
static void check_elements(const struct call *call, const struct image *image)
{
    _Alignas(max_align_t) unsigned char expected[ELEMENT_BYTES_LIMIT], got[ELEMENT_BYTES_LIMIT];
    char texts[2][128];

    for (int i = 0; i < call->count; i++) {
        fold(call, i, expected);
        layout_gather(call->layout, image_data(image), i, got);
        if (!same(call->kind, expected, got)) {
            call->kind->print(texts[0], sizeof texts[0], expected);
            call->kind->print(texts[1], sizeof texts[1], got);
            check_fail("element %d of %d: expected %s, got %s", i, call->count, texts[0], texts[1]);
        }
        layout_scatter(call->layout, image->before + image->offset, i, got);
    }
}

/* --- the calls --- */

struct arguments {
    const void *send;
    void *receive;
    int count;
    MPI_Datatype type;
};

static int allreduce(const struct call *call, const struct arguments *a)
{
    return MPI_Allreduce(a->send, a->receive, a->count, a->type, call->op, call->comm);
}

static int reduce(const struct call *call, const struct arguments *a)
{
    return MPI_Reduce(a->send, a->receive, a->count, a->type, call->op, call->root, call->comm);
}

static int bcast(const struct call *call, const struct arguments *a)
{
    return MPI_Bcast(a->receive, a->count, a->type, call->root, call->comm);
}

static int (*const invoke[COLLECTIVES])(const struct call *,
                                        const struct arguments *) = {allreduce, reduce, bcast};

/* Calls MPI, and reports an error code as a failure. Returns whether there is a result to look at.
 */
static bool perform(const struct call *call, struct arguments arguments)
{
    const struct layout *layout = call->layout;
    char text[MPI_MAX_ERROR_STRING];
    int length;

    arguments.count = call->count;
    arguments.type = layout->type;
    if (layout->whole) {
        MPI_Type_create_hvector(call->count, 1, layout->extent, layout->type, &arguments.type);
        MPI_Type_commit(&arguments.type);
        arguments.count = 1;
    }
    if (call->strict_type)
        kinds_expect(layout);
    int code = invoke[call->collective](call, &arguments);
    kinds_expect(NULL);
    if (layout->whole)
        MPI_Type_free(&arguments.type);
    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    check_fail("the call returned an error: %s", text);
    return false;
}

void call_run(const struct call *call)
{
    struct image send = {0}, receive = {0};
    bool broadcasts = call->collective == BCAST && call->sends;
    bool in_place = call->in_place && call->sends && call->receives && call->collective != BCAST;

    /* A root of an intercommunicator sends nothing, but MPICH 4.0.2 wants a send buffer that is not
     * NULL. */
    if (call->collective == BCAST ? broadcasts : !in_place)
        image_make(&send, call->layout, call->count);
    if (call->sends && !in_place)
        image_input(&send, call);
    if (call->receives || !(call->null_result || broadcasts))
        image_make(&receive, call->layout, call->count);
    if (in_place)
        image_input(&receive, call);
    if (send.raw)
        memcpy(send.before, send.raw, send.bytes);
    if (receive.raw)
        memcpy(receive.before, receive.raw, receive.bytes);

    struct arguments arguments = {in_place ? MPI_IN_PLACE : image_data(&send),
                                  image_data(broadcasts ? &send : &receive), 0, MPI_DATATYPE_NULL};
    if (perform(call, arguments) && call->receives) {
        check_elements(call, &receive);
        image_untouched(&receive, "receive buffer");
    }
    if (!call->receives)
        image_untouched(&receive, "receive buffer of a rank that receives nothing");
    image_untouched(&send, "send buffer");
    image_free(&send);
    image_free(&receive);
}

void call_roles(struct call *call)
{
    int size;

    MPI_Comm_rank(call->comm, &call->self);
    MPI_Comm_size(call->comm, &size);
    bool at_root = call->self == call->root;
    call->first = call->collective == BCAST ? call->root : 0;
    call->contributors = call->collective == BCAST ? 1 : size;
    call->sends = call->collective != BCAST || at_root;
    call->receives = call->collective == ALLREDUCE || at_root != (call->collective == BCAST);
}

struct call call_of(enum collective collective, const struct subject *subject, MPI_Comm comm,
                    int count, int root)
{
    struct call call = {.collective = collective,
                        .comm = comm,
                        .root = root,
                        .count = count,
                        .op = subject->op,
                        .kind = subject->kind,
                        .layout = subject->layout,
                        .seed = check_seed()};
    call_roles(&call);
    return call;
}
