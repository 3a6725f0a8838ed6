/* The executor over a transport of the tests' own, which knows the schedule and so what may happen
 * when. A call of the executor that comes too early, too late or twice fails the test at once.
 * Programs are random; what they compute is held against running their steps in order. */
#ifndef ALLFOLD_TEST_SUPPORT_EXECUTOR_H
#define ALLFOLD_TEST_SUPPORT_EXECUTOR_H

#include "execute/executor.h"

/* FAULT is what calls return that are made to fail; NONE is no step. */
enum { MOST_STEPS = 80, ELEMENTS = 16, SCRATCH_BUFFERS = 2, FAULT = 77, NONE = -1 };

/* Kinds of calls that can fail: the step kinds, then these. */
enum { PROGRESS = ALLFOLD_STEP_COPY + 1, CALL_KINDS };

/* All that a run can be seen doing. */
struct scripted_run {
    struct allfold_transport_operations operations; /* a test may replace some */
    struct allfold_transport transport;
    const struct allfold_schedule *schedule;
    uint32_t window;
    uint64_t seed;
    uint32_t pace; /* a message in flight ends in one of `pace` calls of progress */
    bool started[MOST_STEPS], done[MOST_STEPS];
    int slot_step[ALLFOLD_MAX_WINDOW];
    uint32_t sent[MOST_STEPS][ELEMENTS];
    uint32_t calls[CALL_KINDS], in_flight, abandoned;
    int fault_kind;
    uint32_t fault_number; /* from 1 */
    bool failed, had_in_flight, may_wait;
    uint32_t in[ELEMENTS], out[ELEMENTS], *scratch;
    struct allfold_feed *feed;  /* NULL: all data are there */
    bool has_arrived[ELEMENTS]; /* of the buffer that is fed */
};
extern struct scripted_run run;

/* Elements of 4 bytes with an operation that neither commutes nor associates. */
extern const struct allfold_elements words;

/* A random program of MOST_STEPS verbs, frozen. */
struct allfold_schedule *random_schedule(uint64_t seed);

/* Makes `run` ready for a schedule, with no fault. */
void begin_run(const struct allfold_schedule *schedule, uint32_t window, uint64_t seed);

void fill_buffers(void);

/* Runs the steps one after the other: leaves in run.sent what each sends, in `out` the result. */
void run_in_order(uint32_t *out);

/* How a caller may go on: wait at once, test until done, or test a while and then wait. */
enum drive { WAIT, TEST, BOTH, DRIVES };

/* Starts an executor and goes on to the end; returns its error. */
int drive(struct allfold_executor *executor, enum drive how);

/* Ends the message of step i. */
void end_message(int i);

/* That all steps have run, and gave this result. */
void check_success(const uint32_t *expected);

#endif
