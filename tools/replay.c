/* Replays traces (see replay.h). */
#include "replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/peers.h"
#include "common.h"
#include "lab/simulate/simulator.h"
#include "placing.h"
#include "select/candidates.h"

/* Maximum number of candidates that are simulated, and maximum ratio of their price to the
 * lowest. */
enum { MOST_CANDIDATES = 6, MOST_RANKS = 1 << 24 };
static const double FAR_SLOWER = 4;

/* --- where a communicator's ranks are there --- */

struct place {
    int nodes, ppn;
};

static bool spans_job(const struct allfold_traced_layout *layout,
                      const struct allfold_traced_layout *job)
{
    return layout->p == job->p;
}

/* A communicator of all ranks has all ranks there, too. One within a node has a node's, and one of
 * a rank for each node has as many as there are nodes. Any other one keeps its share of the ranks.
 */
static struct place place_of(const struct allfold_traced_layout *layout,
                             const struct allfold_traced_layout *job,
                             const struct allfold_replay_machine *machine)
{
    const int64_t all = (int64_t)machine->nodes * machine->ppn;
    if (spans_job(layout, job))
        return (struct place){machine->nodes, machine->ppn};
    if (layout->p == 1)
        return (struct place){1, 1};
    if (layout->nodes == 1 && job->nodes > 1)
        return (struct place){1, machine->ppn};
    if (layout->most == 1 && layout->p == job->nodes)
        return (struct place){machine->nodes, 1};
    int64_t p = all * layout->p / (job->p > 0 ? job->p : 1);
    p = p < 2 ? 2 : p;
    return p <= machine->ppn
               ? (struct place){1, (int)p}
               : (struct place){(int)((p + machine->ppn - 1) / machine->ppn), machine->ppn};
}

/* The placement of the program's run, if no placement of the trace describes it. */
static struct place own_place(const struct allfold_traced_layout *layout)
{
    return layout->nodes > 0 ? (struct place){layout->nodes, layout->most}
                             : (struct place){1, layout->p};
}

/* --- a row --- */

/* What all that replays a row needs. */
struct replaying {
    const struct allfold_replay *replay;
    struct allfold_replay_row *row;
    struct allfold_tool_placed placed;
    struct allfold_problem problem;
    struct allfold_simulation of;
};

static void set_problem(struct replaying *now)
{
    const struct allfold_traced_shape *shape = now->row->shape;
    const struct allfold_replay_machine *machine = now->replay->machine;
    const bool is_barrier = allfold_traits(shape->collective)->may_repeat;
    const size_t element = is_barrier ? 1 : shape->element_bytes;
    const size_t length = is_barrier ? 1 : shape->bytes / element;
    const int p = now->row->p;
    const int root = (int)((int64_t)shape->root * p / shape->layout.p);
    const bool one_node = now->placed.nodes->count == 1;
    const int shared_cores = now->replay->is_own ? shape->layout.shared_cores : 0;
    now->problem = (struct allfold_problem){
        .collective = shape->collective,
        .group = allfold_group_all(p, 0),
        .root = root,
        .count = allfold_has_blocks(shape->collective) ? ceil_divide(length, (size_t)p) : length,
        .element_bytes = element,
        .commutative = shape->commutative && !shape->canonical,
        .exact = shape->exact,
        .canonical = shape->canonical,
        .one_node = one_node,
        .shares_cores = one_node && shared_cores > 0,
        .reading = now->replay->is_own ? shape->layout.reading : ALLFOLD_READS_COPIES};
    now->problem.nodes = allfold_nodes_for(&now->problem, now->placed.nodes);
    now->of = (struct allfold_simulation){.root = root,
                                          .bytes = length * element,
                                          .element_bytes = element,
                                          .nodes = now->placed.nodes,
                                          .network = machine->network,
                                          .hosts = now->placed.hosts,
                                          .memory_bytes = machine->memory_bytes,
                                          .keeps_order = !now->problem.commutative};
}

/* Predicts the time of one call. Returns false, and sets the row's reason, if that is not
 * possible. */
static bool time_of(struct replaying *now, const struct allfold_algorithm *algorithm,
                    const struct allfold_parameters *parameters, double *seconds)
{
    char *const reason = now->row->reason;
    reason[0] = '\0';
    if (now->of.network == NULL) {
        *seconds = allfold_price_s(algorithm, &now->problem, parameters);
        return true;
    }
    struct allfold_simulated simulated;
    now->of.algorithm = algorithm;
    now->of.parameters = *parameters;
    if (!allfold_tool_simulate_one(&now->of, &simulated, reason, sizeof now->row->reason))
        return false;
    *seconds = simulated.time_s;
    return true;
}

