/* A library to preload: makes a process that polls without success yield its core.
 *
 * MPICH polls without end. With more ranks than cores, each message would otherwise wait some
 * milliseconds until the receiver is scheduled. Its polls end in ucp_worker_progress (UCX), and on
 * emulated nodes, over TCP, in epoll_wait.
 *
 * The library also works around a hang in MPI_Finalize of MPICH 4.0. There a rank disconnects from
 * all others, polls until that is done, and then reads from its launcher, which answers once all
 * ranks have arrived. A rank that reads makes no progress, so a rank that still disconnects from it
 * may wait forever. */
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE unsigned ucp_worker_progress(void *worker);
VISIBLE void *ucp_disconnect_nb(void *endpoint);
VISIBLE void ucp_worker_destroy(void *worker);

/* Of the thread that polls: what it asks, whether it does so now, and whether it disconnects. */
static _Thread_local void *asked;
static _Thread_local bool is_asking, is_leaving;

/* A program may have loaded MPICH late, out of our scope. */
static void *of_ucp(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    void *ucp = found != NULL ? NULL : dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
    return ucp == NULL ? found : dlsym(ucp, name);
}

VISIBLE int epoll_wait(int file, struct epoll_event *events, int most, int timeout)
{
    static int (*next)(int, struct epoll_event *, int, int);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "epoll_wait");
    const int found = next(file, events, most, timeout);
    if (found == 0 && timeout == 0)
        sched_yield();
    return found;
}

VISIBLE unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    if (next == NULL)
        *(void **)&next = of_ucp("ucp_worker_progress");
    asked = worker;
    is_asking = true;
    const unsigned found = next(worker);
    is_asking = false;
    if (found == 0)
        sched_yield();
    return found;
}

VISIBLE void *ucp_disconnect_nb(void *endpoint)
{
    static void *(*next)(void *);
    if (next == NULL)
        *(void **)&next = of_ucp("ucp_disconnect_nb");
    is_leaving = true;
    return next(endpoint);
}

VISIBLE void ucp_worker_destroy(void *worker)
{
    static void (*next)(void *);
    if (next == NULL)
        *(void **)&next = of_ucp("ucp_worker_destroy");
    is_leaving = false;
    next(worker);
}

VISIBLE ssize_t read(int file, void *into, size_t bytes)
{
    static ssize_t (*next)(int, void *, size_t);
    if (next == NULL)
        *(void **)&next = dlsym(RTLD_NEXT, "read");
    struct pollfd readable = {.fd = file, .events = POLLIN};
    while (is_leaving && !is_asking && asked != NULL && poll(&readable, 1, 0) == 0)
        ucp_worker_progress(asked);
    return next(file, into, bytes);
}
