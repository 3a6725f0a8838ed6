/* What `allfold info` tells, for its two formats. */
#ifndef ALLFOLD_TOOLS_INFO_H
#define ALLFOLD_TOOLS_INFO_H

#include "launcher.h"
#include "machine.h"
#include "ranks.h"

struct allfold_info {
    struct allfold_machine machine;
    bool machine_is_seen;
    struct allfold_launcher launcher;
    struct allfold_ranks ranks; /* no rank where there is no launcher */
    char ranks_error[512];      /* why the ranks of a launcher could not be asked, or "" */
    const char *placement;      /* ALLFOLD_NODES where it holds, or NULL */
};

/* Calls `print` for each of our libraries, with the version of the MPI behind it or else why it
 * cannot be asked, and returns how many there are. What `print` writes to stdout is seen, what it
 * remembers is not: it runs in another process. */
int allfold_info_libraries(void (*print)(int index, const char *path, const char *version,
                                         const char *error));

/* The processor's features that matter here; NULL ends them. */
const char *const *allfold_info_features(void);

/* Calls `complain` for all that is wrong with the variables. */
void allfold_info_check_variables(void (*complain)(const char *message));

void allfold_info_print_json(const struct allfold_info *info);

#endif
