/* Copies buffers in device memory to the host and back (see staging.h). */
#include "mpi/device/staging.h"

#include <stdatomic.h>
#include <string.h>

#include "mpi/handles/type_size.h"
#include "mpi/handles/predefined.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"

static atomic_ullong to_host_bytes, to_device_bytes, pageable_bytes;

/* --- areas --- */

bool allfold_area_of_type(struct allfold_area *area, const void *data, size_t count,
                          MPI_Datatype datatype)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Count size;
    if (PMPI_Type_get_extent(datatype, &lower, &extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent(datatype, &true_lower, &true_extent) != MPI_SUCCESS ||
        allfold_type_size(datatype, &size) != MPI_SUCCESS)
        return false;
    const bool is_whole = true_lower == 0 && true_extent == extent && size == extent;
    *area = (struct allfold_area){.data = data,
                                  .count = size == 0 ? 0 : count,
                                  .extent_bytes = extent,
                                  .low_bytes = true_lower,
                                  .high_bytes = true_lower + true_extent,
                                  .has_gaps = !is_whole && allfold_known_type(datatype) ==
                                                               NULL, /* a pair has mere padding */
                                  .datatype = datatype};
    return true;
}

void allfold_area_of_elements(struct allfold_area *area, const void *data, size_t count,
                              const struct allfold_elements *elements, bool has_gaps,
                              MPI_Datatype datatype)
{
    *area = (struct allfold_area){.data = data,
                                  .count = count,
                                  .extent_bytes = elements->extent_bytes,
                                  .low_bytes = elements->low_bytes,
                                  .high_bytes = elements->high_bytes,
                                  .has_gaps = has_gaps,
                                  .datatype = datatype};
}

/* --- which bytes --- */

/* The rows that make up a part of an area with gaps. */
struct picture {
    struct allfold_rows *rows;
    uint32_t count, capacity;
};

static struct allfold_rows *add_rows(struct picture *picture)
{
    struct allfold_rows *rows =
        allfold_make_room(picture->rows, picture->count, &picture->capacity, sizeof *picture->rows);
    if (rows == NULL)
        return NULL;
    picture->rows = rows;
    return &rows[picture->count++];
}

/* Sets the bytes that belong to an element to other values than 0, and all others to 0. To find
 * them, MPI itself packs and unpacks an element of nothing but ones. */
static int mark_bytes(MPI_Datatype datatype, char *room, size_t bytes, void *element)
{
    int packed_bytes = 0, packed = 0, unpacked = 0;
    int error = PMPI_Pack_size(1, datatype, MPI_COMM_SELF, &packed_bytes);
    void *memory = error == MPI_SUCCESS ? allfold_allocate((size_t)packed_bytes + 1) : NULL;
    if (error == MPI_SUCCESS && memory == NULL)
        error = MPI_ERR_NO_MEM;
    memset(room, -1, bytes);
    if (error == MPI_SUCCESS)
        error = PMPI_Pack(element, 1, datatype, memory, packed_bytes, &packed, MPI_COMM_SELF);
    memset(room, 0, bytes);
    if (error == MPI_SUCCESS)
        error = PMPI_Unpack(memory, packed, &unpacked, element, 1, datatype, MPI_COMM_SELF);
    allfold_free(memory);
    return error;
}

/* Is a run of bytes the next one of evenly spaced ones? */
static bool continues(struct allfold_rows *rows, ptrdiff_t at, size_t bytes)
{
    const ptrdiff_t stride = at - rows->at - (ptrdiff_t)(rows->count - 1) * rows->stride_bytes;
    if (rows->bytes != bytes || (rows->count > 1 && rows->stride_bytes != stride))
        return false;
    rows->stride_bytes = stride;
    rows->count++;
    return true;
}

/* Adds the runs of marked bytes as rows. Of one element, evenly spaced runs share a row; of many
 * elements, each run makes a row over all of them. */
static bool add_runs(struct picture *picture, const struct allfold_area *area, const char *marks,
                     size_t bytes, struct allfold_part_of_area part)
{
    const ptrdiff_t first = area->low_bytes + (ptrdiff_t)part.first * area->extent_bytes;
    for (size_t i = 0; i < bytes;) {
        const size_t begin = i;
        while (i < bytes && marks[i] != 0)
            i++;
        const size_t run = i - begin;
        while (i < bytes && marks[i] == 0)
            i++;
        const ptrdiff_t at = first + (ptrdiff_t)begin;
        struct allfold_rows *last = picture->count == 0 ? NULL : &picture->rows[picture->count - 1];
        if (run == 0 || (part.count == 1 && last != NULL && continues(last, at, run)))
            continue;
        struct allfold_rows *rows = add_rows(picture);
        if (rows == NULL)
            return false;
        *rows = (struct allfold_rows){
            .at = at, .stride_bytes = area->extent_bytes, .bytes = run, .count = part.count};
    }
    return true;
}

static int draw(struct picture *picture, const struct allfold_area *area,
                struct allfold_part_of_area part)
{
    const size_t bytes = (size_t)(area->high_bytes - area->low_bytes);
    char *room = allfold_allocate(bytes + 1);
    if (room == NULL)
        return MPI_ERR_NO_MEM;
    int error = mark_bytes(area->datatype, room, bytes, allfold_address(room, -area->low_bytes));
    if (error == MPI_SUCCESS && !add_runs(picture, area, room, bytes, part))
        error = MPI_ERR_NO_MEM;
    allfold_free(room);
    return error;
}

