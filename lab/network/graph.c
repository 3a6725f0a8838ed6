/* Generated graphs, whose links and routes are computed by arithmetic (see graph.h). */
#include "lab/network/graph.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lab/network/listed_graph.h"
#include "util/memory.h"
#include "util/number.h"
#include "util/quantity.h"
#include "util/word.h"

enum { MOST = ALLFOLD_MAX_DIMENSIONS };

/* A route as it grows. */
struct way {
    uint32_t *links;
    int most, count;
};

/* What one kind of topology is; `make` fills counts and classes, given what was read. */
struct topology {
    const char *name, *expected;
    const char *(*make)(struct allfold_graph *graph); /* NULL, or what is wrong */
    struct allfold_graph_link (*link)(const struct allfold_graph *graph, uint32_t number);
    void (*route)(const struct allfold_graph *graph, uint32_t from, uint32_t to, struct way *way);
};

struct class_of_links {
    char name[ALLFOLD_CLASS_NAME_BYTES];
    double bandwidth, latency_s; /* of a cable */
    int cables;
};

/* One word of a description, such as 16:6*2. */
struct level {
    uint32_t count, up, cables;
};

struct allfold_graph {
    const struct topology *topology;
    struct allfold_listed *listed; /* NULL: generated */
    uint32_t hosts, vertices, links;
    int class_count, level_count, longest;
    struct level levels[MOST];
    struct class_of_links classes[ALLFOLD_MAX_LINK_CLASSES];
    /* by level: hosts below a switch, switches of a subtree, its first vertex and its first link */
    uint32_t below[MOST + 1], copies[MOST + 1], first_vertex[MOST + 1], first_link[MOST + 1];
    /* by level of groups: hosts of a group, which are next to each other */
    int group_levels;
    uint32_t group_hosts[MOST];
};

static void go(struct way *way, uint32_t link)
{
    if (way->count < way->most)
        way->links[way->count] = link;
    way->count++;
}

static void add_class(struct allfold_graph *graph, const char *name, uint32_t cables)
{
    assert(graph->class_count < ALLFOLD_MAX_LINK_CLASSES);
    struct class_of_links *added = &graph->classes[graph->class_count++];
    snprintf(added->name, sizeof added->name, "%s", name);
    added->cables = (int)cables;
}

static void add_groups(struct allfold_graph *graph, uint32_t hosts)
{
    assert(graph->group_levels < MOST);
    graph->group_hosts[graph->group_levels++] = hosts;
}

static struct allfold_graph_link link_between(const struct allfold_graph *graph, int link_class,
                                              uint32_t from, uint32_t to)
{
    const struct class_of_links *of = &graph->classes[link_class];
    return (struct allfold_graph_link){.from = from,
                                       .to = to,
                                       .link_class = link_class,
                                       .bandwidth = of->bandwidth * of->cables,
                                       .latency_s = of->latency_s};
}

/* One switch. Host h has link 2 h to it and 2 h + 1 from it. */

static const char *make_switch(struct allfold_graph *graph)
{
    if (graph->level_count != 1)
        return "one number of hosts";
    graph->hosts = graph->levels[0].count;
    graph->vertices = graph->hosts + 1;
    graph->links = 2 * graph->hosts;
    graph->longest = 2;
    add_class(graph, "card", 1);
    return NULL;
}

static struct allfold_graph_link link_of_switch(const struct allfold_graph *graph, uint32_t number)
{
    const uint32_t host = number / 2;
    return number % 2 == 0 ? link_between(graph, 0, host, graph->hosts)
                           : link_between(graph, 0, graph->hosts, host);
}

static void route_switch(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                         struct way *way)
{
    (void)graph;
    go(way, 2 * from);
    go(way, 2 * to + 1);
}

/* Tori. The cable from host h upwards in dimension d of D is link 2 (h D + d), and that plus 1 the
 * way back. The distance of neighbors' numbers is in `below`. */

