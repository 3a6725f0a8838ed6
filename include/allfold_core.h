/* allfold_core.h - write, prove and measure algorithms for collective reductions, without MPI.
 *
 * A *problem* is what a caller asked. An *algorithm* turns a problem into a *schedule* for one
 * rank. A schedule is steps over named buffers. This library builds schedules, proves them right,
 * counts what they cost, draws them and simulates them on a network. It moves no data of a program;
 * allfold.h and liballfold-MPI do.
 *
 * Holds for all functions:
 *
 * - Counts, offsets and lengths are in elements. A name that ends in _bytes is in bytes, one that
 *   ends in _s in seconds.
 * - A function that can fail returns ALLFOLD_OK (0) or the error that its comment names. It writes
 *   what is wrong to `message`, a text of the caller's with room for `message_bytes`. NULL with 0
 *   is allowed. No function prints, except to a FILE that the caller passes, and none ends the
 *   program.
 * - An object that a function named ..._create, ..._make or ..._build returns belongs to the
 *   caller. The caller frees it with the function that the comment names.
 * - Arguments stay the caller's. What they point to must live until the call returns, or as long as
 *   the comment says.
 * - There is no global state. Several threads may call at once on different objects. Schedules,
 *   networks, nodes and descriptors never change once made, so threads may share these objects.
 *
 * This header may change between minor versions, unlike those of allfold.h. Build anew what uses
 * it.
 *
 * The short names send_to, recv_from, reduce, copy and their like exist where ALLFOLD_VERBS is
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

/* The shared library exports what this header declares, and nothing else. */
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
 * An algorithm sees a size p and its own index r. The group maps indices to ranks. So the same
 * algorithm serves a communicator, a node, or one lane across nodes. */

struct allfold_group {
    int size;
    int index; /* of this rank in the group */
    int first; /* rank of index 0, where `ranks` is NULL */
    int stride;
    const int *ranks; /* index -> rank, or NULL; not owned, must outlive the use of the group */
    const struct allfold_group *within; /* of whose indices these ranks are; NULL: they are the
                                           whole group's. Not owned, like `ranks` */
};

/* All p ranks, seen from rank r. */
static inline struct allfold_group allfold_group_all(int p, int r)
{
    struct allfold_group all = {p, r, 0, 1, NULL, NULL};
    return all;
}

static inline int allfold_group_rank(const struct allfold_group *group, int index)
{
    for (; group != NULL; group = group->within)
        index = group->ranks != NULL ? group->ranks[index] : group->first + index * group->stride;
    return index;
}

/* Schedules: what one rank does in a collective, as steps over named buffers. */

/* IN is the caller's input, which no step writes. OUT is the caller's result. Scratch buffers are
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

/* A step's operands. SEND reads 0. RECEIVE writes 0. COPY writes 0 and reads 1. REDUCE writes 0
 * with 1 o 2, where 1 covers the lower ranks. All operands have the same length. */
struct allfold_step {
    uint8_t kind; /* of enum allfold_step_kind */
    uint8_t buffer[3];
    int32_t peer;     /* rank in the whole group; -1 in local steps */
    uint32_t number;  /* which message between these two in this direction, from 0 */
    uint32_t message; /* which message (sent or received) of this rank, from 0 */
    size_t length;
    size_t offset[3];
};

/* Immutable. A schedule is bound to no memory, so one schedule serves all calls of its shape. */
struct allfold_schedule;

/* Frees a schedule; NULL is allowed. */
void allfold_schedule_free(struct allfold_schedule *schedule);

/* The steps and their number, in an order in which running them one after the other is right. Two
 * steps depend on each other where their operands overlap and one of them writes there. All other
 * steps may run in any order. Messages of a pair of ranks match by their numbers. The steps live as
 * long as the schedule. */
const struct allfold_step *allfold_schedule_steps(const struct allfold_schedule *schedule,
                                                  size_t *count);

/* The length of a buffer: ALLFOLD_IN, ALLFOLD_OUT, ALLFOLD_SCRATCH + i. The length is 0 for a
 * buffer that the schedule does not have, such as IN where the input lies in OUT. */
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
 * The first error sticks: later verbs do nothing, and allfold_builder_freeze reports the error. So
 * algorithms need no error handling. Spans of length 0 are normal: the builder leaves out their
 * steps, on both sides of a message alike.
 *
 * Only one thread at a time may use a builder. */

struct allfold_builder;

