/* allfold_core.h - write, prove and measure algorithms for collective reductions, without MPI.
 *
 * A *problem* describes a collective call. An *algorithm* turns a problem into a *schedule* for one
 * rank: steps over named buffers. This library builds schedules, proves them, counts their cost,
 * draws them and simulates them on a network. allfold.h and liballfold-MPI move the data of a
 * program.
 *
 * Rules for all functions:
 *
 * - Counts, offsets and lengths are in elements, names that end in _bytes in bytes, _s in seconds.
 * - A function that can fail returns ALLFOLD_OK (0) or an error that its comment names. It writes
 *   the reason to `message`, a buffer of the caller with `message_bytes` bytes. NULL with 0 bytes
 *   is allowed. No function prints, except to a FILE that is an argument, and none ends the
 *   program.
 * - The caller owns an object that a function named ..._create, ..._make or ..._build returns, and
 *   frees it with the function that the comment names.
 * - The caller keeps the ownership of arguments. Data that an argument points to must be valid
 *   until the call returns, or as long as the comment requires.
 * - There is no global state. Functions are thread-safe if each thread uses different objects.
 *   Schedules, networks, nodes and descriptors are immutable, so threads may share them.
 *
 * Unlike allfold.h, this header may change between minor versions: recompile programs that use it.
 *
 * The short names send_to, recv_from, reduce, copy and so on require the definition of
 * ALLFOLD_VERBS before the header is included. */
#ifndef ALLFOLD_CORE_H
#define ALLFOLD_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The shared library exports the functions that this header declares, and no others. */
#pragma GCC visibility push(default)

enum allfold_error {
    ALLFOLD_OK = 0,
    ALLFOLD_NO_MEMORY,
    ALLFOLD_BAD_SCHEDULE, /* an algorithm broke a rule of the schedule language */
    ALLFOLD_BAD_INPUT,    /* a text or value of the user is invalid */
    ALLFOLD_UNMET_NEED,   /* an algorithm does not support the problem */
    ALLFOLD_NO_PROGRESS,  /* virtual ranks wait for each other forever */
    ALLFOLD_DISPROVED,    /* the verifier found an error in a schedule */
};

/* Groups: the ranks that an algorithm works on, as an arithmetic progression or as a list.
 *
 * An algorithm uses a size p and its own index r. The group maps indices to ranks, so an algorithm
 * can run on a communicator, on a node, or on one lane across the nodes. */

struct allfold_group {
    int size;
    int index; /* this rank's index in the group */
    int first; /* the rank of index 0, if `ranks` is NULL */
    int stride;
    const int *ranks; /* index -> rank, or NULL; not owned, must be valid while the group is used */
    const struct allfold_group *within; /* the group whose indices these ranks are; NULL: they are
                                           ranks of the whole group. Not owned, like `ranks` */
};

/* Returns the group of all p ranks, on rank r. */
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

/* IN is the caller's input, which no step writes. OUT is the caller's result. Scratch buffers have
 * the numbers from ALLFOLD_SCRATCH on. */
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

/* A step and its operands. SEND reads operand 0. RECEIVE writes operand 0. COPY writes operand 0
 * and reads operand 1. REDUCE writes operand 0 with operand 1 o operand 2, where operand 1 covers
 * the lower ranks. All operands have the same length. */
struct allfold_step {
    uint8_t kind; /* enum allfold_step_kind */
    uint8_t buffer[3];
    int32_t peer;     /* rank in the whole group; -1 in local steps */
    uint32_t number;  /* number of the message to or from the peer, from 0 */
    uint32_t message; /* number of the message of this rank, sent or received, from 0 */
    size_t length;
    size_t offset[3];
};

/* Immutable. A schedule has no pointers to user memory: all calls of the same shape can use it. */
struct allfold_schedule;

/* Frees a schedule; NULL is allowed. */
void allfold_schedule_free(struct allfold_schedule *schedule);

/* Returns the steps, and their number in *count. Running them one after the other in this order is
 * correct. Two steps depend on each other if their operands overlap and one of the steps writes the
 * overlap. All other steps may run in any order. The messages of a pair of ranks match by their
 * numbers. Valid until the schedule is freed. */
const struct allfold_step *allfold_schedule_steps(const struct allfold_schedule *schedule,
                                                  size_t *count);

/* Returns the length of buffer ALLFOLD_IN, ALLFOLD_OUT or ALLFOLD_SCRATCH + i; 0 if the schedule
 * does not have the buffer, such as IN if the input is in OUT. */
size_t allfold_schedule_length(const struct allfold_schedule *schedule, int buffer);

/* Returns the sum of the lengths of all scratch buffers. */
size_t allfold_schedule_scratch(const struct allfold_schedule *schedule);

/* Prints a schedule, one step a line: "3: reduce OUT[0,5) = TMP0[0,5) o IN[0,5)  after 1 2". */
void allfold_schedule_print(const struct allfold_schedule *schedule, FILE *stream);

/* Builders: an algorithm writes its sequential program into a builder.
 *
 * The builder finds the dependencies between steps, numbers the messages of each pair of ranks in
 * program order, checks every span, and freezes the result.
 *
 * The first error is kept: later verbs do nothing, and allfold_builder_freeze reports the error. So
 * algorithms need no error handling. Spans of length 0 are normal: the builder omits their steps,
 * on both sides of a message.
 *
 * One thread at a time may use a builder. */