static const char *make_torus(struct allfold_graph *graph)
{
    static_assert(sizeof "xyzuvwst" == MOST + 1, "a letter for each dimension");
    uint64_t hosts = 1;
    for (int d = 0; d < graph->level_count; d++) {
        char name[ALLFOLD_CLASS_NAME_BYTES];
        const uint32_t side = graph->levels[d].count;
        if (side < 2)
            return "sides of 2 or more";
        graph->below[d] = (uint32_t)hosts;
        if (d > 0)
            add_groups(graph, graph->below[d]);
        hosts *= side;
        graph->longest += (int)(side / 2);
        if (hosts > ALLFOLD_MAX_HOSTS)
            return "up to 16777216 hosts";
        snprintf(name, sizeof name, "ring %c", "xyzuvwst"[d]);
        add_class(graph, name, 1);
    }
    graph->hosts = graph->vertices = (uint32_t)hosts;
    graph->links = 2 * (uint32_t)graph->level_count * graph->hosts;
    return NULL;
}

static uint32_t coordinate(const struct allfold_graph *graph, uint32_t host, int d)
{
    return host / graph->below[d] % graph->levels[d].count;
}

/* The neighbor upwards, around the ring. */
static uint32_t upwards(const struct allfold_graph *graph, uint32_t host, int d)
{
    const uint32_t side = graph->levels[d].count;
    return coordinate(graph, host, d) + 1 < side ? host + graph->below[d]
                                                 : host - (side - 1) * graph->below[d];
}

static uint32_t downwards(const struct allfold_graph *graph, uint32_t host, int d)
{
    const uint32_t side = graph->levels[d].count;
    return coordinate(graph, host, d) > 0 ? host - graph->below[d]
                                          : host + (side - 1) * graph->below[d];
}

static struct allfold_graph_link link_of_torus(const struct allfold_graph *graph, uint32_t number)
{
    const uint32_t dimensions = (uint32_t)graph->level_count;
    const uint32_t host = number / 2 / dimensions;
    const int d = (int)(number / 2 % dimensions);
    const uint32_t above = upwards(graph, host, d);
    return number % 2 == 0 ? link_between(graph, d, host, above)
                           : link_between(graph, d, above, host);
}

static void route_torus(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                        struct way *way)
{
    const uint32_t dimensions = (uint32_t)graph->level_count;
    uint32_t at = from;
    for (int d = 0; d < graph->level_count; d++) {
        const uint32_t side = graph->levels[d].count, aim = coordinate(graph, to, d);
        uint32_t up = (aim + side - coordinate(graph, at, d)) % side;
        if (up <= side / 2) {
            for (; up > 0; up--, at = upwards(graph, at, d))
                go(way, 2 * (at * dimensions + (uint32_t)d));
            continue;
        }
        for (; up < side; up++) {
            at = downwards(graph, at, d);
            go(way, 2 * (at * dimensions + (uint32_t)d) + 1);
        }
    }
    assert(at == to);
}

/* Fat trees (PGFT). A vertex of tier l has the numbers (subtree of `below[l]` hosts, copy c of
 * `copies[l]`), tier 0 are the hosts. Its uplink u leads to copy c + copies[l] u of the subtree
 * around. Where cables lie side by side each of them is a link. */

static uint32_t uplinks(const struct allfold_graph *graph, int tier)
{
    return tier == 0 ? 1 : graph->levels[tier - 1].up;
}

static uint32_t cables(const struct allfold_graph *graph, int tier)
{
    return tier == 0 ? 1 : graph->levels[tier - 1].cables;
}

