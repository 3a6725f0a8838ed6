/* The job: set up in MPI_Init, freed in MPI_Finalize (see job.h).
 *
 * Invariant: of the ranks that run Allfold, either all have a native_reason or none has. */
#include "mpi/job/job.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/device/drivers.h"
#include "mpi/job/presence.h"
#include "mpi/job/reading_trial.h"
#include "mpi/job/init_times.h"
#include "mpi/job/tables.h"
#include "mpi/process/runtime.h"
#include "mpi/process/own_communicators.h"
#include "mpi/progress/progress.h"
#include "mpi/transport/fabric_trial.h"
#include "schedule/schedule.h"
#include "topology/nic_rate.h"
#include "util/number.h"

static const char not_begun[] = "MPI was initialized without Allfold";
static struct allfold_job job = {.native_reason = not_begun, .comm = MPI_COMM_NULL};

struct allfold_job *allfold_job(void)
{
    return &job;
}

void allfold_say_once(bool *said, const char *message)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    const bool is_first = !*said;
    *said = true;
    pthread_mutex_unlock(&mutex);
    if (is_first)
        allfold_complain(message);
}

/* What only this rank lacks must not keep it from what all do together. */
static void lack(int *error, bool *fits)
{
    if (*error == MPI_ERR_NO_MEM) {
        *fits = false;
        *error = MPI_SUCCESS;
    }
}

/* Do all ranks have what they need? Then *error stays MPI_SUCCESS. */
static void agree_on_memory(int *error, bool fits)
{
    if (*error == MPI_SUCCESS)
        *error = allfold_synchronize(job.comm, &fits);
    if (*error == MPI_SUCCESS && !fits)
        *error = MPI_ERR_NO_MEM;
}

/* May communicators share the job's lane? */
static void find_mode(bool has_threads)
{
    const struct allfold_common_settings *common = &job.agreed.settings->common;
    job.is_watched = common->timeout_ms > 0 || common->check;
    job.is_shared = !has_threads && !job.is_watched && !common->nonblocking;
}

static void say_figures(void)
{
    int peers;
    const size_t bytes = allfold_fabric_bytes(job.fabric, &peers);
    const struct allfold_fabric_figures of = allfold_fabric_figures(job.fabric);
    allfold_say(
        "fabric: rank %d wrote %llu slots and %llu long messages in place, gave credit %llu "
        "times, registered %llu places; %zu bytes for %d peers",
        job.rank, (unsigned long long)of.slot_writes, (unsigned long long)of.place_writes,
        (unsigned long long)of.credit_writes, (unsigned long long)of.registrations, bytes, peers);
}

static void close_fabric(void)
{
    if (job.fabric != NULL)
        say_figures();
    allfold_fabric_stream_free(job.stream);
    allfold_fabric_close(job.fabric);
    job.stream = NULL;
    job.fabric = NULL;
}

static void say_machine(void)
{
    if (job.nodes->cores > 0 && job.rank == 0)
        allfold_say("the %d nodes are one machine of %d cores%s", job.nodes->count,
                    job.nodes->cores, job.nodes->is_crowded ? ", which the ranks share" : "");
}

/* Returns this rank's contribution to the minimum: on the leader of a node the card's rate in
 * Mbit/s (0: not known), on other ranks INT_MAX. Only one rank of a node reads the rate, because
 * the kernel handles one reader at a time. */
static int card_of_node(void)
{
    const struct allfold_nodes *nodes = job.nodes;
    const bool reads = nodes->leaders[nodes->node_of[job.rank]] == job.rank;
    return reads ? allfold_nic_mbit("/sys") : INT_MAX;
}

/* Agrees on two things by one message: whether all ranks have their memory (else MPI_ERR_NO_MEM),
 * and the rate of the slowest network card, which matters between machines alone. A configured rate
 * takes precedence. Returns an MPI error code, the same on all ranks. Collective. */