/* The caller's buffers on this rank. A rank without a buffer has length 0 of it. In place means
 * that the input lies in OUT. IN is then another name of OUT's elements from in_place_offset on. */
struct allfold_shape {
    struct allfold_group group;
    size_t in_length;
    size_t out_length;
    bool in_place;
    size_t in_place_offset;
};

/* Makes a builder; NULL without memory. Freed with allfold_builder_free. allfold_build makes a
 * builder for its algorithm. To write single schedules by hand, make a builder here. */
struct allfold_builder *allfold_builder_create(const struct allfold_shape *shape);

/* Frees a builder; NULL is allowed. */
void allfold_builder_free(struct allfold_builder *builder);

/* The verbs. Peers are indices in the builder's present group: 0 to size - 1, without this rank's
 * own index. Spans are of the builder's present frame. */
void allfold_add_send(struct allfold_builder *s, int peer, struct allfold_span from);
void allfold_add_receive(struct allfold_builder *s, int peer, struct allfold_span to);
void allfold_add_reduce(struct allfold_builder *s, struct allfold_span to, struct allfold_span left,
                        struct allfold_span right);
void allfold_add_copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from);

/* Adds a scratch buffer of `length` elements and returns a span of all of it. */
struct allfold_span allfold_add_scratch(struct allfold_builder *s, size_t length);

/* Composition. Until the matching allfold_frame_leave, IN and OUT of the verbs mean these spans of
 * the frame around it. Peers are indices in `group`, which says whose ranks its own are. */
struct allfold_frame {
    struct allfold_group group;
    struct allfold_span in;
    struct allfold_span out;
};
struct allfold_frame allfold_frame_enter(struct allfold_builder *s,
                                         const struct allfold_group *group, struct allfold_span in,
                                         struct allfold_span out);
void allfold_frame_leave(struct allfold_builder *s, struct allfold_frame outer);

/* The first error, or ALLFOLD_OK, and its words (valid as long as the builder). */
enum allfold_error allfold_builder_error(const struct allfold_builder *s);
const char *allfold_builder_message(const struct allfold_builder *s);

/* Makes *schedule from all steps so far. Fails with the first error that a verb met, or
 * ALLFOLD_NO_MEMORY; *schedule is then NULL. Afterwards the caller can only free the builder. Free
 * the schedule with allfold_schedule_free. */
enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule);

/* Nodes: the placement of the ranks. They never change; problems point to them. Ranks are those of
 * the whole group. Nodes are numbered in the order of their lowest ranks, or as they lie in the
 * network. */
struct allfold_nodes;

/* Groups of nodes, such as those below one switch: ranks with the same key are in the same group.
 * Groups that say nothing new, or that split a lower group, are left out. Of links, 0: unknown. */
struct allfold_group_level {
    const int64_t *keys; /* by rank */
    double uplinks;      /* the rate of all links that leave a group, in cards of a node */
    double pair_uplinks; /* of those, what leads to one other group of the same next group */
    double farther_s;    /* how much later a message comes that leaves its group */
};

/* A cable between two nodes. */
struct allfold_cable {
    int a, b;
};

/* What is known of where ranks are. All but the keys of the nodes may be 0 or NULL: it is not
 * known, or as in `like`. All keys are by rank. */
struct allfold_nodes_facts {
    int p;                  /* ranks */
    const int64_t *keys;    /* ranks with the same key share a node; NULL: as in `like` */
    const int64_t *order;   /* nodes lie in the network as their lowest ranks' keys say */
    const int64_t *sockets; /* ranks of a node with the same key share a socket; of a node with a
                               key below 0 nothing is known */
    int even_sockets;       /* or: so many on each node, with its ranks in blocks ... */
    bool in_turn;           /* ... or dealt out to them in turn */
    const struct allfold_group_level *groups; /* from the lowest level up; above those of `like` */
    int levels;
    const struct allfold_cable *cables; /* from node to node directly, by their numbers */
    int cable_count;
    int cores;     /* of the one machine that all nodes are on, where they are several */
    int card_mbit; /* a second, of each node's network card; below 0: not known */

    /* The ranks are also ranks of these nodes: `members` has which, NULL means the first p, and
     * with p = 0 all. They are where they are there. Cables are known of all ranks and of the
     * first. */
    const struct allfold_nodes *like;
    const int *members;
};

/* Makes nodes. NULL: there is no memory; nothing else fails. Freed with allfold_nodes_free. */
const struct allfold_nodes *allfold_nodes_create(const struct allfold_nodes_facts *facts);