static const char *make_fat_tree(struct allfold_graph *graph)
{
    uint64_t hosts = 1, copies = 1, vertices = 0, links = 0;
    const int tiers = graph->level_count;
    if (graph->levels[tiers - 1].up != 0)
        return "a last tier with a number of switches below alone, as in 16:6 32";
    for (int l = 0; l < tiers; l++)
        hosts *= hosts <= ALLFOLD_MAX_HOSTS ? graph->levels[l].count : 1;
    if (hosts > ALLFOLD_MAX_HOSTS)
        return "up to 16777216 hosts";
    graph->below[0] = 1;
    for (int l = 0; l < tiers; l++) {
        char name[ALLFOLD_CLASS_NAME_BYTES];
        if (l > 0 && uplinks(graph, l) == 0)
            return "D:U for all tiers but the last";
        const uint64_t of_tier = hosts / graph->below[l] * copies;
        graph->copies[l] = (uint32_t)copies;
        graph->first_vertex[l] = (uint32_t)vertices;
        graph->first_link[l] = (uint32_t)links;
        vertices += of_tier;
        links += 2 * of_tier * uplinks(graph, l) * cables(graph, l);
        copies *= uplinks(graph, l);
        graph->below[l + 1] = graph->below[l] * graph->levels[l].count;
        if (l + 1 < tiers)
            add_groups(graph, graph->below[l + 1]);
        if (vertices + copies > INT32_MAX || links > INT32_MAX)
            return "fewer switches and links";
        snprintf(name, sizeof name, l == 0 ? "card" : "tier %d-%d", l, l + 1);
        add_class(graph, name, 1);
    }
    graph->copies[tiers] = (uint32_t)copies;
    graph->first_vertex[tiers] = (uint32_t)vertices;
    graph->first_link[tiers] = graph->links = (uint32_t)links;
    graph->hosts = (uint32_t)hosts;
    graph->vertices = (uint32_t)(vertices + copies);
    graph->longest = 2 * tiers;
    return NULL;
}

/* The vertex of that tier around a host, copy c. */
static uint32_t vertex_of_tier(const struct allfold_graph *graph, int tier, uint32_t host,
                               uint32_t copy)
{
    return graph->first_vertex[tier] + host / graph->below[tier] * graph->copies[tier] + copy;
}

static struct allfold_graph_link link_of_tree(const struct allfold_graph *graph, uint32_t number)
{
    int tier = 0;
    while (number >= graph->first_link[tier + 1])
        tier++;
    const uint32_t cable = (number - graph->first_link[tier]) / 2 / cables(graph, tier);
    const uint32_t vertex = cable / uplinks(graph, tier), u = cable % uplinks(graph, tier);
    const uint32_t host = vertex / graph->copies[tier] * graph->below[tier];
    const uint32_t copy = vertex % graph->copies[tier];
    const uint32_t below = graph->first_vertex[tier] + vertex;
    const uint32_t above = vertex_of_tier(graph, tier + 1, host, copy + graph->copies[tier] * u);
    return number % 2 == 0 ? link_between(graph, tier, below, above)
                           : link_between(graph, tier, above, below);
}

/* The link up from a tier around a host on ways to `to`; the one down from there is the next. */
static uint32_t uplink(const struct allfold_graph *graph, int tier, uint32_t host, uint32_t to)
{
    const uint32_t copies = graph->copies[tier], ups = uplinks(graph, tier);
    const uint32_t vertex = host / graph->below[tier] * copies + to % copies;
    const uint32_t u = to / copies % ups;
    const uint32_t cable = to / copies / ups % cables(graph, tier);
    return graph->first_link[tier] + 2 * ((vertex * ups + u) * cables(graph, tier) + cable);
}

static void route_tree(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                       struct way *way)
{
    int top = 0;
    for (; from / graph->below[top] != to / graph->below[top]; top++)
        go(way, uplink(graph, top, from, to));
    for (int l = top - 1; l >= 0; l--)
        go(way, uplink(graph, l, to, to) + 1);
}

/* Dragonflies. Routers are numbered (group, chassis, router of the chassis). Links are first 2 for
 * each host. Then come those from each router to the others of its chassis, and to those at its
 * place in other chassis. Last come those from each group to each other group. */

enum { GROUPS, CHASSIS, ROUTERS, HOSTS };

static uint32_t routers_of_group(const struct allfold_graph *graph)
{
    return graph->levels[CHASSIS].count * graph->levels[ROUTERS].count;
}

