/*
 * calls.c: runs one collective call and checks all of its effects; see calls.h.
 *
 * Each buffer lies inside an image: guard bytes, the elements with their gaps, guard bytes, all in
 * a pattern at first. After the call everything that was not to be written must be as it was
 * before. With --guard-pages an access beyond the elements, or a write to the input, ends the
 * program.
 */
#include "calls.h"

#include "device.h"
#include "invoke.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name
#else
#define PERSISTENT(name) MPI_##name
#endif

enum { GUARD_BYTES = 64 };

const char *const collective_names[COLLECTIVES] = {
    "Allreduce",      "Reduce",    "Bcast",      "Reduce_scatter_block",
    "Reduce_scatter", "Allgather", "Allgatherv", "Barrier",
    "Scan",           "Exscan"};

bool collective_reduces(enum collective collective)
{
    return collective != BCAST && collective != ALLGATHER && collective != ALLGATHERV &&
           collective != BARRIER;
}

/* --- blocks of any lengths --- */

int call_count(const struct call *call, int i)
{
    const int drawn = (i + call->turn) % call->contributors;
    const uint64_t random =
        check_random((uint64_t)drawn, (uint64_t)call->count, (uint64_t)call->contributors);
    const int counts[] = {0, call->count, 2 * call->count, (int)((random >> 8) % 7)};

    return call->count == 0 ? 0 : counts[random % 4];
}

/* Where block i begins, where all are in a row; of i = p: how many elements they are. */
static int block_begin(const struct call *call, int i)
{
    int begin = 0;

    for (int k = 0; k < i; k++)
        begin += call_count(call, k);
    return begin;
}

int call_displacement(const struct call *call, int i)
{
    int place = 0;

    if (call->count % 3 == 1)
        return block_begin(call, i);
    for (int k = call->contributors - 1; k > i; k--)
        place += call_count(call, k) + k % 3;
    return place;
}

void call_counts(const struct call *call, int *counts, int *displs)
{
    for (int i = 0; i < call->contributors && i < MOST_BLOCKS; i++) {
        counts[i] = call_count(call, i);
        if (displs)
            displs[i] = call_displacement(call, i);
    }
}

/* The block that element e of all in a row is in. */
static int block_of(const struct call *call, int e)
{
    int i = 0;

    while (e >= block_begin(call, i + 1))
        i++;
    return i;
}

/* Where element e of the result lies in the receive buffer. */
static int place_of(const struct call *call, int e)
{
    if (call->collective != ALLGATHERV)
        return e;
    const int i = block_of(call, e);
    return call_displacement(call, i) + e - block_begin(call, i);
}

static int input_length(const struct call *call)
{
    if (call->collective == REDUCE_SCATTER)
        return block_begin(call, call->contributors);
    if (call->collective == ALLGATHERV)
        return call_count(call, call->self);
    return call->collective == REDUCE_SCATTER_BLOCK ? call->count * call->contributors
                                                    : call->count;
}

static int result_length(const struct call *call)
{
    if (call->collective == REDUCE_SCATTER)
        return call_count(call, call->self);
    if (call->collective == ALLGATHERV)
        return block_begin(call, call->contributors);
    return call->collective == ALLGATHER ? call->count * call->contributors : call->count;
}

/* How far the result reaches in the receive buffer, gaps between blocks included. */
static int result_reach(const struct call *call)
{
    int reach = 0;

    if (call->collective != ALLGATHERV)
        return result_length(call);
    for (int i = 0; i < call->contributors; i++)
        if (call_displacement(call, i) + call_count(call, i) > reach)
            reach = call_displacement(call, i) + call_count(call, i);
    return reach;
}

/* Where this rank's own block lies in the receive buffer. */
static int own_place(const struct call *call)
{
    return call->collective == ALLGATHER    ? call->self * call->count
           : call->collective == ALLGATHERV ? call_displacement(call, call->self)
                                            : 0;
}

/* --- buffers --- */

static const struct layout *send_layout(const struct call *call)
{
    return call->send_layout ? call->send_layout : call->layout;
}

static void *image_data(const struct image *image)
{
    return image->raw ? image->raw + image->offset : NULL;
}

