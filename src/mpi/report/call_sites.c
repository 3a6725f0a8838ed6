/* Call sites: walks the stack, and names the sites (see call_sites.h). */
#include "mpi/report/call_sites.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "events/report_figures.h"
#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "util/source_lines.h"
#include "util/symbols.h"

/* An address that a function returns to. */
struct site {
    uintptr_t address;
    bool is_inside;   /* of a library between the program and the call */
    bool has_line;    /* a search for the line was made */
    const char *path; /* of its file, once it has a text */
    uintptr_t in_file;
    char text[ALLFOLD_SITE_BYTES];
};

enum { SLOTS = 1024, MOST_SITES = 512, MOST_FRAMES = 64 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct site *sites[SLOTS]; /* by address; NULL: free */
static int site_count;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The names of all MPI libraries and of their Fortran wrappers begin like this. */
static bool is_of_mpi(const char *path)
{
    static const char prefix[] = "libmpi";
    return strncmp(base_name(path), prefix, sizeof prefix - 1) == 0;
}

static bool is_inside(uintptr_t address)
{
    Dl_info there, here;
    return dladdr((void *)(address - 1), &there) == 0 ||
           (dladdr((void *)&mutex, &here) != 0 && there.dli_fbase == here.dli_fbase) ||
           is_of_mpi(there.dli_fname);
}

/* Returns NULL if out of memory, or if there are too many sites. The caller holds the mutex. */
static const struct site *find(uintptr_t address)
{
    size_t slot = address * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    while (sites[slot % SLOTS] != NULL && sites[slot % SLOTS]->address != address)
        slot++;
    struct site **found = &sites[slot % SLOTS];
    if (*found != NULL || site_count == MOST_SITES)
        return *found;
    *found = allfold_allocate_zeroed(sizeof **found);
    if (*found == NULL)
        return NULL;
    site_count++;
    (*found)->address = address;
    (*found)->is_inside = is_inside(address);
    return *found;
}

struct walk {
    const struct site *site; /* NULL: none so far */
    int frames;
};

static _Unwind_Reason_Code look_at(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    const struct site *site = find((uintptr_t)_Unwind_GetIP(context));
    walk->site = site == NULL || site->is_inside ? NULL : site;
    return walk->site != NULL || ++walk->frames == MOST_FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static const char *walk_to_site(void)
{
    struct walk walk = {.site = NULL};
    pthread_mutex_lock(&mutex);
    _Unwind_Backtrace(look_at, &walk);
    pthread_mutex_unlock(&mutex);
    return walk.site == NULL ? NULL : walk.site->text;
}

const char *allfold_call_site(void)
{
    return allfold_settings()->report_sites ? walk_to_site() : NULL;
}

const char *allfold_call_site_named(void)
{
    const char *site = walk_to_site();
    allfold_call_sites_name();
    return site;
}

/* The name of the program's own file may be relative to a folder that it has left. Another process
 * is to find the file by this one, too. */
static const char *own_path(void)
{
    static char path[32];
    snprintf(path, sizeof path, "/proc/%ld/exe", (long)getpid());
    return path;
}

static void name_site(struct site *site)
{
    Dl_info info;
    char name[ALLFOLD_SITE_BYTES / 2];
    const uintptr_t address = site->address - 1; /* an address in the call, not the one after it */
    if (dladdr((void *)address, &info) == 0)
        return;
    site->path = info.dli_fname;
    if (!allfold_symbol_find(site->path, (uintptr_t)info.dli_fbase, address, &site->in_file, name,
                             sizeof name)) {
        site->path = own_path();
        allfold_symbol_find(site->path, (uintptr_t)info.dli_fbase, address, &site->in_file, name,
                            sizeof name);
    }
    snprintf(site->text, sizeof site->text, "%s%s(%.40s+0x%zx)", name, *name == '\0' ? "" : " ",
             base_name(info.dli_fname), site->in_file);
    allfold_report_make_plain(site->text);
}

static bool is_named(const struct site *site)
{
    return site != NULL && *site->text != '\0';
}

void allfold_call_sites_name(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < SLOTS; i++)
        if (sites[i] != NULL && !sites[i]->is_inside && !is_named(sites[i]))
            name_site(sites[i]);
    pthread_mutex_unlock(&mutex);
}

/* Inserts the line before the closing parenthesis. */
static void add_line(struct site *site, const char *line)
{
    const size_t length = strlen(site->text);
    if (*line == '\0' || length == 0 || site->text[length - 1] != ')')
        return;
    snprintf(site->text + length - 1, sizeof site->text - length + 1, ", %s)", line);
    allfold_report_make_plain(site->text);
}

static bool lacks_line(const struct site *site)
{
    return is_named(site) && !site->has_line;
}

/* All places of one file at once. */
static const char *add_lines_of(const char *path)
{
    static struct allfold_source_line lines[MOST_SITES];
    size_t count = 0, next = 0;
    for (int i = 0; i < SLOTS; i++)
        if (lacks_line(sites[i]) && strcmp(sites[i]->path, path) == 0)
            lines[count++].address = sites[i]->in_file;
    const char *why = allfold_source_lines_find(path, lines, count);
    for (int i = 0; i < SLOTS; i++)
        if (lacks_line(sites[i]) && strcmp(sites[i]->path, path) == 0) {
            sites[i]->has_line = true;
            add_line(sites[i], lines[next++].text);
        }
    return why;
}

const char *allfold_call_sites_add_lines(void)
{
    const char *why = NULL;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < SLOTS; i++)
        if (lacks_line(sites[i])) {
            const char *wrong = add_lines_of(sites[i]->path);
            why = why == NULL ? wrong : why;
        }
    pthread_mutex_unlock(&mutex);
    return why;
}