static const char *make_dragonfly(struct allfold_graph *graph)
{
    struct level *level = graph->levels;
    if (graph->level_count == 3) {
        level[HOSTS] = level[2];
        level[ROUTERS] = level[1];
        level[CHASSIS] = (struct level){1, 0, 1};
    } else if (graph->level_count != 4) {
        return "groups, routers, hosts; or groups, chassis, routers, hosts";
    }
    uint64_t routers = 1;
    for (int l = GROUPS; l <= ROUTERS; l++)
        routers *= routers <= ALLFOLD_MAX_HOSTS ? level[l].count : 1;
    const uint64_t hosts = routers * level[HOSTS].count;
    const uint64_t within = level[ROUTERS].count - 1, across = level[CHASSIS].count - 1;
    const uint64_t links = 2 * hosts + routers * (within + across) +
                           (uint64_t)level[GROUPS].count * (level[GROUPS].count - 1);
    if (hosts > ALLFOLD_MAX_HOSTS || links > INT32_MAX)
        return "up to 16777216 hosts";
    graph->hosts = (uint32_t)hosts;
    graph->vertices = (uint32_t)(hosts + routers);
    graph->first_link[0] = 0;
    graph->first_link[1] = 2 * graph->hosts;
    graph->first_link[2] = graph->first_link[1] + (uint32_t)(routers * within);
    graph->first_link[3] = graph->first_link[2] + (uint32_t)(routers * across);
    graph->links = (uint32_t)links;
    graph->longest = 7;
    for (uint32_t l = HOSTS, span = 1; l > GROUPS; l--)
        add_groups(graph, span *= level[l].count);
    add_class(graph, "card", 1);
    add_class(graph, "router", level[ROUTERS].up > 0 ? level[ROUTERS].up : 1);
    add_class(graph, "chassis", level[CHASSIS].up > 0 ? level[CHASSIS].up : 1);
    add_class(graph, "global", level[GROUPS].up > 0 ? level[GROUPS].up : 1);
    return NULL;
}

/* Among `count` that are linked with each other: number of the link from a to b of those of a. */
static uint32_t slot_of(uint32_t a, uint32_t b)
{
    assert(a != b);
    return b < a ? b : b - 1;
}

static uint32_t other_of(uint32_t a, uint32_t slot)
{
    return slot < a ? slot : slot + 1;
}

/* The router of a group that has the cable to another group. */
static uint32_t gate(const struct allfold_graph *graph, uint32_t group, uint32_t other)
{
    const uint32_t routers = routers_of_group(graph);
    return group * routers + other % routers;
}

static struct allfold_graph_link link_of_dragonfly(const struct allfold_graph *graph,
                                                   uint32_t number)
{
    const uint32_t routers = graph->levels[ROUTERS].count, chassis = graph->levels[CHASSIS].count;
    const uint32_t groups = graph->levels[GROUPS].count, first = graph->hosts;
    int of = 0;
    while (of < 3 && number >= graph->first_link[of + 1])
        of++;
    const uint32_t i = number - graph->first_link[of];
    if (of == 0) {
        const uint32_t host = i / 2, router = first + host / graph->levels[HOSTS].count;
        return i % 2 == 0 ? link_between(graph, 0, host, router)
                          : link_between(graph, 0, router, host);
    }
    if (of == 1) {
        const uint32_t router = i / (routers - 1), at = router % routers;
        const uint32_t to = router - at + other_of(at, i % (routers - 1));
        return link_between(graph, 1, first + router, first + to);
    }
    if (of == 2) {
        const uint32_t router = i / (chassis - 1), at = router / routers % chassis;
        const uint32_t to = router + (other_of(at, i % (chassis - 1)) - at) * routers;
        return link_between(graph, 2, first + router, first + to);
    }
    const uint32_t group = i / (groups - 1), to = other_of(group, i % (groups - 1));
    return link_between(graph, 3, first + gate(graph, group, to), first + gate(graph, to, group));
}

/* Within a group: in the chassis first, then to the other chassis. */
static void route_group(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                        struct way *way)
{
    const uint32_t routers = graph->levels[ROUTERS].count, chassis = graph->levels[CHASSIS].count;
    const uint32_t a = from % routers, b = to % routers;
    if (a != b) {
        go(way, graph->first_link[1] + from * (routers - 1) + slot_of(a, b));
        from += b - a;
    }
    const uint32_t c = from / routers % chassis, d = to / routers % chassis;
    if (c != d)
        go(way, graph->first_link[2] + from * (chassis - 1) + slot_of(c, d));
}

static void route_dragonfly(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                            struct way *way)
{
    const uint32_t hosts = graph->levels[HOSTS].count, routers = routers_of_group(graph);
    const uint32_t groups = graph->levels[GROUPS].count;
    uint32_t at = from / hosts;
    const uint32_t aim = to / hosts, group = at / routers, other = aim / routers;
    go(way, 2 * from);
    if (group != other) {
        route_group(graph, at, gate(graph, group, other), way);
        go(way, graph->first_link[3] + group * (groups - 1) + slot_of(group, other));
        at = gate(graph, other, group);
    }
    route_group(graph, at, aim, way);
    go(way, 2 * to + 1);
}

