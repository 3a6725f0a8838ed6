/* The tables of the process and of the job (see tables.h).
 *
 * Invariant: all ranks of the job choose by the same rows, or by none. If the ranks' tables differ,
 * rank 0 sends all its rows, because communicators of any size will look up theirs. */
#include "mpi/job/tables.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "select/table_file.h"

static struct allfold_table *own[ALLFOLD_TABLE_KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool are_read;

static const char module_name[] = "liballfold-table.so";

/* Finds the module: next to this library, or next to the program that it is part of. */
static bool find_module(char *path, size_t path_bytes)
{
    Dl_info info;
    char self[PATH_MAX] = "";
    if (dladdr(module_name, &info) != 0 && strchr(info.dli_fname, '/') != NULL) {
        snprintf(self, sizeof self, "%s", info.dli_fname);
    } else {
        const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length < 0 ? 0 : length] = '\0';
    }
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return false;
    return snprintf(path, path_bytes, "%.*s/%s", (int)(slash - self), self, module_name) <
           (int)path_bytes;
}

/* What the module is opened for; each function may be missing. */
struct module {
    void *handle;
    enum allfold_error (*parse)(const char *, struct allfold_table_draft *, char *, size_t);
    enum allfold_error (*write)(const struct allfold_table *, const char *, char *, size_t);
};

/* Opens the module, which stays loaded only until it is closed. Returns false with `message`, which
 * names `path`. */
static bool open_module(struct module *module, const char *path, char *message,
                        size_t message_bytes)
{
    char module_path[PATH_MAX];
    void *parse = NULL, *write = NULL;
    *module = (struct module){.handle = NULL};
    if (find_module(module_path, sizeof module_path))
        module->handle = dlopen(module_path, RTLD_NOW | RTLD_LOCAL);
    if (module->handle != NULL)
        parse = dlsym(module->handle, "allfold_table_parse");
    if (parse != NULL)
        write = dlsym(module->handle, "allfold_table_write");
    memcpy(&module->parse, &parse, sizeof parse);
    memcpy(&module->write, &write, sizeof write);
    if (parse == NULL || write == NULL)
        snprintf(message, message_bytes, "%.200s cannot be read without %s (%.400s)", path,
                 module_name, dlerror());
    return parse != NULL && write != NULL;
}

static void close_module(struct module *module)
{
    if (module->handle != NULL)
        dlclose(module->handle);
}

static enum allfold_error read_by_module(const char *path, struct allfold_table **table,
                                         char *message, size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    struct module module;
    if (open_module(&module, path, message, message_bytes))
        error = allfold_table_read(path, module.parse, table, message, message_bytes);
    close_module(&module);
    return error;
}

/* Writes the path of a table. Returns false if there is no table to read. */
static bool path_of(enum allfold_table_kind kind, char *path, size_t path_bytes)
{
    const struct allfold_settings *settings = allfold_settings();
    if (kind == ALLFOLD_USERS_TABLE && settings->table != NULL)
        return snprintf(path, path_bytes, "%s", settings->table) < (int)path_bytes;
    if (kind == ALLFOLD_LEARNED_TABLE && settings->learn != NULL) /* its first job finds no file */
        return snprintf(path, path_bytes, "%s", settings->learn) < (int)path_bytes &&
               access(path, F_OK) == 0;
    if (kind != ALLFOLD_TUNED_TABLE)
        return false;
    return allfold_tuned_path(settings->tuned_table, ALLFOLD_MPI_NAME, path, path_bytes) &&
           (settings->tuned_table != NULL || access(path, R_OK) == 0);
}

static void read_table(enum allfold_table_kind kind)
{
    static const char *const names[ALLFOLD_TABLE_KINDS] = {[ALLFOLD_USERS_TABLE] = "ALLFOLD_TABLE",
                                                           [ALLFOLD_LEARNED_TABLE] =
                                                               "ALLFOLD_GUARD=learn",
                                                           [ALLFOLD_TUNED_TABLE] = "tuned table"};
    char path[PATH_MAX], what[ALLFOLD_MESSAGE_BYTES - 60], message[ALLFOLD_MESSAGE_BYTES];
    if (!path_of(kind, path, sizeof path) ||
        read_by_module(path, &own[kind], what, sizeof what) == ALLFOLD_OK)
        return;
    snprintf(message, sizeof message, "%s: %s; the table is left out", names[kind], what);
    allfold_complain(message);
}

static void read_once(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS && !are_read; i++)
        read_table((enum allfold_table_kind)i);
    are_read = true;
    pthread_mutex_unlock(&mutex);
}

int64_t allfold_tables_fingerprint(void)
{
    uint64_t fingerprint = 0;
    read_once();
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        fingerprint = fingerprint * 31 + allfold_table_fingerprint(own[i]);
    return (int64_t)(fingerprint >> 2);
}

/* A table as rank 0 sends it: this, and then its rows. */
struct sent_table {
    int is_there;
    uint32_t count;
};

struct sent_row {
    struct allfold_table_row row;
    int32_t algorithm; /* its number; -1: native */
};

static int32_t number_of(const struct allfold_algorithm *algorithm)
{
    int32_t number = 0;
    while (algorithm != NULL && allfold_algorithms[number] != algorithm)
        number++;
    return algorithm == NULL ? -1 : number;
}

/* What rank 0 sends of a table; the rows may be NULL, to be counted alone. */
static struct sent_table describe(const struct allfold_table *table, struct sent_row *rows)
{
    struct sent_table sent = {.is_there = table != NULL};
    if (table == NULL)
        return sent;
    for (uint32_t i = 0; i < table->count; i++) {
        if (rows != NULL)
            rows[sent.count] = (struct sent_row){.row = table->rows[i],
                                                 .algorithm = number_of(table->rows[i].algorithm)};
        sent.count++;
    }
    return sent;
}

