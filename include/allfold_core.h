/* allfold_core.h - write, prove and measure algorithms for collective reductions, without MPI.
 *
 * A *problem* is what was asked, an *algorithm* turns a problem into a *schedule* for one rank, and
 * a schedule is steps over named buffers. This library builds schedules, proves them right, counts
 * what they cost, draws them and simulates them on a network. It moves no data of a program; that
 * is what allfold.h and liballfold-MPI do.
 *
 * Holds for all functions:
 *
 * - Counts, offsets and lengths are in elements. A name that ends in _bytes is in bytes, one that
 *   ends in _s in seconds.
 * - A function that can fail returns ALLFOLD_OK (0) or the error that its comment names. It writes
 *   what is wrong to `message`, a text of the caller's with room for `message_bytes`; NULL with 0
 *   is allowed. Nothing is printed but to the FILE that is given, and the program is never ended.
 * - What a function named ..._create, ..._make or ..._build gives belongs to the caller, who frees
 * it with the function that the comment names. Arguments stay the caller's; what they point to must
 * live as long as the comment says, or else until the call returns.
 * - There is no global state. Several threads may call at once on different objects. Schedules,
 *   networks, nodes and descriptors never change once made, so threads may share these.
 *
 * The names send_to, recv_from, reduce, copy and their like are there where ALLFOLD_VERBS is
 * defined before the header is included. */
#ifndef ALLFOLD_CORE_H
#define ALLFOLD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is declared here, and nothing else, is seen from outside of the shared library. */
#pragma GCC visibility push(default)

enum allfold_error {
    ALLFOLD_OK = 0,
    ALLFOLD_NO_MEMORY,
    ALLFOLD_BAD_SCHEDULE, /* an algorithm broke a rule of the schedule language */
    ALLFOLD_BAD_INPUT,    /* a text or value that a user gave */
    ALLFOLD_UNMET_NEED,   /* an algorithm cannot serve the problem */
    ALLFOLD_NO_PROGRESS,  /* virtual ranks that wait for each other for ever */
    ALLFOLD_DISPROVED,    /* the verifier found a schedule wrong */
};

/* Groups: the ranks that an algorithm works on, as an arithmetic row or as a list.
 *
 * An algorithm sees a size p and its own index r; the group knows which ranks these are. So the
 * same algorithm serves a communicator, a node, or one lane across nodes. */

struct allfold_group {
    int size;
    int index; /* of this rank in the group */
    int first; /* rank of index 0, where `ranks` is NULL */
    int stride;
    const int *ranks; /* index -> rank, or NULL; not owned, must outlive the use of the group */
};

/* All p ranks, of which this is number r. */
static inline struct allfold_group allfold_group_all(int p, int r)
{
    struct allfold_group all = {p, r, 0, 1, NULL};
    return all;
}

static inline int allfold_group_rank(const struct allfold_group *group, int index)
{
    return group->ranks != NULL ? group->ranks[index] : group->first + index * group->stride;
}

/* Schedules: what one rank does in a collective, as steps over named buffers. */

/* IN is the caller's input, never written. OUT is the caller's result. Scratch buffers are
 * numbered from ALLFOLD_SCRATCH on. */
enum { ALLFOLD_IN = 0, ALLFOLD_OUT = 1, ALLFOLD_SCRATCH = 2, ALLFOLD_MAX_BUFFERS = 128 };

struct allfold_span {
    size_t offset;
    size_t length;
    int buffer;
};

enum allfold_step_kind {
    ALLFOLD_STEP_SEND,
    ALLFOLD_STEP_RECEIVE,
    ALLFOLD_STEP_REDUCE,
    ALLFOLD_STEP_COPY
};

/* A step's operands. SEND: 0 is read. RECEIVE: 0 is written. COPY: 0 is written, 1 is read.
 * REDUCE: 0 is written with 1 o 2, where 1 covers the lower ranks. All have the same length. */
struct allfold_step {
    uint8_t kind; /* of enum allfold_step_kind */
    uint8_t buffer[3];
    int32_t peer;     /* rank in the whole group; -1 in local steps */
    uint32_t number;  /* which message between these two in this direction, from 0 */
    uint32_t message; /* which message (sent or received) of this rank, from 0 */
    size_t length;
    size_t offset[3];
};

/* Immutable. It is bound to no memory, so one schedule serves all calls of its shape. */
struct allfold_schedule;

/* Frees a schedule; NULL is allowed. */
void allfold_schedule_free(struct allfold_schedule *schedule);

/* The steps, in an order in which running them one after the other is right, and how many they are.
 * Two of them depend on each other where their operands overlap and one writes there; all others
 * may run in any order. Messages of a pair of ranks match by their numbers. Lives as long as the
 * schedule. */
