/* Reads and checks live pages (see page_reader.h). */
#include "events/page_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char damaged[] = "its figures are damaged; remove the file";
static const char no_page[] = "it is no page of Allfold; remove the file";

/* --- what may be read at all --- */

static const char *wrong_with_file(const struct stat *found)
{
    if (!S_ISREG(found->st_mode))
        return "it is no file; remove it";
    if (found->st_uid != geteuid())
        return "it belongs to another user; expected one of yours";
    if ((found->st_mode & 077) != 0)
        return "other users may open it; expected mode 0600";
    return NULL;
}

/* Does a process hold the page? The kernel asks for no right to write here. */
static bool is_held(int file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* A process that was killed before it wrote a byte leaves an empty file. */
static bool is_young(const struct stat *found)
{
    const time_t young_s = 10;
    return time(NULL) - found->st_mtime < young_s;
}

static const char *wrong_with_head(const struct allfold_page_head *head)
{
    if (memcmp(head->magic, allfold_page_magic, sizeof head->magic) != 0)
        return no_page;
    if (head->version != ALLFOLD_PAGE_VERSION || head->bytes != sizeof(struct allfold_page))
        return "another version of Allfold wrote it; use the `allfold top` of that version";
    if (head->p < 1 || head->rank < 0 || head->rank >= head->p || head->nodes < 0 ||
        head->pid < 1 || !isfinite(head->begin_s) || !isfinite(head->opened.now_s))
        return damaged;
    return NULL;
}

/* --- what is in it --- */

static void make_plain(char *text, size_t bytes)
{
    text[bytes - 1] = '\0';
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
}

static bool is_sum(double sum)
{
    const double least = -1e-3; /* a difference of two sums, which are rounded */
    return isfinite(sum) && sum >= least;
}

static bool are_sums(const struct allfold_page_sums *sums)
{
#define ARE_SUMS(name) is_sum(sums->all.name) && is_sum(sums->recent.name) &&
    return ALLFOLD_SUMS(ARE_SUMS) true;
#undef ARE_SUMS
}

static bool make_rows_plain(struct allfold_page_figures *figures)
{
    for (uint32_t i = 0; i < figures->row_count; i++) {
        struct allfold_page_row *row = &figures->rows[i];
        make_plain(row->call, sizeof row->call);
        make_plain(row->algorithm, sizeof row->algorithm);
        make_plain(row->source, sizeof row->source);
        make_plain(row->phase, sizeof row->phase);
        if (row->p < 1 || !are_sums(&row->sums))
            return false;
    }
    return true;
}

static bool are_figures(struct allfold_page_figures *figures, int p)
{
    if (!isfinite(figures->refreshed_s) || !isfinite(figures->interval_s) ||
        figures->interval_s < 0 || !are_sums(&figures->own) ||
        figures->row_count > ALLFOLD_PAGE_ROWS || figures->late_count > ALLFOLD_PAGE_LATE)
        return false;
    for (uint32_t i = 0; i < figures->late_count; i++)
        if (figures->late[i].rank < 0 || figures->late[i].rank >= p ||
            !are_sums(&figures->late[i].sums))
            return false;
    return make_rows_plain(figures);
}

static bool read_at(int file, void *into, size_t bytes, size_t at)
{
    return pread(file, into, bytes, (off_t)at) == (ssize_t)bytes;
}

/* The whole page as it was at one moment. Figures are written in microseconds, so a page that stays
 * odd has lost its process in between, or is none. */
static bool read_still(int file, struct allfold_page *page)
{
    enum { TRIES = 1000 };
    const size_t at = offsetof(struct allfold_page, sequence);
    for (int i = 0; i < TRIES; i++) {
        uint32_t before, after;
        if (!read_at(file, &before, sizeof before, at) || !read_at(file, page, sizeof *page, 0) ||
            !read_at(file, &after, sizeof after, at))
            return false;
        if (before == after && before % 2 == 0)
            return true;
        sched_yield();
    }
    return false;
}

/* How long the process has been in a call that began at these ticks; less than 0: it is in none. */
static double in_call_s(const struct allfold_page *page, uint64_t ticks)
{
    const struct allfold_moment now = allfold_moment();
    const struct allfold_tick_line line = allfold_tick_line(page->head.opened, now);
    if (ticks == 0 || ticks == ALLFOLD_PAGE_NO_TICKS)
        return ticks == 0 ? -1 : 0;
    return fmax(0, now.now_s - allfold_tick_line_tell(&line, ticks));
}

static void copy_page(const struct allfold_page *page, struct allfold_page_copy *copy)
{
    const double now_s = allfold_monotonic_s();
    copy->head = page->head;
    const uint32_t collective = atomic_load(&page->collective);
    copy->calls = atomic_load(&page->calls);
    copy->call = collective < ALLFOLD_ALL_COLLECTIVES
                     ? allfold_report_collective_name((enum allfold_collective)collective)
                     : "?";
    copy->figures = page->figures;
    copy->age_s = fmax(0, now_s - page->figures.refreshed_s);
    copy->run_s = fmax(0, now_s - page->head.begin_s);
    copy->in_call_s = in_call_s(page, atomic_load(&page->call_ticks));
    make_plain(copy->head.program, sizeof copy->head.program);
    make_plain(copy->head.host, sizeof copy->head.host);
    make_plain(copy->head.mpi, sizeof copy->head.mpi);
    make_plain(copy->head.allfold, sizeof copy->head.allfold);
}

static enum allfold_page_state read_file(int file, struct allfold_page_copy *copy, const char **why)
{
    static struct allfold_page page; /* the command has one thread */
    struct stat found;
    if (fstat(file, &found) != 0)
        return ALLFOLD_PAGE_STARTING;
    *why = wrong_with_file(&found);
    if (*why != NULL)
        return ALLFOLD_PAGE_BROKEN;
    const bool is_held_now = is_held(file);
    if (found.st_size == 0)
        return is_held_now || is_young(&found) ? ALLFOLD_PAGE_STARTING : ALLFOLD_PAGE_STALE;
    if (!read_at(file, &page, sizeof page, 0)) {
        *why = no_page;
        return ALLFOLD_PAGE_BROKEN;
    }
    if (page.head.magic[0] ==
        '\0') /* its process has not come to the head, and may not have had the time */
        return is_held_now ? ALLFOLD_PAGE_STARTING : ALLFOLD_PAGE_STALE;
    *why = wrong_with_head(&page.head);
    if (*why == NULL && is_held_now && !read_still(file, &page))
        *why = damaged;
    if (*why == NULL) {
        copy_page(&page, copy);
        if (!is_held_now)
            return ALLFOLD_PAGE_STALE;
        *why = are_figures(&copy->figures, copy->head.p) ? NULL : damaged;
    }
    return *why == NULL ? ALLFOLD_PAGE_RUNS : ALLFOLD_PAGE_BROKEN;
}

enum allfold_page_state allfold_page_read(int directory, const char *name,
                                          struct allfold_page_copy *copy, const char **why)
{
    memset(copy, 0, sizeof *copy);
    *why = NULL;
    /* a pipe must not make the reader wait */
    const int file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 && errno == ENOENT)
        return ALLFOLD_PAGE_STARTING;
    if (file < 0) {
        *why = errno == ELOOP ? "it is a link; remove it" : strerror(errno);
        return ALLFOLD_PAGE_BROKEN;
    }
    const enum allfold_page_state state = read_file(file, copy, why);
    close(file);
    return state;
}