/* Returns the table that rank 0 sent; NULL if out of memory. */
static struct allfold_table *receive(const struct sent_table *sent, struct sent_row *rows)
{
    static const struct allfold_table_head head;
    struct allfold_table *table = NULL;
    struct allfold_table_row *unpacked = allfold_allocate((sent->count + 1) * sizeof *unpacked);
    char message[ALLFOLD_MESSAGE_BYTES];
    for (uint32_t i = 0; unpacked != NULL && i < sent->count; i++) {
        unpacked[i] = rows[i].row;
        unpacked[i].algorithm =
            rows[i].algorithm < 0 ? NULL : allfold_algorithms[rows[i].algorithm];
    }
    if (unpacked != NULL)
        allfold_table_make(&head, unpacked, sent->count, &table, message, sizeof message);
    allfold_free(unpacked);
    return table;
}

/* One of the tables, from rank 0 to all. *has_memory is whether this rank has it now. */
static int take(struct allfold_agreement *agreed, MPI_Comm comm, enum allfold_table_kind kind,
                bool *has_memory)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    const bool sends = rank == 0;
    struct sent_table sent = {0};
    if (sends)
        sent = describe(own[kind], NULL);
    int error = PMPI_Bcast(&sent, sizeof sent, MPI_BYTE, 0, comm);
    if (error != MPI_SUCCESS || !sent.is_there)
        return error;
    const size_t bytes = sent.count * sizeof(struct sent_row); /* at most 12 M */
    struct sent_row *rows = allfold_allocate_zeroed(bytes + 1);
    int all_have = rows != NULL;
    error = PMPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, comm);
    if (error == MPI_SUCCESS && all_have) {
        if (sends)
            describe(own[kind], rows);
        error = PMPI_Bcast(rows, (int)bytes, MPI_BYTE, 0, comm);
    }
    if (error == MPI_SUCCESS && all_have)
        agreed->received_tables[kind] = receive(&sent, rows);
    *has_memory = *has_memory && agreed->received_tables[kind] != NULL;
    allfold_free(rows);
    return error;
}

static void warn_once(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    static pthread_mutex_t said_mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool said;
    pthread_mutex_lock(&said_mutex);
    if (rank == 0 && !said)
        allfold_warn(
            "the ranks have different tables; those of rank 0 are taken (ALLFOLD_TABLE, "
            "ALLFOLD_GUARD=learn and the tuned table should be the same files on all nodes)");
    said = said || rank == 0;
    pthread_mutex_unlock(&said_mutex);
}

static void free_received(struct allfold_agreement *agreed)
{
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        allfold_table_free(agreed->received_tables[i]);
        agreed->received_tables[i] = NULL;
    }
}

int allfold_tables_agree(struct allfold_agreement *agreed, MPI_Comm comm, bool differ)
{
    bool has_memory = true;
    int error = MPI_SUCCESS;
    for (int i = 0; i < ALLFOLD_TABLE_KINDS && !differ; i++)
        agreed->tables[i] = own[i];
    if (!differ)
        return MPI_SUCCESS;
    warn_once(comm);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS && error == MPI_SUCCESS; i++)
        error = take(agreed, comm, (enum allfold_table_kind)i, &has_memory);
    int all_have = has_memory;
    if (error == MPI_SUCCESS)
        error = PMPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, comm);
    if (error != MPI_SUCCESS || !all_have)
        free_received(agreed);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        agreed->tables[i] = agreed->received_tables[i];
    return error;
}

/* --- learning --- */

/* Locks out other jobs that learn into the same file, by a lock on its directory, because the file
 * itself is replaced. If the directory cannot be locked, two jobs that end at the same time may
 * lose the findings of one of them, and nothing else. Returns a file descriptor to close, or -1. */
static int lock_folder_of(const char *path)
{
    enum { TRIES = 100 };
    const struct timespec pause = {.tv_nsec = 10000000};
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
             slash == NULL ? "." : path);
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < TRIES && descriptor >= 0; i++) {
        if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
    }
    return descriptor;
}

enum allfold_error allfold_tables_learn(const struct allfold_table *found, char *message,
                                        size_t message_bytes)
{
    const char *path = allfold_settings()->learn;
    struct allfold_table *older = NULL, *merged = NULL;
    struct module module;
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    const int lock = lock_folder_of(path);
    if (open_module(&module, path, message, message_bytes)) {
        const bool is_there = access(path, F_OK) == 0;
        error = ALLFOLD_OK;
        if (is_there)
            error = allfold_table_read(path, module.parse, &older, message, message_bytes);
        if (is_there && error == ALLFOLD_OK) {
            char what[ALLFOLD_MESSAGE_BYTES - 60];
            if (older->head.mpi[0] == '\0') /* somebody wrote it by hand */
                older->head = found->head;
            error = allfold_table_merge(older, found, &merged, what, sizeof what);
            if (error != ALLFOLD_OK)
                snprintf(message, message_bytes, "%.300s: %s", path, what);
        }
        if (error == ALLFOLD_OK)
            error = module.write(is_there ? merged : found, path, message, message_bytes);
    }
    close_module(&module);
    allfold_table_free(older);
    allfold_table_free(merged);
    if (lock >= 0)
        close(lock);
    return error;
}

void allfold_tables_free(void)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        allfold_table_free(own[i]);
        own[i] = NULL;
    }
    pthread_mutex_unlock(&mutex);
}