static const struct topology topologies[] = {
    {"switch", "switch 64", make_switch, link_of_switch, route_switch},
    {"torus", "torus 16x16", make_torus, link_of_torus, route_torus},
    {"fat-tree", "fat-tree 16:6 32", make_fat_tree, link_of_tree, route_tree},
    {"dragonfly", "dragonfly 9 4 2", make_dragonfly, link_of_dragonfly, route_dragonfly},
};

/* Reads N, N:U or N:U*C. False where there is none. */
static bool read_level(const char **text, bool is_torus, struct level *level)
{
    uint32_t *const parts[] = {&level->count, &level->up, &level->cables};
    *level = (struct level){0, 0, 1};
    for (int i = 0; i < 3; i++) {
        long value;
        if (!allfold_whole_read(*text, 1, ALLFOLD_MAX_HOSTS, &value, text))
            return false;
        *parts[i] = (uint32_t)value;
        if (is_torus || i == 2 || **text != ":*"[i])
            return true;
        ++*text;
    }
    return true;
}

/* All words behind the topology's name. */
static bool read_levels(const char *text, struct allfold_graph *graph)
{
    const bool is_torus = graph->topology->link == link_of_torus;
    while (graph->level_count < MOST) {
        if (!read_level(&text, is_torus, &graph->levels[graph->level_count++]))
            return false;
        const size_t blanks = strspn(text, " \t");
        text += blanks;
        if (*text == '\0')
            return true;
        if (is_torus ? *text++ != 'x' || blanks > 0 : blanks == 0)
            return false;
    }
    return false;
}