/* What MPI gets. */
static void *image_given(const struct image *image)
{
    return image->device ? image->device + image->offset : image_data(image);
}

/* Of those that are mixed some are the host's, and some a driver's that the processor may read. */
static void image_make_device(struct image *image, uint64_t random)
{
    static const enum device_kind kinds[] = {DEVICE_OWN, DEVICE_POOL, DEVICE_OWN, DEVICE_MANAGED,
                                             DEVICE_PINNED};
    const bool is_mixed = check_device() == CHECK_MIXED;
    if (check_device() == CHECK_HOST || (is_mixed && random % 4 == 0))
        return;
    image->kind = kinds[random / 4 % (is_mixed ? 5 : 3)];
    device_use();
    image->device = device_allocate(image->bytes, image->kind);
    device_leave();
}

static void image_to_device(const struct image *image)
{
    if (!image->device)
        return;
    device_use();
    device_write(image->device, image->raw, image->bytes);
    device_leave();
}

static void image_from_device(const struct image *image)
{
    if (!image->device)
        return;
    device_use();
    device_read(image->raw, image->device, image->bytes);
    device_leave();
}

/* Puts `span` bytes of elements between two pages without access: with the end of the elements at
 * the second one, but for alignment, or with the beginning at the first one. The guard bytes are on
 * the other side. */
static void image_map(struct image *image, size_t span, bool at_end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t aligned = (span + 15) / 16 * 16;

    image->bytes = GUARD_BYTES + aligned;
    const size_t inner = (image->bytes + page - 1) / page * page;
    image->page_bytes = inner + 2 * page;
    image->pages = mmap(NULL, image->page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (image->pages == MAP_FAILED ||
        mprotect((char *)image->pages + page, inner, PROT_READ | PROT_WRITE) != 0) {
        fprintf(stderr, "no memory for guard pages\n");
        abort();
    }
    image->raw = (unsigned char *)image->pages + page + (at_end ? inner - image->bytes : 0);
    image->offset = at_end ? GUARD_BYTES : 0;
}

/* With --guard-pages the input cannot be written to while `access` is PROT_READ. */
static void image_allow(const struct image *image, int access)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (image->pages != NULL &&
        mprotect((char *)image->pages + page, image->page_bytes - 2 * page, access) != 0)
        check_fail("mprotect fails");
}

static void image_make(struct image *image, const struct layout *layout, int count, uint64_t random)
{
    MPI_Aint low = layout->at[0], high = layout->at[layout->pieces - 1];
    size_t span = 0;

    /* of a negative extent the last element comes first */
    const MPI_Aint between = count > 0 ? (count - 1) * layout->extent : 0;
    if (count > 0)
        span = (size_t)((between < 0 ? -between : between) + high - low) + layout->piece_bytes;
    if (check_guards_pages()) {
        image_map(image, span, random % 2);
    } else {
        image->bytes = span + 2 * GUARD_BYTES;
        image->offset = GUARD_BYTES;
        image->raw = check_memory(image->bytes);
    }
    /* low may be negative, too: unsigned numbers wrap */
    image->offset -= (size_t)(low + (between < 0 ? between : 0));
    image->before = check_memory(image->bytes);
    image_make_device(image, random);
}

static void image_pattern(const struct image *image)
{
    for (size_t i = 0; image->raw && i < image->bytes; i++)
        image->raw[i] = (unsigned char)(i * 37 + 11);
}