/* The same where only the keys are known. */
struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p);

/* Frees nodes, with their groups and sockets; NULL is allowed. */
void allfold_nodes_free(const struct allfold_nodes *nodes);

int allfold_nodes_count(const struct allfold_nodes *nodes);

/* The node of a rank. */
int allfold_nodes_find(const struct allfold_nodes *nodes, int rank);

/* The ranks of a node, ascending, and their number. They live as long as the nodes. */
const int *allfold_nodes_ranks(const struct allfold_nodes *nodes, int node, int *count);

/* The groups of nodes, as nodes one level up, in which each of these nodes is one rank: its lowest
 * in allfold_nodes_ranks, its number in allfold_nodes_find. NULL: nothing is known. */
const struct allfold_nodes *allfold_nodes_groups(const struct allfold_nodes *nodes);

/* The sockets of a node, as nodes one level down: rank i there is the node's rank number i. NULL:
 * all ranks are on one socket, each is on its own, or nothing is known. */
const struct allfold_nodes *allfold_nodes_sockets(const struct allfold_nodes *nodes, int node);

/* Problems: what a caller asked, seen from one rank. */

/* `count` is the length of the vector. Where buffers are blocks, `count` is the length of one
 * block. */
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

/* How the ranks of one node read long vectors of each other. */
enum allfold_reading {
    ALLFOLD_READS_COPIES, /* the owners copy the vectors into buffers */
    ALLFOLD_READS_NEAR,   /* in place, and data that another rank has just written arrives fast */
    ALLFOLD_READS_FAR,    /* in place, and such data arrives slowly */
    ALLFOLD_READING_COUNT
};

/* All members but `group.index` and `in_place` are alike on all ranks. Only members that are alike
 * may decide which messages there are. */
struct allfold_problem {
    enum allfold_collective collective;
    struct allfold_group group;
    int root; /* index in the group; 0 where the collective has none */
    size_t count;
    const size_t *begins; /* for blocks of any lengths: where each block begins in the vector, and
                             last the vector's length, p + 1 values in all. `count` is then the
                             longest block. NULL: `count` and `length` hold. Not owned */
    size_t length; /* of the whole vector, if it is blocks but not p times `count`. Then the lengths
                      of the p blocks differ by 1 at most, longer blocks come first, and `count` is
                      the longest. Else 0 */
    size_t element_bytes; /* of an element as it travels, without gaps */
    bool commutative;     /* true if the operation commutes, or if there is none */
    bool exact;        /* results are bitwise identical for any bracketing, or nothing is reduced */
    bool canonical;    /* results are bracketed by the canonical tree (docs/reproducible.md), in the
                          order of the ranks; then `commutative` is false */
    bool one_node;     /* all ranks are on one node */
    bool shares_cores; /* and has more ranks than cores: a rank waits while another works */
    enum allfold_reading reading;      /* where all ranks are on one node */
    const struct allfold_nodes *nodes; /* by rank of the whole group; NULL if unknown */
    bool in_place;                     /* this rank's input lies in OUT */
};

/* "allreduce", "reduce", ...; NULL for what is no collective. Never freed. */
const char *allfold_collective_name(enum allfold_collective collective);

/* The collective of that name; ALLFOLD_COLLECTIVE_COUNT where there is none. */
enum allfold_collective allfold_collective_find(const char *name);

/* Algorithms: each turns a problem, for one rank, into a schedule, and claims its cost. */

enum { ALLFOLD_MAX_PARAMETERS = 2, ALLFOLD_NAME_BYTES = 512 };
enum { ALLFOLD_MAX_LEVELS = 3, ALLFOLD_MAX_VALUES = 2 + 4 + 8 /* of these levels */ };

struct allfold_algorithm;

/* What the number of a parameter means to a search, which tries other numbers of each kind, or the
 * ranks of the inner algorithm that it names. */
enum allfold_parameter_kind {
    ALLFOLD_PARAMETER_PLAIN,   /* a search keeps the preset; of inner ones, one rank of each node */
    ALLFOLD_PARAMETER_ON_NODE, /* names an algorithm of the ranks of a node */
    ALLFOLD_PARAMETER_ON_ALL,  /* names an algorithm of all ranks */
    ALLFOLD_PARAMETER_RADIX,   /* of each round or node of a tree */
    ALLFOLD_PARAMETER_LEVELS,  /* digits, made for one number of ranks; 0: found by a formula */
    ALLFOLD_PARAMETER_SEGMENT, /* the largest message in bytes; 0: each block is one message */
    ALLFOLD_PARAMETER_PIPELINE, /* the same; 0: found by a formula */
};

