/* Reads the job that `allfold explain --job` explains (see job_file.h). */
#include "job_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/cables.h"
#include "topology/nodes.h"
#include "topology/nodes_make.h"
#include "json.h"
#include "topology/host_order.h"
#include "util/hash.h"

enum { MOST_RANKS = 1 << 24 };

static bool refuse(const char *path, const char *what)
{
    fprintf(stderr,
            "allfold explain: %s: %s; expected what `mpirun ... allfold info --json` says\n", path,
            what);
    return false;
}

/* The ranks' nodes; and of each node, its host. */
static bool read_ranks(const json_t *ranks, struct explained_job *job, int64_t *keys)
{
    for (int r = 0; r < job->count; r++) {
        const json_t *rank = json_array_get(ranks, (size_t)r);
        const json_t *node = json_object_get(rank, "node");
        const char *host = json_string_value(json_object_get(rank, "host"));
        keys[r] = json_is_integer(node) ? json_integer_value(node) : -1;
        if (keys[r] < 0 || keys[r] >= job->count || host == NULL)
            return false;
    }
    return true;
}

static void name_hosts(const json_t *ranks, struct explained_job *job,
                       const struct allfold_nodes *nodes)
{
    for (int n = 0; n < nodes->count; n++) {
        const json_t *rank = json_array_get(ranks, (size_t)nodes->leaders[n]);
        snprintf(job->hosts[n], sizeof job->hosts[n], "%s",
                 json_string_value(json_object_get(rank, "host")));
    }
}

/* Returns the order of the nodes by the names of their hosts, as the job sorts them. A job that
 * ignores names (ALLFOLD_NETWORK=off) says that nodes are in order. NULL if out of memory. */
static int64_t *find_order(const json_t *of, const json_t *ranks)
{
    const bool looks = !json_is_true(json_object_get(of, "hosts_in_order"));
    const size_t count = json_array_size(ranks);
    struct allfold_host_key *places = calloc(count, sizeof *places);
    for (size_t r = 0; r < count && places != NULL && looks; r++)
        places[r] = allfold_host_key_of(
            json_string_value(json_object_get(json_array_get(ranks, r), "host")));
    int64_t *order = places == NULL ? NULL : allfold_host_keys_order(places, (int)count);
    free(places);
    return order;
}

/* Finds the groups of nodes by the switches of the ranks. Returns the number of levels that all
 * ranks know. */
static int find_groups(const json_t *of, const struct explained_job *job, int64_t *keys,
                       struct allfold_group_level *groups)
{
    const json_t *ranks = json_object_get(of, "ranks"), *uplinks = json_object_get(of, "uplinks");
    const json_t *pairs = json_object_get(of, "pair_uplinks");
    for (int l = 0; l < job->levels; l++) {
        groups[l] = (struct allfold_group_level){
            .keys = keys,
            .uplinks = json_number_value(json_array_get(uplinks, (size_t)l)),
            .pair_uplinks = json_number_value(json_array_get(pairs, (size_t)l))};
        for (int r = 0; r < job->count; r++) {
            const json_t *rank = json_array_get(ranks, (size_t)r);
            const json_t *switches = json_object_get(rank, "switches");
            const char *name = json_string_value(json_array_get(switches, (size_t)l));
            if (name == NULL)
                return l;
            *keys++ = (int64_t)(allfold_hash(allfold_hash_of_nothing, name, strlen(name)) >> 1);
        }
    }
    return job->levels;
}

/* Returns the nodes with their cables; wrong ones are ignored. NULL if out of memory. */
static const struct allfold_nodes *cable(const json_t *of, const struct allfold_nodes *nodes)
{
    const json_t *list = json_object_get(of, "cable_ends");
    const size_t given = json_array_size(list);
    struct allfold_nodes_facts facts = {.cable_count = 0};
    if (given == 0 || given > ALLFOLD_MOST_CABLES || nodes == NULL)
        return nodes;
    struct allfold_cable *pairs = calloc(given, sizeof *pairs);
    for (size_t c = 0; c < given && pairs != NULL; c++) {
        const json_t *ends = json_array_get(list, c);
        const json_int_t a = json_integer_value(json_array_get(ends, 0));
        const json_int_t b = json_integer_value(json_array_get(ends, 1));
        if (a >= 0 && a < b && b < nodes->count)
            pairs[facts.cable_count++] = (struct allfold_cable){(int)a, (int)b};
    }
    facts.cables = pairs;
    nodes = allfold_nodes_extended(nodes, facts);
    free(pairs);
    return nodes;
}

