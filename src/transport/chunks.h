/* The chunks of memory through which one rank shows pieces of messages to the others of its node.
 *
 * A chunk is filled once for all readers that get the same data: it stays as it is until the last
 * of them has taken it. Chunks are counted by what readers hold, a shared one once for each, so
 * that there is always one left for a reader that holds none: readers do not wait for each other,
 * just as if each had chunks of its own. */
#ifndef ALLFOLD_EXECUTE_CHUNKS_H
#define ALLFOLD_EXECUTE_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#define ALLFOLD_NO_CHUNK UINT32_MAX

/* A piece of a message of a run: which one, of which publication (see publish.h). */
struct allfold_piece {
    uint64_t run;
    uint32_t publication, index;
};

struct allfold_chunks;

/* How many chunks a rank has for that many readers. */
uint32_t allfold_chunks_for(int readers);

/* NULL without memory. */
struct allfold_chunks *allfold_chunks_create(int readers);
void allfold_chunks_free(struct allfold_chunks *chunks);

/* May a reader that holds so many get one more? Then there is one. */
bool allfold_chunks_may_hold(const struct allfold_chunks *chunks, uint32_t held);

/* The chunk that shows the piece already, or ALLFOLD_NO_CHUNK. */
uint32_t allfold_chunk_find(const struct allfold_chunks *chunks, const struct allfold_piece *piece);

/* A chunk to be filled with the piece. One must be left. */
uint32_t allfold_chunk_fill(struct allfold_chunks *chunks, const struct allfold_piece *piece);

/* One more reader holds the chunk, or no longer holds it. */
void allfold_chunk_hold(struct allfold_chunks *chunks, uint32_t chunk);
void allfold_chunk_let_go(struct allfold_chunks *chunks, uint32_t chunk);

#endif