enum allfold_error allfold_graph_generate(const char *words, struct allfold_graph **graph,
                                          char *message, size_t message_bytes)
{
    const size_t length = strcspn(words, " \t");
    const struct topology *topology = NULL;
    *graph = NULL;
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        if (allfold_is_word(topologies[i].name, words, length))
            topology = &topologies[i];
    if (topology == NULL) {
        snprintf(message, message_bytes,
                 "'%.40s' is no topology; expected switch, torus, fat-tree or dragonfly", words);
        return ALLFOLD_BAD_INPUT;
    }
    struct allfold_graph *made = allfold_allocate_zeroed(sizeof *made);
    if (made == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    made->topology = topology;
    const char *text = words + length, *wrong = "numbers of 1 or more";
    text += strspn(text, " \t");
    if (read_levels(text, made))
        wrong = topology->make(made);
    if (wrong != NULL) {
        snprintf(message, message_bytes, "'%.40s': expected %s, like %s", words, wrong,
                 topology->expected);
        allfold_free(made);
        return ALLFOLD_BAD_INPUT;
    }
    *graph = made;
    return ALLFOLD_OK;
}

enum allfold_error allfold_graph_list(struct allfold_listed *listed, struct allfold_graph **graph,
                                      char *message, size_t message_bytes)
{
    *graph = NULL;
    enum allfold_error error = allfold_listed_complete(listed, message, message_bytes);
    if (error == ALLFOLD_OK) {
        *graph = allfold_allocate_zeroed(sizeof **graph);
        if (*graph == NULL) {
            snprintf(message, message_bytes, "no memory");
            error = ALLFOLD_NO_MEMORY;
        }
    }
    if (error != ALLFOLD_OK) {
        allfold_listed_free(listed);
        return error;
    }
    (*graph)->listed = listed;
    (*graph)->hosts = allfold_listed_host_count(listed);
    (*graph)->vertices = allfold_listed_vertex_count(listed);
    (*graph)->links = allfold_listed_link_count(listed);
    (*graph)->longest = allfold_listed_longest_route(listed);
    for (int i = 0; i < allfold_listed_class_count(listed); i++)
        add_class(*graph, allfold_listed_class_name(listed, i), 1);
    return ALLFOLD_OK;
}

void allfold_graph_set_links(struct allfold_graph *graph, int link_class, double bandwidth,
                             double latency_s)
{
    assert(graph->listed == NULL && link_class < graph->class_count);
    for (int i = 0; i < graph->class_count; i++) {
        if (link_class >= 0 && i != link_class)
            continue;
        graph->classes[i].bandwidth = bandwidth;
        graph->classes[i].latency_s = latency_s;
    }
}

void allfold_graph_free(struct allfold_graph *graph)
{
    if (graph == NULL)
        return;
    allfold_listed_free(graph->listed);
    allfold_free(graph);
}

uint32_t allfold_graph_host_count(const struct allfold_graph *graph)
{
    return graph->hosts;
}

uint32_t allfold_graph_vertex_count(const struct allfold_graph *graph)
{
    return graph->vertices;
}

uint32_t allfold_graph_link_count(const struct allfold_graph *graph)
{
    return graph->links;
}

struct allfold_graph_link allfold_graph_link(const struct allfold_graph *graph, uint32_t number)
{
    assert(number < graph->links);
    return graph->listed != NULL ? allfold_listed_link(graph->listed, number)
                                 : graph->topology->link(graph, number);
}

int allfold_graph_class_count(const struct allfold_graph *graph)
{
    return graph->class_count;
}

const char *allfold_graph_class_name(const struct allfold_graph *graph, int link_class)
{
    assert(link_class >= 0 && link_class < graph->class_count);
    return graph->classes[link_class].name;
}

int allfold_graph_route(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                        uint32_t *links, int most)
{
    assert(from < graph->hosts && to < graph->hosts);
    if (from == to)
        return 0;
    if (graph->listed != NULL)
        return allfold_listed_route(graph->listed, from, to, links, most);
    struct way way = {links, most, 0};
    graph->topology->route(graph, from, to, &way);
    assert(way.count <= graph->longest);
    return way.count;
}

int allfold_graph_group_levels(const struct allfold_graph *graph)
{
    return graph->listed != NULL ? 1 : graph->group_levels;
}

/* The switch at the other end of a host's link; a number of the host's own where there is none. */
static uint32_t nearest_switch(const struct allfold_graph *graph, uint32_t host)
{
    uint32_t first, nearest = ALLFOLD_NO_VERTEX;
    if (graph->hosts > 1 && allfold_graph_route(graph, host, host == 0, &first, 1) > 0) {
        const struct allfold_graph_link link = allfold_graph_link(graph, first);
        nearest = link.from == host ? link.to : link.from;
    }
    return nearest >= graph->hosts && nearest < graph->vertices ? nearest : host;
}

uint32_t allfold_graph_group_of(const struct allfold_graph *graph, int level, uint32_t host)
{
    assert(host < graph->hosts && level >= 0 && level < allfold_graph_group_levels(graph));
    return graph->listed != NULL ? nearest_switch(graph, host) : host / graph->group_hosts[level];
}

/* What routes between some hosts have, all together. */
struct routed {
    int pairs;
    double latency_s;
    double links_s[ALLFOLD_MAX_LINK_CLASSES]; /* for a byte, one link after the other */
    double card_s;                            /* of a byte, their first links */
};

static void add_route(const struct allfold_graph *graph, uint32_t from, uint32_t to,
                      struct routed *routed)
{
    uint32_t links[64];
    const int count = allfold_graph_route(graph, from, to, links, 64);
    for (int i = 0; i < count && i < 64; i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, links[i]);
        routed->latency_s += link.latency_s;
        routed->links_s[link.link_class] += 1 / link.bandwidth;
        routed->card_s += i == 0 ? 1 / link.bandwidth : 0;
    }
    routed->pairs++;
}

/* Does the level part the hosts, and no level above or below it? -1 stands for the hosts. */
static bool is_pair_of(const struct allfold_graph *graph, int level, uint32_t a, uint32_t b)
{
    const bool parts = level < 0 || allfold_graph_group_of(graph, level, a) !=
                                        allfold_graph_group_of(graph, level, b);
    const bool is_highest = level + 1 == allfold_graph_group_levels(graph);
    return a != b && parts &&
           (is_highest || allfold_graph_group_of(graph, level + 1, a) ==
                              allfold_graph_group_of(graph, level + 1, b));
}