struct allfold_builder;

/* The caller's buffers on this rank. A buffer that the rank does not have has length 0. If in
 * place, the input is in OUT: IN is an alias of the elements of OUT from in_place_offset on. */
struct allfold_shape {
    struct allfold_group group;
    size_t in_length;
    size_t out_length;
    bool in_place;
    size_t in_place_offset;
};

/* Makes a builder, to write single schedules by hand; allfold_build makes one for its algorithm.
 * Returns NULL if out of memory. The caller frees it with allfold_builder_free. */
struct allfold_builder *allfold_builder_create(const struct allfold_shape *shape);

/* Frees a builder; NULL is allowed. */
void allfold_builder_free(struct allfold_builder *builder);

/* The verbs add steps. `peer` is an index in the group of the builder's current frame, in [0,
 * size), except for this rank's own index. Spans are relative to the current frame. */
void allfold_add_send(struct allfold_builder *s, int peer, struct allfold_span from);
void allfold_add_receive(struct allfold_builder *s, int peer, struct allfold_span to);
void allfold_add_reduce(struct allfold_builder *s, struct allfold_span to, struct allfold_span left,
                        struct allfold_span right);
void allfold_add_copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from);

/* Adds a scratch buffer of `length` elements and returns a span of all of it. */
struct allfold_span allfold_add_scratch(struct allfold_builder *s, size_t length);

/* Composition. allfold_frame_enter enters a frame and returns the previous frame. Until
 * allfold_frame_leave restores the previous frame, IN and OUT of the verbs are the spans `in` and
 * `out` of the previous frame, and peers are indices in `group`. */
struct allfold_frame {
    struct allfold_group group;
    struct allfold_span in;
    struct allfold_span out;
};
struct allfold_frame allfold_frame_enter(struct allfold_builder *s,
                                         const struct allfold_group *group, struct allfold_span in,
                                         struct allfold_span out);
void allfold_frame_leave(struct allfold_builder *s, struct allfold_frame outer);

/* Return the first error, or ALLFOLD_OK, and its message. The message is valid until the builder is
 * freed. */
enum allfold_error allfold_builder_error(const struct allfold_builder *s);
const char *allfold_builder_message(const struct allfold_builder *s);

/* Makes *schedule from all steps so far. Returns the first error of a verb, or ALLFOLD_NO_MEMORY;
 * *schedule is then NULL. After the call, the builder can only be freed. The caller frees the
 * schedule with allfold_schedule_free. */
enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule);

/* Nodes: the placement of the ranks of the whole group. Immutable; problems point to them. Nodes
 * are numbered in the order of their lowest ranks. */
struct allfold_nodes;

/* A level of groups of nodes, such as the nodes below one switch: ranks with the same key are in
 * the same group. A level is ignored if it adds no information or splits a group of the level
 * below. Rates and latencies of 0 are unknown. */
struct allfold_group_level {
    const int64_t *keys; /* rank -> key of its group */
    double uplinks; /* rate of all links that leave a group, in units of a node's network card */
    double pair_uplinks; /* rate of the links to one other group of the same upper group */
    double farther_s;    /* additional latency of a message that leaves its group */
};

/* A cable between two nodes. */
struct allfold_cable {
    int a, b;
};

/* Known facts about the placement of ranks. Either `p` and `keys` are given, or `like`. All other
 * facts may be 0 or NULL: they are taken from `like`, or unknown. Arrays of keys have one key per
 * rank. */
struct allfold_nodes_facts {
    int p;                /* number of ranks */
    const int64_t *keys;  /* ranks with the same key share a node; not used if `like` is set */
    const int64_t *order; /* nodes are sorted in the network by the key of their lowest rank */
    const int64_t
        *sockets; /* ranks of a node with the same key share a socket; if any is below 0: unknown */
    int even_sockets; /* if `sockets` is NULL: number of sockets of each node */
    bool in_turn;     /* even_sockets: ranks are on the sockets in turn, not in blocks */
    const struct allfold_group_level *groups; /* levels from the lowest on, above those of `like` */
    int levels;
    const struct allfold_cable *cables; /* direct links, by the numbers of the nodes */
    int cable_count;
    int cores;     /* number of cores, if all of several nodes are on one machine */
    int card_mbit; /* of each node's network card, in Mbit/s; below 0: unknown */

    /* Existing nodes, for facts that are not given. Rank r has the placement of rank members[r] of
     * `like`, or of rank r if `members` is NULL. p = 0 stands for the number of ranks of `like`.
     * Cables are copied only if `members` is NULL or has all ranks of `like` in their order. */
    const struct allfold_nodes *like;
    const int *members;
};

/* Makes nodes. Returns NULL if out of memory; there is no other error. The caller frees them with
 * allfold_nodes_free. */
const struct allfold_nodes *allfold_nodes_create(const struct allfold_nodes_facts *facts);

/* Makes nodes from their keys only. Returns NULL if out of memory. The caller frees them with
 * allfold_nodes_free. */
struct allfold_nodes *allfold_nodes_make(const int64_t *keys, int p);

/* Frees nodes with their groups and sockets; NULL is allowed. */
void allfold_nodes_free(const struct allfold_nodes *nodes);

int allfold_nodes_count(const struct allfold_nodes *nodes);

