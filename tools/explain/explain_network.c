/* Compares the choice with other algorithms on a described network (see explain_network.h). */
#include "explain_network.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "lab/simulate/bound.h"
#include "util/quantity.h"

/* Algorithms with more than this times the lowest price are not simulated. */
static const double FAR_SLOWER = 12;

/* Values of parameters beside each algorithm's cheapest. */
enum { MORE = 8, NAME_BYTES = ALLFOLD_NAME_BYTES };

/* --- what is found out ------------------------------------------------------------------------ */

static void simulate(const struct explained_network *explained, struct explained_run *run,
                     bool wants_path)
{
    struct allfold_simulation of = explained->of;
    of.algorithm = run->candidate.algorithm;
    of.parameters = run->candidate.parameters;
    of.wants_path = wants_path;
    allfold_tool_simulate_one(&of, &run->simulated, run->reason, sizeof run->reason);
}

static int by_time(const void *left, const void *right)
{
    const struct explained_run *a = left, *b = right;
    const double x = a->simulated.time_s, y = b->simulated.time_s;
    if ((a->reason[0] != '\0') != (b->reason[0] != '\0'))
        return a->reason[0] != '\0' ? 1 : -1;
    if (x < y || x > y)
        return x < y ? -1 : 1;
    if (a->is_chosen != b->is_chosen) /* what takes as long as the best loses nothing */
        return a->is_chosen ? -1 : 1;
    return strcmp(a->candidate.algorithm->name, b->candidate.algorithm->name);
}

static bool is_choice(const struct allfold_choice *choice, const struct allfold_candidate *one)
{
    return one->algorithm == choice->algorithm &&
           memcmp(&one->parameters, &choice->parameters, sizeof one->parameters) == 0;
}

static void add_run(struct explained_network *explained, const struct allfold_candidate *candidate)
{
    assert(explained->count < EXPLAINED_RUNS);
    explained->runs[explained->count++] = (struct explained_run){
        .candidate = *candidate, .is_chosen = is_choice(&explained->choice, candidate)};
}

/* The choice, and all whose price is not far above the lowest. */
static void add_runs(struct explained_network *explained, const struct allfold_problem *problem)
{
    struct allfold_candidate list[ALLFOLD_MAX_CANDIDATES];
    const int count = allfold_candidates(problem, MORE, list);
    explained->cheapest_s = HUGE_VAL;
    bool has_choice = explained->choice.algorithm == NULL;
    for (int i = 0; i < count; i++)
        explained->cheapest_s = fmin(explained->cheapest_s, list[i].cost_s);
    for (int i = 0; i < count; i++) {
        const bool is_it = is_choice(&explained->choice, &list[i]);
        has_choice |= is_it;
        if (is_it || list[i].cost_s <= FAR_SLOWER * explained->cheapest_s)
            add_run(explained, &list[i]);
        else
            explained->left_out++;
    }
    if (has_choice)
        return;
    const struct allfold_choice *choice = &explained->choice;
    const double price_s = allfold_price_s(choice->algorithm, problem, &choice->parameters);
    add_run(explained, &(struct allfold_candidate){.algorithm = choice->algorithm,
                                                   .parameters = choice->parameters,
                                                   .cost_s = price_s});
}

/* Which two are compared. */
static void find_pair(struct explained_network *explained)
{
    explained->chosen = explained->other = -1;
    explained->simulated = 0;
    for (int i = 0; i < explained->count; i++) {
        if (explained->runs[i].is_chosen)
            explained->chosen = i;
        explained->simulated += explained->runs[i].reason[0] == '\0';
    }
    const int other = explained->chosen == 0 ? 1 : 0;
    if (other < explained->simulated)
        explained->other = other;
}

static void find_bound(struct explained_network *explained)
{
    struct allfold_simulation of = explained->of;
    of.algorithm = explained->runs[0].candidate.algorithm;
    const struct allfold_bound bound = allfold_bound_of(&of);
    explained->bound_s = allfold_bound_s(&bound);
}

/* Its time over the bound; 0: that is 0. */
static double over_bound(const struct explained_network *explained, const struct explained_run *run)
{
    return explained->bound_s > 0 ? run->simulated.time_s / explained->bound_s : 0;
}

