/* Replays a trace: what its calls would cost on a machine, with the algorithm that Allfold chooses
 * and with the best one. */
#ifndef ALLFOLD_REPLAY_H
#define ALLFOLD_REPLAY_H

#include "events/trace_reader.h"
#include "json.h"
#include "lab/network/network.h"
#include "select/choose.h"

enum { ALLFOLD_REPLAY_ROWS = 64, ALLFOLD_REPLAY_NAME = ALLFOLD_NAME_BYTES };

/* The machine. If `nodes` is 0, it is the machine of the trace, with the algorithms of the
 * trace. */
struct allfold_replay_machine {
    int nodes, ppn;
    const char *placement;
    const struct allfold_network *network; /* NULL: the cost model predicts the times */
    struct allfold_choice_inputs inputs;   /* without rules */
    size_t memory_bytes;
};

/* The calls of one shape. */
struct allfold_replay_row {
    const struct allfold_traced_shape *shape;
    const struct allfold_traced_sum *sum;
    int p; /* number of ranks on the machine */
    char chosen[ALLFOLD_REPLAY_NAME], best[ALLFOLD_REPLAY_NAME];
    char anew[ALLFOLD_REPLAY_NAME]; /* what the tables choose, whatever the trace has */
    double chosen_s, best_s;        /* time of one call */
    char reason[300];               /* why the calls are not replayed; "" if they are */
};

/* The result. Times are in seconds. */
struct allfold_replay {
    const char *command;
    const char *path; /* of the trace */
    const struct allfold_trace_file *trace;
    const struct allfold_replay_machine *machine;
    bool is_own;                                         /* the machine is that of the trace */
    struct allfold_replay_row rows[ALLFOLD_REPLAY_ROWS]; /* sorted by time, longest first */
    int count;
    double all_s;               /* time of rank 0 in all calls */
    double traced_s, waiting_s; /* times of rank 0 in the replayed calls */
    double all_waiting_s;       /* waiting time in the replayed calls, mean of all ranks */
    double chosen_s, best_s;    /* without waiting */
    uint64_t calls;             /* number of replayed calls */
};

/* Reads a trace, replays it, and prints it by `print`. Returns the exit status: 1, after a message,
 * if the trace cannot be read or replayed. */
int allfold_replay_file(const char *command, const char *path,
                        const struct allfold_replay_machine *machine,
                        void (*print)(const struct allfold_replay *replay));

/* Returns the error of the prediction for the machine of the trace, relative to the time in
 * calls. */
double allfold_replay_error(const struct allfold_replay *replay);

/* Prints a summary of the trace in a line or two: which program ran, and what is missing in it. */
void allfold_replay_print_trace(const struct allfold_trace_file *trace, const char *path);

/* Write the rows as JSON or CSV, the same for all subcommands. */
json_t *allfold_replay_json(const struct allfold_replay *replay);
void allfold_replay_print_csv(const struct allfold_replay *replay);

#endif