/* Returns the node of a rank. */
int allfold_nodes_find(const struct allfold_nodes *nodes, int rank);

/* Returns the ranks of a node in ascending order, and their number in *count. Valid until the nodes
 * are freed. */
const int *allfold_nodes_ranks(const struct allfold_nodes *nodes, int node, int *count);

/* Returns the groups of nodes, as nodes one level up; NULL if unknown. There, a node counts as one
 * rank: allfold_nodes_ranks lists it by its lowest rank, allfold_nodes_find takes its number. */
const struct allfold_nodes *allfold_nodes_groups(const struct allfold_nodes *nodes);

/* Returns the sockets of a node, as nodes one level down: rank i there is the node's rank number i.
 * NULL if all ranks are on one socket, each is on its own socket, or the sockets are unknown. */
const struct allfold_nodes *allfold_nodes_sockets(const struct allfold_nodes *nodes, int node);

/* Problems: a collective call as one rank sees it. */

/* `count` is the length of the vector. If a buffer consists of blocks, `count` is the length of one
 * block. */
enum allfold_collective {
    ALLFOLD_ALLREDUCE, /* IN: count on all ranks; OUT: count on all ranks */
    ALLFOLD_REDUCE,    /* IN: count on all ranks; OUT: count on the root */
    ALLFOLD_BCAST,     /* IN: count on the root; OUT: count on all ranks except the root */
    ALLFOLD_REDUCE_SCATTER_BLOCK, /* IN: p blocks on all ranks; OUT: count on all ranks */
    ALLFOLD_REDUCE_SCATTER, /* IN: p blocks of any lengths on all ranks; OUT: the rank's block */
    ALLFOLD_ALLGATHER,      /* IN: count on all ranks; OUT: p blocks on all ranks */
    ALLFOLD_ALLGATHERV,     /* IN: the rank's block; OUT: p blocks of any lengths on all ranks */
    ALLFOLD_BARRIER, /* IN and OUT: count tokens on all ranks. The result only shows that all ranks
                        have arrived, so it may include a token more than once */
    ALLFOLD_SCAN,    /* IN and OUT: count on all ranks; on rank r, of ranks 0 to r */
    ALLFOLD_EXSCAN,  /* IN: count on all ranks; OUT: count on ranks r > 0, of ranks 0 to r - 1 */
    ALLFOLD_COLLECTIVE_COUNT
};

/* How the ranks of one node read each other's long vectors. */
enum allfold_reading {
    ALLFOLD_READS_COPIES, /* from buffers into which the owners copy the vectors */
    ALLFOLD_READS_NEAR,   /* in place; data that another rank has just written arrives fast */
    ALLFOLD_READS_FAR,    /* in place; data that another rank has just written arrives slowly */
    ALLFOLD_READING_COUNT
};

/* A problem. All members except `group.index` and `in_place` are the same on all ranks. Only these
 * may decide which messages there are. */
struct allfold_problem {
    enum allfold_collective collective;
    struct allfold_group group;
    int root; /* index in the group; 0 if the collective has no root */
    size_t count;
    const size_t *begins; /* for blocks of any lengths: the start of each block in the vector, then
                             the vector's length, p + 1 values in all. `count` is then the longest
                             block. NULL: `count` and `length` determine the blocks. Not owned */
    size_t length; /* length of the whole vector, if it consists of p blocks whose lengths differ by
                      at most 1, but is not p times `count`. Longer blocks come first, and `count`
                      is the longest. Otherwise 0 */
    size_t element_bytes; /* size of an element in a message, without gaps */
    bool commutative;     /* the operation commutes, or there is none */
    bool exact;           /* the result is bitwise identical for any order of summation */
    bool canonical; /* sum by the canonical tree (docs/reproducible.md); `commutative` is false */
    bool one_node;  /* all ranks are on one node */
    bool shares_cores; /* on one node with fewer cores: a rank waits while another runs */
    enum allfold_reading reading;      /* if all ranks are on one node */
    const struct allfold_nodes *nodes; /* by rank of the whole group; NULL if unknown */
    bool in_place;                     /* this rank's input is in OUT */
};

/* Returns "allreduce", "reduce" and so on; NULL if the value is not a collective. Never freed. */
const char *allfold_collective_name(enum allfold_collective collective);

/* Returns the collective with this name; ALLFOLD_COLLECTIVE_COUNT if there is none. */
enum allfold_collective allfold_collective_find(const char *name);

/* Algorithms: an algorithm turns a problem into a schedule for one rank, and claims its cost. */

enum { ALLFOLD_MAX_PARAMETERS = 2, ALLFOLD_NAME_BYTES = 512 };
enum { ALLFOLD_MAX_LEVELS = 3, ALLFOLD_MAX_VALUES = 2 + 4 + 8 /* values of the three levels */ };

struct allfold_algorithm;

/* The meaning of a parameter's value. It tells a search which other values to try, or on which
 * ranks the inner algorithm runs that the parameter names. */