static int agree_on_card(bool fits)
{
    enum { FITS, MBIT, NUMBERS };
    const int given = job.agreed.settings->common.card_mbit;
    const bool has_cards = fits && job.nodes->count > 1 && job.nodes->cores == 0;
    int least[NUMBERS] = {fits, INT_MAX};
    if (fits && given == ALLFOLD_CARD_UNSET)
        least[MBIT] = has_cards ? card_of_node() : 0;
    const int error = PMPI_Allreduce(MPI_IN_PLACE, least, NUMBERS, MPI_INT, MPI_MIN, job.comm);
    if (error != MPI_SUCCESS || !least[FITS])
        return error != MPI_SUCCESS ? error : MPI_ERR_NO_MEM;
    job.card_mbit = given == ALLFOLD_CARD_UNSET ? least[MBIT] : given;
    if (job.card_mbit > 0 && job.rank == 0)
        allfold_say("the network cards of the nodes carry %g Gbit/s", job.card_mbit / 1e3);
    return MPI_SUCCESS;
}

static void say_sockets(void)
{
    const int sockets = allfold_most_sockets(job.nodes);
    if (sockets > 1 && job.rank == 0)
        allfold_say("the ranks of a node are on up to %d sockets, each with a cache of its own",
                    sockets);
}

/* Settings, placement and tables, from the minima of what the ranks offered. If the ranks have the
 * same settings and tables, they exchange two messages: the placement, unless all ranks are on one
 * node, and whether all have memory, with the card's rate. Returns an MPI error code, the same on
 * all ranks. */
static int agree(int64_t key, const int64_t *least, bool *all_offer_vectors)
{
    struct allfold_findings found = {.has_threads = true};
    bool fits = true;
    int error = allfold_agree_on_settings(&job.agreed, job.comm, least, &found);
    *all_offer_vectors = found.offers_vectors;
    find_mode(found.has_threads);
    if (error == MPI_SUCCESS)
        error = allfold_agree_on_nodes(&job.agreed, job.comm, key, &found, true, &job.nodes);
    lack(&error, &fits);
    if (error == MPI_SUCCESS && fits) {
        say_machine();
        say_sockets();
    }
    if (error == MPI_SUCCESS)
        error = allfold_tables_agree(&job.agreed, job.comm, found.tables_differ);
    if (error == MPI_SUCCESS)
        error = agree_on_card(fits);
    if (error != MPI_SUCCESS || !found.any_configured)
        return error;
    error = allfold_job_topology_agree(&job.where, job.comm, &job.nodes);
    lack(&error, &fits);
    agree_on_memory(&error, fits);
    return error;
}

const char *allfold_share_memory(struct allfold_node *node, MPI_Comm comm,
                                 const struct allfold_nodes *nodes, int streams,
                                 struct allfold_transport *beyond)
{
    static bool said;
    if (!job.agreed.settings->common.shared_memory)
        return "ALLFOLD_TRANSPORT=shared_memory=off";
    const char *why =
        allfold_node_open(node, comm, nodes, streams, beyond, node == &job.node ? NULL : &job.node);
    if (why != NULL)
        allfold_say("rank %d of the job shares no memory: %s", job.rank, why);
    if (why != NULL && why != allfold_alone_on_node) {
        char line[ALLFOLD_MESSAGE_BYTES];
        snprintf(line, sizeof line, "messages between ranks of a node go through MPI, because %s",
                 why);
        allfold_say_once(&said, line);
    }
    return why;
}

/* Opens the fabric, and a stream for the job's lane. Returns the same on all ranks. Collective. */
static bool open_stream(void)
{
    const struct allfold_settings *settings = job.agreed.settings;
    job.fabric = allfold_fabric_open(job.comm, settings->fabric, (uint32_t)settings->window,
                                     job.no_fabric, sizeof job.no_fabric);
    if (job.fabric == NULL)
        return false;
    job.stream = allfold_fabric_stream_create(job.fabric, 0);
    bool all_have = job.stream != NULL;
    if (allfold_synchronize(job.comm, &all_have) == MPI_SUCCESS && all_have)
        return true;
    snprintf(job.no_fabric, sizeof job.no_fabric, "a rank has no memory");
    close_fabric();
    return false;
}

