/* Exports a table as MPICH's file of collective selection (version 4.0,
 * MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE): a tree of conditions with algorithms at its leaves.
 *
 * The file replaces all decisions of MPICH, and a call that reaches no leaf aborts the program. So
 * the file repeats MPICH's own tree, which its library contains as a text of this form. The rules
 * of the table are inserted in the branches of their collectives, before the existing conditions.
 * These are repeated wherever no rule applies. Of the conditions in an object, the first that is
 * true is taken, without backtracking. */
#include "lab/export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

static const struct allfold_mapping mappings[] = {
    {.collective = ALLFOLD_ALLREDUCE, .ours = "recursive_doubling", .theirs = "recursive_doubling"},
    {.collective = ALLFOLD_ALLREDUCE,
     .ours = "halving_doubling",
     .theirs = "reduce_scatter_allgather",
     .built_in = true},
    {.collective = ALLFOLD_REDUCE, .ours = "binomial_tree", .theirs = "binomial"},
    {.collective = ALLFOLD_REDUCE,
     .ours = "halving_doubling",
     .theirs = "reduce_scatter_gather",
     .built_in = true},
    {.collective = ALLFOLD_BCAST, .ours = "binomial_tree", .theirs = "binomial"},
    {.collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
     .ours = "recursive_halving",
     .theirs = "recursive_halving"},
    {.collective = ALLFOLD_REDUCE_SCATTER_BLOCK,
     .ours = "pairwise_exchange",
     .theirs = "pairwise",
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "segment"},
    {.collective = ALLFOLD_ALLGATHER,
     .ours = "circulant",
     .theirs = "brucks",
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "radix",
     .value = 2,
     .powers_of_two = true},
    {.collective = ALLFOLD_ALLGATHER, .ours = "recursive_doubling", .theirs = "recursive_doubling"},
    {.collective = ALLFOLD_ALLGATHER,
     .ours = "ring",
     .theirs = "ring",
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "segment"},
    {.collective = ALLFOLD_BARRIER,
     .ours = "dissemination",
     .theirs = "dissemination",
     .takes = ALLFOLD_TAKES_EXACTLY,
     .parameter = "n",
     .value = 1},
    {.ours = NULL},
};

/* A part of a text. */
struct part {
    const char *text;
    int length;
};

/* From the brace at `text` to the one that closes it. */
static struct part find_object(const char *text)
{
    int depth = 0, length = 0;
    do {
        depth += text[length] == '{' ? 1 : text[length] == '}' ? -1 : 0;
        length += text[length] != '\0';
    } while (depth > 0 && text[length] != '\0');
    return (struct part){text, depth == 0 ? length : 0};
}

/* What stands for communicators of one group in the branch of a collective; no text where there is
 * no such branch. */
static struct part find_branch(const char *defaults, enum allfold_collective collective)
{
    static const char inside[] = "\"comm_type=intra\":";
    char key[60];
    const int length =
        snprintf(key, sizeof key, "\"collective=%s\":{", allfold_collective_name(collective));
    const char *at = strstr(defaults, key);
    if (at == NULL || strncmp(at + length, inside, strlen(inside)) != 0)
        return (struct part){NULL, 0};
    return find_object(at + length + strlen(inside));
}

/* MPICH 4.2 and later have an algorithm of any radix in the place of some of radix 2; their own
 * choice names it. */
static void put_algorithm(FILE *file, const char *collective, const char *name, struct part own)
{
    char radix[80];
    const int length =
        snprintf(radix, sizeof radix, "algorithm=MPIR_%s_intra_k_%s", collective, name);
    if (memmem(own.text, (size_t)own.length, radix, (size_t)length) != NULL)
        fprintf(file, "{\"%s\":{\"k=2\":{}}}", radix);
    else
        fprintf(file, "{\"algorithm=MPIR_%s_intra_%s\":{}}", collective, name);
}

/* The rule's algorithm, and MPICH's own choice where it cannot take it: it ends programs that call
 * it all the same. */