/* Draws two hosts, the same ones in every run. */
static void draw_hosts(const struct allfold_graph *graph, uint64_t *drawn, uint32_t host[2])
{
    for (int k = 0; k < 2; k++) {
        *drawn = *drawn * 6364136223846793005u + 1442695040888963407u;
        host[k] = (uint32_t)((*drawn >> 33) % graph->hosts);
    }
}

enum { TRIES = 1 << 15 };

/* Some pairs of hosts. */
static struct routed route_some(const struct allfold_graph *graph, int level)
{
    enum { PAIRS = 1 << 10 };
    struct routed routed = {.pairs = 0};
    uint64_t drawn = 1;
    for (int i = 0; i < TRIES && routed.pairs < PAIRS; i++) {
        uint32_t host[2];
        draw_hosts(graph, &drawn, host);
        if (is_pair_of(graph, level, host[0], host[1]))
            add_route(graph, host[0], host[1], &routed);
    }
    return routed;
}

static double hosts_of_group(const struct allfold_graph *graph, int level)
{
    uint32_t groups = 0;
    if (graph->listed == NULL)
        return graph->group_hosts[level];
    for (uint32_t h = 0; h < graph->hosts; h++) /* hosts of a switch mostly follow each other */
        groups += h == 0 || nearest_switch(graph, h) != nearest_switch(graph, h - 1);
    return (double)graph->hosts / groups;
}

static void count_links(const struct allfold_graph *graph,
                        double of_class[ALLFOLD_MAX_LINK_CLASSES])
{
    for (int c = 0; c < ALLFOLD_MAX_LINK_CLASSES; c++)
        of_class[c] = 0;
    for (uint32_t i = 0; i < graph->links; i++)
        of_class[allfold_graph_link(graph, i).link_class]++;
}

/* The hosts of a group, one of which is known: their number. */
static uint32_t find_hosts(const struct allfold_graph *graph, int level, uint32_t known,
                           uint32_t *hosts)
{
    const uint32_t group = allfold_graph_group_of(graph, level, known);
    uint32_t count = 0;
    for (uint32_t h = 0; h < graph->hosts; h++)
        if (allfold_graph_group_of(graph, level, h) == group)
            hosts[count++] = h;
    return count;
}

/* What pairs of groups are looked at with: the hosts of both, and which links were met. */
struct pair_of_groups {
    uint32_t *hosts[2];
    bool *is_met;
};

/* The rate from one group to another one, in cards of a host. Of each class the links count that
 * the routes take. */
static double rate_of_pair(const struct allfold_graph *graph, int level, const uint32_t ends[2],
                           struct pair_of_groups *pair)
{
    enum { MOST_ROUTES = 1 << 12 };
    struct routed routed = {.pairs = 0};
    double met[ALLFOLD_MAX_LINK_CLASSES] = {0}, longest = 1;
    uint32_t links[64], count[2];
    for (int k = 0; k < 2; k++)
        count[k] = find_hosts(graph, level, ends[k], pair->hosts[k]);
    const uint64_t all = (uint64_t)count[0] * count[1];
    const uint64_t routes = all < MOST_ROUTES ? all : MOST_ROUTES;
    memset(pair->is_met, 0, graph->links * sizeof *pair->is_met);
    for (uint64_t i = 0, drawn = 1; i < routes; i++) {
        drawn = drawn * 6364136223846793005u + 1442695040888963407u;
        const uint64_t which = routes == all ? i : (drawn >> 20) % all;
        const uint32_t from = pair->hosts[0][which / count[1]],
                       to = pair->hosts[1][which % count[1]];
        add_route(graph, from, to, &routed);
        const int length = allfold_graph_route(graph, from, to, links, 64);
        for (int l = 0; l < length && l < 64; l++) {
            met[allfold_graph_link(graph, links[l]).link_class] += !pair->is_met[links[l]];
            pair->is_met[links[l]] = true;
        }
    }
    for (int c = 0; c < ALLFOLD_MAX_LINK_CLASSES; c++)
        if (met[c] > 0)
            longest = fmax(longest, routed.links_s[c] / met[c] * count[0] / routed.card_s);
    return count[0] / longest;
}

