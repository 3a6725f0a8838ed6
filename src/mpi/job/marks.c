/* Marks: which ranks of MPI_COMM_WORLD run Allfold (see marks.h).
 *
 * Nobody asks about all ranks: rank r asks the store about ranks r + 2^k and r - 2^k alone. Then
 * the ranks spread what they found as in the dissemination barrier:
 * in round k rank r sends to r + 2^k whether it knows of a fault. It exchanges nothing with a rank
 * that has no mark, and knows of a fault then. Each rank hears from every other one along a path;
 * where a rank on that path has no mark, the rank behind it knows of the fault. */
#include "mpi/job/marks.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/hash.h"
#include "util/number.h"

/* Raise when ranks of the old and the new kind could not understand each other. */
#define PROTOCOL "2"

enum presence { UNKNOWN, ABSENT, PRESENT };

/* A key-value store of the launcher's. */
struct store {
    bool (*open)(void);                    /* before MPI starts; false where it is not there */
    bool (*put)(uint32_t mark);            /* of this rank */
    bool (*get)(int rank, uint32_t *mark); /* false where the rank has left none */
    void (*close)(void);
};

/* The same for all processes of one build, and hardly for those of two. */
static uint32_t own_mark(void)
{
    static const char build[] = "allfold " ALLFOLD_VERSION " protocol " PROTOCOL;
    const uint64_t hash = allfold_hash(allfold_hash_of_nothing, build, sizeof build);
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- PMIx (standard 2.0 and later; pmix_common.h). The client keeps count of who opened it, so
 * opening it before MPI does costs what MPI would pay. ---- */

enum { PMIX_SCOPE_GLOBAL = 3, PMIX_TYPE_BOOL = 1, PMIX_TYPE_UINT32 = 14, PMIX_NAME_BYTES = 256 };
enum { PMIX_KEY_BYTES = 512 };
static const char pmix_key[] = "allfold.mark";

struct pmix_name {
    char space[PMIX_NAME_BYTES];
    uint32_t rank;
};

struct pmix_value {
    uint16_t type;
    union {
        bool flag;
        uint32_t number;
        uint64_t room[4]; /* as much as any version's union has, and more */
    } data;
};

struct pmix_hint {
    char key[PMIX_KEY_BYTES];
    uint32_t flags;
    struct pmix_value value;
};

static struct {
    void *library;
    struct pmix_name self;
    int (*init)(struct pmix_name *self, void *hints, size_t count);
    int (*put)(uint8_t scope, const char *key, struct pmix_value *value);
    int (*get)(const struct pmix_name *of, const char *key, const struct pmix_hint *hints,
               size_t count, struct pmix_value **value);
    int (*finalize)(const void *hints, size_t count);
} pmix;

/* Would this MPI library use the machine's libpmix? One that brings its own must not get a second
 * client beside it. Open MPI 5 is linked to it; Open MPI 4 has a component that is. */
static bool mpi_uses_libpmix(void)
{
    static const char *const components[] = {
        "openmpi/mca_pmix_ext3x.so", "openmpi/lib/openmpi3/mca_pmix_ext3x.so",
        "openmpi/mca_pmix_ext4x.so", "openmpi/mca_pmix_ext2x.so"};
    char path[PATH_MAX + 64], library[PATH_MAX];
    Dl_info info;
    if (dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != NULL)
        return true; /* the count of its users is one more from now on: it stays to the end */
    if (dladdr((void *)(uintptr_t)PMPI_Init, &info) == 0 ||
        realpath(info.dli_fname, library) == NULL)
        return false;
    *strrchr(library, '/') = '\0';
    for (size_t i = 0; i < sizeof components / sizeof *components; i++) {
        snprintf(path, sizeof path, "%s/%s", library, components[i]);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static bool pmix_open(void)
{
    if (getenv("PMIX_NAMESPACE") == NULL || getenv("PMIX_RANK") == NULL || !mpi_uses_libpmix())
        return false;
    pmix.library = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    if (pmix.library == NULL)
        return false;
    *(void **)&pmix.init = dlsym(pmix.library, "PMIx_Init");
    *(void **)&pmix.put = dlsym(pmix.library, "PMIx_Put");
    *(void **)&pmix.get = dlsym(pmix.library, "PMIx_Get");
    *(void **)&pmix.finalize = dlsym(pmix.library, "PMIx_Finalize");
    return pmix.init != NULL && pmix.put != NULL && pmix.get != NULL && pmix.finalize != NULL &&
           pmix.init(&pmix.self, NULL, 0) == 0;
}

static bool pmix_put(uint32_t mark)
{
    struct pmix_value value = {.type = PMIX_TYPE_UINT32, .data = {.number = mark}};
    return pmix.put(PMIX_SCOPE_GLOBAL, pmix_key, &value) == 0;
}

/* MPI's start-up has brought all that was put, so it is enough to look at what is here. */
static bool pmix_get(int rank, uint32_t *mark)
{
    const struct pmix_hint here = {.key = "pmix.optional",
                                   .value = {.type = PMIX_TYPE_BOOL, .data = {.flag = true}}};
    struct pmix_name name = pmix.self;
    struct pmix_value *value = NULL;
    name.rank = (uint32_t)rank;
    if (pmix.get(&name, pmix_key, &here, 1, &value) != 0 || value == NULL)
        return false;
    *mark = value->data.number;
    free(value);
    return true;
}

static void pmix_close(void)
{
    pmix.finalize(NULL, 0);
}

/* ---- PMI-1 over the socket that hydra hands each process: a line asks, a line answers. ---- */

enum { HYDRA_LINE_BYTES = 1024, HYDRA_NAME_BYTES = 256, HYDRA_WAIT_MS = 10000 };

static struct {
    int socket;
    char space[HYDRA_NAME_BYTES];
} hydra;

/* Other launchers set PMI_FD as well and speak another protocol there, which a wrong word would
 * break: so the process that started this one, directly or through scripts, must be hydra's. */
static bool descends_from_hydra(void)
{
    enum { GENERATIONS = 6 };
    static const char proxy[] = "hydra_pmi_proxy";
    long parent = (long)getppid();
    for (int i = 0; i < GENERATIONS && parent > 1; i++) {
        char path[64], name[64] = "";
        snprintf(path, sizeof path, "/proc/%ld/stat", parent);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return false;
        const int found = fscanf(file, "%*d (%63[^)]) %*c %ld", name, &parent);
        fclose(file);
        if (found < 2)
            return false;
        if (strncmp(name, proxy, sizeof proxy - 1) == 0)
            return true;
    }
    return false;
}

/* Asks, and reads the answer's line; false where none comes or it does not begin as expected. */
static bool hydra_ask(const char *question, const char *expected, char *answer)
{
    const size_t length = strlen(question);
    size_t got = 0;
    answer[0] = '\0';
    if (write(hydra.socket, question, length) != (ssize_t)length)
        return false;
    while (got + 1 < HYDRA_LINE_BYTES) {
        struct pollfd readable = {.fd = hydra.socket, .events = POLLIN};
        if (poll(&readable, 1, HYDRA_WAIT_MS) != 1 || read(hydra.socket, answer + got, 1) != 1)
            return false;
        if (answer[got] == '\n')
            break;
        got++;
    }
    answer[got] = '\0';
    return strncmp(answer, expected, strlen(expected)) == 0;
}

static bool hydra_open(void)
{
    const char *socket = getenv("PMI_FD");
    char answer[HYDRA_LINE_BYTES];
    long number;
    if (socket == NULL || getenv("PMI_RANK") == NULL || !descends_from_hydra())
        return false;
    if (!allfold_whole_is(socket, 0, INT_MAX, &number))
        return false;
    hydra.socket = (int)number;
    if (!hydra_ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init", answer) ||
        !hydra_ask("cmd=get_my_kvsname\n", "cmd=my_kvsname", answer))
        return false;
    const char *name = strstr(answer, "kvsname=");
    return name != NULL && sscanf(name, "kvsname=%255s", hydra.space) == 1;
}

static bool hydra_put(uint32_t mark)
{
    char question[HYDRA_LINE_BYTES], answer[HYDRA_LINE_BYTES];
    snprintf(question, sizeof question, "cmd=put kvsname=%s key=allfold-%s value=%u\n", hydra.space,
             getenv("PMI_RANK"), mark);
    return hydra_ask(question, "cmd=put_result rc=0", answer);
}

static bool hydra_get(int rank, uint32_t *mark)
{
    char question[HYDRA_LINE_BYTES], answer[HYDRA_LINE_BYTES];
    snprintf(question, sizeof question, "cmd=get kvsname=%s key=allfold-%d\n", hydra.space, rank);
    if (!hydra_ask(question, "cmd=get_result rc=0", answer))
        return false;
    const char *value = strstr(answer, "value=");
    return value != NULL && sscanf(value, "value=%u", mark) == 1;
}

static void hydra_close(void)
{
}

/* ---- */

static const struct store stores[] = {{pmix_open, pmix_put, pmix_get, pmix_close},
                                      {hydra_open, hydra_put, hydra_get, hydra_close}};
static const struct store *used;
static bool is_tried;

void allfold_marks_leave(void)
{
    if (is_tried)
        return;
    is_tried = true;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (stores[i].open()) {
            used = &stores[i];
            used->put(own_mark());
            return;
        }
}

static enum presence presence_of(int rank)
{
    uint32_t mark;
    if (used == NULL)
        return UNKNOWN;
    return used->get(rank, &mark) && mark == own_mark() ? PRESENT : ABSENT;
}

/* Without a store: a job of several programs may have some that do not run Allfold. */
static bool has_one_program(void)
{
    const char *programs = getenv("OMPI_NUM_APP_CTX");
    long count;
    int *number, found = 0;
    if (programs != NULL && allfold_whole_is(programs, 0, INT_MAX, &count))
        return count <= 1;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
    return !found || *number <= 0;
}

/* Tells one rank, and hears from another, either of which may be MPI_PROC_NULL. The other ranks
 * wait, so what fails is tried twice. */
static bool tell(const char *told, int to, char *heard, int from)
{
    enum { TAG = 0, TRIES = 2 };
    int error = MPI_ERR_OTHER;
    for (int i = 0; i < TRIES && error != MPI_SUCCESS; i++)
        error = PMPI_Sendrecv(told, 1, MPI_CHAR, to, TAG, heard, 1, MPI_CHAR, from, TAG,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return error == MPI_SUCCESS;
}

bool allfold_marks_agree(const char **why)
{
    int p, r;
    char is_faulty = used == NULL && !has_one_program();
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &r);
    for (int distance = 1; distance < p; distance *= 2) {
        const int to = (r + distance) % p, from = (r - distance + p) % p;
        const bool may_send = presence_of(to) != ABSENT;
        const bool may_receive = from == to ? may_send : presence_of(from) != ABSENT;
        char is_faulty_there = 1, told = (char)(is_faulty || !may_send || !may_receive);
        if (!tell(&told, may_send ? to : MPI_PROC_NULL, &is_faulty_there,
                  may_receive ? from : MPI_PROC_NULL))
            told = 1;
        is_faulty = (char)(told || is_faulty_there);
    }
    *why = "some ranks of the job do not run this build of Allfold";
    return !is_faulty;
}

void allfold_marks_forget(void)
{
    if (used != NULL)
        used->close();
    used = NULL;
}
