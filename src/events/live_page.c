/* Makes, fills and removes live pages (see live_page.h). */
#include "events/live_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "events/log.h"
#include "util/file_limit.h"

const char allfold_page_directory[] = "/dev/shm";
const char allfold_page_magic[16] = "allfold page";
struct allfold_page *allfold_page_shown;

void allfold_page_name_prefix(char name[ALLFOLD_PAGE_NAME_BYTES])
{
    snprintf(name, ALLFOLD_PAGE_NAME_BYTES, "allfold-watch-%lu-", (unsigned long)geteuid());
}

/* No two processes ever have the same name, so whoever removes a stale page removes no other. */
static bool make_path(char *path, size_t path_bytes, const char *directory)
{
    char prefix[ALLFOLD_PAGE_NAME_BYTES];
    allfold_page_name_prefix(prefix);
    const int length = snprintf(path, path_bytes, "%s/%s%ld-%llx", directory, prefix,
                                (long)getpid(), (unsigned long long)allfold_monotonic_ns());
    if (length >= 0 && (size_t)length < path_bytes)
        return true;
    errno = ENAMETOOLONG;
    return false;
}

/* The lock comes before the first byte: a page that has any is either locked or stale. Whoever has
 * no room for the page learns it here, and not by a signal when it writes. */
static bool fill_file(int file, size_t bytes)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &lock) != 0)
        return false;
    const int error = allfold_file_may_have(bytes) ? posix_fallocate(file, 0, (off_t)bytes) : EFBIG;
    errno = error;
    return error == 0;
}

static struct allfold_page *map(int file)
{
    void *memory = MAP_FAILED;
    if (fill_file(file, sizeof(struct allfold_page)))
        memory =
            mmap(NULL, sizeof(struct allfold_page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool allfold_page_open(struct allfold_open_page *open_page, const char *directory,
                       const struct allfold_page_head *head)
{
    open_page->page = NULL;
    if (!make_path(open_page->path, sizeof open_page->path, directory))
        return false;
    open_page->file =
        open(open_page->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (open_page->file < 0)
        return false;
    struct allfold_page *page = map(open_page->file);
    if (page == NULL) {
        const int error = errno;
        unlink(open_page->path);
        close(open_page->file);
        errno = error;
        return false;
    }
    allfold_page_begin_write(page);
    page->head = *head;
    page->head.version = ALLFOLD_PAGE_VERSION;
    page->head.bytes = sizeof *page;
    memcpy(page->head.magic, allfold_page_magic, sizeof page->head.magic);
    allfold_page_end_write(page);
    open_page->page = page;
    return true;
}

void allfold_page_close(struct allfold_open_page *open_page)
{
    if (open_page->page == NULL)
        return;
    unlink(open_page->path);
    munmap(open_page->page, sizeof *open_page->page);
    close(open_page->file);
    open_page->page = NULL;
}

void allfold_page_begin_write(struct allfold_page *page)
{
    const uint32_t sequence = atomic_load_explicit(&page->sequence, memory_order_relaxed);
    atomic_store_explicit(&page->sequence, sequence + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

void allfold_page_end_write(struct allfold_page *page)
{
    const uint32_t sequence = atomic_load_explicit(&page->sequence, memory_order_relaxed);
    atomic_store_explicit(&page->sequence, sequence + 1, memory_order_release);
}

/* --- filling it --- */

/* Is the row busier than the other one? */
static bool is_busier(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    const double a_s = a->recent.seconds + a->recent.flight_s,
                 b_s = b->recent.seconds + b->recent.flight_s;
    return a_s != b_s ? a_s > b_s : a->all.seconds > b->all.seconds;
}

/* Returns the slot for a row: the next one, or that of the least busy row if all are in use. */
static struct allfold_page_row *slot_for(struct allfold_page_figures *figures,
                                         const struct allfold_page_sums *sums)
{
    if (figures->row_count < ALLFOLD_PAGE_ROWS)
        return &figures->rows[figures->row_count++];
    struct allfold_page_row *least = &figures->rows[0];
    for (int i = 1; i < ALLFOLD_PAGE_ROWS; i++)
        if (is_busier(&least->sums, &figures->rows[i].sums))
            least = &figures->rows[i];
    figures->left_out++;
    return is_busier(sums, &least->sums) ? least : NULL;
}

static void fill_row(struct allfold_page_row *slot, const struct allfold_report_row *row)
{
    *slot = (struct allfold_page_row){
        .p = row->p, .least_bytes = row->least_bytes, .most_bytes = row->most_bytes};
    allfold_report_name_call(row, slot->call);
    snprintf(slot->algorithm, sizeof slot->algorithm, "%s", row->algorithm);
    snprintf(slot->source, sizeof slot->source, "%s", row->source);
    snprintf(slot->phase, sizeof slot->phase, "%s", row->phase == NULL ? "" : row->phase);
}

static void add_row(struct allfold_page_figures *figures, struct allfold_report_row *row)
{
    struct allfold_page_sums sums;
    if (row->sums.calls <= 0)
        return; /* its calls are not in the log yet */
    allfold_page_add_up(&sums, &row->shown, &row->sums);
    row->shown = row->sums;
    struct allfold_page_row *slot = slot_for(figures, &sums);
    if (slot == NULL)
        return;
    fill_row(slot, row);
    slot->sums = sums;
}

static bool is_later(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    return a->recent.behind_s != b->recent.behind_s ? a->recent.behind_s > b->recent.behind_s
                                                    : a->all.behind_s > b->all.behind_s;
}

/* Puts a rank among those that are later than it, and drops the least late one. */
static void insert_late(struct allfold_page_figures *figures, const struct allfold_page_late *one)
{
    uint32_t at = figures->late_count;
    while (at > 0 && is_later(&one->sums, &figures->late[at - 1].sums))
        at--;
    if (at == ALLFOLD_PAGE_LATE)
        return;
    if (figures->late_count < ALLFOLD_PAGE_LATE)
        figures->late_count++;
    for (uint32_t i = figures->late_count - 1; i > at; i--)
        figures->late[i] = figures->late[i - 1];
    figures->late[at] = *one;
}

static struct allfold_sums sums_of(const struct allfold_latecomer *of, double chance_s)
{
    return (struct allfold_sums){.last = (double)of->last,
                                 .behind_s = of->behind_s,
                                 .chance_s = chance_s,
                                 .squares = of->squares};
}

static void add_late(struct allfold_page_figures *figures, struct allfold_latecomers *seen)
{
    for (int r = 0; r < seen->p; r++) {
        struct allfold_latecomer *now = &seen->of[r], *shown = &seen->of[seen->p + r];
        const struct allfold_sums before = sums_of(shown, seen->chance_shown_s),
                                  all = sums_of(now, seen->chance_s);
        struct allfold_page_late one = {.rank = r};
        if (now->last == 0)
            continue;
        allfold_page_add_up(&one.sums, &before, &all);
        *shown = *now;
        insert_late(figures, &one);
    }
    seen->chance_shown_s = seen->chance_s;
}

void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log)
{
    figures->row_count = figures->left_out = figures->late_count = 0;
    for (uint32_t i = 0; i < log->row_count; i++)
        add_row(figures, &log->rows[i]);
    allfold_page_add_up(&figures->own, &log->own_shown, &log->own.sums);
    log->own_shown = log->own.sums;
    if (log->shows_late)
        add_late(figures, log->seen);
}
