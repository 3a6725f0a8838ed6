/* The contenders of a comparison (see contenders.h). */
#include "contenders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allfold.h"

static const char native_prefix[] = "native:";

/* What the MPI libraries call the setting of a collective, and our variable. */
static const char *const setting_names[][2] = {
    [BENCH_ALLREDUCE] = {"coll_tuned_allreduce_algorithm", "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM"},
    [BENCH_REDUCE] = {"coll_tuned_reduce_algorithm", "MPIR_CVAR_REDUCE_INTRA_ALGORITHM"},
    [BENCH_BCAST] = {"coll_tuned_bcast_algorithm", "MPIR_CVAR_BCAST_INTRA_ALGORITHM"},
};
static const char *const collectives[] = {
    [BENCH_ALLREDUCE] = "allreduce",
    [BENCH_REDUCE] = "reduce",
    [BENCH_BCAST] = "bcast",
};

/* The names that the setting has for its values, where it has. */
static bool find_enumeration(const char *name, int *index, MPI_T_enum *names)
{
    char text[4];
    int text_bytes = sizeof text, other_bytes = sizeof text, verbosity, bind, scope;
    MPI_Datatype type;
    return MPI_T_cvar_get_index(name, index) == MPI_SUCCESS &&
           MPI_T_cvar_get_info(*index, text, &text_bytes, &verbosity, &type, names, text,
                               &other_bytes, &bind, &scope) == MPI_SUCCESS;
}

/* Open MPI heeds its settings only where it was started with another one. */
static bool is_heeded(const char *name)
{
    MPI_T_cvar_handle handle;
    MPI_T_enum names;
    int index, count, value = 0;
    if (strncmp(name, "coll_tuned", strlen("coll_tuned")) != 0)
        return true;
    if (!find_enumeration("coll_tuned_use_dynamic_rules", &index, &names) ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return false;
    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return value != 0;
}

static bool find_setting(struct bench_contenders *contenders, MPI_T_enum *names)
{
    int index, count;
    for (int i = 0; i < 2; i++) {
        const char *name = setting_names[contenders->collective][i];
        if (find_enumeration(name, &index, names) && is_heeded(name) &&
            MPI_T_cvar_handle_alloc(index, NULL, &contenders->setting, &count) == MPI_SUCCESS)
            return MPI_T_cvar_read(contenders->setting, &contenders->preset) == MPI_SUCCESS;
    }
    return false;
}

/* The setting's value for a name, or a number for itself. */
static bool read_setting(MPI_T_enum names, const char *name, int *value)
{
    int count = 0, length;
    char text[BENCH_NAME_BYTES], *end;
    *value = (int)strtol(name, &end, 10);
    if (end != name && *end == '\0')
        return true;
    if (names == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(names, &count, NULL, &(int){0}) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < count; i++) {
        length = sizeof text;
        if (MPI_T_enum_get_item(names, i, value, text, &length) == MPI_SUCCESS &&
            strcmp(text, name) == 0)
            return true;
    }
    return false;
}

static bool add(struct bench_contenders *contenders, MPI_T_enum names, const char *name,
                char *message, size_t message_bytes)
{
    const bool is_native = strncmp(name, native_prefix, strlen(native_prefix)) == 0;
    if (contenders->count == BENCH_CONTENDERS || strlen(name) >= BENCH_NAME_BYTES) {
        snprintf(message, message_bytes, "'%s' is one too many, or too long", name);
        return false;
    }
    struct bench_contender *contender = &contenders->list[contenders->count];
    strcpy(contender->name, name);
    contender->kind = is_native || strcmp(name, "native") == 0 ? BENCH_NATIVE
                      : strcmp(name, "copy") == 0              ? BENCH_COPY
                                                               : BENCH_OURS;
    contender->setting = contenders->preset;
    if (is_native && !(contenders->has_setting &&
                       read_setting(names, name + strlen(native_prefix), &contender->setting))) {
        snprintf(message, message_bytes,
                 "the MPI library, as it was started, lets nobody choose '%s'", name);
        return false;
    }
    bench_take_turn(contenders, contenders->count);
    PMPI_Comm_dup(MPI_COMM_WORLD, &contender->comm);
    PMPI_Comm_set_errhandler(contender->comm, MPI_ERRORS_RETURN);
    contenders->count++;
    if (contender->kind == BENCH_OURS && strcmp(name, "model") != 0) {
        char rule[200];
        snprintf(rule, sizeof rule, "%s=%s", collectives[contenders->collective], name);
        const int error = allfold_comm_set(contender->comm, "ALLFOLD_ALGORITHM", rule);
        if (error != MPI_SUCCESS) {
            snprintf(message, message_bytes, "Allfold does not take '%s'", name);
            return false;
        }
    }
    return true;
}

bool bench_contenders_open(struct bench_contenders *contenders, enum bench_collective collective,
                           const char *text, char *message, size_t message_bytes)
{
    int provided;
    MPI_T_enum names = MPI_T_ENUM_NULL;
    char *copy = strdup(text), *rest = NULL;
    *contenders = (struct bench_contenders){.collective = collective};
    contenders->has_setting = MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS &&
                              find_setting(contenders, &names);
    contenders->current = contenders->preset;
    bool fits = copy != NULL && add(contenders, names, "native", message, message_bytes);
    for (char *name = fits ? strtok_r(copy, " ", &rest) : NULL; fits && name != NULL;
         name = strtok_r(NULL, " ", &rest))
        if (strcmp(name, "native") != 0)
            fits = add(contenders, names, name, message, message_bytes);
    free(copy);
    return fits;
}

void bench_contenders_close(struct bench_contenders *contenders)
{
    bench_take_turn(contenders, 0);
    for (int i = 0; i < contenders->count; i++)
        PMPI_Comm_free(&contenders->list[i].comm);
    if (contenders->has_setting)
        MPI_T_cvar_handle_free(&contenders->setting);
    MPI_T_finalize();
}

void bench_take_turn(struct bench_contenders *contenders, int index)
{
    const int setting = contenders->list[index].setting;
    if (!contenders->has_setting || setting == contenders->current)
        return;
    MPI_T_cvar_write(contenders->setting, &setting);
    contenders->current = setting;
}

static int broadcast(MPI_Comm comm, bool is_ours, double *in, double *out, int count)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    double *buffer = rank == 0 ? in : out;
    return is_ours ? allfold_bcast(buffer, (size_t)count, MPI_DOUBLE, 0, comm)
                   : PMPI_Bcast(buffer, count, MPI_DOUBLE, 0, comm);
}

int bench_call(const struct bench_contenders *contenders, int index, double *in, double *out,
               int count)
{
    const MPI_Comm comm = contenders->list[index].comm;
    const enum bench_kind kind = contenders->list[index].kind;
    const bool is_ours = kind == BENCH_OURS;
    if (kind == BENCH_COPY) {
        memcpy(out, in, (size_t)count * sizeof *in);
        return MPI_SUCCESS;
    }
    if (contenders->collective == BENCH_BCAST)
        return broadcast(comm, is_ours, in, out, count);
    if (contenders->collective == BENCH_REDUCE)
        return is_ours ? allfold_reduce(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, 0, comm)
                       : PMPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, 0, comm);
    return is_ours ? allfold_allreduce(in, out, (size_t)count, MPI_DOUBLE, MPI_SUM, comm)
                   : PMPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
}