struct allfold_parameter {
    const char *name; /* NULL ends the list */
    const char *unit; /* "bytes", or "" for a plain number */
    const char *meaning;
    enum allfold_parameter_kind kind;
    size_t minimum, maximum, preset;
    const size_t *tried; /* what the verifier tries, for elements of 4 bytes */
    unsigned tried_count;

    /* The preset, if the parameter names an inner algorithm. Its values are the numbers of all
     * inner algorithms of that collective; the verifier tries all of them. */
    const struct allfold_algorithm *inner;
};

/* First the algorithm's own parameters, in the order of the descriptor. If value[v] names an inner
 * algorithm, then value[2 * v + 2] and value[2 * v + 3] are what that algorithm's parameters differ
 * by from their presets. Below the last level algorithms have their presets. Unused: 0. */
struct allfold_parameters {
    size_t value[ALLFOLD_MAX_VALUES];
};

/* What an algorithm claims of a problem, for all ranks together. The verifier compares the claim
 * with the schedules. The schedules never cost more than the claim. They cost exactly the claim
 * where `count` is a positive multiple of `divisor`. */
struct allfold_claim {
    size_t rounds;   /* messages one after the other, with `ports` at a time */
    size_t sent;     /* elements that the busiest rank sends */
    size_t reduced;  /* element operations of the rank that does most of them */
    unsigned ports;  /* messages that a rank sends, and receives, at a time; 0 means 1 */
    size_t divisor;  /* 0 means 1 */
    bool is_bound;   /* the claim is only a bound, never exact, for any count */
    size_t got;      /* elements that the busiest rank gets, at most; 0: no more than `sent` */
    size_t messages; /* the sum of all rounds' messages at a time; 0: `ports` in each of them */
    size_t serial;   /* elements of messages that wait for each other, of several ranks, at most; 0:
                        no more than the busiest rank sends or gets */
    size_t again;    /* of `sent`, data that went to another peer before: a node's memory takes them
                        once */
    size_t copied;   /* elements that the busiest rank copies to reorder, at least; 0: not said */

    /* For an algorithm that knows which ranks share a node: what goes between nodes, at most. */
    size_t far_rounds;  /* the rounds with messages between nodes */
    size_t far_sent;    /* elements that the busiest node sends to others, or gets from them */
    unsigned far_lanes; /* ranks of a node that send to others at a time; 0: it ignores nodes */
};

enum allfold_need {
    ALLFOLD_NEEDS_COMMUTATIVE = 1u << 0,
    ALLFOLD_NEEDS_NODES = 1u << 1,  /* ranks on several nodes, with known placement */
    ALLFOLD_NEEDS_GROUPS = 1u << 2, /* also groups of nodes; implies ALLFOLD_NEEDS_NODES */
    ALLFOLD_NEEDS_CABLES = 1u << 3, /* also cables that connect all nodes; implies it, too */
};

/* The descriptor belongs to the caller, and must outlive all that points to it. */
struct allfold_algorithm {
    const char *name;  /* within its collective */
    const char *alias; /* another name that people know; NULL if there is none */
    enum allfold_collective collective;
    const char *source;
    const char *summary; /* what it does */
    const char *use;     /* when to use it, and what to use elsewhere; in the papers' letters */
    unsigned needs;      /* of enum allfold_need */
    bool follows_nodes;  /* its messages or its claim depend on the placement, if it is known */
    bool renumbers;      /* the algorithm differs where ranks are in the order of their nodes */
    bool consistent;     /* all ranks bracket alike, so results are bitwise identical */

    /* Does it bracket each element by the canonical tree, if the problem asks for that? NULL: only
     * on one or two ranks, where nothing is left to bracket. */
    bool (*keeps_tree)(const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters);

    bool out_of_order; /* its messages get ready in another order than in the program */

    /* Compositions may run an inner algorithm on a part of the ranks, and all of them try it. An
     * inner reduce or reduce-scatter has a way back: the broadcast or allgather that serves
     * whatever it serves. The way back takes as many rounds as the way there, and sends what the
     * way there reduces. Where the way back differs, back_differs says so. */
    bool is_inner;
    const struct allfold_algorithm *back;
    bool back_differs;

