/* Keeps the guard's findings, and saves them for later runs (see learn.h). */
#include "mpi/call/learn.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <time.h>

#include "mpi/job/tables.h"
#include "mpi/process/runtime.h"
#include "select/table.h"
#include "util/memory.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct allfold_table_row *rows;
static uint32_t count, capacity;

/* For one size alone: nothing was found out about others. */
static struct allfold_table_row row_of(const struct allfold_problem *problem,
                                       const struct allfold_learned *learned)
{
    const struct allfold_table_key key = allfold_table_key_of(problem);
    return (struct allfold_table_row){.collective = key.collective,
                                      .nodes = key.nodes,
                                      .ppn = key.ppn,
                                      .p = key.p,
                                      .arrangements = key.arrangements,
                                      .commutative = key.commutative,
                                      .exact = key.exact,
                                      .from_bytes = key.bytes,
                                      .to_bytes = key.bytes + 1,
                                      .algorithm = learned->algorithm,
                                      .parameters = learned->parameters,
                                      .us = learned->us,
                                      .native_us = learned->native_us,
                                      .samples = learned->samples};
}

static bool are_for_same(const struct allfold_table_row *a, const struct allfold_table_row *b)
{
    return a->collective == b->collective && a->nodes == b->nodes && a->ppn == b->ppn &&
           a->p == b->p && a->arrangements == b->arrangements && a->commutative == b->commutative &&
           a->exact == b->exact && a->from_bytes == b->from_bytes;
}

void allfold_learn(const struct allfold_problem *problem, const struct allfold_learned *learned)
{
    const struct allfold_table_row row = row_of(problem, learned);
    uint32_t i = 0;
    if (allfold_settings()->learn == NULL || row.nodes == 0)
        return;
    pthread_mutex_lock(&mutex);
    while (i < count && !are_for_same(&rows[i], &row))
        i++;
    void *moved = i < count ? rows : allfold_make_room(rows, count, &capacity, sizeof *rows);
    if (moved != NULL) {
        rows = moved;
        if (i == count || row.us < rows[i].us)
            rows[i] = row;
        count += i == count;
    }
    pthread_mutex_unlock(&mutex);
}

static void fill_head(struct allfold_table_head *head)
{
    struct utsname machine;
    struct tm utc;
    const time_t now = time(NULL);
    *head = (struct allfold_table_head){.allfold = ALLFOLD_VERSION};
    if (gmtime_r(&now, &utc) != NULL)
        strftime(head->created, sizeof head->created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (uname(&machine) == 0)
        snprintf(head->host, sizeof head->host, "%s", machine.nodename);
    allfold_name_mpi(head->mpi, sizeof head->mpi);
}

static enum allfold_error write_rows(char *message, size_t message_bytes)
{
    struct allfold_table_head head;
    struct allfold_table *table = NULL;
    fill_head(&head);
    enum allfold_error error =
        allfold_table_make(&head, rows, count, &table, message, message_bytes);
    if (error == ALLFOLD_OK)
        error = allfold_tables_learn(table, message, message_bytes);
    allfold_table_free(table);
    return error;
}

void allfold_learn_finish(void)
{
    char what[ALLFOLD_MESSAGE_BYTES - 100] = "no memory", message[ALLFOLD_MESSAGE_BYTES];
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pthread_mutex_lock(&mutex);
    if (rank == 0 && count > 0 && write_rows(what, sizeof what) != ALLFOLD_OK) {
        snprintf(message, sizeof message,
                 "ALLFOLD_GUARD=learn: %s; what the guard found is not kept", what);
        allfold_warn(message);
    }
    allfold_free(rows);
    rows = NULL;
    count = capacity = 0;
    pthread_mutex_unlock(&mutex);
}