/* Between the nodes, as many ranks of each as the smallest has; on one node between all ranks. */
static struct allfold_fabric_ring find_ring(void)
{
    const struct allfold_nodes *nodes = job.nodes;
    const int node = nodes->node_of[job.rank], lane = nodes->index_of[job.rank], n = nodes->count;
    if (n == 1)
        return (struct allfold_fabric_ring){(job.rank + 1) % job.size,
                                            (job.rank + job.size - 1) % job.size};
    if (lane >= nodes->least)
        return (struct allfold_fabric_ring){-1, -1};
    return (struct allfold_fabric_ring){allfold_rank_on(nodes, (node + 1) % n, lane),
                                        allfold_rank_on(nodes, (node + n - 1) % n, lane)};
}

/* Closes the fabric unless it is faster than MPI. Collective. */
static void try_fabric(void)
{
    const struct allfold_fabric_ring ring = find_ring();
    const bool is_faster =
        allfold_fabric_try(job.comm, job.stream, &job.messages, &ring, &job.fabric_gain);
    const struct allfold_fabric_gain *gain = &job.fabric_gain;
    if (is_faster)
        return;
    snprintf(job.no_fabric, sizeof job.no_fabric,
             "a trial found %s not faster: %.2f times MPI's speed in the mean, %.2f at least",
             allfold_fabric_name(job.fabric), gain->mean, gain->least);
    close_fabric();
}

static void say_carrier(bool is_asked_for)
{
    char message[ALLFOLD_MESSAGE_BYTES + 80];
    snprintf(message, sizeof message, "%sMPI carries the messages: %s",
             is_asked_for ? "ALLFOLD_TRANSPORT=fabric, but " : "", job.no_fabric);
    if (job.fabric == NULL && is_asked_for)
        allfold_warn(message);
    else if (job.fabric == NULL)
        allfold_say("%s", message);
    else
        allfold_say("the fabric carries messages between ranks that share no memory: %s",
                    allfold_fabric_name(job.fabric));
    if (job.fabric != NULL && !is_asked_for)
        allfold_say("a trial found it %.2f times as fast as MPI in the mean, %.2f at least",
                    job.fabric_gain.mean, job.fabric_gain.least);
}

/* Opens the fabric for messages that do not go through node memory, if the settings want it. If a
 * rank cannot open it, MPI carries them on all ranks, and a message is printed. Collective. */
static void open_fabric(void)
{
    const struct allfold_common_settings *common = &job.agreed.settings->common;
    const bool is_asked_for = common->transport == ALLFOLD_TRANSPORT_FABRIC;
    const bool has_messages = job.nodes->count > 1 || !common->shared_memory;
    job.fabric_gain = (struct allfold_fabric_gain){0, 0};
    if (!is_asked_for && (common->transport != ALLFOLD_TRANSPORT_FASTER || !has_messages))
        return;
    if (open_stream() && !is_asked_for)
        try_fabric();
    allfold_init_times_end_stage("fabric");
    if (job.rank == 0)
        say_carrier(is_asked_for);
}

static void free_parts(void)
{
    allfold_node_close(&job.node);
    close_fabric();
    allfold_job_topology_free(&job.where);
    allfold_nodes_free(job.nodes);
    allfold_agreement_free(&job.agreed);
    if (job.group != MPI_GROUP_NULL)
        PMPI_Group_free(&job.group);
    if (job.comm != MPI_COMM_NULL)
        PMPI_Comm_free(&job.comm);
    job.nodes = NULL;
    job.card_mbit = 0;
    job.shares_cores = false;
    job.reading = ALLFOLD_READS_COPIES;
    job.agreed = (struct allfold_agreement){.settings = allfold_settings()};
}

/* What was asked for and is not there is said, once for all ranks. */
static void check_one_copy(void)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *why =
        job.unshared_reason != NULL ? job.unshared_reason : allfold_one_copy_is_off(&job.node);
    if (!allfold_settings()->one_copy || why == NULL || job.rank != 0)
        return;
    snprintf(message, sizeof message,
             "ALLFOLD_ONE_COPY=1, but large allocations are not read in place: %s", why);
    allfold_warn(message);
}

