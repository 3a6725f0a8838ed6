/* Flow-level network simulation (see flows.h).
 *
 * Flows of the same size that start at the same time between the same hosts form a bundle. Its
 * first flow represents all of them, with their number as its weight. Many ranks of a node
 * therefore take no more time than one.
 *
 * After a change, rates are computed anew for a set of flows. The set starts with the flows that
 * began and those whose bottleneck link became less loaded. The flows of the set share the
 * bandwidth that all other flows leave. Then each link of the set is checked: another flow joins
 * the set if it is faster there than the link now allows, or if the link was its bottleneck and no
 * longer is. The set then shares anew. When no flow joins, all rates are max-min fair. */
#include "lab/simulate/flows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "util/memory.h"

static const uint32_t NONE = UINT32_MAX;

enum { RECENT = 1 << 16 };

/* Rates that differ by less are equal. */
static const double CLOSE = 1e-7;

/* A flow on one of its links. */
struct hop {
    uint32_t link, flow, next, before; /* of the link's list */
};

struct flowing {
    struct allfold_flow of;
    double rate, left, found; /* bytes that were left at `since`; `found`: a rate to be */
    uint64_t since, end;
    uint32_t first_hop, hop_count;
    uint32_t next_of_stream;
    uint32_t weight, next_member; /* flows that are one bundle, of which this is the first */
    uint32_t bounded_by;          /* a link; NONE: its own bound */
    uint32_t heap_at;             /* NONE: it does not flow */
    bool is_in_set;
};

struct shared_link {
    double bandwidth, load; /* load: the rates of all flows on it */
    uint64_t bytes;
    uint32_t first_hop, count; /* count: of bundles */
    /* while rates are found: */
    uint32_t unfixed, touching;            /* flows, bundles of the set */
    bool is_touched, is_least, is_lighter; /* is_lighter: on the list, as a flow left it */
    double left, share, fixed_at, fastest;
};

struct allfold_flows {
    const struct allfold_graph *graph;
    struct allfold_budget *budget;
    struct shared_link *links;
    uint32_t *streams; /* the first flow of each */
    struct flowing *flows;
    struct hop *hops;
    uint32_t *free_hops; /* by length of the way; linked by `next` of their first hop */
    uint32_t *way;       /* room for one route */
    uint32_t *heap, *set, *touched, *unfixed, *lighter;
    uint32_t flow_count, flow_room, free_flow, hop_count, hop_room, longest;
    uint32_t heap_count, heap_room, set_count, set_room, unfixed_room;
    uint32_t touched_count, lighter_count;
    uint32_t ending;         /* the next flow of a bundle that has ended; NONE */
    uint32_t recent[RECENT]; /* pairs of hosts, hashed -> a bundle that maybe just began */
};

static void *take(struct allfold_budget *budget, size_t bytes)
{
    return allfold_budget_take(budget, bytes) ? allfold_allocate_zeroed(bytes) : NULL;
}

struct allfold_flows *allfold_flows_create(const struct allfold_graph *graph, uint32_t streams,
                                           struct allfold_budget *budget)
{
    const size_t links = allfold_graph_link_count(graph), word = sizeof(uint32_t);
    struct allfold_flows *flows = take(budget, sizeof *flows);
    if (flows == NULL)
        return NULL;
    flows->graph = graph;
    flows->budget = budget;
    flows->longest = (uint32_t)allfold_graph_longest_route(graph);
    flows->free_flow = flows->ending = NONE;
    flows->links = take(budget, (links + 1) * sizeof *flows->links);
    flows->touched = take(budget, (links + 1) * word);
    flows->lighter = take(budget, (links + 1) * word);
    flows->streams = take(budget, (streams + 1) * word);
    flows->free_hops = take(budget, ((size_t)flows->longest + 1) * word);
    flows->way = take(budget, ((size_t)flows->longest + 1) * word);
    if (flows->links == NULL || flows->touched == NULL || flows->lighter == NULL ||
        flows->streams == NULL || flows->free_hops == NULL || flows->way == NULL) {
        allfold_flows_free(flows);
        return NULL;
    }
    for (uint32_t i = 0; i < links; i++) {
        flows->links[i].bandwidth = allfold_graph_link(graph, i).bandwidth;
        flows->links[i].first_hop = NONE;
    }
    memset(flows->streams, 0xff, (streams + 1) * word);
    memset(flows->free_hops, 0xff, ((size_t)flows->longest + 1) * word);
    return flows;
}

