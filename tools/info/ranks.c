/* Queries and prints the placement of the ranks (see ranks.h). */
#include "info/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "mpi_part.h"
#include "util/number.h"

/* Cuts the next field off a line. */
static bool take(char **line, char *field, size_t bytes)
{
    const char *text = strsep(line, "\t");
    snprintf(field, bytes, "%s", text == NULL ? "" : text);
    return text != NULL;
}

static bool add_rank(struct allfold_ranks *ranks, char *line)
{
    char node[16], socket[16];
    const size_t bytes = (size_t)(ranks->count + 1) * sizeof *ranks->ranks;
    struct allfold_rank *grown = realloc(ranks->ranks, bytes);
    if (grown == NULL)
        return false;
    ranks->ranks = grown;
    struct allfold_rank *rank = &grown[ranks->count];
    if (!take(&line, node, sizeof node) || !take(&line, socket, sizeof socket) ||
        !take(&line, rank->host, sizeof rank->host) ||
        !take(&line, rank->binding, sizeof rank->binding) ||
        !take(&line, rank->why, sizeof rank->why) ||
        !take(&line, rank->switches, sizeof rank->switches))
        return false;
    long number, of_node;
    if (!allfold_whole_is(node, 0, INT_MAX, &number) ||
        !allfold_whole_is(socket, -1, INT_MAX - 1, &of_node))
        return false;
    rank->node = (int)number;
    rank->socket = (int)of_node;
    ranks->sockets = rank->socket >= ranks->sockets ? rank->socket + 1 : ranks->sockets;
    ranks->count++;
    return true;
}

static bool read_uplinks(char **line, int levels, double *uplinks)
{
    char text[80];
    const char *at = text;
    if (levels > 0 && !take(line, text, sizeof text))
        return false;
    for (int i = 0; i < levels; i++) {
        at += strspn(at, " ");
        if (!allfold_number_read(at, &uplinks[i], &at))
            return false;
    }
    return true;
}

/* Levels of switches and how many each has; why there are none; their uplinks. */
static bool read_levels(struct allfold_ranks *ranks, char *line)
{
    char counts[80];
    const char *at = counts;
    long number;
    if (!take(&line, counts, sizeof counts) ||
        !take(&line, ranks->no_switches, sizeof ranks->no_switches) ||
        !allfold_whole_read(at, 0, ALLFOLD_SWITCH_LEVELS, &number, &at))
        return false;
    ranks->levels = (int)number;
    for (int i = 0; i < ranks->levels; i++) {
        at += strspn(at, " ");
        if (!allfold_whole_read(at, 1, INT_MAX, &number, &at))
            return false;
        ranks->switches[i] = (int)number;
    }
    return read_uplinks(&line, ranks->levels, ranks->uplinks) &&
           read_uplinks(&line, ranks->levels, ranks->pair_uplinks);
}

/* How many cables and trees there are; why there are none; the nodes that each cable links. */
static bool read_cables(struct allfold_ranks *ranks, char *line)
{
    char counts[40];
    const char *at = counts;
    long cables, trees, ends[2];
    if (!take(&line, counts, sizeof counts) ||
        !take(&line, ranks->no_cables, sizeof ranks->no_cables) || line == NULL ||
        !allfold_whole_read(at, 0, ALLFOLD_MOST_CABLES, &cables, &at) ||
        !allfold_whole_read(at + strspn(at, " "), 0, ALLFOLD_MOST_TREES, &trees, &at))
        return false;
    ranks->cable = calloc((size_t)cables + 1, sizeof *ranks->cable);
    if (ranks->cable == NULL)
        return false;
    at = line;
    for (long c = 0; c < cables; c++) {
        for (int i = 0; i < 2; i++, at += strspn(at, " "))
            if (!allfold_whole_read(at, 0, ALLFOLD_MOST_CABLED_NODES - 1, &ends[i], &at))
                return false;
        ranks->cable[c] = (struct allfold_cable){(int)ends[0], (int)ends[1]};
    }
    ranks->cables = (int)cables;
    ranks->trees = (int)trees;
    return true;
}