/* This rank's contribution, from element `at` on. */
static void image_input(const struct image *image, const struct layout *layout, int at,
                        const struct call *call)
{
    _Alignas(max_align_t) unsigned char element[ELEMENT_BYTES_LIMIT] = {0};

    for (int i = 0; i < input_length(call); i++) {
        call->kind->input(element, check_random((uint64_t)call->self, (uint64_t)i, call->seed));
        layout_scatter(layout, image_data(image), at + i, element);
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
    if (image->device) {
        device_use();
        device_free(image->device, image->kind);
        device_leave();
    }
    if (image->pages != NULL)
        munmap(image->pages, image->page_bytes);
    else
        free(image->raw);
    free(image->before);
}

/* Element i of the contributors from number `first` on, folded in the order of their ranks. */
static void fold(const struct call *call, int first, int contributors, int i, void *result)
{
    _Alignas(max_align_t) unsigned char right[ELEMENT_BYTES_LIMIT] = {0};

    memset(result, 0, ELEMENT_BYTES_LIMIT);
    call->kind->input(result, check_random((uint64_t)first, (uint64_t)i, call->seed));
    for (int r = first + 1; r < first + contributors; r++) {
        call->kind->input(right, check_random((uint64_t)r, (uint64_t)i, call->seed));
        call->kind->combine(result, right);
    }
}

/* What element i of my result is to be. */
static void expect_element(const struct call *call, int i, void *result)
{
    if (call->collective == ALLGATHER)
        fold(call, call->first + i / call->count, 1, i % call->count, result);
    else if (call->collective == ALLGATHERV)
        fold(call, call->first + block_of(call, i), 1, i - block_begin(call, block_of(call, i)),
             result);
    else if (call->collective == REDUCE_SCATTER)
        fold(call, call->first, call->contributors, block_begin(call, call->self) + i, result);
    else if (call->collective == REDUCE_SCATTER_BLOCK)
        fold(call, call->first, call->contributors, call->self * call->count + i, result);
    else
        fold(call, call->first, call->contributors, i, result);
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

    for (int i = 0; i < result_length(call); i++) {
        expect_element(call, i, expected);
        const int place = place_of(call, i);
        layout_gather(call->layout, image_data(image), place, got);
        if (!same(call->kind, expected, got)) {
            call->kind->print(texts[0], sizeof texts[0], expected);
            call->kind->print(texts[1], sizeof texts[1], got);
            check_fail("element %d of %d: expected %s, got %s", i, result_length(call), texts[0],
                       texts[1]);
        }
        layout_scatter(call->layout, image->before + image->offset, place, got);
    }
}

/* In place, what was input and is no result may be anything. */
static void accept_rest(const struct call *call, const struct image *image)
{
    _Alignas(max_align_t) unsigned char got[ELEMENT_BYTES_LIMIT];

    for (int i = result_length(call); i < input_length(call); i++) {
        layout_gather(call->layout, image_data(image), i, got);
        layout_scatter(call->layout, image->before + image->offset, i, got);
    }
}

/* --- the call --- */

/* A layout's type for the call, which is freed afterwards where all elements are one. */
static int use_type(const struct layout *layout, int count, MPI_Datatype *type)
{
    MPI_Datatype vector;

    *type = layout->type;
    if (!layout->whole)
        return count;
    MPI_Type_create_hvector(count, 1, layout->extent, layout->type, &vector);
    MPI_Type_create_resized(vector, 0, count * layout->extent, type);
    MPI_Type_commit(type);
    MPI_Type_free(&vector);
    return 1;
}

static void check_code(const struct call *call, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length;

    if (code != MPI_SUCCESS)
        MPI_Error_string(code, text, &length);
    if (!call->error && code != MPI_SUCCESS)
        check_fail("the call returned an error: %s", text);
    if (call->error && (code == MPI_SUCCESS || !strstr(text, call->error)))
        check_fail("expected the error '%s', got: %s", call->error, text);
}

/* Calls MPI and returns its code. */
static int perform(const struct call *call, struct arguments arguments)
{
    const struct layout *from = send_layout(call);

    arguments.count = use_type(call->layout, call->count, &arguments.type);
    arguments.send_count = use_type(from, call->count, &arguments.send_type);
    if (call->strict_type)
        kinds_expect(call->layout);
    int code = invoke(call, &arguments);
    kinds_expect(NULL);
    if (call->layout->whole)
        MPI_Type_free(&arguments.type);
    if (from->whole)
        MPI_Type_free(&arguments.send_type);
    return code;
}

/* In place the input is where the collective has it in the receive buffer. */
static int receive_length(const struct call *call, bool in_place)
{
    int length = result_reach(call);

    return in_place && input_length(call) > length ? input_length(call) : length;
}

static void image_keep(const struct image *image)
{
    if (image->raw)
        memcpy(image->before, image->raw, image->bytes);
}

void prepared_make(struct prepared *prepared, const struct call *call)
{
    bool broadcasts = call->collective == BCAST && call->sends;
    uint64_t random = check_random((uint64_t)call->self, 5, call->seed);

    *prepared = (struct prepared){.call = *call};
    call_counts(call, prepared->counts, prepared->displs);
    /* an exscan in place has its input in the receive buffer of rank 0, too, which gets no result
     */
    prepared->in_place = call->in_place && call->sends && call->collective != BCAST &&
                         (call->receives || call->collective == EXSCAN);
    /* A root of an intercommunicator sends nothing, but MPICH 4.0.2 wants a send buffer that is not
     * NULL. So it wants a receive buffer of an exscan's rank 0, which receives nothing. */
    const bool may_be_null = call->null_result && call->collective != EXSCAN;
    if (call->collective == BCAST ? broadcasts : !prepared->in_place)
        image_make(&prepared->sent, send_layout(call), input_length(call), random);
    if (call->receives || prepared->in_place || !(may_be_null || broadcasts))
        image_make(&prepared->received, call->layout, receive_length(call, prepared->in_place),
                   random >> 2);
    prepared->send = prepared->in_place ? MPI_IN_PLACE : image_given(&prepared->sent);
    prepared->receive = image_given(broadcasts ? &prepared->sent : &prepared->received);
}

void prepared_fill(struct prepared *prepared, uint64_t seed)
{
    struct call *call = &prepared->call;

    call->seed = seed;
    image_allow(&prepared->sent, PROT_READ | PROT_WRITE);
    image_pattern(&prepared->sent);
    image_pattern(&prepared->received);
    if (prepared->in_place)
        image_input(&prepared->received, call->layout, own_place(call), call);
    else if (call->sends)
        image_input(&prepared->sent, send_layout(call), 0, call);
    image_keep(&prepared->sent);
    image_keep(&prepared->received);
    image_allow(&prepared->sent, PROT_READ);
    image_to_device(&prepared->sent);
    image_to_device(&prepared->received);
}

int prepared_start(const struct prepared *prepared, MPI_Request *request)
{
    const struct call *c = &prepared->call;
    const MPI_Datatype type = c->layout->type;

    switch (c->collective) {
    case ALLREDUCE:
        return MPI_Iallreduce(prepared->send, prepared->receive, c->count, type, c->op, c->comm,
                              request);
    case REDUCE:
        return MPI_Ireduce(prepared->send, prepared->receive, c->count, type, c->op, c->root,
                           c->comm, request);
    case BCAST:
        return MPI_Ibcast(prepared->receive, c->count, type, c->root, c->comm, request);
    case REDUCE_SCATTER_BLOCK:
        return MPI_Ireduce_scatter_block(prepared->send, prepared->receive, c->count, type, c->op,
                                         c->comm, request);
    case REDUCE_SCATTER:
        return MPI_Ireduce_scatter(prepared->send, prepared->receive, prepared->counts, type, c->op,
                                   c->comm, request);
    case ALLGATHERV:
        return MPI_Iallgatherv(prepared->send, call_count(c, c->self), type, prepared->receive,
                               prepared->counts, prepared->displs, type, c->comm, request);
    case ALLGATHER:
        return MPI_Iallgather(prepared->send, c->count, type, prepared->receive, c->count, type,
                              c->comm, request);
    case SCAN:
        return MPI_Iscan(prepared->send, prepared->receive, c->count, type, c->op, c->comm,
                         request);
    case EXSCAN:
        return MPI_Iexscan(prepared->send, prepared->receive, c->count, type, c->op, c->comm,
                           request);
    default:
        return MPI_Ibarrier(c->comm, request);
    }
}

int prepared_persist(const struct prepared *p, MPI_Request *request)
{
    const struct call *c = &p->call;
    const MPI_Datatype type = c->layout->type;
    const MPI_Info info = MPI_INFO_NULL;

    switch (c->collective) {
    case ALLREDUCE:
        return PERSISTENT(Allreduce_init)(p->send, p->receive, c->count, type, c->op, c->comm, info,
                                          request);
    case REDUCE:
        return PERSISTENT(Reduce_init)(p->send, p->receive, c->count, type, c->op, c->root, c->comm,
                                       info, request);
    case BCAST:
        return PERSISTENT(Bcast_init)(p->receive, c->count, type, c->root, c->comm, info, request);
    case REDUCE_SCATTER_BLOCK:
        return PERSISTENT(Reduce_scatter_block_init)(p->send, p->receive, c->count, type, c->op,
                                                     c->comm, info, request);
    case REDUCE_SCATTER:
        return PERSISTENT(Reduce_scatter_init)(p->send, p->receive, p->counts, type, c->op, c->comm,
                                               info, request);
    case ALLGATHERV:
        return PERSISTENT(Allgatherv_init)(p->send, call_count(c, c->self), type, p->receive,
                                           p->counts, p->displs, type, c->comm, info, request);
    case ALLGATHER:
        return PERSISTENT(Allgather_init)(p->send, c->count, type, p->receive, c->count, type,
                                          c->comm, info, request);
    case SCAN:
        return PERSISTENT(Scan_init)(p->send, p->receive, c->count, type, c->op, c->comm, info,
                                     request);
    case EXSCAN:
        return PERSISTENT(Exscan_init)(p->send, p->receive, c->count, type, c->op, c->comm, info,
                                       request);
    default:
        return PERSISTENT(Barrier_init)(c->comm, info, request);
    }
}

void prepared_check(const struct prepared *prepared, int code)
{
    const struct call *call = &prepared->call;

    image_from_device(&prepared->sent);
    image_from_device(&prepared->received);
    check_code(call, code);
    bool has_result = code == MPI_SUCCESS && call->receives && call->collective != BARRIER;
    if (has_result)
        check_elements(call, &prepared->received);
    if (has_result && prepared->in_place)
        accept_rest(call, &prepared->received);
    image_untouched(&prepared->received, call->receives
                                             ? "receive buffer"
                                             : "receive buffer of a rank that receives nothing");
    image_untouched(&prepared->sent, "send buffer");
}

void prepared_free(struct prepared *prepared)
{
    image_free(&prepared->sent);
    image_free(&prepared->received);
}

void call_run(const struct call *call)
{
    struct prepared prepared;

    prepared_make(&prepared, call);
    prepared_fill(&prepared, call->seed);
    int code = perform(call, (struct arguments){.send = prepared.send,
                                                .receive = prepared.receive,
                                                .counts = prepared.counts,
                                                .displs = prepared.displs});
    prepared_check(&prepared, code);
    prepared_free(&prepared);
}

void call_run_forms(const struct call *call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    struct prepared prepared;

    prepared_make(&prepared, call);
    prepared_fill(&prepared, call->seed);
    int code = prepared_start(&prepared, &request);
    if (code == MPI_SUCCESS)
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    prepared_check(&prepared, code);
    code = prepared_persist(&prepared, &request);
    for (uint64_t start = 1; start <= 2; start++) {
        prepared_fill(&prepared, call->seed + start);
        if (code == MPI_SUCCESS)
            code = MPI_Start(&request);
        if (code == MPI_SUCCESS)
            code = MPI_Wait(&request, MPI_STATUS_IGNORE);
        prepared_check(&prepared, code);
    }
    MPI_Request_free(&request);
    prepared_free(&prepared);
}

void call_roles(struct call *call)
{
    int size;

    MPI_Comm_rank(call->comm, &call->self);
    MPI_Comm_size(call->comm, &size);
    bool at_root = call->self == call->root;
    bool has_root = call->collective == REDUCE || call->collective == BCAST;
    call->first = call->collective == BCAST ? call->root : 0;
    call->contributors = call->collective == BCAST    ? 1
                         : call->collective == SCAN   ? call->self + 1
                         : call->collective == EXSCAN ? call->self
                                                      : size;
    call->sends = call->collective != BCAST || at_root;
    call->receives =
        (!has_root || at_root != (call->collective == BCAST)) && call->contributors > 0;
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
