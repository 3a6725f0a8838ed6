/* Preloaded, it gives each rank a clock of its own, in a time namespace of its own. The clock is
 * DRIFT_PPM times its rank faster than rank 0's, and a thousand seconds times its rank ahead. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank_of_this(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]) != NULL)
            return atoi(getenv(names[i]));
    return 0;
}

/* Only of /proc/self/ns/time: ranks of one time namespace are known to share a clock. */
ssize_t readlink(const char *path, char *buffer, size_t bytes)
{
    char name[32];
    if (strcmp(path, "/proc/self/ns/time") != 0)
        return syscall(SYS_readlinkat, AT_FDCWD, path, buffer, bytes);
    const int length = snprintf(name, sizeof name, "time:[%d]", rank_of_this());
    memcpy(buffer, name, (size_t)length < bytes ? (size_t)length : bytes);
    return length;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
    static int is_known, rank;
    static double drift;
    static struct timespec first;
    const int code = (int)syscall(SYS_clock_gettime, id, time);
    if (code != 0 || id != CLOCK_MONOTONIC)
        return code;
    if (!is_known) {
        const char *ppm = getenv("DRIFT_PPM");
        rank = rank_of_this();
        drift = ppm == NULL ? 0 : 1e-6 * atof(ppm) * rank;
        first = *time;
        is_known = 1;
    }
    const double since_s =
        (double)(time->tv_sec - first.tv_sec) + 1e-9 * (double)(time->tv_nsec - first.tv_nsec);
    const long long ahead_ns = time->tv_nsec + (long long)(1e9 * drift * since_s);
    time->tv_sec += 1000 * rank + (time_t)(ahead_ns / 1000000000);
    time->tv_nsec = (long)(ahead_ns % 1000000000);
    return 0;
}
