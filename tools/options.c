/* Reads the options of the subcommands (see options.h). */
#include "options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"
#include "util/number.h"
#include "util/quantity.h"

enum kind { TEXT, LIST, OPTIONAL, NUMBER, FLAG };

static const struct declared {
    const char *name;
    enum kind kind;
    int letter;
    const char *argument;
    int least, most;
    const char *help;
    size_t place; /* in struct allfold_options */
} declared[] = {
#define DECLARED(kind, field, letter, argument, least, most, help)                                 \
    {#field, kind, letter, argument, least, most, help, offsetof(struct allfold_options, field)},
    ALLFOLD_OPTIONS(DECLARED)
#undef DECLARED
};

/* Options of version 0.1. `now` is the new name, and `value` the argument for it, in which %s
 * stands for the one given. Without `now` the option was removed, and `value` says what to use. */
static const struct renamed {
    const char *name, *now, *value;
    int has_argument;
} renamed[] = {
    {"sizes", "bytes", "%s", required_argument},
    {"op", "operation", "%s", required_argument},
    {"operations", "operation", "%s", required_argument},
    {"commutative", "operation", "commutative", no_argument},
    {"shapes", "nodes", "%s", required_argument},
    {"blocks", "count", "%s", required_argument},
    {"time", "budget", "%s", required_argument},
    {"confidence", "precision", ":%s", required_argument},
    {"least", "repetitions", "%s..", required_argument},
    {"most", "repetitions", "..%s", required_argument},
    {"warm", "buffers", "kept", no_argument},
    {"in-place", "buffers", "in_place", no_argument},
    {"memory", "buffers", "%s", required_argument},
    {"cold", "buffers", "cold:%s", optional_argument},
    {"clock", "start", "%s", required_argument},
    {"osu", "format", "osu", no_argument},
    {"library", "mpi", "%s", required_argument},
    {"all", "algorithm", "all", no_argument},
    {"map", NULL, "allfold bench --plot FILE CSV-FILE...", no_argument},
    {"update", NULL, "--output FILE", no_argument},
    {"element", NULL, "--type", required_argument},
    {"one-machine", NULL, "--cores, which is of the machine", no_argument},
    {"show-network", NULL, "allfold show --network NAME", no_argument},
    {"calibrate", NULL, "a command: allfold calibrate", no_argument},
    {"merge", NULL, "a command: allfold table merge", no_argument},
    {"pool", NULL, "a command: allfold table pool", no_argument},
    {"export", NULL, "a command: allfold table export", optional_argument},
};

enum {
    RENAMED = sizeof renamed / sizeof *renamed,
    FIRST = 256,
    HELP = FIRST + 200,
    USAGE,
    NO_ERROR = -1
};

static void end_of_usage(const struct allfold_options *options)
{
    enum { WRONG_USAGE = 2 };
    if (!options->is_silent)
        fprintf(stderr, "Try `%s --help'.\n", options->command);
    exit(options->is_silent ? 0 : WRONG_USAGE);
}

void allfold_options_refuse(const struct allfold_options *options, const char *format, ...)
{
    va_list arguments;
    if (!options->is_silent) {
        fprintf(stderr, "%s: ", options->command);
        va_start(arguments, format);
        vfprintf(stderr, format, arguments);
        va_end(arguments);
        fprintf(stderr, "\n");
    }
    end_of_usage(options);
    abort(); /* never: the program has ended */
}

int allfold_options_number(const struct allfold_options *options, const char *option,
                           const char *text, int least, int most)
{
    long number;
    if (!allfold_whole_is(text, least, most, &number))
        allfold_options_refuse(options, "%s %s: expected a whole number from %d to %d", option,
                               text, least, most);
    return (int)number;
}

size_t allfold_options_size(const struct allfold_options *options, const char *option,
                            const char *text)
{
    size_t size;
    const char *end;
    if (!allfold_size_read(text, &size, &end) || *end != '\0')
        allfold_options_refuse(options, "%s %s: expected one size, like 64K", option, text);
    return size;
}

void allfold_options_nodes(const struct allfold_options *options, int *nodes, int *ppn)
{
    const long most = 1 << 24;
    const char *end = options->nodes;
    long read = 1, ranks = options->ppn;
    bool fits = end == NULL || allfold_whole_read(end, 1, most, &read, &end);
    if (fits && end != NULL && *end == 'x')
        fits = options->ppn == 0 && allfold_whole_read(end + 1, 1, most, &ranks, &end);
    if (!fits || (end != NULL && *end != '\0'))
        allfold_options_refuse(options, "--nodes %s: expected a number, or nodes x ranks like 4x8",
                               options->nodes);
    if (options->nodes != NULL)
        *nodes = (int)read;
    if (ranks > 0)
        *ppn = (int)ranks;
    if ((long long)*nodes * *ppn > most)
        allfold_options_refuse(options,
                               "more than 16777216 ranks; expected fewer --nodes or --ppn");
}

void allfold_options_ranks(const struct allfold_options *options, int most, int *first, int *last)
{
    const char *end;
    long from, to;
    bool fits = allfold_whole_read(options->ranks, 1, most, &from, &end);
    to = from;
    if (fits && strncmp(end, "..", 2) == 0)
        fits = allfold_whole_read(end + 2, from, most, &to, &end);
    if (!fits || *end != '\0')
        allfold_options_refuse(options, "--ranks %s: expected P or FIRST..LAST, from 1 to %d",
                               options->ranks, most);
    *first = (int)from;
    *last = (int)to;
}

bool allfold_options_next(const char **list, char *word, size_t word_bytes)
{
    const char *at = *list;
    size_t length = 0;
    int depth = 0;
    if (*at == '\0')
        return false;
    for (; at[length] != '\0' && (at[length] != ',' || depth > 0); length++)
        depth += (at[length] == '(') - (at[length] == ')');
    snprintf(word, word_bytes, "%.*s", (int)length, at);
    *list = at + length + (at[length] == ',');
    return true;
}

/* --- help ------------------------------------------------------------------------------------- */

/* As getopt has it: no_argument, required_argument or optional_argument. */
static int argument_of(const struct allfold_taken *taken)
{
    const enum kind kind = declared[taken->option].kind;
    if (kind == FLAG || (taken->flags & ALLFOLD_NO_ARGUMENT) != 0)
        return no_argument;
    return kind == OPTIONAL && (taken->flags & ALLFOLD_ARGUMENT_REQUIRED) == 0 ? optional_argument
                                                                               : required_argument;
}

/* Writes " [8:1M]", if there is a default and space for it. */
static void write_default(const struct allfold_options *options, const struct declared *of,
                          char *text, size_t text_bytes)
{
    const void *place = (const char *)options + of->place;
    const char *value = of->kind == LIST   ? place
                        : of->kind == TEXT ? *(const char *const *)place
                                           : NULL;
    text[0] = '\0';
    if (value != NULL && *value != '\0')
        snprintf(text, text_bytes, " [%s]", value);
    else if (of->kind == NUMBER && *(const int *)place > 0)
        snprintf(text, text_bytes, " [%d]", *(const int *)place);
}

static void print_option(const struct allfold_taken *taken, const struct allfold_options *defaults)
{
    const struct declared *of = &declared[taken->option];
    enum { HELP_COLUMNS = 51 };
    char left[80], letter[8] = "    ", preset[200];
    const int argument = argument_of(taken);
    const bool may_lack = argument == optional_argument;
    if (of->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", of->letter);
    if (argument != no_argument)
        snprintf(left, sizeof left, "%s--%s%s=%s%s", letter, of->name, may_lack ? "[" : "",
                 of->argument, may_lack ? "]" : "");
    else
        snprintf(left, sizeof left, "%s--%s", letter, of->name);
    const char *help = taken->help != NULL ? taken->help : of->help;
    write_default(defaults, of, preset, sizeof preset);
    if (strlen(help) + strlen(preset) > HELP_COLUMNS)
        preset[0] = '\0';
    printf("  %-26s %s%s\n", left, help, preset);
}

/* One screen, unless the rare options are asked for, too. */
static void print_help(const struct allfold_command *command,
                       const struct allfold_options *defaults, bool shows_hidden)
{
    printf("Usage: %s [OPTION...]%s%s\n%s\n\n", defaults->command,
           command->words == NULL ? "" : " ", command->words == NULL ? "" : command->words,
           command->text);
    for (int i = 0; i < command->count; i++)
        if (shows_hidden || (command->taken[i].flags & ALLFOLD_HIDDEN) == 0)
            print_option(&command->taken[i], defaults);
    printf("  -?, --help                 print this, with [defaults]; --usage: all options\n\n"
           "All options, examples and the exit status: man allfold-%s\n",
           strrchr(defaults->command, ' ') + 1);
}

/* --- reading ---------------------------------------------------------------------------------- */

static void join(struct allfold_options *options, const struct declared *of, char *list,
                 const char *value)
{
    const size_t length = strlen(list), left = ALLFOLD_OPTION_LIST_BYTES - length;
    if (strlen(value) + 2 > left)
        allfold_options_refuse(options, "--%s: the list is too long", of->name);
    snprintf(list + length, left, "%s%s", length > 0 ? "," : "", value);
}

static void take(struct allfold_options *options, enum allfold_option option, const char *value)
{
    const struct declared *of = &declared[option];
    char name[40];
    void *place = (char *)options + of->place;
    snprintf(name, sizeof name, "--%s", of->name);
    switch (of->kind) {
    case TEXT:
        *(const char **)place = value;
        break;
    case OPTIONAL:
        *(const char **)place = value == NULL ? "" : value;
        break;
    case LIST:
        if (!options->given[option])
            *(char *)place = '\0';
        join(options, of, place, value);
        break;
    case NUMBER:
        *(int *)place = allfold_options_number(options, name, value, of->least, of->most);
        break;
    case FLAG:
        *(bool *)place = true;
        break;
    }
    options->given[option] = true;
}

static const struct allfold_taken *find_taken(const struct allfold_command *command,
                                              const char *name)
{
    for (int i = 0; name != NULL && i < command->count; i++)
        if (strcmp(declared[command->taken[i].option].name, name) == 0)
            return &command->taken[i];
    return NULL;
}

/* Handles an old name, with a hint; an error if the option was removed. */
static void take_renamed(const struct allfold_command *command, struct allfold_options *options,
                         const struct renamed *old, const char *argument)
{
    char *value = NULL; /* stays for a TEXT */
    const char *given = argument == NULL ? "" : argument;
    const char *at = strstr(old->value, "%s");
    if (old->now == NULL)
        allfold_options_refuse(options, "--%s is now %s", old->name, old->value);
    if (asprintf(&value, "%.*s%s%s", at == NULL ? (int)strlen(old->value) : (int)(at - old->value),
                 old->value, at == NULL ? "" : given, at == NULL ? "" : at + 2) < 0)
        allfold_options_refuse(options, "no memory");
    if (!options->is_silent)
        fprintf(stderr, "%s: --%s is now --%s %s\n", options->command, old->name, old->now, value);
    const enum allfold_option now = find_taken(command, old->now)->option;
    take(options, now, value);
    if (declared[now].kind == LIST) /* which has copied it */
        free(value);
}

/* What getopt takes: the options, --help and --usage, and old names that mean something here. */
static void list_options(const struct allfold_command *command, struct option *list, char *letters)
{
    for (int i = 0; i < command->count; i++) {
        const struct declared *of = &declared[command->taken[i].option];
        const int argument = argument_of(&command->taken[i]);
        *list++ = (struct option){of->name, argument, NULL, FIRST + i};
        if (of->letter != 0)
            letters += sprintf(letters, "%c%.*s", of->letter, argument, "::");
    }
    for (int i = 0; i < RENAMED; i++)
        if (find_taken(command, renamed[i].name) == NULL &&
            (renamed[i].now == NULL || find_taken(command, renamed[i].now) != NULL))
            *list++ = (struct option){renamed[i].name, renamed[i].has_argument, NULL,
                                      FIRST + command->count + i};
    *list++ = (struct option){"help", no_argument, NULL, HELP};
    *list++ = (struct option){"usage", no_argument, NULL, USAGE};
    *list = (struct option){NULL, 0, NULL, 0};
}

/* The index among the subcommand's options of a key that getopt returns; negative for none. */
static int index_of(const struct allfold_command *command, int key)
{
    for (int i = 0; i < command->count; i++)
        if (key == declared[command->taken[i].option].letter)
            return i;
    return key - FIRST;
}

static void take_key(const struct allfold_command *command, struct allfold_options *options,
                     const struct allfold_options *defaults, int key, bool is_asked)
{
    const int at = index_of(command, key);
    if (key == HELP || key == USAGE || (key == '?' && is_asked)) {
        print_help(command, defaults, key == USAGE);
        exit(0);
    }
    if (at < 0)
        end_of_usage(options); /* getopt said it */
    else if (at < command->count)
        take(options, command->taken[at].option, optarg);
    else
        take_renamed(command, options, &renamed[at - command->count], optarg);
}

/* Files are written at the end; a name that cannot be written must not cost a measurement. */
static void check_files(const struct allfold_options *options)
{
    static const enum allfold_option written[] = {ALLFOLD_OPTION_csv, ALLFOLD_OPTION_json,
                                                  ALLFOLD_OPTION_output, ALLFOLD_OPTION_plot,
                                                  ALLFOLD_OPTION_groups};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const struct declared *of = &declared[written[i]];
        const char *path = *(const char *const *)((const char *)options + of->place);
        const int error = path == NULL || *path == '\0' ? 0 : allfold_tool_write_error(path);
        if (error != 0)
            allfold_options_refuse(options,
                                   "--%s %s: %s; expected a file in a directory that exists and "
                                   "can be written",
                                   of->name, path, strerror(error));
    }
}

void allfold_options_read(const struct allfold_command *command, int argc, char **argv,
                          struct allfold_options *options)
{
    static struct allfold_options defaults;
    struct option list[ALLFOLD_OPTION_COUNT + RENAMED + 3];
    char letters[4 * ALLFOLD_OPTION_COUNT] = "?";
    int key;
    options->command = argv[0];
    defaults = *options;
    list_options(command, list, letters + 1);
    opterr = !options->is_silent;
    while ((key = getopt_long(argc, argv, letters, list, NULL)) != -1)
        take_key(command, options, &defaults, key, strcmp(argv[optind - 1], "-?") == 0);
    options->words = argv + optind;
    options->word_count = argc - optind;
    if (options->word_count < command->least)
        allfold_options_refuse(options, "expected %s", command->words);
    if (options->word_count > command->most)
        allfold_options_refuse(options, "'%s' is one word too many", options->words[command->most]);
    check_files(options);
}
