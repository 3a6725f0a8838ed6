/* Settings (see settings.h). */
#include "select/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantity.h"
#include "util/hash.h"
#include "topology/placement.h"

static enum allfold_device_mode read_device(const struct allfold_environment *reading)
{
    static const char *const words[] = {[ALLFOLD_DEVICE_AUTO] = "auto",
                                        [ALLFOLD_DEVICE_OFF] = "off",
                                        [ALLFOLD_DEVICE_ON] = "on",
                                        NULL};
    return (enum allfold_device_mode)allfold_variable_word(reading, VARIABLE_DEVICE, words,
                                                           "auto, off or on");
}

/* A whole number from 1 to `most` at the begin of the text; 0 where there is none. */
static int read_number(const char *text, size_t length, size_t most)
{
    size_t number;
    const char *end;
    const bool is_one = allfold_size_read(text, &number, &end) && end == text + length;
    return is_one && number <= most ? (int)number : 0;
}

static enum allfold_transport_mode read_transport(const struct allfold_environment *reading)
{
    static const char *const words[] = {[ALLFOLD_TRANSPORT_AUTO] = "auto",
                                        [ALLFOLD_TRANSPORT_MPI] = "mpi",
                                        [ALLFOLD_TRANSPORT_FABRIC] = "fabric",
                                        NULL};
    return (enum allfold_transport_mode)allfold_variable_word(reading, VARIABLE_TRANSPORT, words,
                                                              "auto, mpi or fabric");
}

/* What tests set besides the mode (CONTRIBUTING.md): ",first=16,share=500000". */
static bool read_guard_bounds(const char *text, struct allfold_common_settings *common)
{
    while (*text == ',') {
        const char *name = text + 1, *value = name + strcspn(name, "=,");
        const size_t name_length = (size_t)(value - name);
        value += *value == '=';
        const size_t length = strcspn(value, ",");
        text = value + length;
        if (strncmp(name, "first", name_length) == 0 && read_number(value, length, 1 << 20) > 0)
            common->guard_first = read_number(value, length, 1 << 20);
        else if (strncmp(name, "share", name_length) == 0 &&
                 read_number(value, length, 1000000) > 0)
            common->guard_share_ppm = read_number(value, length, 1000000);
        else
            return false;
    }
    return *text == '\0';
}

static void read_guard(const struct allfold_environment *reading,
                       struct allfold_common_settings *common)
{
    static const struct allfold_common_settings presets = {.guard = ALLFOLD_GUARD_SWITCH,
                                                           .guard_share_ppm = 1000};
    static const char *const words[] = {[ALLFOLD_GUARD_SWITCH] = "switch",
                                        [ALLFOLD_GUARD_OFF] = "off",
                                        [ALLFOLD_GUARD_REPORT] = "report",
                                        [ALLFOLD_GUARD_ANY] = "any"};
    enum { COUNT = sizeof words / sizeof *words };
    const char *text = allfold_variable_text(reading, VARIABLE_GUARD);
    int word = 0;
    common->guard_share_ppm = presets.guard_share_ppm;
    if (text == NULL)
        return;
    const size_t length = strcspn(text, ",");
    while (word < COUNT &&
           (strlen(words[word]) != length || strncmp(words[word], text, length) != 0))
        word++;
    common->guard = (enum allfold_guard_mode)word;
    if (word < COUNT && read_guard_bounds(text + length, common))
        return;
    allfold_variable_complain(reading, VARIABLE_GUARD, text, "off, report, switch or any");
    common->guard = presets.guard;
    common->guard_first = 0;
    common->guard_share_ppm = presets.guard_share_ppm;
}

/* A directory has a slash in front, so that all ranks mean the same one. */
static const char *read_watch(const struct allfold_environment *reading)
{
    const char *text = allfold_variable_text(reading, VARIABLE_WATCH);
    if (text == NULL || *text == '/' || strcmp(text, "0") == 0)
        return text == NULL || *text == '0' ? NULL : text;
    if (strcmp(text, "1") == 0)
        return "";
    allfold_variable_complain(reading, VARIABLE_WATCH, text, "0, 1 or a directory (/...)");
    return NULL;
}

