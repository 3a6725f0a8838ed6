/* Configuration: the settings of settings.def, read from the environment as texts and numbers.
 *
 * A variable holds a setting's own value and values of its named parts:
 *
 *     ALLFOLD_REPORT=app.csv,compare,sites     compare is short for compare=1
 *     ALLFOLD_TIMEOUT=30s,abort                 parts alone are fine: ALLFOLD_TIMEOUT=check
 *     ALLFOLD_NETWORK=nodes=3,1,2               a comma that no letter follows is part of a value
 *     ALLFOLD_TABLE=a,,b.json                   two commas are one of a value: a,b.json
 *     ALLFOLD_ALGORITHM='allreduce:0-4K=ring;4K-=chain;bcast=native'
 *
 * A value that cannot be used gives one complaint, and the default is used. If the row is a
 * promise, it is an error instead.
 *
 * `allfold run` links this alone, so nothing here knows algorithms; select/settings.h does. */
#ifndef ALLFOLD_CONFIG_CONFIG_H
#define ALLFOLD_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_MESSAGE_BYTES = 900 };

/* SETTING_REPORT, SETTING_REPORT_COMPARE, ...: settings, each before its parts. */
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

struct allfold_setting {
    enum allfold_setting_id of; /* the setting that it is a part of; its own ID: none */
    const char *name;           /* ALLFOLD_REPORT; of a part: compare */
    enum allfold_setting_type type;
    const char *value; /* the default */
    const char *range; /* what is expected */
    enum allfold_setting_scope scope;
    bool is_promise;
    const char *word, *argument; /* of the option of `allfold run`; parts have none */
    int letter;
    const char *help;
};

extern const struct allfold_setting allfold_setting[ALLFOLD_SETTINGS];

/* A name of an earlier version. */
struct allfold_old_name {
    const char *name;
    enum allfold_setting_id id;
    const char *option; /* of `allfold run`; "": none */
};

extern const struct allfold_old_name allfold_old_names[];
extern const int allfold_old_name_count;

static inline bool allfold_setting_is_part(enum allfold_setting_id id)
{
    return allfold_setting[id].of != id;
}

/* Is it one that people see? */
static inline bool allfold_setting_is_listed(enum allfold_setting_id id)
{
    return allfold_setting[id].of != SETTING_TEST;
}

/* The texts of all settings and parts; NULL: not set. They stay until the process ends. */
struct allfold_texts {
    const char *of[ALLFOLD_SETTINGS];
};

/* How to read them. */
struct allfold_environment {
    const char *(*get)(const char *name); /* as getenv */
    void (*complain)(const char *message);
    char *broken_promise; /* ALLFOLD_MESSAGE_BYTES: the first promise that is misspelled, or "" */
};

void allfold_texts_read(struct allfold_texts *texts, const struct allfold_environment *reading);

/* The value as a number: of a switch 0 or 1, of words the index in `range`, of a duration seconds,
 * of a rate Mbit/s, 0 for off and -1 for auto. Of files, 0 is off. Complains of a text that is no
 * such value, and returns the default. */
double allfold_texts_number(const struct allfold_texts *texts, enum allfold_setting_id id,
                            const struct allfold_environment *reading);

/* The same of one text; false if it is no value of the setting. */
bool allfold_setting_read(enum allfold_setting_id id, const char *text, double *number);

/* The part of a setting that a value begins with, as "sites", "nodes=4x2" or, of rules, also
 * "bcast:0-4K=chain"; *value is behind its name. The setting itself: none. */
enum allfold_setting_id allfold_setting_find_part(enum allfold_setting_id of, const char *at,
                                                  const char **value);

/* Which setting or part this name of an earlier version is; ALLFOLD_SETTINGS: none. */
enum allfold_setting_id allfold_setting_find_old(const char *name);

/* The option of `allfold run` for a setting: one-copy. */
const char *allfold_option_name(enum allfold_setting_id id);

/* Is this what holds without the variable? */
bool allfold_setting_is_default(enum allfold_setting_id id, const char *text);

/* Does the text of a file or directory name none? */
bool allfold_text_is_off(const char *text);

/* Writes "ALLFOLD_REPORT=app.csv,compare": a setting with its parts, as it is read. */
void allfold_texts_write(const struct allfold_texts *texts, enum allfold_setting_id id, char *line,
                         size_t line_bytes);

/* Complains of each "ALLFOLD_...=..." in `environment` (as environ) that is no setting, and names
 * one of a similar name. A similar name of a promise breaks it. */
void allfold_names_check(char *broken_promise, char *const *environment,
                         void (*complain)(const char *message));

/* Reads from the environment of this process what promises something, and nothing else. False with
 * the reason, of at most ALLFOLD_MESSAGE_BYTES, if it is misspelled. */
bool allfold_promises_are_kept(char *const *environment, char *why);

/* Is the edit distance from `a`, of a_length characters, to `b` at most `changes`? An edit inserts,
 * deletes or replaces a letter, or exchanges two neighbors. */
bool allfold_is_similar(const char *a, size_t a_length, const char *b, int changes);

/* Keeps a text until the process ends; the same one for the same text. NULL without memory. */
const char *allfold_keep_text(const char *text, size_t length);

#endif