void allfold_flows_free(struct allfold_flows *flows)
{
    if (flows == NULL)
        return;
    allfold_free(flows->links);
    allfold_free(flows->touched);
    allfold_free(flows->lighter);
    allfold_free(flows->streams);
    allfold_free(flows->free_hops);
    allfold_free(flows->way);
    allfold_free(flows->flows);
    allfold_free(flows->hops);
    allfold_free(flows->heap);
    allfold_free(flows->set);
    allfold_free(flows->unfixed);
    allfold_free(flows);
}

/* Room for item number `index`, within the budget. */
static bool make_room(struct allfold_flows *flows, void **items, uint32_t index, uint32_t *room,
                      size_t item_bytes)
{
    const uint32_t before = *room;
    if (index < before)
        return true;
    const size_t most = ((size_t)before + index + 64) * item_bytes;
    if (!allfold_budget_take(flows->budget, most))
        return false;
    void *wide = allfold_make_room(*items, index, room, item_bytes);
    const size_t added = (size_t)(*room - before) * item_bytes;
    allfold_budget_give_back(flows->budget, added < most ? most - added : 0);
    if (wide != NULL)
        *items = wide;
    return wide != NULL;
}

uint32_t allfold_flows_add(struct allfold_flows *flows, struct allfold_flow flow)
{
    uint32_t number = flows->free_flow;
    assert(flow.from != flow.to);
    if (number != NONE) {
        flows->free_flow = flows->flows[number].next_of_stream;
    } else {
        if (!make_room(flows, (void **)&flows->flows, flows->flow_count, &flows->flow_room,
                       sizeof *flows->flows))
            return NONE;
        number = flows->flow_count++;
    }
    flows->flows[number] = (struct flowing){
        .of = flow, .left = flow.bytes, .weight = 1, .next_member = NONE, .heap_at = NONE};
    return number;
}

/* The heap: what ends first is first. */

static bool is_before(const struct allfold_flows *flows, uint32_t a, uint32_t b)
{
    const struct flowing *left = &flows->flows[a], *right = &flows->flows[b];
    return left->end != right->end ? left->end < right->end : a < b;
}

static void put(struct allfold_flows *flows, uint32_t at, uint32_t number)
{
    flows->heap[at] = number;
    flows->flows[number].heap_at = at;
}

/* Puts a flow where it belongs, given that only this one is out of order. */
static void settle_heap(struct allfold_flows *flows, uint32_t at, uint32_t number)
{
    for (uint32_t above; at > 0; at = above) {
        above = (at - 1) / 2;
        if (!is_before(flows, number, flows->heap[above]))
            break;
        put(flows, at, flows->heap[above]);
    }
    for (uint32_t below = 2 * at + 1; below < flows->heap_count; below = 2 * at + 1) {
        if (below + 1 < flows->heap_count &&
            is_before(flows, flows->heap[below + 1], flows->heap[below]))
            below++;
        if (!is_before(flows, flows->heap[below], number))
            break;
        put(flows, at, flows->heap[below]);
        at = below;
    }
    put(flows, at, number);
}

static void leave_heap(struct allfold_flows *flows, uint32_t number)
{
    const uint32_t at = flows->flows[number].heap_at;
    const uint32_t last = flows->heap[--flows->heap_count];
    flows->flows[number].heap_at = NONE;
    if (last != number)
        settle_heap(flows, at, last);
}

bool allfold_flows_time(const struct allfold_flows *flows, uint64_t *time)
{
    if (flows->heap_count == 0)
        return false;
    assert(flows->set_count == 0);
    *time = flows->flows[flows->heap[0]].end;
    return true;
}

/* Hops of the ways that flows have now. */

static bool take_hops(struct allfold_flows *flows, struct flowing *flow)
{
    const uint32_t count = flow->hop_count;
    if (flows->free_hops[count] != NONE) {
        flow->first_hop = flows->free_hops[count];
        flows->free_hops[count] = flows->hops[flow->first_hop].next;
        return true;
    }
    flow->first_hop = flows->hop_count;
    if (!make_room(flows, (void **)&flows->hops, flows->hop_count + count, &flows->hop_room,
                   sizeof *flows->hops))
        return false;
    flows->hop_count += count;
    return true;
}

static void enter_link(struct allfold_flows *flows, uint32_t number, uint32_t hop, uint32_t link)
{
    struct shared_link *of = &flows->links[link];
    flows->hops[hop] =
        (struct hop){.link = link, .flow = number, .next = of->first_hop, .before = NONE};
    if (of->first_hop != NONE)
        flows->hops[of->first_hop].before = hop;
    of->first_hop = hop;
    of->count++;
}