enum allfold_error allfold_explain_on_network(const struct allfold_problem *problem,
                                              const struct allfold_choice *choice,
                                              const struct allfold_simulation *of,
                                              struct explained_network *explained, char *message,
                                              size_t message_bytes)
{
    *explained = (struct explained_network){.of = *of, .choice = *choice};
    add_runs(explained, problem);
    for (int i = 0; i < explained->count; i++) {
        struct explained_run *run = &explained->runs[i];
        run->rounds = run->candidate.algorithm->claim(problem, &run->candidate.parameters).rounds;
        simulate(explained, run, false);
    }
    qsort(explained->runs, (size_t)explained->count, sizeof *explained->runs, by_time);
    find_pair(explained);
    if (explained->simulated > 0)
        find_bound(explained);
    const int pair[] = {explained->chosen, explained->other};
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0 && explained->runs[pair[i]].reason[0] == '\0')
            simulate(explained, &explained->runs[pair[i]], true);
    if (explained->simulated > 0 &&
        (explained->chosen < 0 || explained->runs[explained->chosen].reason[0] == '\0'))
        return ALLFOLD_OK;
    const int unknown = explained->chosen < 0 ? 0 : explained->chosen;
    snprintf(message, message_bytes, "%s: %s", explained->runs[unknown].candidate.algorithm->name,
             explained->runs[unknown].reason);
    return ALLFOLD_BAD_INPUT;
}

double allfold_explained_loss(const struct explained_network *explained)
{
    const double best_s = explained->runs[0].simulated.time_s;
    if (explained->chosen <= 0 || best_s <= 0)
        return 0;
    return explained->runs[explained->chosen].simulated.time_s / best_s - 1;
}

/* --- how it is told --------------------------------------------------------------------------- */

static void name_of(const struct explained_run *run, char *name)
{
    allfold_algorithm_write(run->candidate.algorithm, &run->candidate.parameters, name, NAME_BYTES);
}

/* The runs of the table's columns: the choice, then the other one. */
struct columns {
    const struct explained_run *runs[2];
    int count;
};

static struct columns columns_of(const struct explained_network *explained)
{
    struct columns columns = {.count = 0};
    const int pair[] = {explained->chosen, explained->other};
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            columns.runs[columns.count++] = &explained->runs[pair[i]];
    return columns;
}

static void print_verdict(const struct explained_network *explained, FILE *stream)
{
    char chosen[NAME_BYTES], other[NAME_BYTES];
    if (explained->chosen < 0) {
        name_of(&explained->runs[0], other);
        fprintf(stream,
                "simulated: native is chosen, which cannot be simulated; of ours, %s is the best\n",
                other);
        return;
    }
    const struct explained_run *run = &explained->runs[explained->chosen];
    name_of(run, chosen);
    fprintf(stream, "simulated: %s takes %.3f us", chosen, 1e6 * run->simulated.time_s);
    if (explained->other >= 0)
        name_of(&explained->runs[explained->other], other);
    if (explained->other < 0)
        fprintf(stream, ", the only one\n");
    else if (explained->chosen == 0)
        fprintf(stream, ", the best of %d; %s takes %.3f\n", explained->simulated, other,
                1e6 * explained->runs[1].simulated.time_s);
    else
        fprintf(stream, ", %s %.3f, the best of %d; the choice loses %.0f %%\n", other,
                1e6 * explained->runs[0].simulated.time_s, explained->simulated,
                100 * allfold_explained_loss(explained));
}

/* Prints where the two differ most on their critical paths. */
static void print_why(const struct columns *columns, FILE *stream)
{
    if (columns->count < 2)
        return;
    const struct allfold_simulated *a = &columns->runs[0]->simulated;
    const struct allfold_simulated *b = &columns->runs[1]->simulated;
    const bool a_loses = a->time_s >= b->time_s;
    const struct allfold_simulated *slow = a_loses ? a : b, *fast = a_loses ? b : a;
    double most_s = slow->path_work_s - fast->path_work_s;
    int at = -1;
    char name[NAME_BYTES];
    name_of(columns->runs[a_loses ? 0 : 1], name);
    for (int i = 0; i < slow->level_count; i++) {
        const double more_s = slow->levels[i].path_s - fast->levels[i].path_s;
        if (more_s > most_s) {
            most_s = more_s;
            at = i;
        }
    }
    if (most_s <= 0)
        return;
    if (at < 0)
        fprintf(stream, "why: %s reduces and copies %.3f us longer\n", name, 1e6 * most_s);
    else
        fprintf(stream, "why: %s waits %.3f us longer for messages of level %s: %u, not %u\n", name,
                1e6 * most_s, slow->levels[at].name, slow->levels[at].path_messages,
                fast->levels[at].path_messages);
}

static void print_size(uint64_t bytes, FILE *stream)
{
    char size[32];
    allfold_size_write((size_t)bytes, size, sizeof size);
    fprintf(stream, " %12s", size);
}