    struct allfold_parameter parameters[ALLFOLD_MAX_PARAMETERS + 1];

    /* Writes the rank's program by the verbs, for a problem whose needs are met. */
    void (*build)(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters);

    /* The claim, also for a problem whose needs are met. */
    struct allfold_claim (*claim)(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

    /* What else the algorithm needs of a problem and the parameters together: the unmet need in
     * words, or NULL if there is none. The function may be NULL. */
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

/* Writes, cut to text_bytes, "smp(leaders=chain(segment=64K))", with the parameters that differ
 * from their presets; "native" where algorithm is NULL. ALLFOLD_NAME_BYTES are enough. */
void allfold_algorithm_write(const struct allfold_algorithm *algorithm,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes);

/* The first need that is not met, in words that continue "it needs". NULL where the algorithm can
 * serve the problem. */
const char *allfold_unmet_need(const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* Builds and freezes one rank's schedule. Free it with allfold_schedule_free. *schedule is NULL
 * after an error:
 *
 * - ALLFOLD_UNMET_NEED: the algorithm does not serve the problem;
 * - ALLFOLD_BAD_SCHEDULE: the algorithm used a verb wrongly;
 * - ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_build(const struct allfold_algorithm *algorithm,
                                 const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters,
                                 struct allfold_schedule **schedule, char *message,
                                 size_t message_bytes);

/* Cases: an algorithm on so many ranks, with so many elements, and all its schedules. */

enum allfold_virtual_mode {
    ALLFOLD_VIRTUAL_IN_ORDER,  /* sends end at once; ranks and messages take turns */
    ALLFOLD_VIRTUAL_REORDERED, /* a seed decides at random the order, and which sends end at once */
    ALLFOLD_VIRTUAL_SYNCHRONOUS, /* a send ends only when the peer receives the message, and a
                                    rank's messages end in program order. A schedule that passes
                                    here only ever needs a rank to wait for its oldest message */
    ALLFOLD_VIRTUAL_MODE_COUNT
};

struct allfold_case {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int p;        /* 1 or more */
    int root;     /* 0 to p - 1 */
    size_t count; /* as in struct allfold_problem, also begins */
    const size_t *begins;
    bool in_place;  /* on all ranks where the collective allows it */
    bool commutes;  /* the operation commutes, whatever the algorithm needs: any order is right */
    bool canonical; /* the results have to be bracketed by the canonical tree */
    const struct allfold_nodes *nodes; /* the placement, or NULL; not owned */

    /* How virtual ranks run the case; schedules do not depend on it. */
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window; /* messages that a rank may have in flight; 0: the preset */
};

/* True if the algorithm serves the case: all its needs are met. */
bool allfold_case_is_served(const struct allfold_case *of);

/* What the algorithm claims of the case. */
struct allfold_claim allfold_case_claim(const struct allfold_case *of);

/* Builds the schedules of all ranks, (*schedules)[0] to [p - 1]. Errors are those of allfold_build;
 * *schedules is then NULL. Freed with allfold_case_free. */
enum allfold_error allfold_case_build(const struct allfold_case *of,
                                      struct allfold_schedule ***schedules, char *message,
                                      size_t message_bytes);

/* Frees the schedules of all ranks; NULL is allowed. */
void allfold_case_free(const struct allfold_case *of, struct allfold_schedule **schedules);

/* Writes what the schedules depend on, cut to text_bytes. An example is "allreduce.ring(segment=8),
 * p = 5, root 0, 7 elements, in place". The text leaves out parameters that have their presets. */
void allfold_case_title(const struct allfold_case *of, char *text, size_t text_bytes);

/* Walking: what the schedules of all ranks cost, counted and not computed from a formula. */

struct allfold_cost {
    size_t rounds;  /* time of the last message where each takes 1 and all else nothing, and a rank
                       sends, and receives, at most `ports` at a time, in program order */
    size_t sent;    /* elements sent by the busiest rank */
    size_t got;     /* elements received by the busiest rank */
    size_t reduced; /* element operations of the rank that does most of them */
    size_t serial;  /* elements of messages that wait for each other, by data or for a port, most */
    size_t written; /* elements sent by the busiest rank, where data for several peers count once */
    size_t copied;  /* elements that the rank copies that copies most, on the rank itself */
};

/* Counts what the schedules of ranks 0 to p - 1 cost, by walking them, with `ports` messages each
 * way at a time (1 or more). Fails with ALLFOLD_NO_MEMORY. Fails with ALLFOLD_DISPROVED and a
 * `message` where the two sides of a message do not match, or the walk does not reach all steps. */
enum allfold_error allfold_walk(const struct allfold_schedule *const *schedules, int p,
                                unsigned ports, struct allfold_cost *cost, char *message,
                                size_t message_bytes);

/* Verifying: proves that the schedules of all ranks compute what their collective means.
 *
 * The verifier runs the schedules on virtual ranks with symbolic values. For each element it shows
 * that
 *
 * - every contribution is in the result once;
 * - contributions are in rank order, where the algorithm serves operations that do not commute;
 * - all ranks bracket alike, where the algorithm is consistent.
 *
 * It also shows that
 *
 * - no step reads what no step wrote, or what a message in flight may change;
 * - no step touches memory outside of its buffers, or writes into the input;
 * - the claims hold;
 * - the steps' dependencies alone fix the order, so every other run gives the same result.
 *
 * A blame says what is wrong with the schedules of a case, whose step is wrong, and what was
 * expected. A blame holds no pointers: it may be copied, and outlives the case and the schedules.
 * Steps are the lines of a printed schedule, from 0. Message numbers are of a pair of ranks, in one
 * direction, from 0. */

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
    ALLFOLD_BLAME_LENGTHS_DIFFER, /* `rank` receives `expected` elements, `peer` sends `found` */
    ALLFOLD_BLAME_DEADLOCK,       /* the rank waits for its peer, which waits itself, in a circle */

    /* data: elements `first` to `first + length - 1` of `buffer` */
    ALLFOLD_BLAME_READ_UNWRITTEN, /* `step` reads what no step wrote before */
    ALLFOLD_BLAME_MIXED_ELEMENTS, /* `step` reduces different elements of the vector */

    /* results: elements `first` to `first + length - 1` of the rank's result */
    ALLFOLD_BLAME_RESULT_UNWRITTEN,
    ALLFOLD_BLAME_OTHER_ELEMENT, /* they hold another element's result, from element `found` on */
    ALLFOLD_BLAME_MISSING,       /* they miss the contribution of rank `missing` */
    ALLFOLD_BLAME_TWICE,      /* they have the contribution of rank `contribution` `found` times */
    ALLFOLD_BLAME_FOREIGN,    /* they have the contribution of rank `contribution`, which does not
                                 belong there */
    ALLFOLD_BLAME_RANK_ORDER, /* the contribution of `contribution` is left of that of a lower rank,
                                 `peer` */
    ALLFOLD_BLAME_BRACKETS,   /* they are bracketed differently than on rank `peer` */
    ALLFOLD_BLAME_TREE,       /* not bracketed by the canonical tree */
    ALLFOLD_BLAME_WRONG_GIVER, /* they are the data of rank `contribution`, not of rank `missing` */

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
    int contribution; /* the rank whose contribution is there wrongly */
    int missing;      /* the rank whose contribution is not there */
    int buffer;       /* 0: IN, 1: OUT, 2 and more: scratch buffers */
    size_t first, length;
    size_t expected, found;
    int waiting;     /* ranks that wait for ever */
    char where[200]; /* the case, such as "allreduce.ring, p = 3, 4 elements" */
    char text[900];  /* all this in words: what is wrong, what was expected, what to do */
};

/* The kind in a few words, such as "never sent"; NULL for what is no kind. */
const char *allfold_blame_kind_name(enum allfold_blame_kind kind);

/* The verifier: it proves cases, one after the other. */
struct allfold_verifier;

/* Makes a verifier; NULL without memory. Freed with allfold_verifier_free. Only one thread at a
 * time may use a verifier. */
struct allfold_verifier *allfold_verifier_create(void);

void allfold_verifier_free(struct allfold_verifier *verifier);

/* Proves one case. The needs of the case must be met (allfold_case_is_served). The call builds the
 * schedules, then checks their order, the claims and the results. It runs the schedules in order,
 * with synchronous sends and reordered, with the default window and the smallest. Last it runs them
 * in the case's own mode. After a failure *of has the mode, seed and window of the run that failed,
 * and *blame (may be NULL) says what is wrong.
 *
 * - ALLFOLD_OK: the case is proven;
 * - ALLFOLD_DISPROVED, ALLFOLD_NO_PROGRESS or ALLFOLD_BAD_SCHEDULE: the case is wrong;
 * - ALLFOLD_NO_MEMORY: not known. */
enum allfold_error allfold_verify_case(struct allfold_verifier *verifier, struct allfold_case *of,
                                       struct allfold_blame *blame);

struct allfold_sweep {
    const struct allfold_algorithm *algorithm;
    int p_first, p_last; /* 1 <= p_first <= p_last */
    bool sampled;   /* a few random p, roots and counts of the range, instead of all. Collectives of
                       blocks and algorithms for nodes take p^2 elements or messages. In a range that
                       begins below p = 400 they run only up to p = 400 */
    int samples;    /* how many p, when sampled */
    bool canonical; /* only cases that ask for the canonical tree. Else also these, if the algorithm
                       says that it keeps the tree */
    uint64_t seed;

    /* Called once when a case fails, which ends the sweep. The arguments are the smallest case that
     * fails and what is wrong there. Both live until the function returns. May be NULL. */
    void (*on_failure)(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame);

    /* Called after each p: `done` of `total` numbers of ranks are done. May be NULL. */
    void (*on_progress)(void *context, int p, int done, int total);
    void *context;

    bool digest_only; /* build the schedules of all cases for their digest, without a proof */
};

struct allfold_sweep_result {
    size_t schedules; /* sets of schedules built, one for all ranks each */
    size_t runs;      /* runs of a set on virtual ranks */
    bool failed;
    size_t unserved; /* cases whose needs are not met */
    uint64_t digest; /* of all cases, their claims and schedules: the same with digest_only */
};

/* Proves an algorithm. Goes through
 *
 * - every p of the range and all roots;
 * - counts 0, 1, p-1, p, p+1, 3p+2 and one that the claim's divisor divides;
 * - blocks of 0, 1, 2, 5, and where they may have any lengths 5 layouts of these;
 * - all values to try of the parameters, in place and not;
 * - all modes of virtual ranks, and windows from the smallest, 2, that serves to the default.
 *
 * For each such set of schedules it checks the claims and the order of the steps. Above p = 16 it
 * checks the order on four random ranks only. Above p = 24 the roots take turns at the counts, in
 * place and not. Every root and every count then runs, but not each root with each count.
 *
 * Algorithms that need nodes run on all even placements, in blocks and in turn, and on a few uneven
 * ones. Above p = 12 they run with four roots each. The sweep tries operations that commute only
 * where it cannot try others, because the schedules are the same.
 *
 * Returns ALLFOLD_NO_MEMORY, or else ALLFOLD_OK, also where a case failed. */
enum allfold_error allfold_sweep_run(const struct allfold_sweep *sweep,
                                     struct allfold_sweep_result *result);

/* Pictures: who sends what to whom in which round, and what is reduced. */

enum allfold_picture_format {
    ALLFOLD_PICTURE_TEXT,
    ALLFOLD_PICTURE_SVG,
    ALLFOLD_PICTURE_HTML /* a page that steps through the drawing, round by round */
};

enum { ALLFOLD_PICTURE_RANKS = 64 };

/* Draws what `allfold show` does, onto `stream`, for a case of up to ALLFOLD_PICTURE_RANKS ranks.
 * The case's mode and window matter only in synchronous mode, where ranks may wait for ever because
 * of the window. The picture also shows wrong schedules: what they do, what never arrives in red,
 * and a blame. Wrong schedules are no error. More ranks give ALLFOLD_BAD_INPUT; other errors are
 * those of allfold_case_build. */
enum allfold_error allfold_picture_draw(const struct allfold_case *of,
                                        enum allfold_picture_format format, FILE *stream,
                                        char *message, size_t message_bytes);

/* Networks: what the simulator knows of a machine.
 *
 * A message of s bytes takes latency + s / bandwidth. Both constants depend on the size and on the
 * level: between ranks of a socket, of a node, of several nodes. A network is a text with one
 * setting a line; `#` begins a comment:
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

/* Makes a network: the preset of this name, or else the network in the file of this name. Freed
 * with allfold_network_free. Fails with ALLFOLD_BAD_INPUT where neither exists or the text is
 * wrong; the message has the line and what would be right. Fails with ALLFOLD_NO_MEMORY. *network
 * is NULL after an error. */
enum allfold_error allfold_network_open(const char *name, struct allfold_network **network,
                                        char *message, size_t message_bytes);

/* Makes a network from a text; all else as for allfold_network_open. */
enum allfold_error allfold_network_parse(const char *text, struct allfold_network **network,
                                         char *message, size_t message_bytes);

/* Frees a network; NULL is allowed. */
void allfold_network_free(struct allfold_network *network);

/* Writes a network as a text from which allfold_network_parse makes the same network. */
void allfold_network_write(const struct allfold_network *network, FILE *stream);

/* The name of preset number i, from 0; NULL beyond the last one. Never freed. */
const char *allfold_network_preset_name(size_t i);

/* Simulating: how long the schedules of all ranks take on a network, by discrete events. */

enum { ALLFOLD_SIMULATED_WINDOW = 16, ALLFOLD_MAX_SIMULATED_WINDOW = 64 };

struct allfold_simulation {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int root;
    size_t bytes; /* of the vector; for collectives of blocks, of all blocks, rounded up to equal
                     blocks. A barrier has none */
    size_t element_bytes;
    const struct allfold_nodes *nodes; /* the placement of all ranks */
    const struct allfold_network *network;
    const uint32_t *hosts; /* for a network with a topology: the host of each node, all different;
                              NULL: node i is host i */
    uint32_t window;       /* messages that a rank may have in flight: a power of two,
                              ALLFOLD_MAX_SIMULATED_WINDOW at most; 0: ALLFOLD_SIMULATED_WINDOW */
    size_t memory_bytes; /* the most memory that the simulation takes, not counting the schedule of
                            one rank at a time; 0: no bound */
    bool keeps_order, keeps_tree; /* it does not commute; sums are by the canonical tree */
    double limit_s;  /* ends where it would take longer: time_s is then infinite; 0: never */
    bool wants_path; /* also find the critical path, which takes 32 bytes a step */

    /* Called with the progress: steps `done` of `total`, and what they are. May be NULL. */
    void (*on_progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

enum { ALLFOLD_SIMULATED_CLASSES = 16, ALLFOLD_SIMULATED_LEVELS = 18 };

/* The links of a class, such as all cards or all links up from leaf switches. */
struct allfold_simulated_class {
    char name[24];
    uint64_t links;      /* links; a cable has two, one each way */
    uint64_t bytes;      /* bytes that all of them carry */
    uint64_t most_bytes; /* bytes that the busiest of them carries */
};

/* The messages of a level: between ranks of a socket, of a node, and of several nodes. On a network
 * with a topology, messages between nodes count by the farthest class of links on their way. The
 * critical path is what the end waited for, one after the other, from the beginning. */
struct allfold_simulated_level {
    char name[24];
    uint64_t messages, bytes; /* of all ranks */
    uint32_t path_messages;   /* on the critical path */
    double path_s;            /* the time of these messages there */
};

struct allfold_simulated {
    double time_s;         /* until the last rank is done */
    uint64_t steps;        /* of all ranks */
    uint64_t messages;     /* of all ranks */
    uint64_t card_bytes;   /* bytes that the busiest card sends */
    uint32_t messages_out; /* messages between nodes that the busiest rank sends */
    size_t memory_bytes;   /* the most memory that the simulation took */
    int class_count;       /* for a network with a topology: its classes of links, hosts first */
    struct allfold_simulated_class classes[ALLFOLD_SIMULATED_CLASSES];
    int level_count; /* 0 unless wants_path */
    struct allfold_simulated_level levels[ALLFOLD_SIMULATED_LEVELS];
    double path_work_s; /* the time of reductions and copies on the critical path */
};

/* Simulates the algorithm on all ranks of `nodes`. What *of points to must live until the call
 * returns.
 *
 * - ALLFOLD_UNMET_NEED: the algorithm does not serve the simulated call;
 * - ALLFOLD_NO_MEMORY: there is no memory, or the simulation would take more than it may;
 * - ALLFOLD_NO_PROGRESS: ranks wait for ever;
 * - ALLFOLD_BAD_INPUT: the root is no rank, the window is invalid, or there are too many steps or
 *   too long times to count;
 * - ALLFOLD_BAD_SCHEDULE: as for allfold_build. */
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
 * its way while the rank prepares the receive. This saves a sixth of a short exchange on a node. */
static inline void exchange(struct allfold_builder *s, int to_peer, struct allfold_span from,
                            int from_peer, struct allfold_span to)
{
    allfold_add_send(s, to_peer, from);
    allfold_add_receive(s, from_peer, to);
}

/* Computes to = left o right, where left covers the lower ranks. `to` may be an operand. */
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