const struct allfold_step *allfold_schedule_steps(const struct allfold_schedule *schedule,
                                                  size_t *count);

/* The length of a buffer: ALLFOLD_IN, ALLFOLD_OUT, ALLFOLD_SCRATCH + i. 0 for a buffer that the
 * schedule does not have, such as IN where the input lies in OUT. */
size_t allfold_schedule_length(const struct allfold_schedule *schedule, int buffer);

/* The sum of the lengths of all scratch buffers. */
size_t allfold_schedule_scratch(const struct allfold_schedule *schedule);

/* Prints a schedule, one line a step: "3: reduce OUT[0,5) = TMP0[0,5) o IN[0,5)  after 1 2". */
void allfold_schedule_print(const struct allfold_schedule *schedule, FILE *stream);

/* Builders: what an algorithm writes its sequential program into.
 *
 * The builder finds which steps depend on each other, numbers the messages between each pair in
 * program order, checks every span, and freezes the result.
 *
 * The first error sticks: later verbs do nothing, and allfold_builder_freeze reports it. So
 * algorithms hold no error handling. Spans of length 0 are normal: their steps are left out, on
 * both sides of a message alike.
 *
 * One thread at a time uses a builder. */

struct allfold_builder;

/* What the caller's buffers are on this rank. A rank without a buffer has length 0 of it. In place
 * means that the input lies in OUT: then IN is another name of OUT's elements from in_place_offset
 * on. */
struct allfold_shape {
    struct allfold_group group;
    size_t in_length;
    size_t out_length;
    bool in_place;
    size_t in_place_offset;
};

/* A new builder, or NULL without memory. Freed with allfold_builder_free. allfold_build makes one
 * for its algorithm; who writes single schedules by hand makes one here. */
struct allfold_builder *allfold_builder_create(const struct allfold_shape *shape);

/* Frees a builder; NULL is allowed. */
void allfold_builder_free(struct allfold_builder *builder);

/* The verbs. Peers are indices in the builder's present group, 0 to size - 1 without this rank's
 * own; spans are of its present frame. */
void allfold_add_send(struct allfold_builder *s, int peer, struct allfold_span from);
void allfold_add_receive(struct allfold_builder *s, int peer, struct allfold_span to);
void allfold_add_reduce(struct allfold_builder *s, struct allfold_span to, struct allfold_span left,
                        struct allfold_span right);
void allfold_add_copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from);

/* A new scratch buffer of `length` elements; the span is all of it. */
struct allfold_span allfold_add_scratch(struct allfold_builder *s, size_t length);

/* Composition: until the matching allfold_frame_leave, IN and OUT of the verbs mean these spans of
 * the frame around it, and peers are indices in `group` (whose ranks are of the whole group). */
struct allfold_frame {
    struct allfold_group group;
    struct allfold_span in;
    struct allfold_span out;
};
struct allfold_frame allfold_frame_enter(struct allfold_builder *s,
                                         const struct allfold_group *group, struct allfold_span in,
                                         struct allfold_span out);
void allfold_frame_leave(struct allfold_builder *s, struct allfold_frame outer);

/* The first error, ALLFOLD_OK so far, and its words (valid as long as the builder). */
enum allfold_error allfold_builder_error(const struct allfold_builder *s);
const char *allfold_builder_message(const struct allfold_builder *s);

/* Makes *schedule from all steps so far: the first error that a verb met, or ALLFOLD_NO_MEMORY;
 * then *schedule is NULL. Afterwards the builder can only be freed. The schedule is freed with
 * allfold_schedule_free. */
enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule);

/* Nodes: which ranks live where. Immutable once made; problems point to it. */

/* How ranks are dealt out to nodes. One rank a node, or one node, is in blocks. */
enum allfold_arrangement {
    ALLFOLD_IN_BLOCKS, /* each node's ranks are next to each other */
    ALLFOLD_CYCLIC,    /* to the nodes in turn, leaving out those that are full */
    ALLFOLD_IRREGULAR,
};

/* Ranks are those of the whole group. Nodes are numbered in the order of their lowest ranks. */
struct allfold_nodes {
    int count;
    int most;  /* ranks on the fullest node */
    int least; /* ranks on the emptiest node */
    enum allfold_arrangement arrangement;
    int *node_of;  /* rank -> node */
    int *index_of; /* rank -> which of its node's ranks it is, from 0 */
    int *first;    /* node -> where its ranks begin in `members`; [count] is p */
    int *members;  /* ranks, node by node, ascending in each */
    int *leaders;  /* node -> its lowest rank */
    int *lasts;    /* node -> its highest rank */

    /* Lane i is the ranks that are number i on their nodes, in the order of these. */
    int *lane_first; /* lane -> where its ranks begin in lane_members; [most] is p */
    int *lane_members;