static void put_rule(FILE *file, const struct allfold_export_rule *rule, struct part own)
{
    const char *name = allfold_traits(rule->collective)->mpi_name + strlen("MPI_");
    if (rule->commutative)
        fprintf(file, "{\"is_commutative=yes\":");
    if (rule->mapping->built_in)
        fprintf(file, "{\"is_op_built_in=yes\":{\"count<pow2\":%.*s,\n\"count=any\":", own.length,
                own.text);
    put_algorithm(file, name, rule->mapping->theirs, own);
    if (rule->mapping->built_in)
        fprintf(file, "},\n\"is_op_built_in=no\":%.*s}", own.length, own.text);
    if (rule->commutative)
        fprintf(file, ",\n\"is_commutative=no\":%.*s}", own.length, own.text);
}

static bool is_last(const struct allfold_export_rule *rule)
{
    return rule->to_bytes > INT_MAX;
}

/* What is said of one p: sizes up to each bound, and the rest. */
static void put_sizes(FILE *file, const struct allfold_export_rule *rules, uint32_t count,
                      struct part own)
{
    const enum allfold_collective collective = rules[0].collective;
    const struct allfold_traits *traits = allfold_traits(collective);
    const char *size =
        traits->in_is_blocks || traits->out_is_blocks ? "total_msg_size" : "avg_msg_size";
    size_t at = 0;
    if (collective == ALLFOLD_BARRIER) {
        put_rule(file, &rules[0], own);
        return;
    }
    fprintf(file, "{");
    for (uint32_t i = 0; i < count && allfold_export_fits_int(&rules[i]); i++) {
        if (rules[i].from_bytes > at)
            fprintf(file, "\"%s<=%zu\":%.*s,\n", size, rules[i].from_bytes - 1, own.length,
                    own.text);
        at = rules[i].to_bytes;
        if (is_last(&rules[i]))
            fprintf(file, "\"%s=any\":", size);
        else
            fprintf(file, "\"%s<=%zu\":", size, at - 1);
        put_rule(file, &rules[i], own);
        fprintf(file, "%s", is_last(&rules[i]) ? "" : ",\n");
    }
    if (at <= INT_MAX)
        fprintf(file, "\"%s=any\":%.*s", size, own.length, own.text);
    fprintf(file, "}");
}

static void put_collective(FILE *file, const struct allfold_export *export, uint32_t begin,
                           struct part own)
{
    const struct allfold_export_rule *rules = export->rules;
    const uint32_t end = allfold_export_end_of(export, begin, false);
    int at = 1; /* the least p of which nothing is said */
    fprintf(file, "{");
    for (uint32_t i = begin, next; i < end; i = next) {
        next = allfold_export_end_of(export, i, true);
        if (rules[i].p > at)
            fprintf(file, "\"comm_size<=%d\":%.*s,\n", rules[i].p - 1, own.length, own.text);
        fprintf(file, "\"comm_size<=%d\":", rules[i].p);
        put_sizes(file, &rules[i], next - i, own);
        fprintf(file, ",\n");
        at = rules[i].p + 1;
    }
    fprintf(file, "\"comm_size=any\":%.*s}", own.length, own.text);
}

/* The first rule of the branch that stands first behind `from`; sets its branch. */
static uint32_t find_next(const struct allfold_export *export, const char *from, struct part *next)
{
    uint32_t found = export->rule_count;
    *next = (struct part){NULL, 0};
    for (uint32_t i = 0; i < export->rule_count; i++) {
        const struct part part = find_branch(export->defaults, export->rules[i].collective);
        if (part.text >= from && (next->text == NULL || part.text < next->text)) {
            *next = part;
            found = i;
        }
    }
    return found;
}

