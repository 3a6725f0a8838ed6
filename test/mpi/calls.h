/*
 * calls.h: one collective call with inputs that every rank can compute, and all that can be checked
 * about it. The result is held against a serial fold in rank order. The send buffer, the gaps
 * between and inside the elements, and the bytes either side of the buffers must be unchanged. The
 * return code and the arguments of the user operation are checked, too.
 *
 * An element has a compact form (what is computed with) and a layout (where a datatype puts its
 * pieces in memory).
 */
#ifndef CALLS_H
#define CALLS_H

#include "check.h"
#include "device.h"

enum { ELEMENT_BYTES_LIMIT = 64, PIECES_LIMIT = 5 };

/* What the elements are. The functions get the compact form, aligned for any type. */
struct kind {
    const char *name;
    size_t bytes;
    void (*input)(void *element, uint64_t random);
    void (*combine)(void *left, const void *right); /* left = left op right */
    bool (*equal)(const void *a, const void *b);    /* NULL: the same bytes */
    void (*print)(char *text, size_t size, const void *element);
};

/* Where they are: element i has its pieces at i * extent + at[k]. */
struct layout {
    const char *name;
    MPI_Datatype type;
    MPI_Aint extent;
    int pieces;
    size_t piece_bytes;
    MPI_Aint at[PIECES_LIMIT];
    bool whole; /* the call passes all elements as one element of a vector type */
};

/* A kind in a layout with the operation that fits: what the reduction tests iterate over. */
struct subject {
    const struct kind *kind;
    const struct layout *layout;
    MPI_Op op;
};

/* Indices into subjects[]. */
enum {
    SUM_INT64,
    SUM_DOUBLE,
    AFFINE,
    AFFINE_GAPS,
    AFFINE_NEGATIVE,
    MATRIX,
    MATRIX_GAPS,
    MIXED,
    MIXED_NEGATIVE,
    SUBJECTS
};
extern struct subject subjects[SUBJECTS];
extern const struct kind kind_int32;

/* Elements of less than 8 bytes, with operations of MPI's. */
enum { SHORT_SUBJECTS = 2 };
extern const struct subject short_subjects[SHORT_SUBJECTS];

/* Make and free the datatypes and operations of subjects[]; between MPI_Init and MPI_Finalize. */
void kinds_start(void);
void kinds_end(void);

/* Makes every user operation that gets another datatype than this layout's a failure; NULL: any
 * known one will do. */
void kinds_expect(const struct layout *layout);

/* Copies element i between a buffer in this layout and its compact form. */
void layout_gather(const struct layout *layout, const void *buffer, int i, void *element);
void layout_scatter(const struct layout *layout, void *buffer, int i, const void *element);

enum collective {
    ALLREDUCE,
    REDUCE,
    BCAST,
    REDUCE_SCATTER_BLOCK,
    REDUCE_SCATTER,
    ALLGATHER,
    ALLGATHERV,
    BARRIER,
    SCAN,
    EXSCAN,
    COLLECTIVES
};
extern const char *const collective_names[COLLECTIVES];

struct call {
    enum collective collective;
    MPI_Comm comm;
    int root;  /* as MPI gets it; also MPI_ROOT, MPI_PROC_NULL */
    int count; /* of Reduce_scatter_block and Allgather: of one block; of Reduce_scatter and
                  Allgatherv what counts of 0 to twice as many are drawn from */
    int turn;  /* by how many ranks these counts are turned */
    bool in_place;
    bool null_result; /* ranks that receive nothing pass NULL as their receive buffer */
    bool strict_type; /* the user operation must get the call's datatype; not with threads */
    MPI_Op op;
    const struct kind *kind;
    const struct layout *layout;
    const struct layout *send_layout; /* NULL: the same; only Allgather can have another */
    const char *error;                /* what the error must say; NULL: there must be none */
    uint64_t seed;
    /* Who takes part; call_roles() sets it for an intracommunicator. */
    int first;        /* the number, for the inputs, of the first contributor to my result */
    int contributors; /* how many there are, numbered from `first` on */
    int self;         /* my number */
    bool sends, receives;
};

/* A call on a subject, with the seed of the current case and the roles of an intracommunicator. */
struct call call_of(enum collective collective, const struct subject *subject, MPI_Comm comm,
                    int count, int root);

/* Sets the roles from collective, comm and root. */
void call_roles(struct call *call);

/* Does the collective reduce elements? Else there is no operation, that could be wrong for it. */
bool collective_reduces(enum collective collective);

/* Of Reduce_scatter and Allgatherv between p ranks: rank i's count. Of Allgatherv also where its
 * block lies: in a row, or in the other order with gaps between. */
int call_count(const struct call *call, int i);
int call_displacement(const struct call *call, int i);

/* Writes these of all ranks as MPI wants them; displs may be NULL. */
void call_counts(const struct call *call, int *counts, int *displs);

enum { MOST_BLOCKS = 128 };

/* A buffer inside guard bytes, and what it held before. One in device memory is there from when it
 * is filled until it is checked. */
struct image {
    unsigned char *raw, *before;
    unsigned char *device; /* NULL: MPI gets `raw` */
    enum device_kind kind;
    void *pages; /* with --guard-pages: what was mapped, `raw` and a page without access on each
                    side */
    size_t page_bytes;
    size_t bytes;
    size_t offset; /* of the address that MPI gets */
};

/* A call's buffers, for calls that begin and end apart, and begin again. Layouts must not be whole.
 */
struct prepared {
    struct call call;
    struct image sent, received;
    bool in_place;
    const void *send; /* as MPI gets it */
    void *receive;
    int counts[MOST_BLOCKS], displs[MOST_BLOCKS];
};

/* Makes the buffers. Fills them from this seed with what a rank has before a run. Starts the
 * nonblocking form of the call, or makes its persistent one, and returns the code. Checks after a
 * run all that can be checked, and what the call returned. */
void prepared_make(struct prepared *prepared, const struct call *call);
void prepared_fill(struct prepared *prepared, uint64_t seed);
int prepared_start(const struct prepared *prepared, MPI_Request *request);
int prepared_persist(const struct prepared *prepared, MPI_Request *request);
void prepared_check(const struct prepared *prepared, int code);
void prepared_free(struct prepared *prepared);

/* Runs the call and reports what is wrong by check_fail(). Collective over call->comm. Thread-safe.
 */
void call_run(const struct call *call);

/* Runs the nonblocking form of a call, and its persistent one, started twice. */
void call_run_forms(const struct call *call);

#endif