static void leave_link(struct allfold_flows *flows, uint32_t hop, double rate)
{
    const struct hop *of = &flows->hops[hop];
    struct shared_link *link = &flows->links[of->link];
    if (of->before != NONE)
        flows->hops[of->before].next = of->next;
    else
        link->first_hop = of->next;
    if (of->next != NONE)
        flows->hops[of->next].before = of->before;
    link->count--;
    link->load = link->count == 0 ? 0 : link->load - rate;
    if (!link->is_lighter)
        flows->lighter[flows->lighter_count++] = of->link;
    link->is_lighter = true;
}

static bool join_set(struct allfold_flows *flows, uint32_t number)
{
    if (flows->flows[number].is_in_set)
        return true;
    if (!make_room(flows, (void **)&flows->set, flows->set_count, &flows->set_room,
                   sizeof *flows->set))
        return false;
    flows->flows[number].is_in_set = true;
    flows->set[flows->set_count++] = number;
    return true;
}

/* Whether a bundle that has no rate yet took it in. */
static bool join_bundle(struct allfold_flows *flows, uint32_t number, uint64_t now)
{
    struct flowing *flow = &flows->flows[number];
    const uint64_t pair = (uint64_t)flow->of.from << 32 | flow->of.to;
    uint32_t *recent = &flows->recent[pair * 0x9e3779b97f4a7c15u >> 48];
    struct flowing *first = *recent < flows->flow_count ? &flows->flows[*recent] : NULL;
    const bool is_new =
        first != NULL && first->heap_at != NONE && first->since == now && first->end == UINT64_MAX;
    if (!is_new || first->of.from != flow->of.from || first->of.to != flow->of.to ||
        first->of.bytes < flow->of.bytes || first->of.bytes > flow->of.bytes ||
        first->of.bound < flow->of.bound || first->of.bound > flow->of.bound) {
        *recent = number;
        return false;
    }
    flow->next_member = first->next_member;
    first->next_member = number;
    first->weight++;
    for (uint32_t h = first->first_hop; h < first->first_hop + first->hop_count; h++)
        flows->links[flows->hops[h].link].bytes += (uint64_t)flow->of.bytes;
    return true;
}

/* It enters its links, without a rate yet. */
static bool start(struct allfold_flows *flows, uint32_t number, uint64_t now)
{
    struct flowing *flow = &flows->flows[number];
    if (join_bundle(flows, number, now))
        return true;
    const int length = allfold_graph_route(flows->graph, flow->of.from, flow->of.to, flows->way,
                                           (int)flows->longest);
    assert(length > 0 && (uint32_t)length <= flows->longest);
    flow->hop_count = (uint32_t)length;
    if (!take_hops(flows, flow) || !make_room(flows, (void **)&flows->heap, flows->heap_count,
                                              &flows->heap_room, sizeof *flows->heap))
        return false;
    for (uint32_t i = 0; i < flow->hop_count; i++) {
        enter_link(flows, number, flow->first_hop + i, flows->way[i]);
        flows->links[flows->way[i]].bytes += (uint64_t)flow->of.bytes;
    }
    flow->since = now;
    flow->end = UINT64_MAX;
    flow->rate = 0;
    settle_heap(flows, flows->heap_count++, number);
    return join_set(flows, number);
}

/* The stream's flows, in the order in which they began. */
bool allfold_flows_begin(struct allfold_flows *flows, uint32_t number, uint64_t now)
{
    struct flowing *flow = &flows->flows[number];
    uint32_t *last = &flows->streams[flow->of.stream];
    bool waits = false;
    for (; *last != NONE; last = &flows->flows[*last].next_of_stream)
        waits |= flows->flows[*last].of.peer == flow->of.peer;
    *last = number;
    flow->next_of_stream = NONE;
    return waits || start(flows, number, now);
}

/* Flows that were bounded by a link may be faster, now that others have left it. */
static bool wake_links(struct allfold_flows *flows)
{
    for (; flows->lighter_count > 0; flows->lighter_count--) {
        const uint32_t link = flows->lighter[flows->lighter_count - 1];
        flows->links[link].is_lighter = false;
        for (uint32_t h = flows->links[link].first_hop; h != NONE; h = flows->hops[h].next)
            if (flows->flows[flows->hops[h].flow].bounded_by == link &&
                !join_set(flows, flows->hops[h].flow))
                return false;
    }
    return true;
}

