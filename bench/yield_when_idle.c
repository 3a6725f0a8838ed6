/* A library to preload: a process that asks for news of others and finds none gives its core to
 * them. MPICH polls without end; with more ranks than cores each message would else wait until the
 * receiver's turn comes, some milliseconds. Its polls end in ucp_worker_progress (UCX), and on
 * emulated nodes, over TCP, in epoll_wait. */
#include <dlfcn.h>
#include <sched.h>
#include <sys/epoll.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE unsigned ucp_worker_progress(void *worker);

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
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (next == NULL) { /* the program loaded MPICH late, out of our scope */
        void *ucp = dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD);
        *(void **)&next = ucp == NULL ? NULL : dlsym(ucp, "ucp_worker_progress");
    }
    const unsigned found = next(worker);
    if (found == 0)
        sched_yield();
    return found;
}