static bool read_progress(const struct allfold_environment *reading)
{
    static const char *const words[] = {"calls", "thread", NULL};
    return allfold_variable_word(reading, VARIABLE_PROGRESS, words, "calls or thread") == 1;
}

static const char *const sparse_modes[] = {[ALLFOLD_SPARSE_AUTO] = "auto",
                                           [ALLFOLD_SPARSE_OFF] = "off",
                                           [ALLFOLD_SPARSE_ON] = "on",
                                           [ALLFOLD_SPARSE_UNSET] = NULL};

enum allfold_sparse_mode allfold_sparse_mode_find(const char *word)
{
    int mode = 0;
    while (mode < ALLFOLD_SPARSE_UNSET && strcmp(word, sparse_modes[mode]) != 0)
        mode++;
    return (enum allfold_sparse_mode)mode;
}

static int read_card(const struct allfold_environment *reading)
{
    static const double most_mbit = 1e9;
    const char *end, *text = allfold_variable_text(reading, VARIABLE_CARD);
    double mbit = 0;
    if (text == NULL || strcmp(text, "auto") == 0)
        return ALLFOLD_CARD_UNSET;
    if (strcmp(text, "off") == 0)
        return 0;
    if (allfold_quantity_read(text, allfold_bit_rate_units, &mbit, &end) && *end == '\0' &&
        mbit >= 1 && mbit <= most_mbit)
        return (int)mbit;
    allfold_variable_complain(reading, VARIABLE_CARD, text, "a rate like 100Gbit/s, auto or off");
    return ALLFOLD_CARD_UNSET;
}

static size_t read_size(const struct allfold_environment *reading,
                        enum allfold_variable_number variable)
{
    size_t size;
    const char *end;
    const char *text = allfold_variable_text(reading, variable);
    if (text != NULL && allfold_size_read(text, &size, &end) && *end == '\0')
        return size;
    if (text != NULL)
        allfold_variable_complain(reading, variable, text, "a size like 64K");
    allfold_size_read(allfold_variables[variable].preset, &size, &end);
    return size;
}

static size_t read_window(const struct allfold_environment *reading)
{
    enum { SMALLEST = 2, LARGEST = 256, PRESET = 16 };
    const size_t window = read_size(reading, VARIABLE_WINDOW);
    if (window >= SMALLEST && window <= LARGEST && (window & (window - 1)) == 0)
        return window;
    allfold_variable_complain(reading, VARIABLE_WINDOW,
                              allfold_variable_text(reading, VARIABLE_WINDOW),
                              "a power of two from 2 to 256");
    return PRESET;
}

static const enum allfold_variable_number rule_variables[ALLFOLD_COLLECTIVE_COUNT] = {
    [ALLFOLD_ALLREDUCE] = VARIABLE_ALLREDUCE,
    [ALLFOLD_REDUCE] = VARIABLE_REDUCE,
    [ALLFOLD_BCAST] = VARIABLE_BCAST,
    [ALLFOLD_REDUCE_SCATTER_BLOCK] = VARIABLE_REDUCE_SCATTER_BLOCK,
    [ALLFOLD_REDUCE_SCATTER] = VARIABLE_REDUCE_SCATTER,
    [ALLFOLD_ALLGATHER] = VARIABLE_ALLGATHER,
    [ALLFOLD_ALLGATHERV] = VARIABLE_ALLGATHERV,
    [ALLFOLD_BARRIER] = VARIABLE_BARRIER,
    [ALLFOLD_SCAN] = VARIABLE_SCAN,
    [ALLFOLD_EXSCAN] = VARIABLE_EXSCAN,
};

const char *allfold_rules_variable(enum allfold_collective collective)
{
    return allfold_variables[rule_variables[collective]].name;
}

enum allfold_error allfold_rules_read_variable(enum allfold_collective collective, const char *text,
                                               struct allfold_rules *rules, char *message,
                                               size_t message_bytes)
{
    char what[ALLFOLD_MESSAGE_BYTES - 60] = "";
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    rules->count = 0;
    if (strlen(text) >= ALLFOLD_RULES_BYTES)
        snprintf(what, sizeof what, "longer than %d characters", ALLFOLD_RULES_BYTES - 1);
    else
        error = allfold_rules_read(collective, text, rules, what, sizeof what);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "%s: %s", allfold_rules_variable(collective), what);
    return error;
}