/* Messages and bytes of all ranks by level, and what of it is on the critical path. */
static void print_levels(const struct columns *columns, FILE *stream)
{
    const struct allfold_simulated *first = &columns->runs[0]->simulated;
    fprintf(stream, "%-16s", "level");
    for (int i = 0; i < columns->count; i++)
        fprintf(stream, " %12s %12s %8s %12s", "messages", "bytes", "rounds", "path us");
    fprintf(stream, "\n");
    for (int k = 0; k < first->level_count; k++) {
        uint64_t messages = 0;
        for (int i = 0; i < columns->count; i++)
            messages += columns->runs[i]->simulated.levels[k].messages;
        if (messages == 0)
            continue;
        fprintf(stream, "%-16s", first->levels[k].name);
        for (int i = 0; i < columns->count; i++) {
            const struct allfold_simulated_level *level = &columns->runs[i]->simulated.levels[k];
            fprintf(stream, " %12llu", (unsigned long long)level->messages);
            print_size(level->bytes, stream);
            fprintf(stream, " %8u %12.3f", level->path_messages, 1e6 * level->path_s);
        }
        fprintf(stream, "\n");
    }
    fprintf(stream, "%-16s", "reductions");
    for (int i = 0; i < columns->count; i++)
        fprintf(stream, " %12s %12s %8s %12.3f", "", "", "",
                1e6 * columns->runs[i]->simulated.path_work_s);
    fprintf(stream, "\n");
}

/* What the links of each class carry in all, and the busiest of them. */
static void print_links(const struct columns *columns, FILE *stream)
{
    const struct allfold_simulated *first = &columns->runs[0]->simulated;
    if (first->class_count == 0)
        return;
    fprintf(stream, "\n%-16s", "links");
    for (int i = 0; i < columns->count; i++)
        fprintf(stream, " %12s %12s %8s %12s", "links", "bytes", "", "busiest");
    fprintf(stream, "\n");
    for (int k = 0; k < first->class_count; k++) {
        fprintf(stream, "%-16s", first->classes[k].name);
        for (int i = 0; i < columns->count; i++) {
            const struct allfold_simulated_class *links = &columns->runs[i]->simulated.classes[k];
            fprintf(stream, " %12llu", (unsigned long long)links->links);
            print_size(links->bytes, stream);
            fprintf(stream, " %8s", "");
            print_size(links->most_bytes, stream);
        }
        fprintf(stream, "\n");
    }
}

static const char *role_of(const struct explained_network *explained,
                           const struct explained_run *run)
{
    if (run->is_chosen)
        return "the choice";
    return run == explained->runs ? "the best" : "the next one";
}

static void print_pair(const struct explained_network *explained, FILE *stream)
{
    const struct columns columns = columns_of(explained);
    char name[NAME_BYTES];
    print_why(&columns, stream);
    fprintf(stream, "\n%-16s", "");
    for (int i = 0; i < columns.count; i++) {
        name_of(columns.runs[i], name);
        fprintf(stream, " %47.47s", name);
    }
    fprintf(stream, "\n%-16s", "");
    for (int i = 0; i < columns.count; i++)
        fprintf(stream, " %47s", role_of(explained, columns.runs[i]));
    fprintf(stream, "\n");
    print_levels(&columns, stream);
    print_links(&columns, stream);
}

/* Of prices only ratios are printed: they are of no network. */
static void print_run(const struct explained_network *explained, const struct explained_run *run,
                      FILE *stream)
{
    const double best_s = explained->runs[0].simulated.time_s;
    char name[NAME_BYTES];
    name_of(run, name);
    if (run->reason[0] != '\0')
        fprintf(stream, "%-60s not simulated: %s\n", name, run->reason);
    else
        fprintf(stream, "%-60s %13.3f %7.3f %10.3f %7.3f %7zu%s\n", name,
                1e6 * run->simulated.time_s, best_s > 0 ? run->simulated.time_s / best_s : 1,
                over_bound(explained, run), run->candidate.cost_s / explained->cheapest_s,
                run->rounds, run->is_chosen ? "  chosen" : "");
}

void allfold_explained_print(const struct explained_network *explained, FILE *stream)
{
    print_verdict(explained, stream);
    print_pair(explained, stream);
    fprintf(stream, "\n%-60s %13s %7s %10s %7s %7s\n", "algorithm", "simulated us", "ratio",
            "over bound", "model's", "rounds");
    for (int i = 0; i < explained->count; i++)
        print_run(explained, &explained->runs[i], stream);
    if (explained->left_out > 0)
        fprintf(stream,
                "%d more are not simulated: their prices are %.0f times the lowest and more\n",
                explained->left_out, FAR_SLOWER);
}

