/* Listed graphs (see listed_graph.h).
 *
 * Most hosts have one link, to a switch. Distances are stored only between all other vertices, the
 * core. A cluster of thousands of hosts therefore needs only a table of its switches. */
#include "lab/network/listed_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/quantity.h"

enum { FAR = UINT16_MAX };

struct vertex {
    char *name;
    bool is_host;
    uint32_t first_edge, edge_end; /* of `edges`, that leave it */
    uint32_t core;                 /* number in the core; ALLFOLD_NO_VERTEX: a leaf */
};

struct edge {
    uint32_t from, to, first_link, link_count; /* of `passed` */
};

struct allfold_listed {
    struct vertex *vertices;
    struct edge *edges;
    struct allfold_graph_link *links;
    uint32_t *passed;   /* the links of all edges */
    uint32_t *by_name;  /* hash table: vertices + 1 */
    uint16_t *distance; /* of core vertices: [to * core_count + from], in links */
    uint32_t vertex_count, edge_count, link_count, passed_count, core_count, host_count;
    uint32_t vertex_room, edge_room, link_room, passed_room, table_size;
    int class_count, longest;
    char classes[ALLFOLD_MAX_LINK_CLASSES][ALLFOLD_CLASS_NAME_BYTES];
    bool forbids_ways;
};

struct allfold_listed *allfold_listed_create(void)
{
    return allfold_allocate_zeroed(sizeof(struct allfold_listed));
}

void allfold_listed_free(struct allfold_listed *listed)
{
    if (listed == NULL)
        return;
    for (uint32_t i = 0; i < listed->vertex_count; i++)
        allfold_free(listed->vertices[i].name);
    allfold_free(listed->vertices);
    allfold_free(listed->edges);
    allfold_free(listed->links);
    allfold_free(listed->passed);
    allfold_free(listed->by_name);
    allfold_free(listed->distance);
    allfold_free(listed);
}

/* Room for one more item; false without memory. */
static bool make_room(void **items, uint32_t count, uint32_t *room, size_t item_bytes)
{
    void *wide = allfold_make_room(*items, count, room, item_bytes);
    if (wide != NULL)
        *items = wide;
    return wide != NULL;
}