void allfold_settings_set_rules(struct allfold_settings *settings,
                                enum allfold_collective collective, const char *text)
{
    settings->rule_text[collective] = text;
    settings->rule_error[collective][0] = '\0';
    allfold_rules_read_variable(collective, text, &settings->rules[collective],
                                settings->rule_error[collective], ALLFOLD_MESSAGE_BYTES);
}

static void read_rules(const struct allfold_environment *reading, struct allfold_settings *settings)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        const char *text = allfold_variable_text(reading, rule_variables[i]);
        allfold_settings_set_rules(settings, (enum allfold_collective)i, text == NULL ? "" : text);
    }
}

static void read_nodes(const struct allfold_environment *reading, char *nodes)
{
    char message[ALLFOLD_MESSAGE_BYTES - 60] = "", line[ALLFOLD_MESSAGE_BYTES];
    const char *text = allfold_variable_text(reading, VARIABLE_NODES);
    nodes[0] = '\0';
    if (text == NULL)
        return;
    if (strlen(text) >= ALLFOLD_NODES_BYTES)
        snprintf(message, sizeof message, "longer than %d characters", ALLFOLD_NODES_BYTES - 1);
    else if (allfold_placement_read(text, 0, NULL, message, sizeof message) == ALLFOLD_OK)
        memcpy(nodes, text, strlen(text) + 1);
    if (nodes[0] != '\0')
        return;
    snprintf(line, sizeof line, "ALLFOLD_NODES: %s; the real nodes are taken", message);
    reading->complain(line);
}

/* A broken promise is an error of each call, also where MPI was initialized past this library. */
static void break_rules(struct allfold_settings *settings)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && *settings->broken_promise != '\0'; i++)
        memcpy(settings->rule_error[i], settings->broken_promise, sizeof settings->broken_promise);
}

