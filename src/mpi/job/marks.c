/* Marks: which ranks of MPI_COMM_WORLD run Allfold (see marks.h).
 *
 * A rank finds a mark on the same machine without the store, by a sign. A sign is a socket without
 * a file, bound to a name of the job, the mark and the rank, and gone with its process. The store
 * answers where there is no sign. Its answer may take time: its process needs a core, too. Where
 * hydra has started all ranks on one node, signs alone are the store.
 *
 * Nobody asks about all ranks: rank r asks the store about ranks r + 2^k and r - 2^k alone. Then
 * the ranks spread what they found as in the dissemination barrier. In round k rank r sends to r +
 * 2^k whether it knows of a fault. It exchanges nothing with a rank that has no mark, and knows of
 * a fault then. Each rank hears from every other one along a path. If a rank on that path has no
 * mark, the rank behind it knows of the fault. */
#include "mpi/job/marks.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpi/process/beneath.h"
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

/* Who this process is in its job; known once its mark is left. */
static struct {
    char space[256]; /* the job's name */
    int rank;
} self;

/* ---- signs ---- */

static int sign = -1, probe = -1;

/* The address of a rank's sign; returns its length. A name that begins with a zero is no file's. */
static socklen_t name_sign(struct sockaddr_un *name, int rank)
{
    const uint64_t job = allfold_hash(allfold_hash_of_nothing, self.space, strlen(self.space));
    *name = (struct sockaddr_un){.sun_family = AF_UNIX};
    const int length = snprintf(name->sun_path + 1, sizeof name->sun_path - 1,
                                "allfold-%016" PRIx64 "-%08" PRIx32 "-%d", job, own_mark(), rank);
    assert(length > 0 && (size_t)length < sizeof name->sun_path - 1);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static void close_socket(int *socket)
{
    if (*socket >= 0)
        close(*socket);
    *socket = -1;
}

/* Whoever has a sign has what it takes to look for others'. */
static bool leave_sign(void)
{
    struct sockaddr_un name;
    const socklen_t length = name_sign(&name, self.rank);
    sign = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    probe = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (sign >= 0 && probe >= 0 && bind(sign, (const struct sockaddr *)&name, length) == 0)
        return true;
    close_socket(&sign);
    close_socket(&probe);
    return false;
}

static bool has_sign(int rank)
{
    enum { TRIES = 2 };
    struct sockaddr_un name;
    const socklen_t length = name_sign(&name, rank);
    bool is_there = false;
    errno = 0;
    for (int i = 0; i < TRIES && !is_there && errno != ECONNREFUSED; i++)
        is_there = connect(probe, (const struct sockaddr *)&name, length) == 0;
    return is_there;
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
    const char *beneath = allfold_beneath_path();
    if (dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != NULL)
        return true; /* the count of its users is one more from now on: it stays to the end */
    if (beneath == NULL || realpath(beneath, library) == NULL)
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
    snprintf(self.space, sizeof self.space, "%s", pmix.self.space);
    self.rank = (int)pmix.self.rank;
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

/* ---- PMI-1 over the socket that hydra hands each process: a line asks, a line answers, in their
 * order. ---- */

enum { HYDRA_LINE_BYTES = 1024, HYDRA_ANSWERS_BYTES = 3 * HYDRA_LINE_BYTES, HYDRA_WAIT_MS = 10000 };

static int hydra_socket;

/* The launcher's process on this node. */
static struct {
    long id;
    char begin[32]; /* when it began, as the system counts */
} proxy;

/* Other launchers set PMI_FD as well and speak another protocol there, which a wrong word would
 * break. So the process that started this one, directly or through scripts, must be hydra's. */
static bool find_proxy(void)
{
    enum { GENERATIONS = 6 };
    static const char expected[] = "hydra_pmi_proxy";
    long parent = (long)getppid();
    for (int i = 0; i < GENERATIONS && parent > 1; i++) {
        char path[64], name[64] = "";
        proxy.id = parent;
        snprintf(path, sizeof path, "/proc/%ld/stat", parent);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return false;
        /* the second field, the fourth, and the twenty-second */
        const int found = fscanf(file,
                                 "%*d (%63[^)]) %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                                 "%*s %*s %*s %*s %*s %*s %*s %31s",
                                 name, &parent, proxy.begin);
        fclose(file);
        if (found < 3)
            return false;
        if (strncmp(name, expected, sizeof expected - 1) == 0)
            return true;
    }
    return false;
}

/* Asks `count` questions, a line each, and reads as many lines: what is asked together costs one
 * turn of the launcher's instead of several. False where not all come. */
static bool hydra_ask(const char *questions, int count, char *answers)
{
    const size_t length = strlen(questions);
    size_t got = 0;
    answers[0] = '\0';
    if (write(hydra_socket, questions, length) != (ssize_t)length)
        return false;
    while (count > 0 && got + 1 < HYDRA_ANSWERS_BYTES) {
        struct pollfd readable = {.fd = hydra_socket, .events = POLLIN};
        if (poll(&readable, 1, HYDRA_WAIT_MS) != 1)
            return false;
        const ssize_t more = read(hydra_socket, answers + got, HYDRA_ANSWERS_BYTES - 1 - got);
        if (more <= 0)
            return false;
        for (ssize_t i = 0; i < more; i++)
            count -= answers[got + (size_t)i] == '\n';
        got += (size_t)more;
    }
    answers[got] = '\0';
    return count == 0;
}

/* The first line that begins so, or NULL. */
static const char *hydra_line(const char *answers, const char *expected)
{
    while (answers != NULL && strncmp(answers, expected, strlen(expected)) != 0) {
        answers = strchr(answers, '\n');
        answers = answers == NULL ? NULL : answers + 1;
    }
    return answers;
}

static bool hydra_open(void)
{
    const char *socket = getenv("PMI_FD");
    long number;
    if (socket == NULL || getenv("PMI_RANK") == NULL || !find_proxy())
        return false;
    if (!allfold_whole_is(socket, 0, INT_MAX, &number))
        return false;
    hydra_socket = (int)number;
    return true;
}

/* Asks all three in one turn, before the name of the space is known. Hydra allows it: it keeps a
 * process's keys in its job's one space, and does not look at a put's name. */
static bool hydra_put(uint32_t mark)
{
    char questions[HYDRA_LINE_BYTES], answers[HYDRA_ANSWERS_BYTES];
    long rank;
    if (!allfold_whole_is(getenv("PMI_RANK"), 0, INT_MAX, &rank))
        return false;
    self.rank = (int)rank;
    snprintf(questions, sizeof questions,
             "cmd=init pmi_version=1 pmi_subversion=1\ncmd=get_my_kvsname\n"
             "cmd=put kvsname=allfold key=allfold-%d value=%u\n",
             self.rank, mark);
    if (!hydra_ask(questions, 3, answers) || hydra_line(answers, "cmd=response_to_init") == NULL ||
        hydra_line(answers, "cmd=put_result rc=0") == NULL)
        return false;
    const char *name = hydra_line(answers, "cmd=my_kvsname kvsname=");
    return name != NULL && sscanf(name, "cmd=my_kvsname kvsname=%255s", self.space) == 1;
}

static bool hydra_get(int rank, uint32_t *mark)
{
    char question[HYDRA_LINE_BYTES], answers[HYDRA_ANSWERS_BYTES];
    snprintf(question, sizeof question, "cmd=get kvsname=%s key=allfold-%d\n", self.space, rank);
    if (!hydra_ask(question, 1, answers))
        return false;
    const char *answer = hydra_line(answers, "cmd=get_result rc=0");
    const char *value = answer == NULL ? NULL : strstr(answer, "value=");
    return value != NULL && sscanf(value, "value=%u", mark) == 1;
}

static void hydra_close(void)
{
}

/* ---- One node: where hydra has started all ranks on this one, signs alone are the store. Hydra's
 * answer would wait for a core while the ranks start, up to 5 ms. ---- */

/* Does the proxy see the sockets that this process sees? */
static bool shares_network(void)
{
    char path[64];
    struct stat own, other;
    snprintf(path, sizeof path, "/proc/%ld/ns/net", proxy.id);
    return stat("/proc/self/ns/net", &own) == 0 && stat(path, &other) == 0 &&
           own.st_ino == other.st_ino && own.st_dev == other.st_dev;
}

static bool node_open(void)
{
    const char *here = getenv("MPI_LOCALNRANKS"), *all = getenv("PMI_SIZE");
    long rank;
    if (here == NULL || all == NULL || strcmp(here, all) != 0 || !hydra_open() ||
        !shares_network() || !allfold_whole_is(getenv("PMI_RANK"), 0, INT_MAX, &rank))
        return false;
    self.rank = (int)rank;
    snprintf(self.space, sizeof self.space, "hydra %ld %s", proxy.id, proxy.begin);
    return true;
}

static bool node_put(uint32_t mark)
{
    (void)mark; /* a sign's name has it */
    return leave_sign();
}

static bool node_get(int rank, uint32_t *mark)
{
    *mark = own_mark();
    return has_sign(rank);
}

static void node_close(void)
{
}

/* ---- */

static const struct store stores[] = {{pmix_open, pmix_put, pmix_get, pmix_close},
                                      {node_open, node_put, node_get, node_close},
                                      {hydra_open, hydra_put, hydra_get, hydra_close}};

static const struct store *used;
static bool is_tried, is_left;

void allfold_marks_leave(void)
{
    if (is_tried)
        return;
    is_tried = true;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
        if (stores[i].open()) {
            used = &stores[i];
            is_left = used->put(own_mark());
            if (is_left && sign < 0)
                leave_sign(); /* without one, the store is asked */
            return;
        }
}

static enum presence presence_of(int rank)
{
    uint32_t mark;
    if (used == NULL)
        return UNKNOWN;
    if (probe >= 0 && has_sign(rank))
        return PRESENT;
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
    *why = "some ranks of the job do not run this build of Allfold";
    if (used != NULL && !is_left)
        return false; /* nobody finds this rank's mark, so nobody exchanges anything with it */
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
    return !is_faulty;
}

void allfold_marks_forget(void)
{
    if (used != NULL)
        used->close();
    close_socket(&probe);
    used = NULL;
}

void allfold_marks_take_away(void)
{
    close_socket(&sign);
}