enum allfold_parameter_kind {
    ALLFOLD_PARAMETER_PLAIN,   /* a search keeps the default; an inner algorithm runs on one rank of
                                  each node */
    ALLFOLD_PARAMETER_ON_NODE, /* names an algorithm for the ranks of a node */
    ALLFOLD_PARAMETER_ON_ALL,  /* names an algorithm for all ranks */
    ALLFOLD_PARAMETER_RADIX,   /* radix of each round, or of each node of a tree */
    ALLFOLD_PARAMETER_LEVELS,  /* digits, made for one number of ranks; 0: found by a formula */
    ALLFOLD_PARAMETER_SEGMENT, /* maximum message in bytes; 0: each block is one message */
    ALLFOLD_PARAMETER_PIPELINE, /* maximum message in bytes; 0: found by a formula */
};

struct allfold_parameter {
    const char *name; /* NULL ends the list */
    const char *unit; /* "bytes", or "" for a plain number */
    const char *meaning;
    enum allfold_parameter_kind kind;
    size_t minimum, maximum, preset;
    const size_t *tried; /* values that the verifier tries, for elements of 4 bytes */
    unsigned tried_count;

    /* The default, if the parameter names an inner algorithm. The values of the parameter are the
     * numbers of all inner algorithms of the same collective; the verifier tries all of them. */
    const struct allfold_algorithm *inner;
};

/* Values of parameters: first those of the algorithm's own parameters, in the order of the
 * descriptor. If value[v] names an inner algorithm, value[2 * v + 2] and value[2 * v + 3] are added
 * to the defaults of its parameters. Below the last level, algorithms have their defaults. Unused
 * values are 0. */
struct allfold_parameters {
    size_t value[ALLFOLD_MAX_VALUES];
};

/* The claim of an algorithm: its cost for a problem, for all ranks together. The verifier compares
 * the claim with the schedules, which never cost more. They cost exactly the claimed rounds,
 * elements sent and elements reduced if `count` is a positive multiple of `divisor`. */
struct allfold_claim {
    size_t rounds;   /* sequential messages, with `ports` messages at a time */
    size_t sent;     /* elements that the busiest rank sends */
    size_t reduced;  /* element operations of the rank with the most operations */
    unsigned ports;  /* messages that a rank sends at a time, and receives at a time; 0 means 1 */
    size_t divisor;  /* 0 means 1 */
    bool is_bound;   /* the claim is only a bound, for every count */
    size_t got;      /* maximum elements that a rank receives; 0: at most `sent` */
    size_t messages; /* messages that a rank sends, or receives, in all rounds together; 0: `ports`
                        in each round */
    size_t serial; /* maximum elements on a path of sequential messages of several ranks; 0: at most
                      the elements that the busiest rank sends or receives */
    size_t again;  /* the part of `sent` that was already sent to another peer. Shared memory stores
                      such data only once */
    size_t copied; /* minimum elements copied by the busiest rank to reorder; 0: no claim */

    /* If the algorithm uses the placement: upper bounds for messages between nodes. */
    size_t far_rounds;  /* rounds with messages between nodes */
    size_t far_sent;    /* elements that the busiest node sends to others, or receives */
    unsigned far_lanes; /* ranks of a node that send to others at a time; 0: ignores nodes */
};

enum allfold_need {
    ALLFOLD_NEEDS_COMMUTATIVE = 1u << 0,
    ALLFOLD_NEEDS_NODES = 1u << 1,  /* ranks on several nodes, with known placement */
    ALLFOLD_NEEDS_GROUPS = 1u << 2, /* groups of nodes; implies ALLFOLD_NEEDS_NODES */
    ALLFOLD_NEEDS_CABLES = 1u << 3, /* cables that connect all nodes; implies ALLFOLD_NEEDS_NODES */
};

/* A descriptor. The caller owns it; it must be valid as long as an object points to it. */
struct allfold_algorithm {
    const char *name;  /* unique within the collective */
    const char *alias; /* another common name; NULL if there is none */
    enum allfold_collective collective;
    const char *source;
    const char *summary; /* what it does */
    const char *use; /* when to use it, and what to use otherwise; in the notation of the papers */
    unsigned needs;  /* set of enum allfold_need */
    bool follows_nodes; /* its messages or its claim depend on the placement, if it is known */
    bool renumbers;     /* it numbers the ranks in the order of their nodes */
    bool consistent;    /* all ranks sum in the same order, so results are bitwise identical */

    /* Returns whether each element is summed by the canonical tree if the problem asks for it.
     * NULL: only on one or two ranks, which have a single order of summation. */
    bool (*keeps_tree)(const struct allfold_problem *problem,
                       const struct allfold_parameters *parameters);

    bool out_of_order; /* its messages become ready in a different order than program order */

    /* Compositions may run an inner algorithm on a subset of the ranks; the verifier tries all
     * inner algorithms. An inner reduce or reduce-scatter has a path back, `back`: the broadcast or
     * allgather that supports the same problems. The path back has the same number of rounds, and
     * sends the elements that the algorithm reduces. back_differs is true if it does not. */
    bool is_inner;
    const struct allfold_algorithm *back;
    bool back_differs;

    struct allfold_parameter parameters[ALLFOLD_MAX_PARAMETERS + 1];

    /* Writes the rank's program by the verbs, for a problem whose needs are met. */
    void (*build)(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters);

    /* Returns the claim, for a problem whose needs are met. */
    struct allfold_claim (*claim)(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters);

    /* Returns the text of a need that depends on the problem and the parameters together and is not
     * met; NULL if there is none. The function pointer may be NULL. */
    const char *(*unmet)(const struct allfold_problem *problem,
                         const struct allfold_parameters *parameters);
};

