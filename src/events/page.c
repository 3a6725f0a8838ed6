/* Making and filling a page (see page.h). */
#include "events/page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
