/* Reads the pages of running programs (see running.h). */
#include "running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/memory.h"

/* A directory that nodes share has pages of other nodes, whose locks mean nothing here. */
static bool is_of_this_host(const struct allfold_page_copy *copy)
{
    struct utsname system;
    return copy->head.host[0] == '\0' || uname(&system) != 0 ||
           strncmp(copy->head.host, system.nodename, sizeof copy->head.host - 1) == 0;
}

static bool add(struct allfold_page_copy **list, int *count, uint32_t *capacity,
                const struct allfold_page_copy *copy)
{
    void *moved = allfold_make_room(*list, (uint32_t)*count, capacity, sizeof **list);
    if (moved == NULL) {
        fprintf(stderr, "allfold top: no memory for %d pages\n", *count);
        return false;
    }
    *list = moved;
    (*list)[(*count)++] = *copy;
    return true;
}

static bool add_page(struct top_running *running, int file, const char *directory, const char *name,
                     bool says)
{
    struct allfold_page_copy copy;
    const char *why;
    const enum allfold_page_state state = allfold_page_read(file, name, &copy, &why);
    if (state == ALLFOLD_PAGE_BROKEN && running->skipped++ == 0 && says)
        fprintf(stderr, "allfold top: skipped %s/%s: %s", directory, name, why);
    if (state == ALLFOLD_PAGE_RUNS && is_of_this_host(&copy))
        return add(&running->pages, &running->count, &running->capacity, &copy);
    if (state != ALLFOLD_PAGE_STALE || !is_of_this_host(&copy))
        return true;
    running->removed += unlinkat(file, name, 0) == 0;
    return add(&running->killed, &running->killed_count, &running->killed_capacity, &copy);
}

static int compare(const void *left, const void *right)
{
    const struct allfold_page_head *a = left, *b = right; /* a copy begins with its head */
    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static bool read_all(struct top_running *running, DIR *stream, const char *directory, bool says)
{
    char prefix[ALLFOLD_PAGE_NAME_BYTES];
    bool fits = true;
    allfold_page_name_prefix(prefix);
    for (const struct dirent *entry; fits && (entry = readdir(stream)) != NULL;)
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            fits = add_page(running, dirfd(stream), directory, entry->d_name, says);
    if (running->skipped > 1 && says)
        fprintf(stderr, "; %d more file%s skipped, too", running->skipped - 1,
                running->skipped == 2 ? " was" : "s were");
    if (running->skipped > 0 && says)
        fprintf(stderr, "\n");
    if (running->count > 0)
        qsort(running->pages, (size_t)running->count, sizeof *running->pages, compare);
    return fits;
}

bool top_running_read(struct top_running *running, const char *directory, bool says)
{
    *running = (struct top_running){.count = 0};
    DIR *stream = opendir(directory);
    if (stream == NULL) {
        fprintf(stderr, "allfold top: %s: %s; expected the directory of ALLFOLD_WATCH\n", directory,
                strerror(errno));
        return false;
    }
    const bool fits = read_all(running, stream, directory, says);
    closedir(stream);
    return fits;
}

void top_running_free(struct top_running *running)
{
    free(running->pages);
    free(running->killed);
    *running = (struct top_running){.count = 0};
}

bool top_running_next(const struct top_running *running, int *at, struct top_program *program)
{
    const int first = *at;
    if (first == running->count)
        return false;
    while (*at < running->count && running->pages[*at].head.job == running->pages[first].head.job)
        ++*at;
    *program = (struct top_program){&running->pages[first], *at - first};
    return true;
}

bool top_running_find(const struct top_running *running, int pid, uint64_t job,
                      struct top_program *program)
{
    for (int at = 0; top_running_next(running, &at, program);)
        for (int i = 0; i < program->count; i++)
            if (job != 0 ? program->pages[i].head.job == job : program->pages[i].head.pid == pid)
                return true;
    return false;
}