/* Returns the library's own algorithm with this name or alias, or NULL. */
const struct allfold_algorithm *allfold_algorithm_find(enum allfold_collective collective,
                                                       const char *name);

/* Returns the library's own algorithm number i, from 0; NULL after the last one. */
const struct allfold_algorithm *allfold_algorithm_number(size_t i);

/* Returns the defaults of all parameters. */
struct allfold_parameters allfold_parameter_presets(const struct allfold_algorithm *algorithm);

/* Writes "smp(leaders=chain(segment=64K))", with the parameters that differ from their defaults,
 * cut to text_bytes bytes; "native" if `algorithm` is NULL. ALLFOLD_NAME_BYTES bytes are enough. */
void allfold_algorithm_write(const struct allfold_algorithm *algorithm,
                             const struct allfold_parameters *parameters, char *text,
                             size_t text_bytes);

/* Returns the first need that is not met, as a text that continues "it needs"; NULL if the
 * algorithm supports the problem. */
const char *allfold_unmet_need(const struct allfold_algorithm *algorithm,
                               const struct allfold_problem *problem,
                               const struct allfold_parameters *parameters);

/* Builds and freezes one rank's schedule. The caller frees it with allfold_schedule_free. *schedule
 * is NULL after an error:
 *
 * - ALLFOLD_UNMET_NEED: the algorithm does not support the problem;
 * - ALLFOLD_BAD_SCHEDULE: the algorithm broke a rule of the verbs;
 * - ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_build(const struct allfold_algorithm *algorithm,
                                 const struct allfold_problem *problem,
                                 const struct allfold_parameters *parameters,
                                 struct allfold_schedule **schedule, char *message,
                                 size_t message_bytes);

/* Cases: an algorithm with a number of ranks and of elements, and the schedules of all ranks. */

enum allfold_virtual_mode {
    ALLFOLD_VIRTUAL_IN_ORDER,    /* sends end at once; ranks and messages take turns */
    ALLFOLD_VIRTUAL_REORDERED,   /* random order, and random sends end at once, both by `seed` */
    ALLFOLD_VIRTUAL_SYNCHRONOUS, /* a send ends only when the peer receives the message, and a
                                    rank's messages end in program order. If a schedule passes here,
                                    a rank only needs to wait for its oldest message */
    ALLFOLD_VIRTUAL_MODE_COUNT
};

struct allfold_case {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int p;        /* 1 or more */
    int root;     /* 0 to p - 1 */
    size_t count; /* as in struct allfold_problem, like `begins` */
    const size_t *begins;
    bool in_place;  /* on all ranks, if the collective allows it there */
    bool commutes;  /* the operation commutes, whatever the algorithm needs: any order is correct */
    bool canonical; /* the canonical tree is the required order of summation */
    const struct allfold_nodes *nodes; /* the placement, or NULL; not owned */

    /* How virtual ranks run the case; the schedules do not depend on it. */
    enum allfold_virtual_mode mode;
    uint64_t seed;
    uint32_t window; /* maximum messages of a rank in flight; 0: default; in pictures: no window */
};

/* Returns whether the algorithm supports the case: all needs are met. */
bool allfold_case_is_served(const struct allfold_case *of);

/* Returns the algorithm's claim for the case. */
struct allfold_claim allfold_case_claim(const struct allfold_case *of);

/* Builds the schedules of all ranks, (*schedules)[0] to [p - 1]. Returns ALLFOLD_OK or an error of
 * allfold_build; *schedules is then NULL. The caller frees them with allfold_case_free. */
enum allfold_error allfold_case_build(const struct allfold_case *of,
                                      struct allfold_schedule ***schedules, char *message,
                                      size_t message_bytes);

/* Frees the schedules of all ranks; NULL is allowed. */
void allfold_case_free(const struct allfold_case *of, struct allfold_schedule **schedules);

/* Writes the part of a case on which the schedules depend, without parameters that have their
 * defaults, cut to text_bytes bytes. An example is "allreduce.ring(segment=8), p = 5, root 0, 7
 * elements, in place". */
void allfold_case_title(const struct allfold_case *of, char *text, size_t text_bytes);

/* Walking: the cost of the schedules of all ranks, counted and not computed from a formula. */

struct allfold_cost {
    size_t rounds; /* time of the last message if a message takes 1, other steps 0, and a rank sends
                      and receives at most `ports` at a time, in program order */
    size_t sent;   /* elements sent by the busiest rank */
    size_t got;    /* elements received by the busiest rank */
    size_t reduced; /* element operations of the rank with the most operations */
    size_t serial;  /* maximum elements on a path of messages that wait for data or a port */
    size_t written; /* elements sent by the busiest rank; data for several peers counts once */
    size_t copied;  /* elements copied by the busiest rank, on the rank itself */
};

/* Counts the cost of the schedules of ranks 0 to p - 1 by a walk with `ports` messages (1 or more)
 * in each direction at a time. Returns ALLFOLD_OK or ALLFOLD_NO_MEMORY, or ALLFOLD_DISPROVED with a
 * `message` if the two sides of a message do not match or the walk does not reach all steps. */
enum allfold_error allfold_walk(const struct allfold_schedule *const *schedules, int p,
                                unsigned ports, struct allfold_cost *cost, char *message,
                                size_t message_bytes);

