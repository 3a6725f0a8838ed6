/* Tables of the process and of communicators (see tables.h).
 *
 * Invariant: all ranks of a communicator choose by the same rows, or by none. Where the tables
 * differ, rank 0 tells its rows for the communicator's nodes and ranks, no others. */
#include "mpi/communicator/tables.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/process/runtime.h"
#include "util/memory.h"
#include "select/table_file.h"

static struct allfold_table *own[ALLFOLD_TABLE_KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool are_read;

static const char module_name[] = "liballfold-table.so";

/* The module is where this library is, or the program that it is part of. */
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

/* Reads a table by the module, which stays only for that long. */
static enum allfold_error read_by_module(const char *path, struct allfold_table **table,
                                         char *message, size_t message_bytes)
{
    enum allfold_error (*parse)(const char *, struct allfold_table_draft *, char *, size_t);
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    char module_path[PATH_MAX];
    void *module = NULL, *symbol = NULL;
    if (find_module(module_path, sizeof module_path))
        module = dlopen(module_path, RTLD_NOW | RTLD_LOCAL);
    if (module != NULL)
        symbol = dlsym(module, "allfold_table_parse");
    memcpy(&parse, &symbol, sizeof symbol);
    if (parse != NULL)
        error = allfold_table_read(path, parse, table, message, message_bytes);
    else
        snprintf(message, message_bytes, "%.200s cannot be read without %s (%.400s)", path,
                 module_name, dlerror());
    if (module != NULL)
        dlclose(module);
    return error;
}

/* False where there is none to be read. */
static bool path_of(enum allfold_table_kind kind, char *path, size_t path_bytes)
{
    const struct allfold_settings *settings = allfold_settings();
    if (kind == ALLFOLD_USERS_TABLE && settings->table != NULL)
        return snprintf(path, path_bytes, "%s", settings->table) < (int)path_bytes;
    if (kind == ALLFOLD_USERS_TABLE)
        return false;
    return allfold_tuned_path(settings->tuned, ALLFOLD_MPI_NAME, path, path_bytes) &&
           (settings->tuned != NULL || access(path, R_OK) == 0);
}

static void read_table(enum allfold_table_kind kind)
{
    char path[PATH_MAX], what[ALLFOLD_MESSAGE_BYTES - 60], message[ALLFOLD_MESSAGE_BYTES];
    if (!path_of(kind, path, sizeof path) ||
        read_by_module(path, &own[kind], what, sizeof what) == ALLFOLD_OK)
        return;
    snprintf(message, sizeof message, "%s: %s; the table is left out",
             kind == ALLFOLD_USERS_TABLE ? "ALLFOLD_TABLE" : "tuned table", what);
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

/* A table as rank 0 tells it: this, and then its rows. */
struct told_table {
    int is_there, has_costs;
    uint32_t count;
    struct allfold_cost_model costs;
};

struct told_row {
    struct allfold_table_row row;
    int32_t algorithm; /* its number; -1: native */
};

static bool is_for(const struct allfold_table_row *row, const struct allfold_communicator *state)
{
    return state->nodes != NULL && row->nodes == state->nodes->count &&
           row->ppn == state->nodes->most && row->p == state->size;
}

static int32_t number_of(const struct allfold_algorithm *algorithm)
{
    int32_t number = 0;
    while (algorithm != NULL && allfold_algorithms[number] != algorithm)
        number++;
    return algorithm == NULL ? -1 : number;
}

/* What rank 0 tells of a table; the rows may be NULL, to be counted alone. */
static struct told_table tell(const struct allfold_table *table,
                              const struct allfold_communicator *state, struct told_row *rows)
{
    struct told_table told = {.is_there = table != NULL};
    if (table == NULL)
        return told;
    told.has_costs = table->has_costs;
    told.costs = table->costs;
    for (uint32_t i = 0; i < table->count; i++) {
        if (!is_for(&table->rows[i], state))
            continue;
        if (rows != NULL)
            rows[told.count] = (struct told_row){.row = table->rows[i],
                                                 .algorithm = number_of(table->rows[i].algorithm)};
        told.count++;
    }
    return told;
}

/* The table that was told; NULL without memory. */
static struct allfold_table *hear(const struct told_table *told, struct told_row *rows)
{
    static const struct allfold_table_head head;
    struct allfold_table *table = NULL;
    struct allfold_table_row *plain = allfold_allocate((told->count + 1) * sizeof *plain);
    char message[ALLFOLD_MESSAGE_BYTES];
    for (uint32_t i = 0; plain != NULL && i < told->count; i++) {
        plain[i] = rows[i].row;
        plain[i].algorithm = rows[i].algorithm < 0 ? NULL : allfold_algorithms[rows[i].algorithm];
    }
    if (plain != NULL)
        allfold_table_make(&head, told->has_costs ? &told->costs : NULL, plain, told->count, &table,
                           message, sizeof message);
    allfold_free(plain);
    return table;
}

/* One of the tables, from rank 0 to all. *has_memory is whether this rank has it now. */
static int take(struct allfold_communicator *state, enum allfold_table_kind kind, bool *has_memory)
{
    const bool tells = state->rank == 0;
    struct told_table told = {0};
    if (tells)
        told = tell(own[kind], state, NULL);
    int error = PMPI_Bcast(&told, sizeof told, MPI_BYTE, 0, state->comm);
    if (error != MPI_SUCCESS || !told.is_there)
        return error;
    const size_t bytes = told.count * sizeof(struct told_row); /* at most 12 M */
    struct told_row *rows = allfold_allocate_zeroed(bytes + 1);
    int all_have = rows != NULL;
    error = PMPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, state->comm);
    if (error == MPI_SUCCESS && all_have) {
        if (tells)
            tell(own[kind], state, rows);
        error = PMPI_Bcast(rows, (int)bytes, MPI_BYTE, 0, state->comm);
    }
    if (error == MPI_SUCCESS && all_have)
        state->heard[kind] = hear(&told, rows);
    *has_memory = *has_memory && state->heard[kind] != NULL;
    allfold_free(rows);
    return error;
}

static void say_once(const struct allfold_communicator *state)
{
    static pthread_mutex_t said_mutex = PTHREAD_MUTEX_INITIALIZER;
    static bool said;
    pthread_mutex_lock(&said_mutex);
    if (state->rank == 0 && !said)
        allfold_warn(
            "the ranks have different tables; those of rank 0 are taken (ALLFOLD_TABLE and "
            "the tuned table should be the same files on all nodes)");
    said = said || state->rank == 0;
    pthread_mutex_unlock(&said_mutex);
}

int allfold_tables_agree(struct allfold_communicator *state, bool differ)
{
    bool has_memory = true;
    int error = MPI_SUCCESS;
    for (int i = 0; i < ALLFOLD_TABLE_KINDS && !differ; i++)
        state->tables[i] = own[i];
    if (!differ)
        return MPI_SUCCESS;
    say_once(state);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS && error == MPI_SUCCESS; i++)
        error = take(state, (enum allfold_table_kind)i, &has_memory);
    int all_have = has_memory;
    if (error == MPI_SUCCESS)
        error = PMPI_Allreduce(MPI_IN_PLACE, &all_have, 1, MPI_INT, MPI_MIN, state->comm);
    if (error != MPI_SUCCESS || !all_have)
        allfold_tables_let_go(state);
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++)
        state->tables[i] = state->heard[i];
    return error;
}

void allfold_tables_let_go(struct allfold_communicator *state)
{
    for (int i = 0; i < ALLFOLD_TABLE_KINDS; i++) {
        allfold_table_free(state->heard[i]);
        state->heard[i] = NULL;
    }
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