/* Takes a whole number. */
static bool take_number(char **line, int *number)
{
    char text[16];
    long found = 0;
    const bool is_right =
        take(line, text, sizeof text) && allfold_whole_is(text, 0, INT_MAX, &found);
    *number = (int)found;
    return is_right;
}

/* What carries messages, the cores of one machine, the nodes' cards, and the order of the hosts. */
static bool read_common(struct allfold_ranks *ranks, char *line)
{
    int is_in_order = 0;
    const bool is_right = take(&line, ranks->messages, sizeof ranks->messages) &&
                          take(&line, ranks->libfabric, sizeof ranks->libfabric) &&
                          take_number(&line, &ranks->cores) &&
                          take_number(&line, &ranks->card_mbit) && take_number(&line, &is_in_order);
    ranks->hosts_in_order = is_in_order == 1;
    return is_right;
}

/* Reads the output of the part (see src/programs/info_ranks.c); ranks other than 0 print
 * nothing. */
static bool read_ranks(struct allfold_ranks *ranks, FILE *stream)
{
    char *line = NULL;
    size_t line_bytes = 0;
    bool is_right = true;
    for (int i = 0; getline(&line, &line_bytes, stream) > 0; i++) {
        line[strcspn(line, "\n")] = '\0';
        if (i == 0)
            snprintf(ranks->mpi, sizeof ranks->mpi, "%s", line);
        else if (i == 1)
            is_right = read_common(ranks, line);
        else if (i == 2)
            is_right = is_right && read_levels(ranks, line);
        else if (i == 3)
            is_right = is_right && read_cables(ranks, line);
        else
            is_right = is_right && add_rank(ranks, line);
    }
    free(line);
    return is_right;
}

/* Nodes are numbered from 0, each has a rank. */
static bool count_nodes(struct allfold_ranks *ranks)
{
    int *on_node = calloc((size_t)ranks->count + 1, sizeof *on_node);
    if (on_node == NULL)
        return false;
    for (int r = 0; r < ranks->count; r++) {
        const int node = ranks->ranks[r].node;
        if (node < 0 || node >= ranks->count) {
            free(on_node);
            return false;
        }
        on_node[node]++;
        ranks->nodes = node >= ranks->nodes ? node + 1 : ranks->nodes;
    }
    ranks->most = ranks->least = on_node[0];
    for (int n = 1; n < ranks->nodes; n++) {
        ranks->most = on_node[n] > ranks->most ? on_node[n] : ranks->most;
        ranks->least = on_node[n] < ranks->least ? on_node[n] : ranks->least;
    }
    free(on_node);
    return true;
}

bool allfold_ranks_ask(struct allfold_ranks *ranks, const char *mpi,
                       const struct allfold_launcher *launcher, const char *binding, char *message,
                       int message_bytes)
{
    static struct allfold_part part;
    char given[ALLFOLD_BINDING_BYTES];
    char *const arguments[] = {part.path, given, NULL};
    FILE *stream;
    int status = -1;
    *ranks = (struct allfold_ranks){.count = 0};
    if (!allfold_part_find("info", mpi, launcher, &part, message, (size_t)message_bytes))
        return false;
    ranks->mpi_file = part.mpi.path;
    snprintf(given, sizeof given, "%s", binding);
    const pid_t child = allfold_part_start(&part, arguments, &stream);
    bool is_right = stream != NULL && read_ranks(ranks, stream);
    if (stream != NULL)
        fclose(stream);
    if (child > 0)
        waitpid(child, &status, 0);
    is_right = is_right && status == 0 && count_nodes(ranks);
    if (!is_right)
        snprintf(message, (size_t)message_bytes, "%.300s failed", part.path);
    return is_right;
}

void allfold_ranks_free(struct allfold_ranks *ranks)
{
    free(ranks->ranks);
    free(ranks->cable);
    *ranks = (struct allfold_ranks){.count = 0};
}

static bool are_alike(const struct allfold_rank *a, const struct allfold_rank *b)
{
    return a->node == b->node && strcmp(a->host, b->host) == 0 &&
           strcmp(a->binding, b->binding) == 0 && strcmp(a->why, b->why) == 0 &&
           strcmp(a->switches, b->switches) == 0;
}

