/* What the library holds once per process (see runtime.h). */
#include "mpi/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static struct allfold_settings settings;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static struct allfold_next next;
static pthread_once_t next_once = PTHREAD_ONCE_INIT;

enum { STATE_UNKNOWN, STATE_UP, STATE_DOWN };
static atomic_int mpi_state = STATE_UNKNOWN;

void allfold_warn(const char *message)
{
    fprintf(stderr, "allfold: %s\n", message);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

/* Only one rank of a job needs to complain: the launchers tell which rank this is. */
static bool is_first_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

static void complain(const char *message)
{
    if (is_first_rank())
        allfold_warn(message);
}

static void read_settings(void)
{
    allfold_settings_read(&settings, get_variable, complain);
    allfold_settings_check_names(environ, complain);
}

const struct allfold_settings *allfold_settings(void)
{
    pthread_once(&settings_once, read_settings);
    return &settings;
}

/* Where no library comes after ours, the MPI library's PMPI_ function is the next. */
static void find_next(void)
{
    const struct {
        const char *name;
        void *function;
        void *fallback;
    } functions[] = {
        {"MPI_Allreduce", &next.allreduce, (void *)(uintptr_t)PMPI_Allreduce},
        {"MPI_Reduce", &next.reduce, (void *)(uintptr_t)PMPI_Reduce},
        {"MPI_Bcast", &next.bcast, (void *)(uintptr_t)PMPI_Bcast},
        {"MPI_Finalize", &next.finalize, (void *)(uintptr_t)PMPI_Finalize},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(RTLD_NEXT, functions[i].name);
        if (found == NULL)
            found = functions[i].fallback;
        memcpy(functions[i].function, &found, sizeof found);
    }
}

const struct allfold_next *allfold_next(void)
{
    pthread_once(&next_once, find_next);
    return &next;
}

bool allfold_mpi_is_up(void)
{
    const int state = atomic_load_explicit(&mpi_state, memory_order_acquire);
    if (state != STATE_UNKNOWN)
        return state == STATE_UP;
    int initialized = 0, finalized = 0;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (initialized && !finalized)
        atomic_store_explicit(&mpi_state, STATE_UP, memory_order_release);
    return initialized && !finalized;
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

int allfold_raise(MPI_Comm comm, int code)
{
    PMPI_Comm_call_errhandler(comm, code);
    return code;
}

int allfold_raise_message(MPI_Comm comm, const char *message)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static char known[ALLFOLD_MESSAGE_BYTES];
    static int known_code = MPI_ERR_OTHER;
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    pthread_mutex_lock(&mutex);
    if (strcmp(known, message) != 0) {
        char text[MPI_MAX_ERROR_STRING];
        int code;
        snprintf(known, sizeof known, "%s", message);
        snprintf(text, sizeof text, "allfold: %s", message);
        if (PMPI_Add_error_code(MPI_ERR_OTHER, &code) == MPI_SUCCESS &&
            PMPI_Add_error_string(code, text) == MPI_SUCCESS)
            known_code = code;
        if (rank == 0)
            allfold_warn(message);
    }
    const int code = known_code;
    pthread_mutex_unlock(&mutex);
    return allfold_raise(comm, code);
}