/* The next one of its stream to this peer begins; the number of the flow is free. */
static bool leave_stream(struct allfold_flows *flows, uint32_t number, uint64_t now)
{
    struct flowing *flow = &flows->flows[number];
    uint32_t *at = &flows->streams[flow->of.stream];
    while (*at != number)
        at = &flows->flows[*at].next_of_stream;
    *at = flow->next_of_stream;
    uint32_t next = *at;
    while (next != NONE && flows->flows[next].of.peer != flow->of.peer)
        next = flows->flows[next].next_of_stream;
    flow->next_of_stream = flows->free_flow;
    flows->free_flow = number;
    return next == NONE || start(flows, next, now);
}

/* A bundle leaves its links. */
static void end_bundle(struct allfold_flows *flows, uint32_t number)
{
    struct flowing *flow = &flows->flows[number];
    assert(!flow->is_in_set);
    leave_heap(flows, number);
    for (uint32_t i = 0; i < flow->hop_count; i++)
        leave_link(flows, flow->first_hop + i, flow->rate * flow->weight);
    flows->hops[flow->first_hop].next = flows->free_hops[flow->hop_count];
    flows->free_hops[flow->hop_count] = flow->first_hop;
}

bool allfold_flows_take(struct allfold_flows *flows, uint64_t now, struct allfold_flow *ended)
{
    uint32_t number = flows->ending;
    if (number == NONE) {
        if (flows->heap_count == 0 || flows->flows[flows->heap[0]].end > now)
            return false;
        number = flows->heap[0];
        end_bundle(flows, number);
    }
    flows->ending = flows->flows[number].next_member;
    *ended = flows->flows[number].of;
    if (!leave_stream(flows, number, now))
        flows->budget->is_over = true; /* allfold_flows_share says it */
    return true;
}

/* Puts the links of the set's flows on the list, with what the other flows leave. */
static void touch_links(struct allfold_flows *flows)
{
    flows->touched_count = 0;
    for (uint32_t i = 0; i < flows->set_count; i++) {
        const struct flowing *flow = &flows->flows[flows->set[i]];
        for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++) {
            struct shared_link *link = &flows->links[flows->hops[h].link];
            if (!link->is_touched) {
                link->is_touched = true;
                link->left = link->bandwidth - link->load;
                link->unfixed = link->touching = 0;
                link->fixed_at = INFINITY;
                link->fastest = 0;
                flows->touched[flows->touched_count++] = flows->hops[h].link;
            }
            link->left += flow->rate * flow->weight;
            link->unfixed += flow->weight;
            link->touching++;
        }
    }
    for (uint32_t i = 0; i < flows->touched_count; i++) {
        struct shared_link *link = &flows->links[flows->touched[i]];
        if (link->touching == link->count)
            link->left = link->bandwidth; /* no rounding errors of earlier flows */
        if (link->left < 0)
            link->left = 0;
    }
}

/* The least that one of its links or its bound allows. */
static double least_of(const struct allfold_flows *flows, const struct flowing *flow, uint32_t *by)
{
    double least = flow->of.bound > 0 ? flow->of.bound : INFINITY;
    *by = NONE;
    for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++) {
        const double share = flows->links[flows->hops[h].link].share;
        if (share >= least)
            continue;
        least = share;
        *by = flows->hops[h].link;
    }
    return least;
}

/* A flow's rate is found where its bound is the least, or a link that is so for all on it. */
static bool is_fixed(const struct allfold_flows *flows, struct flowing *flow)
{
    if (flow->bounded_by == NONE)
        return true;
    for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++) {
        const struct shared_link *link = &flows->links[flows->hops[h].link];
        if (!link->is_least || link->share > flow->found * (1 + CLOSE))
            continue;
        flow->bounded_by = flows->hops[h].link;
        return true;
    }
    return false;
}

static void fix(struct allfold_flows *flows, const struct flowing *flow)
{
    for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++) {
        struct shared_link *link = &flows->links[flows->hops[h].link];
        link->left = fmax(link->left - flow->found * flow->weight, 0);
        link->unfixed -= flow->weight;
        link->fastest = fmax(link->fastest, flow->found);
        if (flow->bounded_by == flows->hops[h].link)
            link->fixed_at = fmin(link->fixed_at, flow->found);
    }
}