static enum allfold_error write_file(FILE *file, const struct allfold_export *export)
{
    enum { PAGE_BYTES = 4096 };
    const char *from = export->defaults;
    struct part own;
    for (uint32_t i; (i = find_next(export, from, &own)) < export->rule_count;) {
        fprintf(file, "%.*s\n", (int)(own.text - from), from);
        put_collective(file, export, i, own);
        from = own.text + own.length;
    }
    fprintf(file, "%s\n", from);
    /* MPICH maps the file and reads it up to a 0 byte, which a file of whole pages has none of */
    const long bytes = ftell(file);
    if (bytes > 0 && bytes % PAGE_BYTES == 0)
        fprintf(file, "\n");
    return ALLFOLD_OK;
}

static void explain(FILE *file, const struct allfold_export *export, const char *path)
{
    fprintf(file,
            "    export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=%s\n"
            "    export MPIR_CVAR_DEVICE_COLLECTIVES=percoll\n",
            path);
    for (uint32_t i = 0; i < export->rule_count; i = allfold_export_end_of(export, i, false)) {
        char name[ALLFOLD_EXPORT_NAME_BYTES];
        allfold_export_capitals(export->rules[i].collective, name);
        fprintf(file, "    export MPIR_CVAR_%s_DEVICE_COLLECTIVE=0\n", name);
    }
}

const struct allfold_peer allfold_peer_mpich = {
    .name = "mpich",
    .title = "MPICH",
    .mappings = mappings,
    .needs_defaults = true,
    .write = write_file,
    .explain = explain,
};

/* MPICH's own decisions, from its library. There is one text in it that begins as such trees do and
 * has algorithms of MPIR, whatever else is there for its devices. */

/* The text at `begin`, up to its 0 byte; its length, or 0 where it is none of those sought. */
static size_t measure_text(const char *begin, size_t bytes)
{
    static const char sought[] = "\"collective=allreduce\":{\"comm_type=intra\":";
    static const char algorithm[] = "\"algorithm=MPIR_Allreduce_intra_";
    const char *end = memchr(begin, '\0', bytes);
    const size_t length = end == NULL ? 0 : (size_t)(end - begin);
    return memmem(begin, length, sought, strlen(sought)) != NULL &&
                   memmem(begin, length, algorithm, strlen(algorithm)) != NULL
               ? length
               : 0;
}

static size_t find_text(const char *file, size_t bytes, const char **text)
{
    static const char first[] = "{\"collective=";
    const char *at = file;
    while ((at = memmem(at, bytes - (size_t)(at - file), first, strlen(first))) != NULL) {
        const size_t length = measure_text(at, bytes - (size_t)(at - file));
        if (length > 0) {
            *text = at;
            return length;
        }
        at++;
    }
    return 0;
}

static enum allfold_error copy_text(struct allfold_export *export, const char *file, size_t bytes,
                                    const char *library, char *message, size_t message_bytes)
{
    const char *text = NULL;
    const size_t length = find_text(file, bytes, &text);
    if (length == 0) {
        snprintf(message, message_bytes,
                 "%.300s has no decisions on collectives in it; expected the library of MPICH 4.0 "
                 "or later, as libmpich.so.12",
                 library);
        return ALLFOLD_BAD_INPUT;
    }
    allfold_free(export->defaults);
    export->defaults = allfold_allocate(length + 1);
    if (export->defaults == NULL) {
        snprintf(message, message_bytes, "no memory");
        return ALLFOLD_NO_MEMORY;
    }
    memcpy(export->defaults, text, length);
    export->defaults[length] = '\0';
    return ALLFOLD_OK;
}

enum allfold_error allfold_export_find_defaults(struct allfold_export *export, const char *library,
                                                char *message, size_t message_bytes)
{
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    struct stat status;
    void *file = MAP_FAILED;
    const int descriptor = open(library, O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size > 0)
        file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (file == MAP_FAILED) {
        snprintf(message, message_bytes, "%.300s: %s; expected the library of MPICH", library,
                 descriptor < 0 ? strerror(errno) : "cannot be read");
    } else {
        error = copy_text(export, file, (size_t)status.st_size, library, message, message_bytes);
        munmap(file, (size_t)status.st_size);
    }
    if (descriptor >= 0)
        close(descriptor);
    return error;
}
