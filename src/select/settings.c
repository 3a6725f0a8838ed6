/* From texts to settings, and their exchange between ranks (see settings.h). */
#include "select/settings.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/placement.h"
#include "util/hash.h"

/* How a rule of each collective is called. */
static enum allfold_setting_id rules_of(enum allfold_collective collective)
{
    return (enum allfold_setting_id)((int)SETTING_ALGORITHM_ALLREDUCE + (int)collective);
}

_Static_assert((int)SETTING_ALGORITHM_EXSCAN ==
                   (int)SETTING_ALGORITHM_ALLREDUCE + (int)ALLFOLD_EXSCAN,
               "the parts of ALLFOLD_ALGORITHM are in the order of enum allfold_collective");

enum allfold_error allfold_rules_read_setting(enum allfold_collective collective, const char *text,
                                              struct allfold_rules *rules, char *message,
                                              size_t message_bytes)
{
    char what[ALLFOLD_MESSAGE_BYTES - 60] = "";
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    rules->count = 0;
    if (strlen(text) >= ALLFOLD_RULES_BYTES)
        snprintf(what, sizeof what, "rules longer than %d characters", ALLFOLD_RULES_BYTES - 1);
    else
        error = allfold_rules_read(collective, text, rules, what, sizeof what);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "ALLFOLD_ALGORITHM: %s: %s",
                 allfold_setting[rules_of(collective)].name, what);
    return error;
}

static void set_rules(struct allfold_settings *settings, enum allfold_collective collective,
                      const char *text)
{
    settings->rule_text[collective] = text;
    settings->rule_error[collective][0] = '\0';
    allfold_rules_read_setting(collective, text, &settings->rules[collective],
                               settings->rule_error[collective], ALLFOLD_MESSAGE_BYTES);
}

static void read_nodes(const char *text, struct allfold_settings *settings,
                       void (*complain)(const char *message))
{
    char message[ALLFOLD_MESSAGE_BYTES - 60] = "", line[ALLFOLD_MESSAGE_BYTES];
    if (text == NULL)
        return;
    if (strlen(text) >= ALLFOLD_NODES_BYTES)
        snprintf(message, sizeof message, "longer than %d characters", ALLFOLD_NODES_BYTES - 1);
    else if (allfold_placement_read(text, 0, NULL, message, sizeof message) == ALLFOLD_OK) {
        memcpy(settings->nodes, text, strlen(text) + 1);
        return;
    }
    snprintf(line, sizeof line, "ALLFOLD_NETWORK: nodes: %s; the real nodes are taken", message);
    complain(line);
}

/* A broken promise is an error of each call, even if the program initialized MPI without this
 * library. */
static void break_rules(struct allfold_settings *settings)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && *settings->broken_promise != '\0'; i++)
        memcpy(settings->rule_error[i], settings->broken_promise, sizeof settings->broken_promise);
}

/* NULL: none; "": the usual place, for 1 and on, or that rank 0 has a file. */
static const char *read_path(const char *text)
{
    return allfold_text_is_off(text) ? NULL : allfold_text_is_on(text) ? "" : text;
}

static void read_common(struct allfold_common_settings *common, const struct allfold_texts *texts,
                        const struct allfold_environment *reading)
{
#define NUMBER(id) (int)allfold_texts_number(texts, SETTING_##id, reading)
    *common = (struct allfold_common_settings){
        .shared_memory = NUMBER(TRANSPORT_SHARED_MEMORY),
        .transport = (enum allfold_transport_mode)NUMBER(TRANSPORT),
        .nonblocking = NUMBER(NONBLOCKING),
        .report_compare = NUMBER(REPORT_COMPARE),
        .compare_bits = NUMBER(REPORT_BITS),
        .timeout_ms = (int)(1e3 * allfold_texts_number(texts, SETTING_TIMEOUT, reading)),
        .timeout_aborts = NUMBER(TIMEOUT_ABORT),
        .check = NUMBER(TIMEOUT_CHECK),
        .sparse = (enum allfold_sparse_mode)NUMBER(SPARSE),
        .reproducible = (enum allfold_reproducible)NUMBER(REPRODUCIBLE),
        .guard = (enum allfold_guard_mode)NUMBER(GUARD),
        .guard_first = NUMBER(TEST_GUARD_FIRST),
        .guard_share_ppm = NUMBER(TEST_GUARD_SHARE),
        .card_mbit = NUMBER(NETWORK_CARD)};
#undef NUMBER
    if (texts->of[SETTING_TRANSPORT_PROVIDER] != NULL &&
        common->transport == ALLFOLD_TRANSPORT_AUTO)
        common->transport = ALLFOLD_TRANSPORT_FASTER;
    if (common->reproducible != ALLFOLD_REPRODUCIBLE_OFF)
        common->nonblocking = 1; /* they can be bitwise identical only if they are ours */
}