/* Finds how vectors are read, if all ranks offer theirs. */
static void find_reading(void)
{
    static const char *const words[] = {
        [ALLFOLD_READS_COPIES] = "copied, as a rank cannot find out how to read them",
        [ALLFOLD_READS_NEAR] = "read in place, by near cores",
        [ALLFOLD_READS_FAR] = "read in place, by far cores",
    };
    if (job.unshared_reason != NULL || job.node.options.visible == NULL ||
        job.node.options.size != job.size || job.shares_cores)
        return;
    job.reading = allfold_reading_trial_run(job.comm, &job.node);
    if (job.rank == 0)
        allfold_say("long vectors are %s", words[job.reading]);
    allfold_init_times_end_stage("reading");
}

/* Why a job in which ranks lack this build is native. */
static const char *name_missing(const struct allfold_presence_found *found)
{
    static char why[ALLFOLD_MESSAGE_BYTES];
    char message[ALLFOLD_MESSAGE_BYTES + 150];
    snprintf(why, sizeof why, "rank %d of MPI_COMM_WORLD does not run this build of Allfold",
             found->missing);
    snprintf(message, sizeof message,
             "%s, so all collectives are the MPI library's; start every program of the job under "
             "`allfold run`",
             why);
    if (job.rank == found->speaker)
        allfold_warn(message);
    return why;
}

/* Combines the numbers that the ranks offer. Returns why the job is native, or NULL. If the job
 * begins late, the program's collective call synchronizes the ranks, so all of them are present. */
static const char *exchange_offers(bool is_late, const struct allfold_agreement_offer *offer,
                                   int64_t *least, int *error)
{
    struct allfold_presence_found found = {.missing = -1};
    allfold_agreement_write_offer(offer, least);
    if (!is_late)
        found = allfold_presence_agree(least, ALLFOLD_OFFERED_NUMBERS);
    allfold_init_times_end_stage("presence");
    if (found.missing >= 0)
        return name_missing(&found);
    *error = allfold_copy_communicator(MPI_COMM_WORLD, &job.comm);
    if (*error == MPI_SUCCESS && is_late)
        *error = PMPI_Allreduce(MPI_IN_PLACE, least, ALLFOLD_OFFERED_NUMBERS, MPI_INT64_T, MPI_MIN,
                                job.comm);
    if (*error == MPI_SUCCESS)
        *error = PMPI_Comm_group(job.comm, &job.group);
    allfold_init_times_end_stage("communicator");
    return NULL;
}

/* A process that is alone although its launcher started several has another MPI than the launcher.
 */