static void name(const struct allfold_algorithm *algorithm,
                 const struct allfold_parameters *parameters, char text[ALLFOLD_REPLAY_NAME])
{
    allfold_algorithm_write(algorithm, parameters, text, ALLFOLD_REPLAY_NAME);
}

/* Chooses without forced algorithms. There is always a choice. */
static void choose_anew(struct replaying *now)
{
    struct allfold_choice choice;
    struct allfold_replay_row *row = now->row;
    allfold_choose(&now->replay->machine->inputs, &now->problem, &choice, row->reason,
                   sizeof row->reason);
    name(choice.algorithm, &choice.parameters, row->anew);
}

/* Chooses what the program ran with if it is the same machine, else what would be chosen. The
 * native algorithm cannot be predicted, so Allfold's best choice replaces it. */
static bool choose(struct replaying *now, struct allfold_choice *choice)
{
    const struct allfold_traced_shape *shape = now->row->shape;
    struct allfold_choice_inputs inputs = now->replay->machine->inputs;
    struct allfold_rules traced;
    char *const reason = now->row->reason;
    if (now->replay->is_own && strcmp(shape->algorithm, "native") != 0) {
        if (allfold_rules_read(shape->collective, shape->algorithm, &traced, reason,
                               sizeof now->row->reason) != ALLFOLD_OK)
            return false;
        for (int i = 0; i < traced.count; i++) /* the program ran with it */
            traced.rules[i].unordered = true;
        inputs.rules = &traced;
    }
    enum allfold_error error =
        allfold_choose(&inputs, &now->problem, choice, reason, sizeof now->row->reason);
    if (error == ALLFOLD_OK && choice->algorithm == NULL)
        allfold_choose_default(&now->problem, choice);
    return error == ALLFOLD_OK;
}

/* The choice is the best, until a candidate takes less. Calls without data have no better choice.
 */
static void find_best(struct replaying *now)
{
    struct allfold_replay_row *row = now->row;
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    const int count = now->problem.count == 0 ? 0 : allfold_candidates(&now->problem, 0, list);
    row->best_s = row->chosen_s;
    memcpy(row->best, row->chosen, sizeof row->best);
    for (int i = 0; i < count && i < MOST_CANDIDATES; i++) {
        double seconds;
        if (list[i].cost_s <= FAR_SLOWER * list[0].cost_s &&
            time_of(now, list[i].algorithm, &list[i].parameters, &seconds) &&
            seconds < row->best_s) {
            row->best_s = seconds;
            name(list[i].algorithm, &list[i].parameters, row->best);
        }
    }
    row->reason[0] = '\0';
}

static void replay_placed(struct replaying *now)
{
    struct allfold_choice choice;
    set_problem(now);
    choose_anew(now);
    if (!choose(now, &choice) ||
        !time_of(now, choice.algorithm, &choice.parameters, &now->row->chosen_s))
        return;
    name(choice.algorithm, &choice.parameters, now->row->chosen);
    find_best(now);
}

/* Places the ranks as the program ran, by a placement of the trace. A node's host is its number in
 * the order of the network. Prints a message and returns false if out of memory. */
static bool place_as_traced(const struct allfold_replay *replay,
                            const struct allfold_traced_placement *placement,
                            struct allfold_tool_placed *placed)
{
    *placed = (struct allfold_tool_placed){.nodes = allfold_placement_nodes(placement)};
    placed->hosts = malloc((size_t)placement->nodes * sizeof *placed->hosts);
    for (int i = 0; i < placement->nodes && placed->hosts != NULL; i++)
        placed->hosts[placement->order != NULL ? placement->order[i] : i] = (uint32_t)i;
    if (placed->nodes != NULL && placed->hosts != NULL)
        return true;
    allfold_tool_placed_free(placed);
    fprintf(stderr, "allfold %s: no memory for %d ranks\n", replay->command, placement->p);
    return false;
}

/* Divides the nodes into the sockets of the machine, or of the trace if the program ran there.
 * Prints a message and returns false if out of memory. */
static bool group(const struct allfold_replay *replay, struct allfold_tool_placed *placed)
{
    const struct allfold_replay_machine *machine = replay->machine;
    if (machine->network == NULL)
        return true;
    if (replay->is_own)
        return allfold_tool_add_graph(replay->command, machine->network, placed->hosts,
                                      &placed->nodes);
    return allfold_tool_group(replay->command, machine->placement, machine->network, placed->hosts,
                              &placed->nodes);
}

/* The cores and cards are those of the trace where it ran so. False with a message for the user
 * without memory. */
static bool add_machine(struct replaying *now)
{
    if (!now->replay->is_own || now->placed.nodes->count == 1)
        return true;
    const struct allfold_nodes_facts facts = {.cores = now->row->shape->layout.shared_cores,
                                              .card_mbit = now->replay->trace->head.card_mbit};
    return allfold_tool_extend(now->replay->command, facts, &now->placed.nodes);
}