/* The numbers and paths that the texts mean; broken_promise is read already. */
static void read_texts(struct allfold_settings *settings, const struct allfold_environment *reading)
{
    const struct allfold_texts *texts = &settings->texts;
#define NUMBER(id) allfold_texts_number(texts, SETTING_##id, reading)
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        const char *text = texts->of[rules_of((enum allfold_collective)i)];
        set_rules(settings, (enum allfold_collective)i, text == NULL ? "" : text);
    }
    read_nodes(texts->of[SETTING_NETWORK_NODES], settings, reading->complain);
    read_common(&settings->common, texts, reading);
    settings->window = (size_t)NUMBER(TEST_WINDOW);
    settings->cache_bytes = (size_t)NUMBER(TEST_CACHE);
    settings->simd = texts->of[SETTING_TEST_SIMD];
    settings->fabric = texts->of[SETTING_TRANSPORT_PROVIDER];
    settings->progress_thread = NUMBER(NONBLOCKING_THREAD) > 0;
    settings->device = (enum allfold_device_mode)NUMBER(DEVICE);
    settings->device_segment_bytes = (size_t)NUMBER(DEVICE_SEGMENT);
    settings->verbose = NUMBER(VERBOSE) > 0;
    settings->one_copy = NUMBER(ONE_COPY) > 0;
    settings->table = read_path(texts->of[SETTING_TABLE]);
    settings->tuned_table = texts->of[SETTING_TABLE_TUNED];
    settings->network = texts->of[SETTING_NETWORK];
    settings->learn = read_path(texts->of[SETTING_GUARD_LEARN]);
    settings->trace = read_path(texts->of[SETTING_TRACE]);
    settings->watch = read_path(texts->of[SETTING_WATCH]);
    settings->report_sites = NUMBER(REPORT_SITES) > 0;
    settings->report = read_path(texts->of[SETTING_REPORT]);
    if (settings->report == NULL && (settings->common.report_compare ||
                                     settings->common.compare_bits || settings->report_sites))
        settings->report = "";
#undef NUMBER
    break_rules(settings);
}

void allfold_settings_read(struct allfold_settings *settings, const char *(*get)(const char *name),
                           void (*complain)(const char *message))
{
    const struct allfold_environment reading = {get, complain, settings->broken_promise};
    memset(settings, 0, sizeof *settings);
    allfold_texts_read(&settings->texts, &reading);
    read_texts(settings, &reading);
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
    allfold_names_check(settings->broken_promise, environment, complain);
    break_rules(settings);
}

bool allfold_tuned_path(const char *tuned, const char *mpi, char *path, size_t path_bytes)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (tuned != NULL)
        length = allfold_text_is_off(tuned) ? -1 : snprintf(path, path_bytes, "%s", tuned);
    else if (data != NULL && *data == '/') /* as the XDG specification has it: else it is not set */
        length = snprintf(path, path_bytes, "%s/allfold/tuned-%s.json", data, mpi);
    else if (home != NULL && *home != '\0')
        length = snprintf(path, path_bytes, "%s/.local/share/allfold/tuned-%s.json", home, mpi);
    else
        length = -1;
    return length >= 0 && (size_t)length < path_bytes;
}

/* --- what ranks must agree on --- */

enum { TEXT_BYTES = 256 };

/* A longer text is invalid, and remains so when it is cut. */
static int most_of(int id)
{
    return allfold_setting[id].type == TYPE_RULES ? ALLFOLD_RULES_BYTES : TEXT_BYTES;
}

void allfold_settings_write_common(const struct allfold_settings *settings,
                                   char bytes[ALLFOLD_COMMON_BYTES])
{
    char *at = bytes;
    memset(bytes, 0, ALLFOLD_COMMON_BYTES);
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        const char *text = settings->texts.of[i];
        if (allfold_setting[i].scope == SCOPE_PROCESS)
            continue;
        if (allfold_setting_is_path((enum allfold_setting_id)i)) /* each rank has its own path */
            text = allfold_text_is_off(text) ? "0" : "1";
        if (text == NULL)
            text = allfold_setting[i].value;
        assert(at + most_of(i) + 1 <= bytes + ALLFOLD_COMMON_BYTES);
        at += snprintf(at, (size_t)most_of(i) + 1, "%.*s", most_of(i), text) + 1;
    }
}

static void ignore(const char *message)
{
    (void)message;
}

bool allfold_settings_take_common(struct allfold_settings *settings,
                                  const struct allfold_settings *mine,
                                  const char bytes[ALLFOLD_COMMON_BYTES])
{
    const struct allfold_environment reading = {get_variable, ignore, settings->broken_promise};
    const char *at = bytes;
    memset(settings, 0, sizeof *settings);
    settings->texts = mine->texts;
    for (int i = 0; i < ALLFOLD_SETTINGS; i++) {
        if (allfold_setting[i].scope == SCOPE_PROCESS)
            continue;
        const size_t length = strlen(at);
        const bool keeps_mine = allfold_setting_is_path((enum allfold_setting_id)i) && *at == '1' &&
                                !allfold_text_is_off(settings->texts.of[i]);
        if (!keeps_mine && (settings->texts.of[i] = allfold_keep_text(at, length)) == NULL)
            return false;
        at += length + 1;
    }
    read_texts(settings, &reading);
    return true;
}

uint64_t allfold_settings_fingerprint(const struct allfold_settings *settings)
{
    char bytes[ALLFOLD_COMMON_BYTES];
    allfold_settings_write_common(settings, bytes);
    return allfold_hash(allfold_hash_of_nothing, bytes, sizeof bytes);
}