    /* All ranks in the order of their nodes' groups, from the highest down, and of their nodes. */
    bool is_in_order; /* they are in the order of their numbers */
    int *along;
    int *place_of; /* rank -> where it is in `along` */

    /* The same one level up: groups of nodes, such as those below one switch. There node_of and
     * index_of go by node, and a node counts as one rank, its lowest; `along` and place_of are of
     * no use. NULL: nothing is known. */
    struct allfold_nodes *groups;
};

/* Makes the nodes of p ranks, of which those with the same key share one; NULL without memory.
 * Freed with allfold_nodes_free. */
struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p);

/* Adds a level of groups above all there are: ranks with the same key are in the same group. Groups
 * that say nothing new, or that part what is together below, are left out. False without memory. */
bool allfold_nodes_group(struct allfold_nodes *nodes, const int64_t *keys);

/* Frees nodes and their groups; NULL is allowed. */
void allfold_nodes_free(struct allfold_nodes *nodes);

/* Problems: what a caller asked, seen from one rank. */

/* `count` is the length of the vector; where buffers are blocks, of one block. */
enum allfold_collective {
    ALLFOLD_ALLREDUCE, /* IN: count on all; OUT: count on all */
    ALLFOLD_REDUCE,    /* IN: count on all; OUT: count on the root, none elsewhere */
    ALLFOLD_BCAST,     /* IN: count on the root, none elsewhere; OUT: count on all but the root */
    ALLFOLD_REDUCE_SCATTER_BLOCK, /* IN: p blocks on all; OUT: count on all */
    ALLFOLD_REDUCE_SCATTER,       /* IN: p blocks of any lengths on all; OUT: its own on each */
    ALLFOLD_ALLGATHER,            /* IN: count on all; OUT: p blocks on all */
    ALLFOLD_ALLGATHERV,           /* IN: its own block on each; OUT: p blocks of any lengths */
    ALLFOLD_BARRIER,              /* IN and OUT: count tokens on all. All that the result says is
                                     that every rank has arrived, so a token may be in it twice */
    ALLFOLD_SCAN,                 /* IN: count on all; OUT: count on all, of ranks 0 to its own */
    ALLFOLD_EXSCAN, /* IN: count on all; OUT: count on all but rank 0, of the ranks below its own */
    ALLFOLD_COLLECTIVE_COUNT
};

struct allfold_cost_model; /* constants of a machine */

/* How the ranks of one node get long vectors of each other. */
enum allfold_reading {
    ALLFOLD_READS_COPIES, /* their owners copy them into buffers */
    ALLFOLD_READS_NEAR,   /* in place, and what another rank has just written comes fast */
    ALLFOLD_READS_FAR,    /* in place, and it does not */
    ALLFOLD_READING_COUNT
};

/* All but `group.index` and `in_place` is alike on all ranks, and only that may decide which
 * messages there are. */
struct allfold_problem {
    enum allfold_collective collective;
    struct allfold_group group;
    int root; /* index in the group; 0 where the collective has none */
    size_t count;
    const size_t *begins; /* where blocks have any lengths: where each begins in the vector, and
                             behind them its length, p + 1 in all; `count` is the longest then.
                             NULL: what `count` and `length` say. Not owned */
    size_t length;        /* of the whole vector where it is blocks but not p times count: p blocks
                             whose lengths differ by 1 at most, longer ones first, `count` the
                             longest; else 0 */
    size_t element_bytes; /* of an element as it travels, without gaps */
    bool commutative;     /* of the operation; true where there is none */
    bool exact;           /* any bracketing gives the same bits; true where there is no operation */
    bool one_node;        /* all ranks are on one node */
    bool shares_cores; /* and they are more than its cores, so that one waits where another works */
    enum allfold_reading reading;      /* where they are on one node */
    const struct allfold_nodes *nodes; /* where they are, by rank of the whole group; NULL where
                                          nothing is known of it */
    const struct allfold_cost_model *costs; /* constants of the machine; NULL: the presets */
    bool in_place;                          /* this rank's input lies in OUT */
};

/* "allreduce", "reduce", ...; NULL for what is no collective. Never freed. */
const char *allfold_collective_name(enum allfold_collective collective);

/* The collective of that name; ALLFOLD_COLLECTIVE_COUNT where there is none. */
enum allfold_collective allfold_collective_find(const char *name);

/* Algorithms: each turns a problem, for one rank, into a schedule, and claims its cost. */

enum { ALLFOLD_MAX_PARAMETERS = 2, ALLFOLD_MAX_TRIED = 6 };

struct allfold_algorithm;

struct allfold_parameter {
    const char *name; /* NULL ends the list */
    const char *unit; /* "bytes", or "" for a plain number */
    const char *meaning;
    size_t minimum, maximum, preset;
    size_t tried[ALLFOLD_MAX_TRIED]; /* what the verifier tries, for elements of 4 bytes */
    unsigned tried_count;