/* Verifying: proves that the schedules of all ranks compute the result of their collective.
 *
 * It runs the schedules on virtual ranks with symbolic values, and proves for each element:
 *
 * - The result includes every contribution exactly once.
 * - Contributions are in rank order, if the algorithm supports operations that do not commute.
 * - The order of summation is the same on all ranks, if the algorithm is consistent.
 *
 * It also proves:
 *
 * - No step reads data that was not written, or that a message in flight may change.
 * - No step accesses memory outside its buffers, or writes the input.
 * - The claims are true.
 * - The dependencies of the steps determine the result: every other run has the same result.
 *
 * A blame describes an error in the schedules of a case: which step is wrong, and what was
 * expected. It contains no pointers: it may be copied, and is valid after the case and schedules
 * are freed. Steps are numbered like the lines of a printed schedule, from 0. Messages are numbered
 * for a pair of ranks in one direction, from 0. */

enum allfold_blame_kind {
    ALLFOLD_BLAME_NOTHING, /* no error was found */

    /* one rank's steps */
    ALLFOLD_BLAME_NOT_BUILT,       /* the builder rejected the rank's schedule */
    ALLFOLD_BLAME_OUTSIDE,         /* `step` accesses elements that its buffer does not have */
    ALLFOLD_BLAME_INPUT_WRITTEN,   /* `step` writes the caller's input */
    ALLFOLD_BLAME_UNORDERED,       /* `step` and `other_step` access the same data, unordered */
    ALLFOLD_BLAME_WAITS_FOR_LATER, /* `step` waits for `other_step`, which comes after it */

    /* message `number` of `rank` with `peer`; `step` is the rank's step, `other_step` the peer's */
    ALLFOLD_BLAME_NO_SUCH_PEER,   /* the peer of `step` is not a rank of the case */
    ALLFOLD_BLAME_NEVER_SENT,     /* the rank waits for a message that the peer never sends */
    ALLFOLD_BLAME_NEVER_RECEIVED, /* the rank sends a message that the peer never receives */
    ALLFOLD_BLAME_LENGTHS_DIFFER, /* `rank` receives `expected` elements, `peer` sends `found` */
    ALLFOLD_BLAME_DEADLOCK,       /* the rank waits for its peer, which also waits, in a cycle */

    /* data: elements [first, first + length) of `buffer` */
    ALLFOLD_BLAME_READ_UNWRITTEN, /* `step` reads data that no earlier step wrote */
    ALLFOLD_BLAME_MIXED_ELEMENTS, /* `step` reduces different elements of the vector */

    /* results: elements [first, first + length) of the rank's result */
    ALLFOLD_BLAME_RESULT_UNWRITTEN,
    ALLFOLD_BLAME_OTHER_ELEMENT, /* they have another element's result, from element `found` on */
    ALLFOLD_BLAME_MISSING,       /* they lack the contribution of rank `missing` */
    ALLFOLD_BLAME_TWICE,       /* they have the contribution of rank `contribution` `found` times */
    ALLFOLD_BLAME_FOREIGN,     /* they must not have the contribution of rank `contribution` */
    ALLFOLD_BLAME_RANK_ORDER,  /* the contribution of rank `contribution` is left of that of the
                                  lower rank `peer` */
    ALLFOLD_BLAME_BRACKETS,    /* their order of summation differs from that on rank `peer` */
    ALLFOLD_BLAME_TREE,        /* their order of summation is not the canonical tree */
    ALLFOLD_BLAME_WRONG_GIVER, /* they are the data of rank `contribution`, not of rank `missing` */

    ALLFOLD_BLAME_CLAIM, /* the schedules are correct, but cost `found`, not `expected` */
    ALLFOLD_BLAME_RUN,   /* a run failed, for a reason that the schedules do not show */
    ALLFOLD_BLAME_KIND_COUNT
};

/* Unused members are -1; unused sizes are 0. */
struct allfold_blame {
    enum allfold_blame_kind kind;
    int rank;         /* rank whose schedule has the error */
    int step;         /* step of `rank` */
    int other_step;   /* step of `rank` or, for a message, of `peer` */
    int peer;         /* the other rank of a message */
    int number;       /* number of the message */
    int contribution; /* rank whose contribution is wrong */
    int missing;      /* rank whose contribution is missing */
    int buffer;       /* 0: IN, 1: OUT, from 2: scratch buffers */
    size_t first, length;
    size_t expected, found;
    int waiting;     /* number of ranks that wait forever */
    char where[200]; /* the case, such as "allreduce.ring, p = 3, 4 elements" */
    char text[900];  /* the whole blame as text: the error, what was expected, and what to do */
};

/* Returns the kind as a short text, such as "never sent"; NULL if the value is not a kind. */
const char *allfold_blame_kind_name(enum allfold_blame_kind kind);

/* The verifier, which proves one case after the other. */
struct allfold_verifier;

/* Makes a verifier. Returns NULL if out of memory. The caller frees it with allfold_verifier_free.
 * One thread at a time may use a verifier. */
struct allfold_verifier *allfold_verifier_create(void);

void allfold_verifier_free(struct allfold_verifier *verifier);