static void check_alone(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    static char version[MPI_MAX_LIBRARY_VERSION_STRING];
    char message[ALLFOLD_MESSAGE_BYTES];
    int length = 0;
    long size = 1;
    for (size_t i = 0; i < sizeof variables / sizeof *variables && size == 1; i++) {
        const char *text = getenv(variables[i]);
        if (text != NULL && !allfold_whole_is(text, 1, INT_MAX, &size))
            size = 1;
    }
    if (size == 1 || PMPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return;
    version[strcspn(version, ",\n")] = '\0';
    snprintf(message, sizeof message,
             "the launcher started %ld processes, but each of them is alone, rank 0 of 1: the "
             "program uses %.80s, and the launcher belongs to another MPI; use its own",
             size, version);
    allfold_complain(message);
}

/* Sets the job up; returns why that failed, the same on all ranks, or NULL. */
static const char *set_up(bool is_late)
{
    static bool said;
    bool all_offer_vectors = false;
    int64_t least[ALLFOLD_OFFERED_NUMBERS];
    int error;
    job.group = MPI_GROUP_NULL;
    job.agreed.settings = allfold_settings();
    job.begin_s = allfold_now_s();
    allfold_devices_begin();
    PMPI_Comm_size(MPI_COMM_WORLD, &job.size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    if (job.size == 1) {
        check_alone();
        return "one rank alone";
    }
    const struct allfold_agreement_offer offer = {
        .node_key = allfold_node_key(),
        .tables = allfold_tables_fingerprint(),
        .is_configured = allfold_job_topology_look(&job.where, job.rank),
        .offers_vectors = allfold_reading_trial_is_offered()};
    const char *why = exchange_offers(is_late, &offer, least, &error);
    if (why != NULL)
        return why;
    if (error == MPI_SUCCESS)
        error = agree(offer.node_key, least, &all_offer_vectors);
    allfold_init_times_end_stage("agreement");
    if (error != MPI_SUCCESS) {
        free_parts();
        allfold_say_once(&said, "no communicator of our own could be made (no memory, or no more "
                                "of MPI's ids): collectives are the MPI library's");
        return "no communicator of our own could be made";
    }
    allfold_point_to_point_open(&job.messages, job.comm, 0);
    open_fabric();
    /* if the job's lane is not shared, only MPI_COMM_WORLD uses it */
    job.unshared_reason = allfold_share_memory(
        &job.node, job.comm, job.nodes, job.is_shared ? 0 : ALLFOLD_NODE_STREAMS,
        job.stream == NULL ? &job.messages.transport : allfold_fabric_transport(job.stream));
    allfold_init_times_end_stage("node memory");
    check_one_copy();
    job.shares_cores =
        job.unshared_reason == NULL && job.node.options.size == job.size &&
        job.node.shares_cores; /* the same on all ranks, because they are on one node */
    if (all_offer_vectors)
        find_reading();
    allfold_rest_soon(job.node.shares_cores || job.fabric != NULL);
    assert(job.nodes != NULL);
    return NULL;
}

void allfold_job_prepare(void)
{
    allfold_init_times_begin();
    allfold_next();
    allfold_init_times_end_stage("functions");
}

void allfold_job_begin(int code_of_init)
{
    allfold_init_times_end_stage("MPI's own start");
    if (code_of_init == MPI_SUCCESS && job.native_reason == not_begun)
        job.native_reason = set_up(false);
    allfold_init_times_print();
}

static const struct allfold_job_hooks *hooks;

void allfold_job_set_hooks(const struct allfold_job_hooks *of_upper_rooms)
{
    hooks = of_upper_rooms;
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else. */
static int on_finalize(MPI_Comm self, int key, void *value, void *extra)
{
    (void)self, (void)key, (void)value, (void)extra;
    hooks->finish();
    return MPI_SUCCESS;
}

/* Registers `finish`, because the program's MPI_Finalize may not come to this library. */
static void finish_with_mpi(void)
{
    int key = MPI_KEYVAL_INVALID;
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &key, NULL) != MPI_SUCCESS)
        return;
    PMPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    PMPI_Comm_free_keyval(&key);
}

static void say_late(MPI_Comm comm)
{
    static bool said;
    int is_inter = 0, size = 1;
    PMPI_Comm_test_inter(comm, &is_inter);
    PMPI_Comm_size(comm, &size);
    if (!is_inter && size > 1)
        allfold_say_once(&said,
                         "Allfold was loaded after MPI_Init, and collectives on parts of "
                         "MPI_COMM_WORLD are the MPI library's until it has begun; call "
                         "allfold_barrier(MPI_COMM_WORLD) on all ranks first, or start the program "
                         "under `allfold run`");
}

void allfold_job_begin_late(MPI_Comm comm)
{
    int relation = MPI_UNEQUAL;
    if (job.native_reason != not_begun)
        return;
    job.agreed.settings = allfold_settings();
    if (PMPI_Comm_compare(comm, MPI_COMM_WORLD, &relation) != MPI_SUCCESS ||
        relation == MPI_UNEQUAL) {
        say_late(comm);
        return;
    }
    job.native_reason = set_up(true);
    if (hooks == NULL)
        return;
    finish_with_mpi();
    hooks->begin();
}

void allfold_job_end(void)
{
    if (job.native_reason == NULL)
        free_parts();
    job.native_reason = not_begun;
    allfold_self_free();
    allfold_presence_close();
    allfold_builder_drop_spare();
}