/* The nodes by the ranks' keys, with what else the job knows of them; NULL without memory. */
static const struct allfold_nodes *make_nodes(const json_t *of, const struct explained_job *job,
                                              const int64_t *keys)
{
    const json_t *ranks = json_object_get(of, "ranks");
    const size_t count = (size_t)job->count, levels = (size_t)job->levels;
    int64_t *sockets = malloc((1 + levels) * count * sizeof *sockets);
    int64_t *order = find_order(of, ranks);
    struct allfold_group_level *groups = calloc(1 + levels, sizeof *groups);
    const struct allfold_nodes *nodes = NULL;
    if (sockets != NULL && order != NULL && groups != NULL) {
        for (size_t r = 0; r < count; r++)
            sockets[r] = json_integer_value(json_object_get(json_array_get(ranks, r), "socket"));
        nodes = allfold_nodes_create(&(const struct allfold_nodes_facts){
            .p = job->count,
            .keys = keys,
            .order = order,
            .sockets = sockets,
            .groups = groups,
            .levels = find_groups(of, job, sockets + count, groups),
            .cores = (int)json_integer_value(json_object_get(of, "shared_cores")),
            .card_mbit = (int)json_integer_value(json_object_get(of, "card_mbit"))});
    }
    free(sockets);
    free(order);
    free(groups);
    return cable(of, nodes);
}

static bool read_job(const char *path, const json_t *of, struct explained_job *job,
                     struct allfold_tool_placed *placed)
{
    const json_t *ranks = json_object_get(of, "ranks"), *switches = json_object_get(of, "switches");
    const size_t count = json_array_size(ranks);
    if (count == 0 || count > MOST_RANKS)
        return refuse(path, "it has no job with ranks");
    job->count = (int)count;
    job->levels = (int)json_array_size(switches);
    job->switches = (int)json_integer_value(json_array_get(switches, 0));
    int64_t *keys = malloc(count * sizeof *keys);
    bool is_right = keys != NULL && read_ranks(ranks, job, keys);
    placed->nodes = is_right ? make_nodes(of, job, keys) : NULL;
    free(keys);
    if (!is_right)
        return refuse(path, "a rank has no node or no host");
    const size_t nodes = placed->nodes == NULL ? 0 : (size_t)placed->nodes->count;
    job->hosts = calloc(nodes + 1, sizeof *job->hosts);
    placed->hosts = calloc(nodes + 1, sizeof *placed->hosts);
    if (placed->nodes == NULL || job->hosts == NULL || placed->hosts == NULL)
        return refuse(path, "no memory");
    name_hosts(ranks, job, placed->nodes);
    return true;
}

bool allfold_explained_job_read(const char *path, struct explained_job *job,
                                struct allfold_tool_placed *placed)
{
    json_error_t error;
    *job = (struct explained_job){.count = 0};
    *placed = (struct allfold_tool_placed){.hosts = NULL};
    json_t *whole = json_load_file(path, 0, &error);
    const bool is_right = whole == NULL
                              ? refuse(path, error.text)
                              : read_job(path, json_object_get(whole, "job"), job, placed);
    json_decref(whole);
    return is_right;
}

/* Returns whether two names are those of the same host; one of them may have a domain. */
static bool is_same(const char *a, const char *b)
{
    const size_t length = strcspn(a, ".");
    return strcmp(a, b) == 0 || (length == strcspn(b, ".") && strncmp(a, b, length) == 0);
}

/* Searches from the last host that was found on, because names mostly have the same order. */
static bool find_host(const struct allfold_graph *graph, const char *name, uint32_t *at)
{
    const uint32_t count = allfold_graph_host_count(graph);
    char found[EXPLAINED_HOST_BYTES];
    for (uint32_t tried = 0; tried < count; tried++, *at = (*at + 1) % count) {
        allfold_graph_vertex_name(graph, *at, found, sizeof found);
        if (is_same(found, name))
            return true;
    }
    return false;
}

bool allfold_explained_job_place(const struct explained_job *job,
                                 const struct allfold_network *network,
                                 struct allfold_tool_placed *placed)
{
    uint32_t at = 0;
    for (int n = 0; n < placed->nodes->count; n++)
        placed->hosts[n] = (uint32_t)n;
    if (network->graph == NULL || !find_host(network->graph, job->hosts[0], &at))
        return true;
    for (int n = 0; n < placed->nodes->count; n++) {
        if (!find_host(network->graph, job->hosts[n], &at)) {
            fprintf(stderr,
                    "allfold explain: network %s has host '%s', but not '%s'; expected all hosts "
                    "of the job or none\n",
                    network->name, job->hosts[0], job->hosts[n]);
            return false;
        }
        placed->hosts[n] = at;
    }
    return true;
}

void allfold_explained_job_free(struct explained_job *job)
{
    free(job->hosts);
    job->hosts = NULL;
}
