/* Runs addr2line and reads its output (see source_lines.h). */
#include "util/source_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/memory.h"
#include "util/ticks.h"

enum { ADDRESS_BYTES = 24, FIXED_WORDS = 3 };

static const double patience_s = 10;

/* addr2line -e PATH ADDRESS..., in one piece of memory; NULL without any. */
static char **make_words(const char *path, const struct allfold_source_line *lines, size_t count)
{
    const size_t words = FIXED_WORDS + count + 1;
    char **made = allfold_allocate(words * sizeof *made + count * ADDRESS_BYTES);
    if (made == NULL)
        return NULL;
    char *text = (char *)(made + words);
    made[0] = (char *)"addr2line";
    made[1] = (char *)"-e";
    made[2] = (char *)path;
    for (size_t i = 0; i < count; i++, text += ADDRESS_BYTES) {
        snprintf(text, ADDRESS_BYTES, "0x%zx", (size_t)lines[i].address);
        made[FIXED_WORDS + i] = text;
    }
    made[words - 1] = NULL;
    return made;
}

/* The program's memory is not copied for that, which networks may not allow. The process must not
 * load this library, so it gets no environment but the path. */
static int start(char **words, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    char path[4096];
    const char *named = getenv("PATH");
    snprintf(path, sizeof path, "PATH=%s", named == NULL ? "/usr/bin:/bin" : named);
    char *environment[] = {path, NULL};
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    if (error == 0)
        error = posix_spawnp(pid, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* "/home/me/solve.c:42 (discriminator 3)" becomes "solve.c:42"; "??:0" becomes "". */
static void take_line(const char *text, size_t length, char line[ALLFOLD_SOURCE_LINE_BYTES])
{
    const char *end = memchr(text, ' ', length), *colon;
    end = end == NULL ? text + length : end;
    for (colon = end; colon > text && colon[-1] != ':'; colon--)
        continue;
    const char *begin = colon;
    while (begin > text && begin[-1] != '/')
        begin--;
    *line = '\0';
    if (colon > text && colon < end && *colon >= '1' && *colon <= '9')
        snprintf(line, ALLFOLD_SOURCE_LINE_BYTES, "%.*s", (int)(end - begin), begin);
}

/* Reads until the end, or until it takes too long. A line that is longer than all it may be is cut,
 * which loses its end and so the line's number. */
static bool read_lines(int from, struct allfold_source_line *lines, size_t count)
{
    char text[4096 + 64];
    size_t length = 0, number = 0;
    const double until_s = allfold_monotonic_s() + patience_s;
    for (double left_s; (left_s = until_s - allfold_monotonic_s()) > 0;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (poll(&ready, 1, 1 + (int)(1e3 * left_s)) < 0 && errno != EINTR)
            return false;
        if (ready.revents == 0)
            continue;
        const ssize_t got = read(from, text + length, sizeof text - length);
        if (got <= 0)
            return got == 0;
        length += (size_t)got;
        size_t begin = 0;
        for (char *end; (end = memchr(text + begin, '\n', length - begin)) != NULL;) {
            if (number < count)
                take_line(text + begin, (size_t)(end - text) - begin, lines[number++].text);
            begin = (size_t)(end - text) + 1;
        }
        length -= begin;
        memmove(text, text + begin, length);
        if (length == sizeof text)
            length = 0;
    }
    return false;
}

static const char *ask(char **words, struct allfold_source_line *lines, size_t count)
{
    int ends[2];
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return "there is no pipe to addr2line";
    const int error = start(words, ends[1], &pid);
    close(ends[1]);
    const bool is_read = error == 0 && read_lines(ends[0], lines, count);
    close(ends[0]);
    if (error != 0)
        return error == ENOENT ? "addr2line is not installed" : "addr2line does not start";
    if (!is_read)
        kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return is_read ? NULL : "addr2line takes too long";
}

const char *allfold_source_lines_find(const char *path, struct allfold_source_line *lines,
                                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        *lines[i].text = '\0';
    char **words = make_words(path, lines, count);
    if (words == NULL)
        return "there is no memory";
    const char *why = ask(words, lines, count);
    allfold_free(words);
    for (size_t i = 0; i < count && why == NULL; i++)
        if (*lines[i].text != '\0')
            return NULL;
    return why == NULL ? "the program is built without -g" : why;
}
