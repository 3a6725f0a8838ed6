/* Reads the state and rate of ports and interfaces from /sys (see nic_rate.h). */
#include "topology/nic_rate.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/number.h"

enum { PATH_BYTES = 512, LEAST_MBIT = 1000, MOST_MBIT = 1000000000 };

/* Reads the first line of a file in a directory; "" if there is none. */
static void read_line(const char *directory, const char *name, char *line, size_t bytes)
{
    char path[PATH_BYTES + 40];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(line, (int)bytes, file) == NULL)
        line[0] = '\0';
    if (file != NULL)
        fclose(file);
}

/* Returns the maximum rate of the entries of a directory. */
static int most_of(const char *directory, int (*rate)(const char *entry))
{
    char path[PATH_BYTES];
    int most = 0;
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const int length = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] == '.' || length >= PATH_BYTES)
            continue;
        const int mbit = rate(path);
        most = mbit > most ? mbit : most;
    }
    closedir(entries);
    return most;
}

/* Returns the rate of a port whose state is like "4: ACTIVE" and whose rate is like "100 Gb/sec (4X
 * EDR)"; otherwise 0. */
static int rate_of_port(const char *port)
{
    char state[40], rate[80];
    const char *end;
    double gbit = 0;
    read_line(port, "state", state, sizeof state);
    read_line(port, "rate", rate, sizeof rate);
    const bool is_active = strstr(state, "ACTIVE") != NULL;
    const bool is_rate = allfold_number_read(rate, &gbit, &end) && strncmp(end, " Gb/sec", 7) == 0;
    return is_active && is_rate && gbit > 0 && gbit <= MOST_MBIT / 1e3 ? (int)lround(1e3 * gbit)
                                                                       : 0;
}

static int rate_of_device(const char *device)
{
    char ports[PATH_BYTES + 8];
    snprintf(ports, sizeof ports, "%s/ports", device);
    return most_of(ports, rate_of_port);
}

/* Returns the rate of an interface. The kernel reports the speed in Mbit/s; -1 if it is unknown. */
static int rate_of_interface(const char *interface)
{
    char path[PATH_BYTES + 8], state[40], speed[40];
    const char *end;
    long mbit = 0;
    snprintf(path, sizeof path, "%s/device", interface);
    read_line(interface, "operstate", state, sizeof state);
    read_line(interface, "speed", speed, sizeof speed);
    const bool is_up = access(path, F_OK) == 0 && strncmp(state, "up", 2) == 0;
    return is_up && allfold_whole_read(speed, LEAST_MBIT, MOST_MBIT, &mbit, &end) ? (int)mbit : 0;
}

int allfold_nic_mbit(const char *root)
{
    char directory[PATH_BYTES];
    snprintf(directory, sizeof directory, "%.400s/class/infiniband", root);
    const int fabric = most_of(directory, rate_of_device);
    snprintf(directory, sizeof directory, "%.400s/class/net", root);
    const int ethernet = most_of(directory, rate_of_interface);
    return fabric > ethernet ? fabric : ethernet;
}