static uint32_t hash_of(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

/* Where the name is in the table, or would be. */
static uint32_t *slot_of(const struct allfold_listed *listed, const char *name, size_t length)
{
    for (uint32_t at = hash_of(name, length);; at++) {
        uint32_t *slot = &listed->by_name[at & (listed->table_size - 1)];
        if (*slot == 0)
            return slot;
        const char *there = listed->vertices[*slot - 1].name;
        if (strlen(there) == length && memcmp(there, name, length) == 0)
            return slot;
    }
}

static bool widen_table(struct allfold_listed *listed)
{
    const uint32_t size = listed->table_size == 0 ? 64 : 2 * listed->table_size;
    uint32_t *table = allfold_allocate_zeroed(size * sizeof *table);
    if (table == NULL)
        return false;
    allfold_free(listed->by_name);
    listed->by_name = table;
    listed->table_size = size;
    for (uint32_t i = 0; i < listed->vertex_count; i++) {
        const char *name = listed->vertices[i].name;
        *slot_of(listed, name, strlen(name)) = i + 1;
    }
    return true;
}

bool allfold_listed_find(const struct allfold_listed *listed, const char *name, size_t length,
                         uint32_t *vertex)
{
    if (listed->table_size == 0)
        return false;
    const uint32_t *slot = slot_of(listed, name, length);
    *vertex = *slot - 1;
    return *slot != 0;
}

uint32_t allfold_listed_vertex(struct allfold_listed *listed, const char *name, size_t length,
                               bool is_host)
{
    uint32_t found;
    if (allfold_listed_find(listed, name, length, &found))
        return found;
    if (2 * listed->vertex_count >= listed->table_size && !widen_table(listed))
        return ALLFOLD_NO_VERTEX;
    if (!make_room((void **)&listed->vertices, listed->vertex_count, &listed->vertex_room,
                   sizeof *listed->vertices))
        return ALLFOLD_NO_VERTEX;
    char *copy = allfold_allocate(length + 1);
    if (copy == NULL)
        return ALLFOLD_NO_VERTEX;
    memcpy(copy, name, length);
    copy[length] = '\0';
    listed->vertices[listed->vertex_count] = (struct vertex){.name = copy, .is_host = is_host};
    listed->host_count += is_host;
    *slot_of(listed, name, length) = listed->vertex_count + 1;
    return listed->vertex_count++;
}

int allfold_listed_class(struct allfold_listed *listed, const char *name, size_t length)
{
    for (int i = 0; i < listed->class_count; i++)
        if (strlen(listed->classes[i]) == length && memcmp(listed->classes[i], name, length) == 0)
            return i;
    if (listed->class_count == ALLFOLD_MAX_LINK_CLASSES || length == 0 ||
        length >= ALLFOLD_CLASS_NAME_BYTES)
        return -1;
    memcpy(listed->classes[listed->class_count], name, length);
    return listed->class_count++;
}

bool allfold_listed_add_link(struct allfold_listed *listed, const struct allfold_graph_link *link,
                             uint32_t *number)
{
    if (!make_room((void **)&listed->links, listed->link_count, &listed->link_room,
                   sizeof *listed->links))
        return false;
    *number = listed->link_count;
    listed->links[listed->link_count++] = *link;
    return true;
}

bool allfold_listed_add_edge(struct allfold_listed *listed, uint32_t from, uint32_t to,
                             const uint32_t *links, uint32_t link_count)
{
    assert(from < listed->vertex_count && to < listed->vertex_count);
    if (!make_room((void **)&listed->edges, listed->edge_count, &listed->edge_room,
                   sizeof *listed->edges))
        return false;
    const uint32_t first = listed->passed_count;
    for (uint32_t i = 0; i < link_count; i++) {
        assert(links[i] < listed->link_count);
        if (!make_room((void **)&listed->passed, listed->passed_count, &listed->passed_room,
                       sizeof *listed->passed))
            return false;
        listed->passed[listed->passed_count++] = links[i];
    }
    listed->edges[listed->edge_count++] = (struct edge){from, to, first, link_count};
    return true;
}

void allfold_listed_forbid_ways(struct allfold_listed *listed)
{
    listed->forbids_ways = true;
}

/* Hosts first, each kind in the order in which it came. */
static bool number_anew(struct allfold_listed *listed)
{
    const uint32_t count = listed->vertex_count;
    uint32_t hosts = 0, others = listed->host_count;
    uint32_t *number = allfold_allocate((count + 1) * sizeof *number);
    struct vertex *sorted = allfold_allocate((count + 1) * sizeof *sorted);
    if (number == NULL || sorted == NULL) {
        allfold_free(number);
        allfold_free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        number[i] = listed->vertices[i].is_host ? hosts++ : others++;
        sorted[number[i]] = listed->vertices[i];
    }
    for (uint32_t i = 0; i < listed->edge_count; i++) {
        listed->edges[i].from = number[listed->edges[i].from];
        listed->edges[i].to = number[listed->edges[i].to];
    }
    for (uint32_t i = 0; i < listed->link_count; i++) {
        struct allfold_graph_link *link = &listed->links[i];
        if (link->from != ALLFOLD_NO_VERTEX)
            link->from = number[link->from];
        if (link->to != ALLFOLD_NO_VERTEX)
            link->to = number[link->to];
    }
    for (uint32_t i = 0; i < listed->table_size; i++)
        if (listed->by_name[i] != 0)
            listed->by_name[i] = number[listed->by_name[i] - 1] + 1;
    memcpy(listed->vertices, sorted, count * sizeof *sorted);
    allfold_free(number);
    allfold_free(sorted);
    return true;
}

/* By their ends; parallel ones in the order in which they came. */
static int by_ends(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->first_link < b->first_link ? -1 : a->first_link > b->first_link;
}

static void sort_edges(struct allfold_listed *listed)
{
    if (listed->edge_count > 0)
        qsort(listed->edges, listed->edge_count, sizeof *listed->edges, by_ends);
    uint32_t at = 0;
    for (uint32_t v = 0; v < listed->vertex_count; v++) {
        listed->vertices[v].first_edge = at;
        while (at < listed->edge_count && listed->edges[at].from == v)
            at++;
        listed->vertices[v].edge_end = at;
    }
}

/* The one vertex next to it; ALLFOLD_NO_VERTEX where there are others, or none. */
static uint32_t only_neighbor(const struct allfold_listed *listed, uint32_t v)
{
    const struct vertex *vertex = &listed->vertices[v];
    if (vertex->first_edge == vertex->edge_end)
        return ALLFOLD_NO_VERTEX;
    const uint32_t first = listed->edges[vertex->first_edge].to;
    return listed->edges[vertex->edge_end - 1].to == first ? first : ALLFOLD_NO_VERTEX;
}

/* A host with one neighbor is a leaf of it, if that is no host. */
static void find_core(struct allfold_listed *listed)
{
    for (uint32_t v = 0; v < listed->vertex_count; v++) {
        const uint32_t neighbor =
            v < listed->host_count ? only_neighbor(listed, v) : ALLFOLD_NO_VERTEX;
        const bool is_leaf = neighbor != ALLFOLD_NO_VERTEX && neighbor >= listed->host_count;
        listed->vertices[v].core = is_leaf ? ALLFOLD_NO_VERTEX : listed->core_count++;
    }
}

/* Distances from all of the core to `to`: relaxes edges until nothing changes. */
static void find_distances(struct allfold_listed *listed, uint32_t to)
{
    uint16_t *distance = listed->distance + (size_t)to * listed->core_count;
    for (uint32_t i = 0; i < listed->core_count; i++)
        distance[i] = FAR;
    distance[to] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < listed->edge_count; e++) {
            const struct edge *edge = &listed->edges[e];
            const uint32_t a = listed->vertices[edge->from].core;
            const uint32_t b = listed->vertices[edge->to].core;
            if (a == ALLFOLD_NO_VERTEX || b == ALLFOLD_NO_VERTEX || distance[b] == FAR ||
                distance[b] + edge->link_count >= distance[a])
                continue;
            distance[a] = (uint16_t)(distance[b] + edge->link_count);
            changed = true;
        }
    }
}