/* Prints a message and returns false if that fails. */
static bool replay_row(const struct allfold_replay *replay, struct allfold_replay_row *row)
{
    struct replaying now = {.replay = replay, .row = row};
    const struct allfold_traced_shape *shape = row->shape;
    const struct allfold_replay_machine *machine = replay->machine;
    const struct allfold_traced_layout *job = &replay->trace->head.job;
    const struct allfold_traced_placement *traced =
        replay->is_own && shape->placement > 0 ? &replay->trace->placements[shape->placement - 1]
                                               : NULL;
    const struct place place =
        replay->is_own ? own_place(&shape->layout) : place_of(&shape->layout, job, machine);
    if ((int64_t)place.nodes * place.ppn > MOST_RANKS) {
        snprintf(row->reason, sizeof row->reason, "more than %d ranks", MOST_RANKS);
        return true;
    }
    row->p = traced != NULL ? traced->p : place.nodes * place.ppn;
    if (shape->element_bytes == 0) {
        snprintf(row->reason, sizeof row->reason, "passed through: %s", shape->source);
        return true;
    }
    if (traced != NULL ? !place_as_traced(replay, traced, &now.placed)
                       : !allfold_tool_place(replay->command, machine->placement, place.nodes,
                                             place.ppn, &now.placed))
        return false;
    const bool is_placed = group(replay, &now.placed) && add_machine(&now);
    if (is_placed)
        replay_placed(&now);
    allfold_tool_placed_free(&now.placed);
    return is_placed;
}

/* --- all rows --- */

static int by_time(const void *left, const void *right)
{
    const struct allfold_replay_row *a = left, *b = right;
    if (a->sum->seconds < b->sum->seconds || a->sum->seconds > b->sum->seconds)
        return a->sum->seconds < b->sum->seconds ? 1 : -1;
    return a->shape < b->shape ? -1 : a->shape > b->shape;
}

/* The rows that took longest, and the time of all. */
static bool find_rows(struct allfold_replay *replay)
{
    const struct allfold_trace_file *trace = replay->trace;
    struct allfold_replay_row *all = calloc((size_t)trace->count + 1, sizeof *all);
    uint32_t count = 0;
    if (all == NULL)
        return false;
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->sums[i].calls == 0)
            continue;
        all[count++] =
            (struct allfold_replay_row){.shape = &trace->shapes[i], .sum = &trace->sums[i]};
        replay->all_s += trace->sums[i].seconds;
    }
    qsort(all, count, sizeof *all, by_time);
    replay->count = count < ALLFOLD_REPLAY_ROWS ? (int)count : ALLFOLD_REPLAY_ROWS;
    memcpy(replay->rows, all, (size_t)replay->count * sizeof *all);
    free(all);
    return true;
}

static void add(struct allfold_replay *replay, const struct allfold_replay_row *row)
{
    if (row->reason[0] != '\0')
        return;
    replay->calls += row->sum->calls;
    replay->traced_s += row->sum->seconds;
    replay->waiting_s += row->sum->waiting_s;
    replay->all_waiting_s += row->sum->all_waiting_s;
    replay->chosen_s += (double)row->sum->calls * row->chosen_s;
    replay->best_s += (double)row->sum->calls * row->best_s;
}

static bool replay_all(struct allfold_replay *replay)
{
    if (!find_rows(replay)) {
        fprintf(stderr, "allfold %s: no memory\n", replay->command);
        return false;
    }
    for (int i = 0; i < replay->count; i++) {
        if (!replay_row(replay, &replay->rows[i]))
            return false;
        add(replay, &replay->rows[i]);
    }
    return true;
}

int allfold_replay_file(const char *command, const char *path,
                        const struct allfold_replay_machine *machine,
                        void (*print)(const struct allfold_replay *replay))
{
    static struct allfold_replay replay;
    struct allfold_trace_file trace;
    char message[600];
    int status = 1;
    replay = (struct allfold_replay){.command = command,
                                     .path = path,
                                     .trace = &trace,
                                     .machine = machine,
                                     .is_own = machine->nodes == 0};
    if (allfold_trace_read(path, &trace, message, sizeof message) != ALLFOLD_OK) {
        fprintf(stderr, "allfold %s: %s\n", command, message);
    } else if (replay_all(&replay)) {
        print(&replay);
        status = 0;
    }
    allfold_trace_free(&trace);
    return status;
}

double allfold_replay_error(const struct allfold_replay *replay)
{
    const double predicted_s = replay->waiting_s + replay->chosen_s;
    return replay->traced_s > 0 ? fabs(predicted_s / replay->traced_s - 1) : 0;
}