/* The mean over some pairs of groups, by the time that they take. 0 without memory. */
static double rate_of_pairs(const struct allfold_graph *graph, int level)
{
    enum { PAIRS = 8 };
    const size_t bytes = graph->hosts * sizeof(uint32_t);
    struct pair_of_groups pair = {{allfold_allocate(bytes), allfold_allocate(bytes)},
                                  allfold_allocate(graph->links * sizeof *pair.is_met)};
    double times = 0;
    int pairs = 0;
    uint64_t drawn = 1;
    const bool fits = pair.hosts[0] != NULL && pair.hosts[1] != NULL && pair.is_met != NULL;
    for (int i = 0; i < TRIES && pairs < PAIRS && fits; i++) {
        uint32_t ends[2];
        draw_hosts(graph, &drawn, ends);
        if (!is_pair_of(graph, level, ends[0], ends[1]))
            continue;
        times += 1 / rate_of_pair(graph, level, ends, &pair);
        pairs++;
    }
    allfold_free(pair.hosts[0]);
    allfold_free(pair.hosts[1]);
    allfold_free(pair.is_met);
    return pairs > 0 ? pairs / times : 0;
}

struct allfold_graph_uplinks allfold_graph_uplinks_of(const struct allfold_graph *graph, int level)
{
    double links[ALLFOLD_MAX_LINK_CLASSES], longest = 1;
    const struct routed away = route_some(graph, level);
    struct routed near = route_some(graph, -1);
    if (near.pairs == 0) /* one host on each switch */
        near = route_some(graph, 0);
    if (away.pairs == 0)
        return (struct allfold_graph_uplinks){0, 0, 0};
    count_links(graph, links);
    for (int c = 0; c < ALLFOLD_MAX_LINK_CLASSES; c++) /* a card has one host's bytes */
        if (links[c] > 0)
            longest = fmax(longest, away.links_s[c] / links[c] * graph->hosts / away.card_s);
    const double near_s = near.pairs > 0 ? near.latency_s / near.pairs : 0;
    const double cards = hosts_of_group(graph, level) / longest;
    return (struct allfold_graph_uplinks){cards, fmin(cards, rate_of_pairs(graph, level)),
                                          fmax(away.latency_s / away.pairs - near_s, 1e-9)};
}

int allfold_graph_longest_route(const struct allfold_graph *graph)
{
    return graph->longest;
}

void allfold_graph_vertex_name(const struct allfold_graph *graph, uint32_t vertex, char *name,
                               size_t name_bytes)
{
    assert(vertex < graph->vertices);
    if (graph->listed != NULL)
        snprintf(name, name_bytes, "%s", allfold_listed_vertex_name(graph->listed, vertex));
    else if (vertex < graph->hosts)
        snprintf(name, name_bytes, "host %u", vertex);
    else
        snprintf(name, name_bytes, "switch %u", vertex - graph->hosts);
}

static void write_rate(const struct class_of_links *of, FILE *stream)
{
    char bandwidth[64], latency[64];
    allfold_quantity_write(of->bandwidth, allfold_rate_units, bandwidth, sizeof bandwidth);
    allfold_quantity_write(of->latency_s, allfold_time_units, latency, sizeof latency);
    fprintf(stream, "links %s: bandwidth=%s, latency=%s\n", of->name, bandwidth, latency);
}

void allfold_graph_write(const struct allfold_graph *graph, FILE *stream)
{
    if (graph->listed != NULL) {
        allfold_listed_write(graph->listed, stream);
        return;
    }
    const bool is_torus = graph->topology->link == link_of_torus;
    const bool is_dragonfly = graph->topology->link == link_of_dragonfly;
    fprintf(stream, "topology = %s", graph->topology->name);
    for (int l = 0; l < (is_dragonfly ? HOSTS + 1 : graph->level_count); l++) {
        const struct level *level = &graph->levels[l];
        fprintf(stream, "%s%u", is_torus && l > 0 ? "x" : " ", level->count);
        if (level->up > 0)
            fprintf(stream, ":%u", level->up);
        if (level->cables > 1)
            fprintf(stream, "*%u", level->cables);
    }
    fprintf(stream, "\n");
    for (int i = 0; i < graph->class_count; i++)
        write_rate(&graph->classes[i], stream);
}