/* The core's vertex through which all ways of a host go. */
static uint32_t door_of(const struct allfold_listed *listed, uint32_t host)
{
    return listed->vertices[host].core != ALLFOLD_NO_VERTEX ? host : only_neighbor(listed, host);
}

static uint32_t distance_between(const struct allfold_listed *listed, uint32_t from, uint32_t to)
{
    const struct vertex *vertices = listed->vertices;
    return listed->distance[(size_t)vertices[to].core * listed->core_count + vertices[from].core];
}

/* The first of the edges from a vertex to another; NULL where there is none. */
static const struct edge *edge_between(const struct allfold_listed *listed, uint32_t from,
                                       uint32_t to)
{
    uint32_t low = listed->vertices[from].first_edge, high = listed->vertices[from].edge_end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (listed->edges[middle].to < to)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_there = low < listed->vertices[from].edge_end && listed->edges[low].to == to;
    return is_there ? &listed->edges[low] : NULL;
}

static enum allfold_error refuse_pair(const struct allfold_listed *listed, uint32_t from,
                                      uint32_t to, char *message, size_t message_bytes)
{
    snprintf(message, message_bytes, "there is no way from host %.60s to host %.60s",
             listed->vertices[from].name, listed->vertices[to].name);
    return ALLFOLD_BAD_INPUT;
}

/* That each host reaches each other one; and how long the longest way is. */
static enum allfold_error check_pairs(struct allfold_listed *listed, char *message,
                                      size_t message_bytes)
{
    for (uint32_t a = 0; a < listed->host_count; a++)
        for (uint32_t b = 0; b < listed->host_count; b++) {
            uint32_t length = 0;
            if (a == b)
                continue;
            if (listed->forbids_ways) {
                const struct edge *edge = edge_between(listed, a, b);
                if (edge == NULL)
                    return refuse_pair(listed, a, b, message, message_bytes);
                length = edge->link_count;
            } else {
                const uint32_t from = door_of(listed, a), to = door_of(listed, b);
                length = distance_between(listed, from, to);
                if (length == FAR || (to != b && edge_between(listed, to, b) == NULL))
                    return refuse_pair(listed, a, b, message, message_bytes);
                length += from != a ? edge_between(listed, a, from)->link_count : 0;
                length += to != b ? edge_between(listed, to, b)->link_count : 0;
            }
            if ((int)length > listed->longest)
                listed->longest = (int)length;
        }
    return ALLFOLD_OK;
}

enum allfold_error allfold_listed_complete(struct allfold_listed *listed, char *message,
                                           size_t message_bytes)
{
    bool has_memory = number_anew(listed);
    if (listed->host_count == 0) {
        snprintf(message, message_bytes, "there are no hosts");
        return ALLFOLD_BAD_INPUT;
    }
    sort_edges(listed);
    if (has_memory && !listed->forbids_ways) {
        find_core(listed);
        if (listed->core_count > ALLFOLD_MOST_CORE_VERTICES) {
            snprintf(message, message_bytes,
                     "%u switches and hosts with several links; expected up to %d",
                     listed->core_count, ALLFOLD_MOST_CORE_VERTICES);
            return ALLFOLD_BAD_INPUT;
        }
        const size_t pairs = (size_t)listed->core_count * listed->core_count;
        listed->distance = allfold_allocate((pairs + 1) * sizeof *listed->distance);
        has_memory = listed->distance != NULL;
        for (uint32_t to = 0; has_memory && to < listed->core_count; to++)
            find_distances(listed, to);
    }
    if (!has_memory) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    return check_pairs(listed, message, message_bytes);
}

