/*
 * large_blocks.c: a program without MPI that has one large block, from C++'s new. It says
 *  - why: why malloc's large blocks are the C library's; nothing where they are not
 *  - where: whether the block lies in an anonymous file of Allfold
 *  - debug: whether /proc/self/mem, through which debuggers go, reads and writes it
 *  - fork, spawn, system, vfork: how many pages the process touched for the first time in such a
 *    call. A fork that copies the block touches all pages of the copy.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap/one_copy.h"

enum { BYTES = 64 << 20 };

static unsigned char *block;

static void say_why(void)
{
    const struct allfold_one_copy *library = dlsym(RTLD_DEFAULT, ALLFOLD_ONE_COPY_SYMBOL);
    const char *why = library == NULL ? "it is not loaded" : library->why_off();
    puts(why == NULL ? "" : why);
}

static void say_where(void)
{
    char line[512], name[512];
    unsigned long first, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %511s", &first, &end, name) == 3 &&
            (uintptr_t)block >= first && (uintptr_t)block < end)
            puts(name);
    if (maps != NULL)
        fclose(maps);
}

static void debug(void)
{
    char seen = 0, written = 78;
    const int memory = open("/proc/self/mem", O_RDWR);
    const off_t offset = (off_t)(uintptr_t)(block + BYTES - 1);
    const int is_read = pread(memory, &seen, 1, offset) == 1 && seen == 77;
    const int is_written = pwrite(memory, &written, 1, offset) == 1 && block[BYTES - 1] == 78;
    printf("read %d, written %d\n", is_read, is_written);
    close(memory);
}

static long count_touched(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static pid_t start(const char *how)
{
    static char *words[] = {"true", NULL};
    extern char **environ;
    pid_t child = -1;
    if (strcmp(how, "spawn") == 0)
        return posix_spawnp(&child, words[0], NULL, NULL, words, environ) == 0 ? child : -1;
    child = strcmp(how, "vfork") == 0 ? vfork() : fork();
    if (child == 0) {
        execvp(words[0], words);
        _exit(1);
    }
    return child;
}

static void say_touched(const char *how)
{
    const long before = count_touched();
    int status = -1;
    if (strcmp(how, "system") == 0)
        status = system("true");
    else
        waitpid(start(how), &status, 0);
    printf("%ld %s\n", count_touched() - before, status == 0 ? "pages" : "failed");
}

int main(int argc, char **argv)
{
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL);
    void *(*operator_new)(size_t) = NULL;
    *(void **)&operator_new = library == NULL ? NULL : dlsym(library, "_Znwm");
    block = operator_new == NULL ? malloc(BYTES) : operator_new(BYTES);
    if (block == NULL || argc < 2)
        return 2;
    memset(block, 77, BYTES);
    if (strcmp(argv[1], "why") == 0)
        say_why();
    else if (strcmp(argv[1], "where") == 0)
        say_where();
    else if (strcmp(argv[1], "debug") == 0)
        debug();
    else
        say_touched(argv[1]);
    return 0;
}
