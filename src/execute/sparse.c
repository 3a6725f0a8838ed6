/* Decides which messages are encoded, and encodes them (see sparse.h). */
#include "execute/sparse.h"

#include <assert.h>
#include <string.h>
#include <time.h>

enum { IS_SHORT = 0, IS_PLAIN = 1 };

/* The least share of a message that is worth trying: what a look can see. Times tell whether it
 * pays. */
static const double least_share = 1.0 / 128;

bool allfold_sparse_serves(enum allfold_type type, enum allfold_operation operation)
{
    return allfold_rle_serves(type) && allfold_kernel_find(type, operation) != NULL;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether the next run goes plain: by what the runs before it took. The first one of all is short,
 * because it may take longer than others, and that must not speak for the other kind. */
static bool goes_plain(struct allfold_sparse *sparse)
{
    enum { TRIES = 3, PATIENCE = 256 };
    const uint64_t *runs = sparse->runs;
    const double *least_s = sparse->least_s;
    if (!sparse->is_auto)
        return false;
    if (runs[IS_SHORT] == 0 || runs[IS_PLAIN] == 0)
        return runs[IS_SHORT] > 0;
    if (2 * least_s[IS_SHORT] < least_s[IS_PLAIN])
        return false;
    if (runs[IS_SHORT] < TRIES || runs[IS_PLAIN] < TRIES)
        return runs[IS_SHORT] > runs[IS_PLAIN];
    if (sparse->since >= PATIENCE)
        sparse->since = sparse->runs[IS_SHORT] = sparse->runs[IS_PLAIN] = 0;
    return least_s[IS_PLAIN] < least_s[IS_SHORT];
}

void allfold_sparse_begin(struct allfold_sparse *sparse)
{
    sparse->is_plain = goes_plain(sparse);
    sparse->looked = sparse->worth = 0;
    if (sparse->is_auto)
        sparse->begin_s = now_s();
}

void allfold_sparse_end(struct allfold_sparse *sparse)
{
    if (!sparse->is_auto || (double)sparse->worth < least_share * (double)sparse->looked ||
        sparse->looked == 0)
        return;
    const double seconds = now_s() - sparse->begin_s;
    const int kind = sparse->is_plain ? IS_PLAIN : IS_SHORT;
    if (sparse->runs[kind]++ == 0 || seconds < sparse->least_s[kind])
        sparse->least_s[kind] = seconds;
    sparse->since++;
}

/* What share of the words encoding would save: each zero but the first of a run is one. Looks at a
 * line here and there. */
static double look(enum allfold_type type, const void *vector, size_t count)
{
    enum { LINES = 24, LINE_BYTES = 64 };
    const size_t bytes = allfold_type_bytes(type), words = LINE_BYTES / bytes;
    const unsigned char *at = vector;
    unsigned char line[LINE_BYTES];
    unsigned saved = 0;
    if (count < words)
        return 0;
    for (size_t i = 0; i < LINES; i++) {
        uint64_t before = 1;
        memcpy(line, at + (count - words) * i / (LINES - 1) * bytes, sizeof line);
        for (size_t k = 0; k < LINE_BYTES; k += bytes) {
            uint64_t word = 0;
            memcpy(&word, line + k, bytes);
            saved += (word | before) == 0;
            before = word;
        }
    }
    return (double)saved / (double)(LINES * (words - 1));
}

/* Is it worth trying? */
static bool is_worth_it(struct allfold_sparse *sparse, const void *vector, size_t count)
{
    const double share = look(sparse->type, vector, count);
    sparse->looked += count;
    sparse->worth += (size_t)(share * (double)count);
    if (sparse->is_plain || share < least_share)
        return false;
    if (sparse->rest == 0)
        return true;
    sparse->rest--;
    return false;
}

/* Encoding that saved nothing after all is not tried again at once. */
static void note_length(struct allfold_sparse *sparse, size_t length, size_t count)
{
    enum { MOST_DOUBLINGS = 6 };
    if ((double)(count - length) >= least_share / 2 * (double)count) {
        sparse->misled = 0;
        return;
    }
    sparse->rest = 1u << sparse->misled;
    sparse->misled += sparse->misled < MOST_DOUBLINGS;
}

struct allfold_rle_block allfold_sparse_encode(struct allfold_sparse *sparse, void *room,
                                               const void *vector, size_t count)
{
    const struct allfold_rle_block plain = {vector, count};
    sparse->words += count;
    sparse->sent += count;
    if (sparse->is_auto && !is_worth_it(sparse, vector, count))
        return plain;
    const size_t length =
        allfold_rle_encode(sparse->type, sparse->is_auto ? ALLFOLD_RLE_ZEROS : ALLFOLD_RLE_VALUES,
                           room, vector, count);
    note_length(sparse, length, count);
    sparse->sent -= count - length;
    return length < count ? (struct allfold_rle_block){room, length} : plain;
}

/* Moves a block from the start of memory for `count` words to its end, so that it can be read while
 * its decoded words are written. */
static void *move_to_end(const struct allfold_sparse *sparse, void *place, size_t length,
                         size_t count)
{
    const size_t bytes = allfold_type_bytes(sparse->type);
    return memmove((char *)place + (count - length) * bytes, place, length * bytes);
}

bool allfold_sparse_expand(const struct allfold_sparse *sparse, void *vector, size_t length,
                           size_t count)
{
    if (length > count)
        return false;
    const struct allfold_rle_block block = {move_to_end(sparse, vector, length, count), length};
    return allfold_rle_decode(sparse->type, vector, count, block);
}

bool allfold_sparse_reduce(const struct allfold_sparse *sparse, void *to,
                           struct allfold_rle_block left, struct allfold_rle_block right,
                           size_t count)
{
    struct allfold_rle_block *block = left.length < count ? &left : &right;
    assert(left.length == count || right.length == count); /* the other one is uncompressed */
    if (block->length > count)
        return false;
    if (block->words == to)
        block->words = move_to_end(sparse, to, block->length, count);
    return allfold_rle_reduce(sparse->type, sparse->operation, to, left, right, count);
}
