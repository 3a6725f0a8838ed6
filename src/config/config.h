/* Configuration: the settings of settings.def, read from the environment as texts and numbers.
 *
 * A variable holds a setting's own value and the values of its named parts:
 *
 *     ALLFOLD_REPORT=app.csv,compare,sites     compare is short for compare=1
 *     ALLFOLD_TIMEOUT=30s,abort                 parts alone are fine: ALLFOLD_TIMEOUT=check
 *     ALLFOLD_NETWORK=nodes=3,1,2               a comma that no letter follows is part of a value
 *     ALLFOLD_TABLE=a,,b.json                   two commas are one of a value: a,b.json
 *     ALLFOLD_ALGORITHM='allreduce:0-4K=ring;4K-=chain;bcast=native'
 *
 * If a value is invalid, Allfold warns once and uses the default. If the setting is a promise
 * (is_promise), an invalid value is an error.
 *
 * `allfold run` links only this room, so nothing here depends on algorithms; select/settings.h
 * does. One thread at a time. */
#ifndef ALLFOLD_CONFIG_CONFIG_H
#define ALLFOLD_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* The memory for a message, with its final zero byte. */
enum { ALLFOLD_MESSAGE_BYTES = 900 };

/* SETTING_REPORT, SETTING_REPORT_COMPARE, ...: the settings, each before its parts. */
enum allfold_setting_id {
#define SETTING(id, ...) SETTING_##id,
#define PART(setting, id, ...) SETTING_##id,
#define OLD(...)
#include "config/settings.def"
#undef SETTING
#undef PART
#undef OLD
    ALLFOLD_SETTINGS
};

enum allfold_setting_type {
    TYPE_SWITCH,
    TYPE_WORDS,
    TYPE_FILE,
    TYPE_DIRECTORY,
    TYPE_SIZE,
    TYPE_NUMBER,
    TYPE_POWER,
    TYPE_DURATION,
    TYPE_RATE,
    TYPE_TEXT,
    TYPE_RULES
};

enum allfold_setting_scope { SCOPE_PROCESS, SCOPE_JOB, SCOPE_COMMUNICATOR };

/* A setting or a part of one, from its row in settings.def. */
struct allfold_setting {
    enum allfold_setting_id of; /* of a part: its setting; of a setting: its own ID */
    const char *name;           /* of a setting: ALLFOLD_REPORT; of a part: compare */
    enum allfold_setting_type type;
    const char *value; /* the default */
    const char *range; /* of valid values, as messages show it */
    enum allfold_setting_scope scope;
    bool is_promise;
    const char *word, *argument; /* of the option of `allfold run`; parts have no option */
    int letter;
    const char *help;
};

extern const struct allfold_setting allfold_setting[ALLFOLD_SETTINGS];

/* A name of a setting in an earlier version. */
struct allfold_old_name {
    const char *name;
    enum allfold_setting_id id;
    const char *option; /* of `allfold run`; "": there was none */
};

extern const struct allfold_old_name allfold_old_names[];
extern const int allfold_old_name_count;

/* Returns whether the ID is that of a part. */
static inline bool allfold_setting_is_part(enum allfold_setting_id id)
{
    return allfold_setting[id].of != id;
}

/* Returns whether the setting is a file or a directory. */
static inline bool allfold_setting_is_path(enum allfold_setting_id id)
{
    return allfold_setting[id].type == TYPE_FILE || allfold_setting[id].type == TYPE_DIRECTORY;
}

/* Returns whether documentation and lists show the setting. Test hooks are not shown. */
static inline bool allfold_setting_is_listed(enum allfold_setting_id id)
{
    return allfold_setting[id].of != SETTING_TEST;
}

/* The texts of all settings and parts; NULL if a setting is not set. The texts are valid until the
 * process ends. */
struct allfold_texts {
    const char *of[ALLFOLD_SETTINGS];
};

/* Where to read the settings from, and where to report errors. */
struct allfold_environment {
    const char *(*get)(const char *name); /* as getenv */
    void (*complain)(const char *message);
    char *broken_promise; /* ALLFOLD_MESSAGE_BYTES bytes: the message about the first invalid
                             promise, or "" */
};

/* Reads the texts of all settings and parts. */
void allfold_texts_read(struct allfold_texts *texts, const struct allfold_environment *reading);

/* Returns the value of a setting as a number. A switch is 0 or 1. A value of TYPE_WORDS is its
 * index in `range`. A duration is in seconds, a rate in Mbit/s; "off" is 0 and "auto" is -1. A file
 * is 0 if it is off. If the text is invalid, it warns and returns the default. */
double allfold_texts_number(const struct allfold_texts *texts, enum allfold_setting_id id,
                            const struct allfold_environment *reading);

/* Reads one text as a value of the setting, with the same numbers. False if the text is invalid. */
bool allfold_setting_read(enum allfold_setting_id id, const char *text, double *number);

/* Returns the part of setting `of` with which the text `at` starts, such as "sites", "nodes=4x2"
 * or, for rules, "bcast:0-4K=chain", and sets *value to the text after the part's name. Returns
 * `of` itself if the text does not start with a part. */
enum allfold_setting_id allfold_setting_find_part(enum allfold_setting_id of, const char *at,
                                                  const char **value);

/* Returns the setting or part that had this name in an earlier version; ALLFOLD_SETTINGS if there
 * is none. */
enum allfold_setting_id allfold_setting_find_old(const char *name);

/* Returns the name of the option of `allfold run` for a setting, such as "one-copy". Valid until
 * the process ends. */
const char *allfold_option_name(enum allfold_setting_id id);

/* Returns whether the text is the default of the setting. */
bool allfold_setting_is_default(enum allfold_setting_id id, const char *text);

/* Return whether the text of a file or directory setting means "off", or "on". */
bool allfold_text_is_off(const char *text);
bool allfold_text_is_on(const char *text);

/* Writes a setting with its parts as it would be set in the environment:
 * "ALLFOLD_REPORT=app.csv,compare". */
void allfold_texts_write(const struct allfold_texts *texts, enum allfold_setting_id id, char *line,
                         size_t line_bytes);

/* Warns about each variable ALLFOLD_... in `environment` (in the format of environ) that is not a
 * setting, and suggests a setting with a similar name. If that setting is a promise, it also sets
 * `broken_promise`. */
void allfold_names_check(char *broken_promise, char *const *environment,
                         void (*complain)(const char *message));

/* Checks the promises in the environment of this process. Returns false if one of them has an
 * invalid value or a misspelled name; then `why`, of ALLFOLD_MESSAGE_BYTES bytes, is the reason. */
bool allfold_promises_are_kept(char *const *environment, char *why);

/* Returns whether the edit distance (Damerau-Levenshtein) from `a`, of a_length characters, to `b`
 * is at most `changes`. An edit inserts, deletes or replaces a letter, or swaps two neighbors. */
bool allfold_is_similar(const char *a, size_t a_length, const char *b, int changes);

/* Returns a copy of the first `length` characters of `text` that is valid until the process ends.
 * The same text returns the same copy. NULL if out of memory. */
const char *allfold_keep_text(const char *text, size_t length);

#endif