    /* Where it names an inner algorithm: the preset. A value is the number of any inner one of the
     * library's of the same collective; the verifier and the model try them all. */
    const struct allfold_algorithm *inner;
};

struct allfold_parameters {
    size_t value[ALLFOLD_MAX_PARAMETERS]; /* in the order of the descriptor */
};

/* What an algorithm claims of a problem, for all ranks together. The verifier holds it against the
 * schedules: never more, and exactly that where `count` is a positive multiple of `divisor`. */
struct allfold_claim {
    size_t rounds;  /* messages one after the other, with `ports` at a time */
    size_t sent;    /* elements that the busiest rank sends */
    size_t reduced; /* element operations of the rank that does most of them */
    unsigned ports; /* messages that a rank sends, and receives, at a time; 0 says one, too */
    size_t divisor; /* 0 says 1 */
    bool is_bound;  /* never exact, for any count */
    size_t got;     /* elements that the busiest rank gets, at most; 0: no more than `sent` */

    /* Of an algorithm that knows which ranks share a node, what goes between nodes, at most. */
    size_t far_rounds;  /* of the rounds: those with messages between nodes */
    size_t far_sent;    /* elements that the busiest node sends to others, or gets from them */
    unsigned far_lanes; /* ranks of a node that send to others at a time; 0: it knows of no nodes */
    bool far_beside;    /* what goes on on the nodes goes on beside that */
    unsigned far_ports; /* messages that such a rank sends at a time; 0 says one */
};

enum allfold_need {
    ALLFOLD_NEEDS_COMMUTATIVE = 1u << 0,
    ALLFOLD_NEEDS_NODES = 1u << 1,  /* ranks on several nodes, and it is known where */
    ALLFOLD_NEEDS_GROUPS = 1u << 2, /* and groups of these; says ALLFOLD_NEEDS_NODES, too */
};

/* The descriptor. It is the caller's, and must outlive all that points to it. */
struct allfold_algorithm {
    const char *name;  /* within its collective */
    const char *alias; /* another name that people know it by; NULL where there is none */
    enum allfold_collective collective;
    const char *source;
    const char *summary;   /* what it does */
    const char *use;       /* when to take it, and what to take elsewhere; in the papers' letters */
    unsigned needs;        /* of enum allfold_need */
    const char *for_study; /* why the model does not offer it, in words; NULL where it does */
    bool only_between_nodes; /* nor where all ranks are on one node: shown between nodes alone */
    bool on_shared_cores;    /* but there the model offers it all the same (problem.shares_cores) */
    bool reads_in_place;     /* likewise where ranks read vectors in place (problem.reading) */
    bool follows_nodes; /* who sends to whom depends on where the ranks live, where that is known */
    bool renumbers;     /* it is another algorithm where ranks are in the order of their nodes */
    bool consistent;    /* all ranks bracket an element alike, so all get the same bits */
    bool out_of_order;  /* its messages get ready in another order than the program's */

    /* Compositions may let it work on a part of the ranks; all of them try it. An inner reduce or
     * reduce-scatter has a way back: the broadcast or allgather that serves whatever it serves. The
     * way back takes as many rounds and sends what the way there reduces, unless it is said to
     * differ. */
    bool is_inner;
    const struct allfold_algorithm *back;
    bool back_differs;

    struct allfold_parameter parameters[ALLFOLD_MAX_PARAMETERS + 1];

    /* Writes the rank's program for a problem whose needs are met, by the verbs. */
    void (*build)(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters);