/* Proves one case, whose needs must be met (allfold_case_is_served). It checks the order of the
 * steps, the results and the claims. It runs the schedules in order, with synchronous sends, and
 * reordered, with the default window and with the smallest, and at last in the mode of the case. If
 * a run fails, *of gets the mode, seed and window of that run. `blame` gets the error; it may be
 * NULL.
 *
 * - ALLFOLD_OK: the case is proven;
 * - ALLFOLD_DISPROVED, ALLFOLD_NO_PROGRESS or ALLFOLD_BAD_SCHEDULE: the case has an error;
 * - ALLFOLD_NO_MEMORY: the result is unknown. */
enum allfold_error allfold_verify_case(struct allfold_verifier *verifier, struct allfold_case *of,
                                       struct allfold_blame *blame);

struct allfold_sweep {
    const struct allfold_algorithm *algorithm;
    int p_first, p_last; /* 1 <= p_first <= p_last */
    bool sampled;   /* use a few random p, roots and counts of the range instead of all. Collectives
                       of blocks and algorithms for nodes need p^2 elements or messages: if the range
                       begins below p = 400, it ends for them at p = 400 */
    int samples;    /* number of p, if sampled */
    bool canonical; /* use only cases that ask for the canonical tree. Otherwise such cases are
                       added if the algorithm supports the canonical tree */
    uint64_t seed;

    /* Called once, when a case fails, which ends the sweep. `of` is the smallest case that fails,
     * and `blame` is its error. Both are valid until the function returns. Must not be NULL. */
    void (*on_failure)(void *context, const struct allfold_case *of,
                       const struct allfold_blame *blame);

    /* Called after each p: `done` of `total` numbers of ranks are done. May be NULL. */
    void (*on_progress)(void *context, int p, int done, int total);
    void *context;

    bool digest_only; /* build the schedules of all cases for the digest, without a proof */
};

struct allfold_sweep_result {
    size_t schedules; /* number of sets of schedules built, each for all ranks */
    size_t runs;      /* number of runs of a set on virtual ranks */
    bool failed;
    size_t unserved; /* number of cases whose needs are not met */
    uint64_t digest; /* hash of all cases, their claims and schedules; the same with digest_only */
};

/* Proves an algorithm for
 *
 * - every p of the range and all roots;
 * - counts 0, 1, p-1, p, p+1, 3p+2 and one multiple of the claim's divisor;
 * - blocks of 0, 1, 2 and 5 elements and, if blocks may have any lengths, 5 patterns of lengths;
 * - all values of the parameters that the verifier tries, in place and not in place;
 * - all modes of virtual ranks, with the default window or, at random, the smallest, 2.
 *
 * It checks the claims and the order of the steps, for p > 16 on up to four ranks only. For p > 24
 * it runs each root with some of the counts, and each count with some of the roots.
 *
 * Algorithms that depend on the placement also run on even placements, in blocks and cyclic, and on
 * uneven ones; for p > 12 with four roots each. Operations that commute are tried only if others
 * are not supported, because the schedules are the same.
 *
 * Returns ALLFOLD_OK, also if a case failed, or ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_sweep_run(const struct allfold_sweep *sweep,
                                     struct allfold_sweep_result *result);

/* Pictures: the messages of each round, and what is reduced. */

enum allfold_picture_format {
    ALLFOLD_PICTURE_TEXT,
    ALLFOLD_PICTURE_SVG,
    ALLFOLD_PICTURE_HTML /* a page that steps through the drawing, round by round */
};

enum { ALLFOLD_PICTURE_RANKS = 64 };

/* Draws the picture of `allfold show` on `stream`, for a case of at most ALLFOLD_PICTURE_RANKS
 * ranks. Wrong schedules are no error: the picture shows what they do, messages that are never
 * transferred in red, and a blame. In synchronous mode it also shows a deadlock that the window of
 * the case causes; a window of 0 means no window. Returns ALLFOLD_OK, ALLFOLD_BAD_INPUT if there
 * are more ranks, or an error of allfold_case_build. */
enum allfold_error allfold_picture_draw(const struct allfold_case *of,
                                        enum allfold_picture_format format, FILE *stream,
                                        char *message, size_t message_bytes);

/* Networks: the model of a machine for the simulator.
 *
 * A message of s bytes takes latency + s / bandwidth. Both constants depend on the size and on the
 * level: between ranks of a socket, of a node, or of different nodes. A network is a text with one
 * setting per line; `#` begins a comment:
 *
 *     name = example
 *     sockets = 2                    per node; its ranks are on them in blocks
 *     reduce = 0.1ns                 for each byte reduced
 *     node: latency=0.5us, bandwidth=5GB/s
 *     network 0-8K: latency=2us, overhead=0.5us, bandwidth=1GB/s
 *     network 8K-: latency=4us, bandwidth=3GB/s, limit=6GB/s, waits=1
 *
 * docs/model.md explains all settings and how the simulator uses them. */

struct allfold_network;

/* Makes a network: the built-in network with this name or, if there is none, the network in the
 * file with this name. The caller frees it with allfold_network_free. Returns ALLFOLD_OK,
 * ALLFOLD_NO_MEMORY, or ALLFOLD_BAD_INPUT if neither exists or the text is wrong; the message then
 * has the line and what was expected. *network is NULL after an error. */
enum allfold_error allfold_network_open(const char *name, struct allfold_network **network,
                                        char *message, size_t message_bytes);

/* Makes a network from a text, with the same errors as allfold_network_open. */
enum allfold_error allfold_network_parse(const char *text, struct allfold_network **network,
                                         char *message, size_t message_bytes);

