/* The reduce-scatter over binary blocks (see binary_blocks.h). */
#include "algorithms/binary_blocks.h"

#include "schedule/verbs.h"

struct binary_block allfold_binary_block(int p, int r)
{
    int size = 1 << floor_log2(p), base = 0;
    while ((p & size) == 0 || r >= base + size) {
        base += p & size;
        size /= 2;
    }
    const int rest = p & (size - 1);
    return (struct binary_block){
        .core = {.size = size, .index = r - base, .partner = -1, .base = base},
        .larger = base & -base,
        .smaller = rest == 0 ? 0 : 1 << floor_log2(rest),
    };
}

/* Sends the elements of this rank to their owners in the next larger block. Owners are the ranks
 * whose index has this one's as its low bits; the bits from `distance` on split the elements. */
static void send_pieces(struct allfold_builder *s, const struct binary_block *block, int index,
                        int distance, struct allfold_span mine, struct bounds piece)
{
    if (distance == block->larger) {
        send_to(s, block->core.base - block->larger + index,
                part(mine, piece.lo, piece.hi - piece.lo));
        return;
    }
    send_pieces(s, block, index, 2 * distance, mine, allfold_half_of(piece, false));
    send_pieces(s, block, index + distance, 2 * distance, mine, allfold_half_of(piece, true));
}

void allfold_reduce_scatter_blocks(struct allfold_builder *s, const struct binary_block *block,
                                   size_t n, struct allfold_span result, struct allfold_span tmp)
{
    const struct core *core = &block->core;
    const struct bounds mine = allfold_halved(n, core->index, core->size);
    const size_t length = mine.hi - mine.lo;

    allfold_halve(s, core, 0, n, result, false, tmp);
    if (block->smaller > 0) {
        const int index = core->index & (block->smaller - 1);
        recv_from(s, core->base + core->size + index, part(tmp, mine.lo, length));
        reduce(s, part(result, mine.lo, length), part(result, mine.lo, length),
               part(tmp, mine.lo, length));
    }
    if (block->larger > 0)
        send_pieces(s, block, core->index, core->size,
                    core->size > 1 ? result : span(ALLFOLD_IN, 0, n), mine);
}

/* The rank with the highest index of a block is the last to have its part. It waits for its block's
 * lg(size) rounds, or for the part of the smaller block's last rank. That rank sends to
 * size/smaller owners one after the other, to this one last. */
size_t allfold_scatter_blocks_rounds(int p)
{
    int rounds = 0, smaller = 0;
    for (int size = 1; size <= p; size *= 2) {
        if ((p & size) == 0)
            continue;
        if (floor_log2(size) > rounds)
            rounds = floor_log2(size);
        rounds += smaller > 0 ? size / smaller : 0;
        smaller = size;
        if (size > p / 2)
            break;
    }
    return (size_t)rounds;
}

/* Let block j have 2^e(j) ranks, e(0) the largest. Let R(j) be the number of messages one after the
 * other from block j + 1 up to block 0: the sum of the ratios 2^e(i) / 2^e(i+1), i <= j. A part
 * that block j has after its own e(j) rounds is in block 0 after e(j) + R(j-1). From there it takes
 * e(0) rounds whatever way it goes. It takes one more for each block in which it waits for the
 * other message of its pair, or for a rank that sends one of a pair. */
size_t allfold_return_blocks_rounds(int p)
{
    const int lg = floor_log2(p);
    int latest = lg, ratios = 0, size = 1 << lg;
    for (int rest = p - size; rest > 0; rest -= size) {
        const int smaller = 1 << floor_log2(rest);
        ratios += size / smaller;
        const int own = floor_log2(size) + ratios, last = floor_log2(smaller) + ratios;
        latest = latest + 1 > own ? latest + 1 : own;
        if (rest == smaller && last > latest)
            latest = last;
        size = smaller;
    }
    return (size_t)(lg + latest + ((p & (p - 1)) != 0));
}
