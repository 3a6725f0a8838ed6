/* Settings, underlying functions, messages, error codes and time of the process (see runtime.h). */
#include "mpi/process/runtime.h"

#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/report_format.h"
#include "kernels/kernels.h"
#include "util/memory.h"
#include "util/ticks.h"

extern char **environ;

static struct allfold_settings settings;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static struct allfold_next next;
static bool has_no_library; /* written with `next` */
static pthread_once_t next_once = PTHREAD_ONCE_INIT;

enum { STATE_UNKNOWN, STATE_UP, STATE_DOWN };
static atomic_int mpi_state = STATE_UNKNOWN;
/* The program began a session of MPI. */
static atomic_bool has_session;

/* A collective was called before MPI_Init: its communicator came from a session of MPI. */
static atomic_bool was_called_early;

static void use_simd(void)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    if (settings.simd == NULL || allfold_simd_use(settings.simd))
        return;
    snprintf(message, sizeof message, "ALLFOLD_TEST=simd=%.100s is not to be had here; %s is taken",
             settings.simd, allfold_simd_used());
    allfold_complain(message);
}

static void read_settings(void)
{
    allfold_settings_read_environment(&settings, allfold_complain);
    use_simd();
    allfold_settings_check_names(&settings, environ, allfold_complain);
}

const struct allfold_settings *allfold_settings(void)
{
    pthread_once(&settings_once, read_settings);
    return &settings;
}

static void *find_after_us(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

static void *(*find_function)(const char *name) = find_after_us;

__attribute__((visibility("default"))) void allfold_set_next(void *(*find)(const char *name));

/* The stub, which has opened this library, knows what comes after it. Before any call of MPI. */
void allfold_set_next(void *(*find)(const char *name))
{
    find_function = find;
}

void *allfold_find_next(const char *name)
{
    return find_function(name);
}

/* Finds a function that some MPI libraries lack. Open MPI 4's persistent collectives begin with
 * MPIX_. If no library comes after this one, the function is the MPI library's PMPI_ function. */
static void *find_newer(const char *name)
{
    static const char *const prefixes[] = {"MPI_", "MPIX_", "PMPI_", "PMPIX_"};
    void *found = NULL;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes && found == NULL; i++) {
        char whole[64];
        snprintf(whole, sizeof whole, "%s%s", prefixes[i], name);
        found = find_function(whole);
    }
    return found;
}

/* In place of each function of an MPI library that the process has not loaded: all references to it
 * are weak, so with `--as-needed` the linker drops the MPI library if Allfold has all the functions
 * that the program calls. */
static int find_no_library(void)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        allfold_complain("the program is linked without an MPI library, so its calls of MPI are "
                         "errors: the linker has left the library out; add -Wl,--no-as-needed "
                         "before -lallfold-..., as `pkg-config --libs allfold-...` has it");
    return MPI_ERR_OTHER;
}

struct newer {
    const char *name;
    void *function;
};

static void look_up(const struct newer *functions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *found = find_newer(functions[i].name);
        memcpy(functions[i].function, &found, sizeof found);
    }
}

