/* Networks: writing them, and finding them by name (see network.h). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/network/network.h"
#include "util/quantity.h"

static void write_quantity(const char *before, double value, const struct allfold_unit *units,
                           FILE *stream)
{
    char text[64];
    allfold_quantity_write(value, units, text, sizeof text);
    fprintf(stream, "%s%s", before, text);
}

static void write_link(const char *level, const struct allfold_link *link, FILE *stream)
{
    fprintf(stream, "%s %zu-", level, link->from_bytes);
    if (link->to_bytes != SIZE_MAX)
        fprintf(stream, "%zu", link->to_bytes);
    write_quantity(": latency=", link->latency_s, allfold_time_units, stream);
    write_quantity(", overhead=", link->overhead_s, allfold_time_units, stream);
    if (link->bandwidth > 0)
        write_quantity(", bandwidth=", link->bandwidth, allfold_rate_units, stream);
    if (link->limit > 0)
        write_quantity(", limit=", link->limit, allfold_rate_units, stream);
    fprintf(stream, "%s\n", link->waits ? ", waits=1" : "");
}

void allfold_network_write(const struct allfold_network *network, FILE *stream)
{
    fprintf(stream, "name = %s\nsockets = %d\ncards = %d\nejection = %d", network->name,
            network->sockets, network->cards, network->ejection);
    write_quantity("\none_way_latency = ", network->one_way_latency, allfold_no_units, stream);
    write_quantity("\none_way_byte = ", network->one_way_byte, allfold_no_units, stream);
    write_quantity("\nreduce = ", network->reduce_s, allfold_time_units, stream);
    write_quantity("\ncopy = ", network->copy_s, allfold_time_units, stream);
    fprintf(stream, "\n");
    for (int level = 0; level < ALLFOLD_LEVEL_COUNT; level++)
        for (int i = 0; i < network->link_count[level]; i++)
            write_link(allfold_level_names[level], &network->links[level][i], stream);
}

const struct allfold_link *allfold_network_link(const struct allfold_network *network,
                                                enum allfold_level level, size_t bytes)
{
    int i = 0;
    while (i + 1 < network->link_count[level] && bytes >= network->links[level][i].to_bytes)
        i++;
    return &network->links[level][i];
}

static enum allfold_error read_file(const char *name, struct allfold_network *network,
                                    char *message, size_t message_bytes)
{
    enum { MOST_BYTES = 1 << 16 };
    static const char no_file[] =
        "'%.200s' is no file that can be read, nor one of: blue_waters, t3e, cluster";
    char words[400] = "", *text = malloc(MOST_BYTES);
    FILE *stream = fopen(name, "r");
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    const size_t length = stream == NULL || text == NULL ? 0 : fread(text, 1, MOST_BYTES, stream);
    if (text == NULL) {
        error = ALLFOLD_NO_MEMORY;
        snprintf(message, message_bytes, "no memory");
    } else if (stream == NULL || ferror(stream)) {
        snprintf(message, message_bytes, no_file, name);
    } else if (length == MOST_BYTES) {
        snprintf(message, message_bytes, "%.200s: longer than 65535 bytes", name);
    } else {
        text[length] = '\0';
        error = allfold_network_read(text, network, words, sizeof words);
        if (error != ALLFOLD_OK)
            snprintf(message, message_bytes, "%.200s: %s", name, words);
    }
    if (stream != NULL)
        fclose(stream);
    free(text);
    return error;
}

enum allfold_error allfold_network_find(const char *name, struct allfold_network *network,
                                        char *message, size_t message_bytes)
{
    for (int i = 0; allfold_network_presets[i].name != NULL; i++)
        if (strcmp(allfold_network_presets[i].name, name) == 0)
            return allfold_network_read(allfold_network_presets[i].text, network, message,
                                        message_bytes);
    return read_file(name, network, message, message_bytes);
}