    /* Of such a problem, too. */
    struct allfold_claim (*claim)(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

    /* What else it needs of a problem and the parameters together: the unmet need in words, or NULL
     * where there is none. May be NULL itself. */
    const char *(*unmet)(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);
};

/* The library's own algorithm of that name or alias, or NULL. */
const struct allfold_algorithm *allfold_algorithm_find(enum allfold_collective collective,
                                                       const char *name);

/* The library's own algorithm number i, from 0; NULL behind the last one. */
const struct allfold_algorithm *allfold_algorithm_number(size_t i);

/* The presets of all parameters. */
struct allfold_parameters allfold_parameter_presets(const struct allfold_algorithm *algorithm);

/* Writes, cut to text_bytes, "ring(segment=64K)", "halving_doubling", or "native" where algorithm
 * is NULL. */
void allfold_algorithm_write(const struct allfold_algorithm *algorithm,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes);

/* The first need that is not met, in words that go on after "it needs"; NULL where the problem can
 * be served. */
const char *allfold_unmet_need(const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* Builds and freezes one rank's schedule, which is freed with allfold_schedule_free.
 * ALLFOLD_UNMET_NEED where the algorithm does not serve the problem, ALLFOLD_BAD_SCHEDULE where a
 * verb was used wrongly, ALLFOLD_NO_MEMORY; then *schedule is NULL. */
enum allfold_error allfold_build(const struct allfold_algorithm *algorithm,
                                 const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters,
                                 struct allfold_schedule **schedule, char *message,
                                 size_t message_bytes);

/* Cases: an algorithm on so many ranks, with so many elements; and all its schedules. */

enum allfold_virtual_mode {
    ALLFOLD_VIRTUAL_IN_ORDER,    /* sends end at once; ranks and messages take turns */
    ALLFOLD_VIRTUAL_REORDERED,   /* all order, and which sends end at once, is random from a seed */
    ALLFOLD_VIRTUAL_SYNCHRONOUS, /* a send ends only when its message is received, and a rank's
                                    messages end in the order of the program: what goes through
                                    here never needs more than that a rank waits for its oldest */
    ALLFOLD_VIRTUAL_MODE_COUNT
};

struct allfold_case {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int p;        /* 1 or more */
    int root;     /* 0 to p - 1 */
    size_t count; /* as in struct allfold_problem; like begins */
    const size_t *begins;
    bool in_place; /* on all ranks where the collective allows it */
    bool commutes; /* the operation does, also where the algorithm could do without: then the order
                      of the ranks is not checked */
    const struct allfold_nodes *nodes; /* where the ranks live, or NULL; not owned */

    /* How virtual ranks run it; schedules do not depend on it. */
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window; /* messages that a rank may have in flight; 0: the preset */
};

/* Does the algorithm serve it? What it needs is met then. */
bool allfold_case_is_served(const struct allfold_case *of);

/* What the algorithm claims of the case. */
struct allfold_claim allfold_case_claim(const struct allfold_case *of);

/* Builds the schedules of all ranks, (*schedules)[0] to [p - 1]; errors as of allfold_build, and
 * then *schedules is NULL. Freed with allfold_case_free. */
enum allfold_error allfold_case_build(const struct allfold_case *of,
                                      struct allfold_schedule ***schedules, char *message,
                                      size_t message_bytes);

/* Frees them all; NULL is allowed. */
void allfold_case_free(const struct allfold_case *of, struct allfold_schedule **schedules);

/* Writes, cut to text_bytes, "allreduce.ring(segment=8), p = 5, root 0, 7 elements, in place": what
 * the schedules depend on; parameters that have their presets are left out. */
void allfold_case_title(const struct allfold_case *of, char *text, size_t text_bytes);

/* Walking: what the schedules of all ranks cost, counted and not computed from a formula. */

struct allfold_cost {
    size_t rounds;  /* time of the last message where each takes 1 and all else nothing, and a rank
                       sends, and receives, at most `ports` at a time, in program order */
    size_t sent;    /* elements sent by the busiest rank */
    size_t got;     /* elements received by the busiest rank */
    size_t reduced; /* element operations of the rank that does most of them */
};

/* Counts what the schedules of ranks 0 to p - 1 cost, with `ports` messages each way at a time (1
 * or more), by walking them. ALLFOLD_NO_MEMORY; ALLFOLD_DISPROVED, with `message`, where the two
 * sides of a message do not fit together or the walk does not reach all steps. */
enum allfold_error allfold_walk(const struct allfold_schedule *const *schedules, int p,
                                unsigned ports, struct allfold_cost *cost, char *message,
                                size_t message_bytes);

/* Verifying: proves that the schedules of all ranks compute what their collective means.
 *
 * It runs them on virtual ranks with symbolic values. Of each element it shows: every contribution
 * is there once; in rank order, where the algorithm serves operations that do not commute;
 * bracketed alike on all ranks, where it is consistent. And: no step reads what was not written or
 * what a message in flight may change, touches what is outside of its buffers, or writes into the
 * input; the claims hold; the steps' dependencies alone keep the order, so every other run gives
 * the same.
 *
 * A blame says what is wrong with the schedules of a case, whose step it is, and what was expected.
 * It holds no pointers: it may be copied, and outlives the case and the schedules. Steps are the
 * lines of a printed schedule, from 0; message numbers are of a pair of ranks, in one direction,
 * from 0. */

enum allfold_blame_kind {
    ALLFOLD_BLAME_NOTHING, /* nothing was found */

    /* a rank's steps by themselves */
    ALLFOLD_BLAME_NOT_BUILT,       /* the builder refused the rank's schedule */
    ALLFOLD_BLAME_OUTSIDE,         /* `step` touches elements that its buffer does not have */
    ALLFOLD_BLAME_INPUT_WRITTEN,   /* `step` writes into the caller's input */
    ALLFOLD_BLAME_UNORDERED,       /* `step` and `other_step` touch the same, in either order */
    ALLFOLD_BLAME_WAITS_FOR_LATER, /* `step` waits for `other_step`, which comes after it */

    /* messages: `number` of `rank` with `peer`; `step` is the rank's, `other_step` the peer's */
    ALLFOLD_BLAME_NO_SUCH_PEER,   /* the peer of `step` is not one of the ranks */
    ALLFOLD_BLAME_NEVER_SENT,     /* the rank waits for a message that the peer never sends */
    ALLFOLD_BLAME_NEVER_RECEIVED, /* the rank sends a message that the peer never receives */
    ALLFOLD_BLAME_LENGTHS_DIFFER, /* `expected` elements are received, `found` are sent */
    ALLFOLD_BLAME_DEADLOCK,       /* the rank waits for its peer, which waits itself, in a circle */

    /* data: elements `first` to `first + length - 1` of `buffer` */
    ALLFOLD_BLAME_READ_UNWRITTEN, /* `step` reads what no step wrote before */
    ALLFOLD_BLAME_MIXED_ELEMENTS, /* `step` reduces different elements of the vector */

    /* results: elements `first` to `first + length - 1` of the rank's result */
    ALLFOLD_BLAME_RESULT_UNWRITTEN,
    ALLFOLD_BLAME_OTHER_ELEMENT, /* they hold another element's result, from element `found` on */
    ALLFOLD_BLAME_MISSING,       /* they miss the contribution of rank `missing` */
    ALLFOLD_BLAME_TWICE,         /* they have that of rank `contribution` `found` times */
    ALLFOLD_BLAME_FOREIGN,     /* they have that of rank `contribution`, which is none of theirs */
    ALLFOLD_BLAME_RANK_ORDER,  /* that of `contribution` stands left of that of a lower rank,
                                  `peer` */
    ALLFOLD_BLAME_BRACKETS,    /* bracketed differently than on rank `peer` */
    ALLFOLD_BLAME_WRONG_GIVER, /* not what rank `missing` gave; that of `contribution` */

    ALLFOLD_BLAME_CLAIM, /* the schedules are right, but cost `found` and not `expected` */
    ALLFOLD_BLAME_RUN,   /* a run failed, for a reason that the schedules do not show */
    ALLFOLD_BLAME_KIND_COUNT
};

/* Fields that mean nothing for a kind are -1, or 0 where they are sizes. */
struct allfold_blame {
    enum allfold_blame_kind kind;
    int rank;         /* whose schedule shows the fault */
    int step;         /* of `rank` */
    int other_step;   /* of `rank` or, for a message, of `peer` */
    int peer;         /* the other rank of a message */
    int number;       /* of the message */
    int contribution; /* the rank whose contribution is there, but should not be so */
    int missing;      /* the rank whose contribution is not there */
    int buffer;       /* 0: IN, 1: OUT, 2 and more: scratch buffers */
    size_t first, length;
    size_t expected, found;
    int waiting;     /* ranks that wait for ever */
    char where[200]; /* "allreduce.ring, p = 3, 4 elements": of which case this is said */
    char text[900];  /* all of that in words: what is wrong, what was expected, what to do */
};

/* "never sent": the kind in a few words; NULL for what is no kind. */
const char *allfold_blame_kind_name(enum allfold_blame_kind kind);

/* What proves cases, one after the other. */
struct allfold_verifier;

/* NULL without memory. Freed with allfold_verifier_free. One thread at a time uses a verifier. */
struct allfold_verifier *allfold_verifier_create(void);

/* Frees a verifier; NULL is allowed. */
void allfold_verifier_free(struct allfold_verifier *verifier);

/* Proves one case: builds its schedules, then checks their order, the claims and the
 * results, in order, with synchronous sends and reordered, with the default window and the
 * smallest, and last in the case's own mode. After a failure *of has the mode, seed and window of
 * the run that failed, and *blame (may be NULL) says what is wrong. The needs of the case must be
 * met (allfold_case_is_served). ALLFOLD_OK: it is proven; ALLFOLD_DISPROVED, ALLFOLD_NO_PROGRESS or
 * ALLFOLD_BAD_SCHEDULE: it is wrong; ALLFOLD_NO_MEMORY: not known. */
enum allfold_error allfold_verify_case(struct allfold_verifier *verifier, struct allfold_case *of,
                                       struct allfold_blame *blame);

struct allfold_sweep {
    const struct allfold_algorithm *algorithm;
    int p_first, p_last; /* 1 <= p_first <= p_last */
    bool sampled; /* a few random p, roots and counts of the range, instead of all; collectives of
                     blocks and algorithms for nodes, which take p^2 elements or messages, only up
                     to p = 400 where it begins below */
    int samples;  /* how many p, when sampled */
    uint64_t seed;

    /* Called once where a case fails, which ends the sweep: with the smallest case that fails and
     * what is wrong there. Both live until it returns. May be NULL. */
    void (*on_failure)(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame);

    /* Called after each p with how many p of `total` are done; may be NULL. */
    void (*on_progress)(void *context, int p, int done, int total);
    void *context;
};

struct allfold_sweep_result {
    size_t schedules; /* sets of schedules built, one for all ranks each */
    size_t runs;      /* of a set on virtual ranks */
    bool failed;
    size_t unserved; /* cases whose needs are not met */
};

/* Proves an algorithm. Goes through
 * - every p of the range and all roots;
 * - counts 0, 1, p-1, p, p+1, 3p+2 and one that the claim's divisor divides;
 * - blocks of 0, 1, 2, 5, and where they may have any lengths 5 layouts of these;
 * - all values to try of the parameters, in place and not;
 * - all modes of virtual ranks, and windows from the smallest, 2, that serves to the default.
 *
 * Of each such set of schedules it checks the claims and the order of the steps, above p = 16 those
 * of four random ranks. Above p = 24 the roots take turns at the counts, in place and not: every
 * root and every count, but not each with each.
 *
 * Algorithms that need nodes run on all even placements, in blocks and in turn, and on a few uneven
 * ones, above p = 12 with four roots each. Operations that commute are tried only where others are
 * not served, as the schedules are the same.
 *
 * ALLFOLD_NO_MEMORY, else ALLFOLD_OK also where a case failed. */
enum allfold_error allfold_sweep_run(const struct allfold_sweep *sweep,
                                     struct allfold_sweep_result *result);

/* Pictures: who sends what to whom in which round, and what is reduced. */

enum allfold_picture_format {
    ALLFOLD_PICTURE_TEXT,
    ALLFOLD_PICTURE_SVG,
    ALLFOLD_PICTURE_HTML /* a page that steps through the drawing, round by round */
};

enum { ALLFOLD_PICTURE_RANKS = 64 };

/* Draws what `allfold show` does, onto `stream`, of a case of up to ALLFOLD_PICTURE_RANKS ranks. Of
 * its mode and window only this matters: in synchronous mode ranks may wait for ever because of the
 * window. Schedules that are wrong are drawn, too: what they do, what never comes in red, and a
 * blame; that is no error. ALLFOLD_BAD_INPUT with more ranks; else errors as of allfold_case_build.
 */
enum allfold_error allfold_picture_draw(const struct allfold_case *of,
                                        enum allfold_picture_format format, FILE *stream,
                                        char *message, size_t message_bytes);

/* Networks: what the simulator knows of a machine.
 *
 * A message of s bytes takes latency + s / bandwidth, by level (between ranks of a socket, of a
 * node, of several nodes) and by size. As a text, one setting a line, `#` begins a comment:
 *
 *     name = example
 *     sockets = 2                    of a node; its ranks are dealt out to them in blocks
 *     reduce = 0.1ns                 for each byte reduced
 *     node: latency=0.5us, bandwidth=5GB/s
 *     network 0-8K: latency=2us, overhead=0.5us, bandwidth=1GB/s
 *     network 8K-: latency=4us, bandwidth=3GB/s, limit=6GB/s, waits=1
 *
 * docs/model.md explains all settings and what the simulator does with them. */

struct allfold_network;

/* Makes a network: that of a preset's name, else that in the file of this name.
 * ALLFOLD_BAD_INPUT where there is none or its text is wrong, with the line and what would be
 * right; ALLFOLD_NO_MEMORY. Then *network is NULL. Freed with allfold_network_free. */
enum allfold_error allfold_network_open(const char *name, struct allfold_network **network,
                                        char *message, size_t message_bytes);

/* The same from a text. */
enum allfold_error allfold_network_parse(const char *text, struct allfold_network **network,
                                         char *message, size_t message_bytes);

/* Frees a network; NULL is allowed. */
void allfold_network_free(struct allfold_network *network);

/* Writes a network so that allfold_network_parse reads it as what it is. */
void allfold_network_write(const struct allfold_network *network, FILE *stream);

/* The name of preset number i, from 0; NULL behind the last one. Never freed. */
const char *allfold_network_preset_name(size_t i);

/* Simulating: how long the schedules of all ranks take on a network, by discrete events. */

enum { ALLFOLD_SIMULATED_WINDOW = 16, ALLFOLD_MAX_SIMULATED_WINDOW = 64 };

struct allfold_simulation {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int root;
    size_t bytes; /* of the vector; of all blocks, where it is blocks, rounded up to equal
                     ones. A barrier has none. */
    size_t element_bytes;
    const struct allfold_nodes *nodes; /* where the ranks live: all of them */
    const struct allfold_network *network;
    const uint32_t *hosts; /* of a network with a topology: the host of each node, all of them
                              different; NULL: node i is host i */
    uint32_t window;       /* messages that a rank may have in flight: a power of two,
                              ALLFOLD_MAX_SIMULATED_WINDOW at most; 0: ALLFOLD_SIMULATED_WINDOW */
    size_t memory_bytes; /* that it takes at most, but for the schedule of one rank at a time; 0: no
                            bound */
    bool keeps_order;    /* the operation does not commute */
    const struct allfold_cost_model *costs; /* that schedules may depend on; NULL: preset ones */
    bool wants_path; /* also find the critical path, which takes 32 bytes a step */

    /* What goes on: steps `done` of `total`, and what they are. May be NULL. */
    void (*on_progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

enum { ALLFOLD_SIMULATED_CLASSES = 16, ALLFOLD_SIMULATED_LEVELS = 18 };

/* The links of a class, such as all cards or all links up from leaf switches. */
struct allfold_simulated_class {
    char name[24];
    uint64_t links;      /* a cable has two, one each way */
    uint64_t bytes;      /* that all of them carry */
    uint64_t most_bytes; /* that the busiest of them carries */
};

/* The messages of a level: between ranks of a socket, of a node, and of several nodes. On a network
 * with a topology the last are by the farthest class of links on their way. The critical path is
 * what the end waited for, one after the other, from the beginning. */
struct allfold_simulated_level {
    char name[24];
    uint64_t messages, bytes; /* of all ranks */
    uint32_t path_messages;   /* on the critical path */
    double path_s;            /* that these take there */
};

struct allfold_simulated {
    double time_s;         /* until the last rank is done */
    uint64_t steps;        /* of all ranks */
    uint64_t messages;     /* of all ranks */
    uint64_t card_bytes;   /* that the busiest card sends */
    uint32_t messages_out; /* between nodes, that the busiest rank sends */
    size_t memory_bytes;   /* that it took at most */
    int class_count;       /* of a network with a topology: its classes of links, hosts first */
    struct allfold_simulated_class classes[ALLFOLD_SIMULATED_CLASSES];
    int level_count; /* 0 where nobody wants the critical path */
    struct allfold_simulated_level levels[ALLFOLD_SIMULATED_LEVELS];
    double path_work_s; /* that reductions and copies take on the critical path */
};

/* Simulates the algorithm on all ranks of `nodes`; what *of points to must live until it returns.
 * ALLFOLD_UNMET_NEED where the algorithm does not serve it; ALLFOLD_NO_MEMORY where there is no
 * memory, or it would take more than it may; ALLFOLD_NO_PROGRESS where ranks wait for ever;
 * ALLFOLD_BAD_INPUT where the root is no rank, the window is none, or times or steps are too many
 * to count; ALLFOLD_BAD_SCHEDULE as of allfold_build. */
enum allfold_error allfold_simulate(const struct allfold_simulation *of,
                                    struct allfold_simulated *simulated, char *message,
                                    size_t message_bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

/* The verbs by the short names that let an algorithm read like its paper. */
#if defined ALLFOLD_VERBS && !defined ALLFOLD_CORE_VERBS
#define ALLFOLD_CORE_VERBS

static inline void send_to(struct allfold_builder *s, int peer, struct allfold_span from)
{
    allfold_add_send(s, peer, from);
}

static inline void recv_from(struct allfold_builder *s, int peer, struct allfold_span to)
{
    allfold_add_receive(s, peer, to);
}

/* Sends and receives at once, possibly with two different peers. The send starts first: it is on
 * its way while the receive is being prepared, which saves a sixth of a short exchange on a node.
 */
static inline void exchange(struct allfold_builder *s, int to_peer, struct allfold_span from,
                            int from_peer, struct allfold_span to)
{
    allfold_add_send(s, to_peer, from);
    allfold_add_receive(s, from_peer, to);
}

/* to = left o right, where left covers the lower ranks. `to` may be one of the others. */
static inline void reduce(struct allfold_builder *s, struct allfold_span to,
                          struct allfold_span left, struct allfold_span right)
{
    allfold_add_reduce(s, to, left, right);
}

static inline void copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from)
{
    allfold_add_copy(s, to, from);
}

static inline struct allfold_span scratch(struct allfold_builder *s, size_t length)
{
    return allfold_add_scratch(s, length);
}

/* Elements first .. first + length - 1 of a buffer. */
static inline struct allfold_span span(int buffer, size_t first, size_t length)
{
    struct allfold_span all = {first, length, buffer};
    return all;
}

/* Elements lo .. hi - 1 of a buffer. */
static inline struct allfold_span range(int buffer, size_t lo, size_t hi)
{
    return span(buffer, lo, hi - lo);
}

/* Elements first .. first + length - 1 of a span. */
static inline struct allfold_span part(struct allfold_span of, size_t first, size_t length)
{
    return span(of.buffer, of.offset + first, length);
}

#endif
