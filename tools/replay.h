/* Replaying a trace: what its calls would cost on a machine, by our choice and by the best. */
#ifndef ALLFOLD_REPLAY_H
#define ALLFOLD_REPLAY_H

#include "events/trace_reader.h"
#include "json.h"
#include "lab/network/network.h"
#include "select/choose.h"

enum { ALLFOLD_REPLAY_ROWS = 64, ALLFOLD_REPLAY_NAME = ALLFOLD_NAME_BYTES };

/* Where. `nodes` of 0: as the program ran, with the algorithms that it ran with. */
struct allfold_replay_machine {
    int nodes, ppn;
    const char *placement;
    const struct allfold_network *network; /* NULL: the cost model says it */
    struct allfold_choice_inputs inputs;   /* but for rules */
    size_t memory_bytes;
};

/* Calls of a shape. */
struct allfold_replay_row {
    const struct allfold_traced_shape *shape;
    const struct allfold_traced_sum *sum;
    int p; /* there */
    char chosen[ALLFOLD_REPLAY_NAME], best[ALLFOLD_REPLAY_NAME];
    char anew[ALLFOLD_REPLAY_NAME]; /* what the tables choose, whatever was traced */
    double chosen_s, best_s;        /* of one call */
    char reason[300];               /* why it is not replayed; "" where it is */
};

/* In seconds. */
struct allfold_replay {
    const char *command;
    const char *path; /* of the trace */
    const struct allfold_trace_file *trace;
    const struct allfold_replay_machine *machine;
    bool is_own;                                         /* it is the machine of the trace */
    struct allfold_replay_row rows[ALLFOLD_REPLAY_ROWS]; /* what took longest first */
    int count;
    double all_s;               /* of rank 0 in all calls */
    double traced_s, waiting_s; /* of rank 0 in the replayed calls */
    double all_waiting_s;       /* of the mean rank in these */
    double chosen_s, best_s;    /* without waiting */
    uint64_t calls;             /* replayed */
};

/* Reads a trace, replays it, and prints it by `print`. Returns the command's exit status: 1 with a
 * message for the user where it cannot be read or replayed. */
int allfold_replay_file(const char *command, const char *path,
                        const struct allfold_replay_machine *machine,
                        void (*print)(const struct allfold_replay *replay));

/* What the prediction for the machine of the trace is off: of the time in calls, as a share. */
double allfold_replay_error(const struct allfold_replay *replay);

/* The trace in a line or two: which program ran, and what is not in it. */
void allfold_replay_print_trace(const struct allfold_trace_file *trace, const char *path);

/* What both subcommands write of a row, for programs. */
json_t *allfold_replay_json(const struct allfold_replay *replay);
void allfold_replay_print_csv(const struct allfold_replay *replay);

#endif
