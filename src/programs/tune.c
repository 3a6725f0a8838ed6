/* What `allfold tune` starts under mpirun: measures as its words say and tells what it found, in
 * lines for `allfold tune` (tools/tune/tune.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "programs/calibrate.h"
#include "programs/part.h"
#include "programs/tune_run.h"

struct words {
    bool calibrates;
    struct allfold_calibrate_options calibrate;
    struct allfold_tune_run tune;
};

static bool take_sizes(struct words *words, const char *value, char *message, size_t message_bytes)
{
    if (!allfold_size_list_read(value, &words->calibrate.sizes, message, message_bytes))
        return false;
    words->tune.sizes = words->calibrate.sizes;
    return true;
}

static bool take_word(void *context, const char *name, const char *value, char *message,
                      size_t message_bytes)
{
    struct words *words = context;
    if (strcmp(name, "sizes") == 0)
        return take_sizes(words, value, message, message_bytes);
    if (strcmp(name, "budget") == 0)
        words->calibrate.budget_s = words->tune.budget_s = strtod(value, NULL);
    else if (strcmp(name, "progress") == 0)
        words->calibrate.tells_progress = words->tune.tells_progress = true;
    else if (strcmp(name, "calibrate") == 0)
        words->calibrates = true;
    else if (strcmp(name, "collective") == 0)
        snprintf(words->tune.collectives, sizeof words->tune.collectives, "%s", value);
    else if (strcmp(name, "type") == 0)
        words->tune.type = value;
    else if (strcmp(name, "operation") == 0)
        words->tune.operation = value;
    else if (strcmp(name, "start") == 0)
        words->tune.start = value;
    else if (strcmp(name, "resume") == 0)
        words->tune.resumes = true;
    else if (strcmp(name, "known") == 0)
        words->tune.known = value;
    else
        snprintf(message, message_bytes, "%s",
                 strcmp(name, "refuse") == 0 ? value : "a word that is none");
    return *message == '\0';
}

static bool read_words(void *context, char *words, char *message, size_t message_bytes)
{
    return allfold_part_read(words, take_word, context, message, message_bytes);
}

static int run(void *context, MPI_Comm comm)
{
    const struct words *words = context;
    return words->calibrates ? allfold_calibrate_ranks(&words->calibrate, comm)
                             : allfold_tune_ranks(&words->tune, comm);
}

int main(int argc, char **argv)
{
    static struct words words;
    const struct allfold_part part = {&words, read_words, run};
    return allfold_part_main(argc, argv, &part);
}