#define NEWER(field, Name) {#Name, &next.field},
static void find_next(void)
{
    const struct {
        const char *name;
        void *function;
        void *fallback;
    } functions[] = {
#define ROW(field, Name) {"MPI_" #Name, &next.field, (void *)(uintptr_t)PMPI_##Name},
#define SERVED(name, Name, NAME, arguments) SERVED_WITHOUT_BUFFERS(name, Name, NAME)
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME) ROW(name, Name) ROW(i##name, I##name)
#include "mpi/collectives.def"
        ALLFOLD_NEXT_FUNCTIONS(ROW) ROW(waitall, Waitall)
#undef ROW
    };
    const struct newer persistent[] = {
#define SERVED(name, Name, NAME, arguments) SERVED_WITHOUT_BUFFERS(name, Name, NAME)
#define SERVED_WITHOUT_BUFFERS(name, Name, NAME) NEWER(name##_init, Name##_init)
#include "mpi/collectives.def"
    };
    const struct newer large[] = {
#define SERVED(name, Name, NAME, arguments)                                                        \
    NEWER(name##_c, Name##_c)                                                                      \
    NEWER(i##name##_c, I##name##_c) NEWER(name##_init_c, Name##_init_c)
#include "mpi/collectives.def"
        NEWER(reduce_local_c, Reduce_local_c)};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = find_function(functions[i].name);
        if (found == NULL)
            found = functions[i].fallback;
        if (found == NULL) {
            has_no_library = true;
            found = (void *)(uintptr_t)find_no_library;
        }
        memcpy(functions[i].function, &found, sizeof found);
    }
    look_up(persistent, sizeof persistent / sizeof *persistent);
    /* a name that is missing takes the loader longest, and a library has all of these or none */
    if (find_newer(large[0].name) != NULL)
        look_up(large, sizeof large / sizeof *large);
}
#undef NEWER

const struct allfold_next *allfold_next(void)
{
    pthread_once(&next_once, find_next);
    return &next;
}

bool allfold_has_library(void)
{
    allfold_next();
    return !has_no_library;
}

bool allfold_mpi_is_up(void)
{
    const int state = atomic_load_explicit(&mpi_state, memory_order_acquire);
    if (state != STATE_UNKNOWN)
        return state == STATE_UP;
    int initialized = 0, finalized = 0;
    /* Intel MPI takes MPI for initialized if a session is */
    if (!allfold_has_library() || atomic_load(&has_session))
        return false;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (!initialized && !finalized)
        atomic_store(&was_called_early, true);
    if (initialized && !finalized)
        atomic_store_explicit(&mpi_state, STATE_UP, memory_order_release);
    return initialized && !finalized;
}

/* Warns if calls bypass this library: a profiling tool loaded before it, whose functions call PMPI_
 * functions, hides them from this library, and with MPI_Finalize also the report. */
__attribute__((destructor)) static void say_if_bypassed(void)
{
    const int state = atomic_load(&mpi_state);
    int finalized = 0;
    const bool was_asked = allfold_settings_note(allfold_settings()) || allfold_settings()->verbose;
    if (state == STATE_DOWN || !was_asked || has_no_library)
        return;
    if (state == STATE_UNKNOWN && (atomic_load(&was_called_early) || atomic_load(&has_session)))
        allfold_complain("the program uses MPI's sessions and never calls MPI_Init, so Allfold was "
                         "off: all its collectives were the MPI library's, and there is no report");
    if (state == STATE_UNKNOWN)
        return;
    PMPI_Finalized(&finalized);
    if (finalized)
        allfold_complain(
            "MPI_Finalize did not come to this library, nor may other calls have: another "
            "library before it calls PMPI_ functions; load that one after Allfold");
}

void allfold_mpi_has_session(void)
{
    atomic_store(&has_session, true);
}

void allfold_mpi_goes_up(void)
{
    atomic_store_explicit(&mpi_state, STATE_UP, memory_order_release);
}

void allfold_mpi_goes_down(void)
{
    atomic_store_explicit(&mpi_state, STATE_DOWN, memory_order_release);
}

void allfold_say(const char *format, ...)
{
    if (!allfold_settings()->verbose)
        return;
    char message[ALLFOLD_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    allfold_warn(message);
}

void allfold_name_mpi(char *name, size_t name_bytes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(version, &length);
    allfold_report_name_mpi(version, name, name_bytes);
}

int allfold_raise_error(MPI_Comm comm, int code)
{
    PMPI_Comm_call_errhandler(comm, code);
    return code;
}

static const char our_prefix[] = "allfold: ";

/* The class of Allfold's errors, because MPICH 4.0 loses the texts of codes that are added to its
 * own classes. MPI_ERR_OTHER if MPI cannot add a class. */
static int own_class(void)
{
    static int error_class = MPI_ERR_OTHER;
    if (error_class == MPI_ERR_OTHER && PMPI_Add_error_class(&error_class) == MPI_SUCCESS)
        PMPI_Add_error_string(error_class, "allfold: an error of Allfold");
    return error_class;
}

/* Does the code have our text? MPICH 4.0 gives a code of its own classes a text of another error.
 */
static bool has_our_text(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;
    return PMPI_Error_string(code, text, &length) == MPI_SUCCESS &&
           strncmp(text, our_prefix, strlen(our_prefix)) == 0;
}

/* Returns an error code with that text; the class itself if MPI cannot add a code. */
static int make_code(int error_class, const char *message)
{
    char text[MPI_MAX_ERROR_STRING];
    int code;
    snprintf(text, sizeof text, "%s%s", our_prefix, message);
    if (PMPI_Add_error_code(error_class, &code) != MPI_SUCCESS ||
        PMPI_Add_error_string(code, text) != MPI_SUCCESS || !has_our_text(code))
        return error_class;
    return code;
}

/* The codes of the last messages, so that a message that comes again takes no other one. */
static int code_of(int error_class, const char *message, bool *is_new)
{
    enum { KNOWN = 16 };
    static struct {
        char message[ALLFOLD_MESSAGE_BYTES];
        int code;
    } known[KNOWN];
    static unsigned made;
    for (unsigned i = 0; i < KNOWN && i < made; i++)
        if (strcmp(known[i].message, message) == 0)
            return known[i].code;
    *is_new = true;
    snprintf(known[made % KNOWN].message, ALLFOLD_MESSAGE_BYTES, "%s", message);
    return known[made++ % KNOWN].code =
               make_code(error_class == MPI_SUCCESS ? own_class() : error_class, message);
}

/* MPI_SUCCESS as `error_class` stands for Allfold's own class. */
static int message_code_of(MPI_Comm comm, int error_class, const char *message)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int rank = 0;
    bool is_new = false;
    PMPI_Comm_rank(comm, &rank);
    pthread_mutex_lock(&mutex);
    const int code = code_of(error_class, message, &is_new);
    pthread_mutex_unlock(&mutex);
    if (is_new && rank == 0)
        allfold_warn(message);
    return code;
}

int allfold_message_code(MPI_Comm comm, const char *message)
{
    return message_code_of(comm, MPI_SUCCESS, message);
}

int allfold_raise_message_of(MPI_Comm comm, int error_class, const char *message)
{
    return allfold_raise(comm, message_code_of(comm, error_class, message));
}

int allfold_raise_message(MPI_Comm comm, const char *message)
{
    return allfold_raise(comm, allfold_message_code(comm, message));
}

/* --- lines --- */

void allfold_line_add(struct allfold_line *line, const char *format, ...)
{
    assert(line->length < sizeof line->text);
    const size_t room = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

void allfold_line_add_call(struct allfold_line *line, enum allfold_collective collective,
                           enum allfold_call_mode mode)
{
    const char *name = allfold_traits(collective)->mpi_name;
    if (mode == ALLFOLD_NONBLOCKING)
        allfold_line_add(line, "MPI_I%s", allfold_collective_name(collective));
    else
        allfold_line_add(line, "%s%s", name, mode == ALLFOLD_PERSISTENT ? "_init" : "");
}

void allfold_line_add_comm(struct allfold_line *line, MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length, p = 0;
    PMPI_Comm_get_name(comm, name, &length);
    PMPI_Comm_size(comm, &p);
    allfold_line_add(line, "%s (%d ranks)", *name == '\0' ? "a communicator" : name, p);
}

/* Adds the ranks as allfold_line_add_ranks does; names[r] is the number to print for rank r.
 * `names` may be NULL: ranks are printed as they are. */
static void add_ranks(struct allfold_line *line, int p, const unsigned char *known,
                      unsigned char what, const int *names)
{
    enum { MOST_RUNS = 40 }; /* then it only counts */
    int count = 0, runs = 0;
    for (int r = 0; r < p; r++) {
        const int first = r;
        if (known[r] != what)
            continue;
        while (r + 1 < p && known[r + 1] == what && (names == NULL || names[r + 1] == names[r] + 1))
            r++;
        count += r - first + 1;
        if (++runs > MOST_RUNS)
            continue;
        allfold_line_add(line, "%s%d", runs == 1 ? "" : ", ", names == NULL ? first : names[first]);
        if (r > first)
            allfold_line_add(line, "-%d", names == NULL ? r : names[r]);
    }
    if (runs > MOST_RUNS)
        allfold_line_add(line, ", ... (%d ranks)", count);
}

/* Returns the ranks in MPI_COMM_WORLD of the ranks of `comm`; NULL if they are the same or cannot
 * be found. The caller frees the array. */
static int *world_ranks(MPI_Comm comm, int p)
{
    MPI_Group ours, world;
    bool is_same = true;
    int *names = allfold_allocate(2 * (size_t)p * sizeof *names);
    if (names == NULL)
        return NULL;
    int *numbers = names + p;
    for (int r = 0; r < p; r++)
        numbers[r] = names[r] = r;
    PMPI_Comm_group(comm, &ours);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(ours, p, numbers, world, names);
    PMPI_Group_free(&ours);
    PMPI_Group_free(&world);
    for (int r = 0; r < p; r++)
        is_same &= names[r] == r;
    if (!is_same)
        return names;
    allfold_free(names);
    return NULL;
}

void allfold_line_add_ranks(struct allfold_line *line, MPI_Comm comm, int p,
                            const unsigned char *known, unsigned char what)
{
    int *names = world_ranks(comm, p);
    add_ranks(line, p, known, what, NULL);
    if (names == NULL)
        return;
    allfold_line_add(line, " (in MPI_COMM_WORLD: ");
    add_ranks(line, p, known, what, names);
    allfold_line_add(line, ")");
    allfold_free(names);
}

double allfold_now_s(void)
{
    return allfold_monotonic_s();
}