uint32_t allfold_listed_host_count(const struct allfold_listed *listed)
{
    return listed->host_count;
}

uint32_t allfold_listed_vertex_count(const struct allfold_listed *listed)
{
    return listed->vertex_count;
}

uint32_t allfold_listed_link_count(const struct allfold_listed *listed)
{
    return listed->link_count;
}

struct allfold_graph_link allfold_listed_link(const struct allfold_listed *listed, uint32_t number)
{
    return listed->links[number];
}

int allfold_listed_class_count(const struct allfold_listed *listed)
{
    return listed->class_count;
}

const char *allfold_listed_class_name(const struct allfold_listed *listed, int link_class)
{
    return listed->classes[link_class];
}

const char *allfold_listed_vertex_name(const struct allfold_listed *listed, uint32_t vertex)
{
    return listed->vertices[vertex].name;
}

int allfold_listed_longest_route(const struct allfold_listed *listed)
{
    return listed->longest;
}

/* One of `count`, by the pair and where its way is: alike on all ranks and in all runs. */
static uint32_t pick(uint32_t from, uint32_t to, uint32_t at, uint32_t count)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u + at;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)((hash >> 32) % count);
}

/* Of the edges that leave `at` and lead nearer to `aim`, the number `wanted`; counts them where it
 * is NULL. */
static uint32_t look_for(const struct allfold_listed *listed, uint32_t at, uint32_t aim,
                         const uint32_t *wanted, const struct edge **found)
{
    uint32_t count = 0;
    const uint32_t left = distance_between(listed, at, aim);
    for (uint32_t e = listed->vertices[at].first_edge; e < listed->vertices[at].edge_end; e++) {
        const struct edge *edge = &listed->edges[e];
        if (listed->vertices[edge->to].core == ALLFOLD_NO_VERTEX ||
            distance_between(listed, edge->to, aim) + edge->link_count != left)
            continue;
        if (wanted != NULL && *wanted == count)
            *found = edge;
        count++;
    }
    return count;
}

int allfold_listed_route(const struct allfold_listed *listed, uint32_t from, uint32_t to,
                         uint32_t *links, int most)
{
    int count = 0;
    uint32_t at = from;
    const uint32_t aim = listed->forbids_ways ? to : door_of(listed, to);
    while (at != to) {
        const struct edge *edge = NULL;
        if (listed->forbids_ways) {
            edge = edge_between(listed, at, to);
        } else if (listed->vertices[at].core == ALLFOLD_NO_VERTEX || at == aim) {
            edge = edge_between(listed, at, at == aim ? to : only_neighbor(listed, at));
        } else {
            const uint32_t ways = look_for(listed, at, aim, NULL, NULL);
            const uint32_t wanted = pick(from, to, at, ways);
            look_for(listed, at, aim, &wanted, &edge);
        }
        assert(edge != NULL);
        for (uint32_t i = 0; i < edge->link_count; i++, count++)
            if (count < most)
                links[count] = listed->passed[edge->first_link + i];
        at = edge->to;
    }
    return count;
}

/* One line for both directions where they are alike, which they are in texts. Graphs of other
 * files, whose edges have several links, are written as a comment. */
void allfold_listed_write(const struct allfold_listed *listed, FILE *stream)
{
    char bandwidth[64], latency[64];
    for (uint32_t v = 0; v < listed->host_count; v++)
        fprintf(stream, "host %s\n", listed->vertices[v].name);
    for (uint32_t i = 0; i < listed->link_count; i++) {
        const struct allfold_graph_link *link = &listed->links[i];
        if (!link->both_ways && i % 2 == 1)
            continue;
        allfold_quantity_write(link->bandwidth, allfold_rate_units, bandwidth, sizeof bandwidth);
        allfold_quantity_write(link->latency_s, allfold_time_units, latency, sizeof latency);
        fprintf(stream, "link %s %s: bandwidth=%s, latency=%s, class=%s%s\n",
                listed->vertices[link->from].name, listed->vertices[link->to].name, bandwidth,
                latency, listed->classes[link->link_class], link->both_ways ? ", shared=1" : "");
    }
}