/* A line of the table: this rank, and those after it that are like it. */
static void print_line(const struct allfold_ranks *ranks, int first, int *numbers)
{
    char list[ALLFOLD_BINDING_BYTES];
    const struct allfold_rank *rank = &ranks->ranks[first];
    int count = 0;
    for (int r = 0; r < first; r++)
        if (are_alike(&ranks->ranks[r], rank))
            return;
    for (int r = first; r < ranks->count; r++)
        if (are_alike(&ranks->ranks[r], rank))
            numbers[count++] = r;
    allfold_machine_list(numbers, count, list, sizeof list);
    printf("  %4d  %-20s  %-12s  %-12s  ", rank->node, rank->host, list, rank->binding);
    if (ranks->levels > 0)
        printf("%-20s  ", rank->switches);
    printf("%s%s\n", rank->why[0] == '\0' ? "yes" : "no: ", rank->why);
}

static void print_uplinks(const char *title, const double *uplinks, int levels)
{
    for (int i = 0; i < levels; i++)
        if (uplinks[i] > 0)
            printf("%s%g", i == 0 ? title : " ", uplinks[i]);
}

static void print_switches(const struct allfold_ranks *ranks)
{
    if (ranks->no_switches[0] != '\0')
        printf("  switches: not known: %s\n", ranks->no_switches);
    for (int i = 0; i < ranks->levels; i++)
        printf("%s%d", i == 0 ? "  switches: " : " below ", ranks->switches[i]);
    print_uplinks("; uplinks: ", ranks->uplinks, ranks->levels);
    print_uplinks("; to one other switch: ", ranks->pair_uplinks, ranks->levels);
    if (ranks->levels > 0)
        printf("\n");
}

static void print_cables(const struct allfold_ranks *ranks)
{
    if (ranks->no_cables[0] != '\0')
        printf("  cables: not known: %s\n", ranks->no_cables);
    if (ranks->cables > 0)
        printf("  nodes are linked directly by %d cable%s", ranks->cables,
               ranks->cables == 1 ? "" : "s");
    if (ranks->cables > 0 && ranks->trees > 0)
        printf("; spanning trees that share none: %d\n", ranks->trees);
    else if (ranks->cables > 0)
        printf(", which do%s not connect all of them\n", ranks->cables == 1 ? "es" : "");
}

void allfold_ranks_print(const struct allfold_ranks *ranks)
{
    int *numbers = malloc((size_t)(ranks->count + 1) * sizeof *numbers);
    if (numbers == NULL)
        return;
    printf("\nRanks: %d on %d node%s, ", ranks->count, ranks->nodes, ranks->nodes == 1 ? "" : "s");
    if (ranks->least == ranks->most)
        printf("%d on each\n", ranks->most);
    else
        printf("%d to %d on each\n", ranks->least, ranks->most);
    if (ranks->cores > 0)
        printf("  the nodes are one machine of %d core%s%s\n", ranks->cores,
               ranks->cores == 1 ? "" : "s",
               ranks->count > ranks->cores ? ", which the ranks share" : "");
    if (ranks->card_mbit > 0)
        printf("  the network cards of the nodes carry %g Gbit/s\n", ranks->card_mbit / 1e3);
    if (ranks->sockets > 1)
        printf(
            "  ranks of a node are on up to %d sockets, each with a last-level cache of its own\n",
            ranks->sockets);
    if (!ranks->hosts_in_order)
        printf(
            "  ranks are not in the order of their hosts: by the numbers in their names these lie "
            "otherwise\n");
    printf("  MPI: %s\n  MPI library: %s\n", ranks->mpi, ranks->mpi_file);
    printf("  messages beyond shared memory: %s (libfabric: %s)\n", ranks->messages,
           ranks->libfabric);
    print_switches(ranks);
    print_cables(ranks);
    printf("  node  %-20s  %-12s  %-12s  ", "host", "ranks", "bound to");
    if (ranks->levels > 0)
        printf("%-20s  ", "switches");
    printf("share memory\n");
    for (int n = 0; n < ranks->nodes; n++)
        for (int r = 0; r < ranks->count; r++)
            if (ranks->ranks[r].node == n)
                print_line(ranks, r, numbers);
    free(numbers);
}