/* --- how it is told --- */

void allfold_replay_print_trace(const struct allfold_trace_file *trace, const char *path)
{
    const struct allfold_traced_head *head = &trace->head;
    printf("%s: Allfold %s, %s, %s, p = %d, %d node%s; %llu calls of %u shapes\n", path,
           head->version, head->machine, head->mpi, head->job.p, head->job.nodes,
           head->job.nodes == 1 ? "" : "s", (unsigned long long)trace->calls, trace->count);
    if (trace->is_incomplete)
        printf("The trace is incomplete: the program was killed, or the file is cut.\n");
    if (trace->dropped > 0)
        printf("%llu more calls were dropped, as they had too many shapes.\n",
               (unsigned long long)trace->dropped);
}

static json_t *json_row(const struct allfold_replay_row *row)
{
    json_t *object = json_object();
    allfold_json_set_text(object, "collective", allfold_collective_name(row->shape->collective));
    allfold_json_set_number(object, "bytes", (double)row->shape->bytes);
    allfold_json_set_number(object, "traced_p", row->shape->layout.p);
    allfold_json_set_text(object, "traced_algorithm", row->shape->algorithm);
    allfold_json_set_text(object, "traced_source", row->shape->source);
    allfold_json_set_number(object, "calls", (double)row->sum->calls);
    allfold_json_set_number(object, "seconds", row->sum->seconds);
    allfold_json_set_number(object, "waiting_seconds", row->sum->waiting_s);
    allfold_json_set_number(object, "mean_waiting_seconds", row->sum->all_waiting_s);
    allfold_json_set_number(object, "p", row->p);
    if (row->reason[0] != '\0') {
        allfold_json_set_text(object, "reason", row->reason);
        return object;
    }
    allfold_json_set_text(object, "chosen_anew", row->anew);
    allfold_json_set_text(object, "chosen", row->chosen);
    allfold_json_set_number(object, "chosen_us", 1e6 * row->chosen_s);
    allfold_json_set_text(object, "best", row->best);
    allfold_json_set_number(object, "best_us", 1e6 * row->best_s);
    return object;
}

json_t *allfold_replay_json(const struct allfold_replay *replay)
{
    const struct allfold_trace_file *trace = replay->trace;
    json_t *object = json_object(), *rows = json_array();
    allfold_json_set_text(object, "machine", trace->head.machine);
    allfold_json_set_text(object, "mpi", trace->head.mpi);
    allfold_json_set_number(object, "traced_p", trace->head.job.p);
    json_object_set_new(object, "incomplete", json_boolean(trace->is_incomplete));
    allfold_json_set_number(object, "calls", (double)trace->calls);
    allfold_json_set_number(object, "dropped", (double)trace->dropped);
    allfold_json_set_number(object, "replayed_calls", (double)replay->calls);
    allfold_json_set_number(object, "seconds_of_all", replay->all_s);
    allfold_json_set_number(object, "seconds", replay->traced_s);
    allfold_json_set_number(object, "waiting_seconds", replay->waiting_s);
    allfold_json_set_number(object, "mean_waiting_seconds", replay->all_waiting_s);
    allfold_json_set_number(object, "chosen_seconds", replay->all_waiting_s + replay->chosen_s);
    allfold_json_set_number(object, "best_seconds", replay->all_waiting_s + replay->best_s);
    allfold_json_set_number(object, "balanced_seconds", replay->chosen_s);
    if (replay->is_own)
        allfold_json_set_number(object, "error", allfold_replay_error(replay));
    for (int i = 0; i < replay->count; i++)
        json_array_append_new(rows, json_row(&replay->rows[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}

void allfold_replay_print_csv(const struct allfold_replay *replay)
{
    printf("collective,bytes,traced_p,traced_algorithm,traced_source,calls,seconds,"
           "waiting_seconds,mean_waiting_seconds,p,chosen,chosen_us,best,best_us,reason\n");
    for (int i = 0; i < replay->count; i++) {
        const struct allfold_replay_row *row = &replay->rows[i];
        printf("%s,%zu,%d,\"%s\",\"%s\",%llu,%.9f,%.9f,%.9f,%d,\"%s\",",
               allfold_collective_name(row->shape->collective), row->shape->bytes,
               row->shape->layout.p, row->shape->algorithm, row->shape->source,
               (unsigned long long)row->sum->calls, row->sum->seconds, row->sum->waiting_s,
               row->sum->all_waiting_s, row->p, row->chosen);
        if (row->reason[0] == '\0')
            printf("%.6f,\"%s\",%.6f,\n", 1e6 * row->chosen_s, row->best, 1e6 * row->best_s);
        else
            printf(",,,\"%s\"\n", row->reason);
    }
}