static struct allfold_rows whole(const struct allfold_area *area, struct allfold_part_of_area part)
{
    return (struct allfold_rows){.at = area->low_bytes + (ptrdiff_t)part.first * area->extent_bytes,
                                 .bytes =
                                     (size_t)((ptrdiff_t)(part.count - 1) * area->extent_bytes +
                                              area->high_bytes - area->low_bytes),
                                 .count = 1};
}

/* --- copying --- */

void allfold_staged_note(const struct allfold_staged *staged, const struct allfold_rows *rows,
                         size_t count, bool to_device)
{
    unsigned long long bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += rows[i].bytes * rows[i].count;
    atomic_fetch_add(to_device ? &to_device_bytes : &to_host_bytes, bytes);
    if (staged->pinned_by.driver == NULL)
        atomic_fetch_add(&pageable_bytes, bytes);
}

int allfold_staged_error(const struct allfold_staged *staged, int code, bool to_device)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    allfold_device_message(&staged->place, code, to_device, message, sizeof message);
    return allfold_message_code(MPI_COMM_WORLD, message);
}

static int copy_rows(const struct allfold_staged *staged, const struct allfold_rows *rows,
                     size_t count, bool to_device)
{
    void *device = (void *)(uintptr_t)staged->area.data;
    const int code = allfold_device_copy(&staged->place, to_device ? device : staged->host,
                                         to_device ? staged->host : device, to_device, rows, count);
    if (code == 0) {
        allfold_staged_note(staged, rows, count, to_device);
        return MPI_SUCCESS;
    }
    return allfold_staged_error(staged, code, to_device);
}

static int copy(const struct allfold_staged *staged, struct allfold_part_of_area part,
                bool to_device)
{
    struct picture picture = {.rows = NULL};
    if (part.count == 0)
        return MPI_SUCCESS;
    if (!staged->area.has_gaps) {
        const struct allfold_rows all = whole(&staged->area, part);
        return copy_rows(staged, &all, 1, to_device);
    }
    int error = draw(&picture, &staged->area, part);
    if (error == MPI_SUCCESS)
        error = copy_rows(staged, picture.rows, picture.count, to_device);
    allfold_free(picture.rows);
    return error;
}

/* --- rooms --- */

static void give_room_back(struct allfold_staged *staged)
{
    const bool is_pinned = staged->pinned_by.driver != NULL;
    if (!is_pinned)
        allfold_free(staged->room);
    else if (allfold_device_is_pinned(&staged->pinned_by, staged->room))
        allfold_device_free_pinned(&staged->pinned_by, staged->room);
    staged->room = NULL;
    staged->room_bytes = 0;
    staged->pinned_by.driver = NULL;
}

/* Uses pinned memory if the driver has it, unless the buffer has gaps: the gaps would be pinned,
 * too, and may be large. */
static bool make_room(struct allfold_staged *staged, size_t bytes)
{
    const bool wants_pinned = !staged->area.has_gaps;
    const bool is_right_kind = wants_pinned
                                   ? staged->pinned_by.driver == staged->place.driver &&
                                         allfold_device_is_pinned(&staged->place, staged->room)
                                   : staged->pinned_by.driver == NULL;
    if (is_right_kind && staged->room_bytes >= bytes)
        return true;
    give_room_back(staged);
    bytes += bytes / 8; /* so that ever longer vectors do not allocate at each call */
    if (wants_pinned && !allfold_allocation_fails())
        staged->room = allfold_device_allocate_pinned(&staged->place, bytes);
    if (staged->room != NULL)
        staged->pinned_by = staged->place;
    else
        staged->room = allfold_allocate(bytes);
    staged->room_bytes = staged->room == NULL ? 0 : bytes;
    return staged->room != NULL;
}

int allfold_stage(struct allfold_staged *staged, const struct allfold_area *area,
                  struct allfold_part_of_area copied, void **host)
{
    const struct allfold_elements elements = {.extent_bytes = area->extent_bytes,
                                              .low_bytes = area->low_bytes,
                                              .high_bytes = area->high_bytes};
    *host = (void *)(uintptr_t)area->data;
    staged->place.driver = NULL;
    if (area->count == 0 || area->high_bytes == area->low_bytes)
        return MPI_SUCCESS;
    staged->place = allfold_device_find(allfold_address(area->data, area->low_bytes));
    if (staged->place.driver == NULL)
        return MPI_SUCCESS;
    const struct allfold_room room = allfold_elements_room(&elements, area->count);
    staged->area = *area;
    if (!make_room(staged, room.bytes)) {
        staged->place.driver = NULL;
        return MPI_ERR_NO_MEM;
    }
    *host = staged->host = allfold_address(staged->room, room.first_bytes);
    staged->copied = copied;
    return MPI_SUCCESS;
}

int allfold_stage_copy(const struct allfold_staged *staged)
{
    return staged->place.driver == NULL ? MPI_SUCCESS : copy(staged, staged->copied, false);
}

int allfold_stage_back(const struct allfold_staged *staged, struct allfold_part_of_area copied)
{
    return staged->place.driver == NULL ? MPI_SUCCESS : copy(staged, copied, true);
}

void allfold_staging_free(struct allfold_staging *staging)
{
    give_room_back(&staging->in);
    give_room_back(&staging->out);
}

struct allfold_staged_bytes allfold_staged_bytes(void)
{
    return (struct allfold_staged_bytes){.to_host = atomic_load(&to_host_bytes),
                                         .to_device = atomic_load(&to_device_bytes),
                                         .pageable = atomic_load(&pageable_bytes)};
}