static void print_csv_levels(const struct allfold_simulated *simulated, FILE *stream)
{
    for (int i = 0; i < simulated->level_count; i++)
        fprintf(stream, "%s=%llu/%llu/%u/%.6f;", simulated->levels[i].name,
                (unsigned long long)simulated->levels[i].messages,
                (unsigned long long)simulated->levels[i].bytes, simulated->levels[i].path_messages,
                1e6 * simulated->levels[i].path_s);
    if (simulated->level_count > 0)
        fprintf(stream, "work=0/0/0/%.6f", 1e6 * simulated->path_work_s);
}

void allfold_explained_print_csv(const struct explained_network *explained, FILE *stream)
{
    const struct allfold_simulation *of = &explained->of;
    char name[NAME_BYTES];
    fprintf(stream, "collective,bytes,nodes,ppn,network,algorithm,chosen,microseconds,ratio,"
                    "over_bound,expected_us,rounds,levels,links,reason\n");
    for (int i = 0; i < explained->count; i++) {
        const struct explained_run *run = &explained->runs[i];
        name_of(run, name);
        fprintf(stream, "%s,%zu,%d,%d,\"%s\",\"%s\",%d,",
                allfold_collective_name(run->candidate.algorithm->collective), of->bytes,
                of->nodes->count, of->nodes->most, of->network->name, name, run->is_chosen);
        if (run->reason[0] == '\0')
            fprintf(stream, "%.6f,%.6f,%.6f,", 1e6 * run->simulated.time_s,
                    run->simulated.time_s / explained->runs[0].simulated.time_s,
                    over_bound(explained, run));
        else
            fprintf(stream, ",,,");
        fprintf(stream, "%.6f,%zu,\"", 1e6 * run->candidate.cost_s, run->rounds);
        print_csv_levels(&run->simulated, stream);
        fprintf(stream, "\",\"");
        allfold_tool_print_links(&run->simulated, stream);
        fprintf(stream, "\",\"%s\"\n", run->reason);
    }
}

static json_t *json_levels(const struct allfold_simulated *simulated)
{
    json_t *levels = json_array();
    for (int i = 0; i < simulated->level_count; i++) {
        const struct allfold_simulated_level *level = &simulated->levels[i];
        json_t *one = json_object();
        allfold_json_set_text(one, "level", level->name);
        allfold_json_set_number(one, "messages", (double)level->messages);
        allfold_json_set_number(one, "bytes", (double)level->bytes);
        allfold_json_set_number(one, "path_messages", level->path_messages);
        allfold_json_set_number(one, "path_us", 1e6 * level->path_s);
        json_array_append_new(levels, one);
    }
    return levels;
}

static json_t *json_run(const struct explained_network *explained, const struct explained_run *run)
{
    char name[NAME_BYTES];
    json_t *object = json_object();
    name_of(run, name);
    allfold_json_set_text(object, "algorithm", name);
    json_object_set_new(object, "chosen", json_boolean(run->is_chosen));
    allfold_json_set_number(object, "expected_us", 1e6 * run->candidate.cost_s);
    if (run->reason[0] != '\0') {
        allfold_json_set_text(object, "reason", run->reason);
        return object;
    }
    allfold_json_set_number(object, "microseconds", 1e6 * run->simulated.time_s);
    allfold_json_set_number(object, "ratio",
                            run->simulated.time_s / explained->runs[0].simulated.time_s);
    if (explained->bound_s > 0)
        allfold_json_set_number(object, "over_bound", over_bound(explained, run));
    allfold_json_set_number(object, "rounds", (double)run->rounds);
    if (run->simulated.level_count > 0) {
        json_object_set_new(object, "levels", json_levels(&run->simulated));
        allfold_json_set_number(object, "path_work_us", 1e6 * run->simulated.path_work_s);
    }
    if (run->simulated.class_count > 0)
        json_object_set_new(object, "links", allfold_json_links(&run->simulated));
    return object;
}

json_t *allfold_explained_json(const struct explained_network *explained)
{
    json_t *object = json_object(), *runs = json_array();
    allfold_json_set_text(object, "network", explained->of.network->name);
    if (explained->chosen >= 0)
        allfold_json_set_number(object, "loss", allfold_explained_loss(explained));
    allfold_json_set_number(object, "left_out", explained->left_out);
    for (int i = 0; i < explained->count; i++)
        json_array_append_new(runs, json_run(explained, &explained->runs[i]));
    json_object_set_new(object, "runs", runs);
    return object;
}