/* One round: each flow whose rate follows from what is left gets it. How many are left without. */
static uint32_t fix_some(struct allfold_flows *flows, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < flows->touched_count; i++) {
        struct shared_link *link = &flows->links[flows->touched[i]];
        link->share = link->unfixed > 0 ? link->left / link->unfixed : INFINITY;
        link->is_least = true;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct flowing *flow = &flows->flows[flows->unfixed[i]];
        flow->found = least_of(flows, flow, &flow->bounded_by);
        for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++) {
            struct shared_link *link = &flows->links[flows->hops[h].link];
            link->is_least &= flow->found >= link->share * (1 - CLOSE);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct flowing *flow = &flows->flows[flows->unfixed[i]];
        if (is_fixed(flows, flow))
            fix(flows, flow);
        else
            flows->unfixed[left++] = flows->unfixed[i];
    }
    assert(left < count); /* the link with the least share of all fixes its flows */
    return left;
}

/* New rates become the flows', and their links' loads follow. */
static void apply(struct allfold_flows *flows, uint64_t now)
{
    for (uint32_t i = 0; i < flows->set_count; i++) {
        struct flowing *flow = &flows->flows[flows->set[i]];
        for (uint32_t h = flow->first_hop; h < flow->first_hop + flow->hop_count; h++)
            flows->links[flows->hops[h].link].load += (flow->found - flow->rate) * flow->weight;
        if (now > flow->since)
            flow->left = fmax(flow->left - flow->rate * 1e-12 * (double)(now - flow->since), 0);
        flow->since = now;
        flow->rate = flow->found;
    }
}

/* Flows outside of the set that a touched link makes slower, or no longer bounds, join. */
static bool widen_set(struct allfold_flows *flows)
{
    for (uint32_t i = 0; i < flows->touched_count; i++) {
        const uint32_t number = flows->touched[i];
        struct shared_link *link = &flows->links[number];
        const bool is_full = link->load >= link->bandwidth * (1 - CLOSE);
        link->is_touched = false;
        for (uint32_t h = link->first_hop; h != NONE; h = flows->hops[h].next) {
            const struct flowing *flow = &flows->flows[flows->hops[h].flow];
            if (flow->is_in_set)
                continue;
            const bool is_too_fast = flow->rate > link->fixed_at * (1 + CLOSE);
            const bool is_free = flow->bounded_by == number &&
                                 (!is_full || link->fastest > flow->rate * (1 + CLOSE));
            if ((is_too_fast || is_free) && !join_set(flows, flows->hops[h].flow))
                return false;
        }
    }
    return true;
}

/* Rounded, so that neighbors end at one time. */
static uint64_t end_of(const struct flowing *flow)
{
    const double longest = 4e18 - (double)flow->since;
    const double takes = flow->rate > 0 ? fmin(1e12 * flow->left / flow->rate, longest) : longest;
    uint64_t grain = 1, end = flow->since + (uint64_t)llround(takes);
    while ((double)grain * 4096 <= takes)
        grain *= 2;
    end = (end + grain / 2) / grain * grain;
    return end > flow->since ? end : flow->since;
}

static bool share_set(struct allfold_flows *flows, uint64_t now)
{
    if (!make_room(flows, (void **)&flows->unfixed, flows->set_count, &flows->unfixed_room,
                   sizeof *flows->unfixed))
        return false;
    touch_links(flows);
    memcpy(flows->unfixed, flows->set, flows->set_count * sizeof *flows->set);
    for (uint32_t left = flows->set_count; left > 0;)
        left = fix_some(flows, left);
    apply(flows, now);
    return widen_set(flows);
}

bool allfold_flows_share(struct allfold_flows *flows, uint64_t now)
{
    if (flows->budget->is_over || !wake_links(flows))
        return false;
    if (flows->set_count == 0)
        return true;
    for (uint32_t before = 0; before < flows->set_count;) {
        before = flows->set_count;
        if (!share_set(flows, now))
            return false;
    }
    for (uint32_t i = 0; i < flows->touched_count; i++)
        assert(flows->links[flows->touched[i]].load <=
               flows->links[flows->touched[i]].bandwidth * (1 + 1e-5));
    for (uint32_t i = 0; i < flows->set_count; i++) {
        struct flowing *flow = &flows->flows[flows->set[i]];
        flow->is_in_set = false;
        flow->end = end_of(flow);
        settle_heap(flows, flow->heap_at, flows->set[i]);
    }
    flows->set_count = 0;
    return true;
}

double allfold_flows_rate(const struct allfold_flows *flows, uint32_t number)
{
    assert(flows->flows[number].weight > 0);
    return flows->flows[number].rate;
}

uint64_t allfold_flows_link_bytes(const struct allfold_flows *flows, uint32_t link)
{
    return flows->links[link].bytes;
}
