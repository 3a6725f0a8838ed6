/* What `allfold info` finds out without MPI (see info.h). */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "select/settings.h"
#include "common.h"
#include "info/info.h"

typedef void print_function(int index, const char *path, const char *version, const char *error);

/* Loads one of our libraries and asks the MPI behind it for its version. */
static void print_version(int index, const char *path, print_function *print)
{
    enum { LONGEST = 16384 };
    static char version[LONGEST];
    int length = 0;
    int (*get_version)(char *, int *);
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        print(index, path, NULL, dlerror());
        return;
    }
    void *symbol = dlsym(library, "MPI_Get_library_version");
    memcpy(&get_version, &symbol, sizeof symbol);
    if (get_version == NULL || get_version(version, &length) != 0) {
        print(index, path, NULL, "its MPI does not tell its version");
        return;
    }
    version[strcspn(version, "\n")] = '\0';
    print(index, path, version, NULL);
}

int allfold_info_libraries(print_function *print)
{
    char pattern[PATH_MAX + 32], directory[PATH_MAX];
    glob_t found;
    if (!allfold_tool_library_directory(directory, sizeof directory))
        return 0;
    snprintf(pattern, sizeof pattern, "%s/liballfold-*.so", directory);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    const int count = (int)found.gl_pathc;
    for (int i = 0; i < count; i++) {
        fflush(stdout);
        const pid_t child = fork(); /* two MPIs do not share a process */
        if (child == 0) {
            print_version(i, found.gl_pathv[i], print);
            fflush(stdout);
            _exit(0);
        }
        if (child > 0)
            waitpid(child, NULL, 0);
    }
    globfree(&found);
    return count;
}

const char *const *allfold_info_features(void)
{
    static const char *features[8];
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    const struct {
        const char *name;
        int is_there;
    } all[] = {{"sse2", __builtin_cpu_supports("sse2")},
               {"avx", __builtin_cpu_supports("avx")},
               {"avx2", __builtin_cpu_supports("avx2")},
               {"fma", __builtin_cpu_supports("fma")},
               {"avx512f", __builtin_cpu_supports("avx512f")},
               {"avx512bw", __builtin_cpu_supports("avx512bw")}};
    int count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_there)
            features[count++] = all[i].name;
#elif defined(__aarch64__)
    features[0] = "neon";
#endif
    return features;
}

void allfold_info_check_variables(void (*complain)(const char *message))
{
    extern char **environ;
    static struct allfold_settings settings;
    allfold_settings_read_environment(&settings, complain);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++)
        if (settings.rule_error[i][0] != '\0')
            complain(settings.rule_error[i]);
    allfold_settings_check_names(environ, complain);
}