/* Frees a network; NULL is allowed. */
void allfold_network_free(struct allfold_network *network);

/* Writes a network as a text from which allfold_network_parse makes the same network. */
void allfold_network_write(const struct allfold_network *network, FILE *stream);

/* Returns the name of built-in network number i, from 0; NULL after the last one. Never freed. */
const char *allfold_network_preset_name(size_t i);

/* Simulating: the time of the schedules of all ranks on a network, by discrete events. */

enum { ALLFOLD_SIMULATED_WINDOW = 16, ALLFOLD_MAX_SIMULATED_WINDOW = 64 };

struct allfold_simulation {
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    int root;
    size_t bytes; /* size of the vector; for collectives of blocks, of all blocks, rounded up to
                     equal blocks. Not used for a barrier */
    size_t element_bytes;
    const struct allfold_nodes *nodes; /* the placement of all ranks */
    const struct allfold_network *network;
    const uint32_t *hosts; /* for a network with a topology: the host of each node, all different;
                              NULL: node i is host i */
    uint32_t window;       /* maximum number of messages of a rank in flight: a power of two up to
                              ALLFOLD_MAX_SIMULATED_WINDOW; 0: ALLFOLD_SIMULATED_WINDOW */
    size_t memory_bytes; /* maximum memory of the simulation, without the schedule of one rank at a
                            time; 0: no limit */
    bool keeps_order, keeps_tree; /* operation does not commute; sums by the canonical tree */
    double limit_s;  /* end a simulation that takes longer, with an infinite time_s; 0: no limit */
    bool wants_path; /* also find the critical path, for 32 bytes of memory per step */

    /* Called with the progress: `done` of `total` units of the work `what`. May be NULL. */
    void (*on_progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

enum { ALLFOLD_SIMULATED_CLASSES = 16, ALLFOLD_SIMULATED_LEVELS = 18 };

/* The links of a class, such as all cards or all links up from leaf switches. */
struct allfold_simulated_class {
    char name[24];
    uint64_t links;      /* number of links; a cable has two, one in each direction */
    uint64_t bytes;      /* bytes on all links */
    uint64_t most_bytes; /* bytes on the busiest link */
};

/* The messages of a level: between ranks of a socket, of a node, and of different nodes. On a
 * network with a topology, messages between nodes count by the farthest class of links on their
 * path. The critical path is the chain of steps that determines the total time. */
struct allfold_simulated_level {
    char name[24];
    uint64_t messages, bytes; /* of all ranks */
    uint32_t path_messages;   /* messages on the critical path */
    double path_s;            /* time of these messages on the critical path */
};

struct allfold_simulated {
    double time_s;         /* until the last rank is done */
    uint64_t steps;        /* of all ranks */
    uint64_t messages;     /* of all ranks */
    uint64_t card_bytes;   /* bytes that the busiest card sends */
    uint32_t messages_out; /* messages between nodes that the busiest rank sends */
    size_t memory_bytes;   /* maximum memory that the simulation used */
    int class_count;       /* for a network with a topology: its classes of links, hosts first */
    struct allfold_simulated_class classes[ALLFOLD_SIMULATED_CLASSES];
    int level_count; /* 0 unless wants_path */
    struct allfold_simulated_level levels[ALLFOLD_SIMULATED_LEVELS];
    double path_work_s; /* time of reductions and copies on the critical path */
};

/* Simulates the algorithm on all ranks of `nodes`. Data that *of points to must be valid until the
 * call returns.
 *
 * - ALLFOLD_UNMET_NEED: the algorithm does not support the simulated call;
 * - ALLFOLD_NO_MEMORY: out of memory, or beyond memory_bytes;
 * - ALLFOLD_NO_PROGRESS: ranks wait forever;
 * - ALLFOLD_BAD_INPUT: the root, a host or the window is invalid, or a limit is exceeded;
 * - ALLFOLD_DISPROVED: a message has one side only;
 * - ALLFOLD_BAD_SCHEDULE: as for allfold_build. */
enum allfold_error allfold_simulate(const struct allfold_simulation *of,
                                    struct allfold_simulated *simulated, char *message,
                                    size_t message_bytes);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif

/* The verbs by their short names, so that an algorithm reads like its paper. */
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

/* Sends and receives at once, possibly with two different peers. The send comes first: it is on its
 * way while the rank prepares the receive. This saves a sixth of a short exchange on a node. */
static inline void exchange(struct allfold_builder *s, int to_peer, struct allfold_span from,
                            int from_peer, struct allfold_span to)
{
    allfold_add_send(s, to_peer, from);
    allfold_add_receive(s, from_peer, to);
}

/* Computes to = left o right, where `left` covers the lower ranks. `to` may be an operand. */
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

/* Returns elements [first, first + length) of a buffer. */
static inline struct allfold_span span(int buffer, size_t first, size_t length)
{
    struct allfold_span all = {first, length, buffer};
    return all;
}

/* Returns elements [lo, hi) of a buffer. */
static inline struct allfold_span range(int buffer, size_t lo, size_t hi)
{
    return span(buffer, lo, hi - lo);
}

/* Returns elements [first, first + length) of a span. */
static inline struct allfold_span part(struct allfold_span of, size_t first, size_t length)
{
    return span(of.buffer, of.offset + first, length);
}

#endif