void allfold_settings_read(struct allfold_settings *settings, const char *(*get)(const char *name),
                           void (*complain)(const char *message))
{
    const struct allfold_environment reading = {get, complain, settings->broken_promise};
    struct allfold_promises promises = {.check = 0};
    memset(settings, 0, sizeof *settings);
    read_rules(&reading, settings);
    settings->window = read_window(&reading);
    settings->cache_bytes = read_size(&reading, VARIABLE_CACHE);
    read_nodes(&reading, settings->nodes);
    settings->common.shared_memory = allfold_variable_switch(&reading, VARIABLE_SHARED_MEMORY);
    settings->common.transport = read_transport(&reading);
    settings->fabric = allfold_variable_text(&reading, VARIABLE_FABRIC);
    if (settings->fabric != NULL && settings->common.transport == ALLFOLD_TRANSPORT_AUTO)
        settings->common.transport = ALLFOLD_TRANSPORT_FASTER;
    settings->common.nonblocking = allfold_variable_switch(&reading, VARIABLE_NONBLOCKING);
    read_guard(&reading, &settings->common);
    settings->learn = allfold_variable_text(&reading, VARIABLE_LEARN);
    settings->progress_thread = read_progress(&reading);
    settings->common.sparse = (enum allfold_sparse_mode)allfold_variable_word(
        &reading, VARIABLE_SPARSE, sparse_modes, "off, auto or on");
    allfold_variables_read_promises(&reading, &promises);
    settings->common.reproducible = promises.reproducible;
    settings->common.timeout_ms = promises.timeout_ms;
    settings->common.timeout_aborts = promises.timeout_aborts;
    settings->common.check = promises.check;
    if (promises.reproducible != ALLFOLD_REPRODUCIBLE_OFF)
        settings->common.nonblocking = 1; /* they can be bitwise identical only if they are ours */
    settings->device = read_device(&reading);
    settings->device_segment_bytes = read_size(&reading, VARIABLE_DEVICE_SEGMENT);
    settings->verbose = allfold_variable_switch(&reading, VARIABLE_VERBOSE);
    settings->one_copy = allfold_variable_switch(&reading, VARIABLE_ONE_COPY);
    settings->common.report_compare = allfold_variable_switch(&reading, VARIABLE_REPORT_COMPARE);
    settings->common.compare_bits = allfold_variable_switch(&reading, VARIABLE_COMPARE_BITS);
    settings->report_sites = allfold_variable_switch(&reading, VARIABLE_REPORT_SITES);
    settings->simd = allfold_variable_text(&reading, VARIABLE_SIMD);
    settings->table = allfold_variable_text(&reading, VARIABLE_TABLE);
    settings->tuned_table = allfold_variable_text(&reading, VARIABLE_TUNED_TABLE);
    settings->network = allfold_variable_text(&reading, VARIABLE_NETWORK);
    settings->common.card_mbit = read_card(&reading);
    settings->trace = allfold_variable_text(&reading, VARIABLE_TRACE);
    if (settings->trace != NULL && strcmp(settings->trace, "0") == 0)
        settings->trace = NULL;
    settings->watch = read_watch(&reading);
    settings->report = allfold_variable_text(&reading, VARIABLE_REPORT);
    if (settings->report != NULL && strcmp(settings->report, "0") == 0)
        settings->report = NULL;
    if (settings->report != NULL && strcmp(settings->report, "1") == 0)
        settings->report = "";
    if (settings->report == NULL && (settings->common.report_compare ||
                                     settings->common.compare_bits || settings->report_sites))
        settings->report = "";
    break_rules(settings);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

void allfold_settings_read_environment(struct allfold_settings *settings,
                                       void (*complain)(const char *message))
{
    allfold_settings_read(settings, get_variable, complain);
}

void allfold_settings_check_names(struct allfold_settings *settings, char *const *environment,
                                  void (*complain)(const char *message))
{
    allfold_variables_check_names(settings->broken_promise, environment, complain);
    break_rules(settings);
}

bool allfold_tuned_path(const char *tuned, const char *mpi, char *path, size_t path_bytes)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (tuned != NULL)
        length = strcmp(tuned, "0") == 0 ? -1 : snprintf(path, path_bytes, "%s", tuned);
    else if (data != NULL && *data == '/') /* as the XDG specification has it: else it is not set */
        length = snprintf(path, path_bytes, "%s/allfold/tuned-%s.json", data, mpi);
    else if (home != NULL && *home != '\0')
        length = snprintf(path, path_bytes, "%s/.local/share/allfold/tuned-%s.json", home, mpi);
    else
        length = -1;
    return length >= 0 && (size_t)length < path_bytes;
}

static uint64_t add_rule(uint64_t hash, const struct allfold_rule *rule)
{
    hash = allfold_hash(hash, &rule->from_bytes, sizeof rule->from_bytes);
    hash = allfold_hash(hash, &rule->to_bytes, sizeof rule->to_bytes);
    const char *name = rule->algorithm == NULL ? "native" : rule->algorithm->name;
    hash = allfold_hash(hash, name, strlen(name));
    return allfold_hash(hash, &rule->parameters, sizeof rule->parameters);
}

uint64_t allfold_settings_fingerprint(const struct allfold_settings *settings)
{
    uint64_t hash = allfold_hash_of_nothing;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        hash = allfold_hash(hash, settings->rule_error[i], strlen(settings->rule_error[i]));
        hash = allfold_hash(hash, &settings->rules[i].count, sizeof settings->rules[i].count);
        for (int j = 0; j < settings->rules[i].count; j++)
            hash = add_rule(hash, &settings->rules[i].rules[j]);
    }
    const int has_report = settings->report != NULL, has_trace = settings->trace != NULL,
              has_watch = settings->watch != NULL;
    hash = allfold_hash(hash, &has_report, sizeof has_report);
    hash = allfold_hash(hash, &has_trace, sizeof has_trace);
    hash = allfold_hash(hash, &has_watch, sizeof has_watch);
    hash = allfold_hash(hash, settings->nodes, strlen(settings->nodes));
    return allfold_hash(hash, &settings->common, sizeof settings->common);
}
