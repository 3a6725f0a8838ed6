/* How traces are coded (see trace_code.h). */
#include "events/trace_code.h"

#include <math.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"

uint32_t allfold_trace_sum(const unsigned char *bytes, size_t count)
{
    const uint64_t hash = allfold_hash(allfold_hash_of_nothing, bytes, count);
    return (uint32_t)(hash ^ hash >> 32);
}

/* A gap of the mean has this class; with 256 calls no gap is more than 255 times the mean. */
enum { MEAN_CLASS = 7, LAST_CLASS = 15 };

unsigned allfold_trace_class(double gap, double mean)
{
    if (!(gap > 0) || !(mean > 0))
        return 0;
    const double class = round(log2(gap / mean)) + MEAN_CLASS;
    return class < 0 ? 0 : class > LAST_CLASS ? LAST_CLASS : (unsigned)class;
}

double allfold_trace_weight(unsigned class)
{
    return ldexp(1, (int)class - MEAN_CLASS);
}

void allfold_trace_put(struct allfold_trace_bytes *bytes, unsigned char byte)
{
    void *moved = allfold_make_room(bytes->at, bytes->count, &bytes->capacity, 1);
    if (moved == NULL) {
        bytes->is_lost = true;
        return;
    }
    bytes->at = moved;
    bytes->at[bytes->count++] = byte;
}

void allfold_trace_put_number(struct allfold_trace_bytes *bytes, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        allfold_trace_put(bytes, (unsigned char)(number | 0x80));
    allfold_trace_put(bytes, (unsigned char)number);
}

void allfold_trace_put_signed(struct allfold_trace_bytes *bytes, int64_t number)
{
    const uint64_t twice = (uint64_t)number << 1;
    allfold_trace_put_number(bytes, number < 0 ? ~twice : twice);
}

void allfold_trace_put_word(struct allfold_trace_bytes *bytes, const char *word)
{
    const size_t length = strnlen(word, ALLFOLD_TRACED_WORD - 1);
    allfold_trace_put_number(bytes, length);
    for (size_t i = 0; i < length; i++)
        allfold_trace_put(bytes, (unsigned char)word[i]);
}

void allfold_trace_put_bytes(struct allfold_trace_bytes *bytes,
                             const struct allfold_trace_bytes *more)
{
    for (uint32_t i = 0; i < more->count; i++)
        allfold_trace_put(bytes, more->at[i]);
    bytes->is_lost |= more->is_lost;
}

void allfold_trace_put_layout(struct allfold_trace_bytes *bytes,
                              const struct allfold_traced_layout *layout)
{
    allfold_trace_put_number(bytes, (uint64_t)layout->p);
    allfold_trace_put_number(bytes, (uint64_t)layout->nodes);
    allfold_trace_put_number(bytes, (uint64_t)layout->least);
    allfold_trace_put_number(bytes, (uint64_t)layout->most);
    allfold_trace_put_number(bytes, (uint64_t)layout->arrangement);
    allfold_trace_put_number(bytes, (uint64_t)layout->reading);
    allfold_trace_put_number(bytes, (uint64_t)layout->shared_cores);
}

/* How many numbers from `at` on are the same as those `distance` before. */
static uint32_t repeat_length(const struct allfold_trace_list *list, uint32_t at, uint32_t distance)
{
    uint32_t length = 0;
    while (at + length < list->end && list->at[at + length] == list->at[at + length - distance])
        length++;
    return length;
}

/* The first repeat that is long enough, else the longest one; that of the last copy before all
 * others, as a loop goes on. */
static uint32_t find_repeat(const struct allfold_trace_list *list, uint32_t at, uint32_t *distance)
{
    enum { SHORTEST = 4, LONG_ENOUGH = 64 };
    uint32_t best = 0, last = *distance;
    if (last > 0 && last <= at && (best = repeat_length(list, at, last)) >= SHORTEST)
        return best;
    best = 0;
    for (uint32_t d = 1; d <= at && d <= list->back && best < LONG_ENOUGH; d++) {
        const uint32_t length = repeat_length(list, at, d);
        if (length > best) {
            best = length;
            last = d;
        }
    }
    if (best < SHORTEST)
        return 0;
    *distance = last;
    return best;
}

static void put_literals(struct allfold_trace_bytes *bytes, const struct allfold_trace_list *list,
                         uint32_t begin, uint32_t end)
{
    if (begin < end)
        allfold_trace_put_number(bytes, (uint64_t)(end - begin) << 1);
    for (uint32_t i = begin; i < end; i++)
        if (list->is_signed)
            allfold_trace_put_signed(bytes, list->at[i]);
        else
            allfold_trace_put_number(bytes, (uint64_t)list->at[i]);
}

void allfold_trace_put_list(struct allfold_trace_bytes *bytes,
                            const struct allfold_trace_list *list, uint32_t *distance)
{
    uint32_t begin = list->past, at = begin;
    while (at < list->end) {
        const uint32_t length = find_repeat(list, at, distance);
        if (length == 0) {
            at++;
            continue;
        }
        put_literals(bytes, list, begin, at);
        allfold_trace_put_number(bytes, (uint64_t)length << 1 | 1);
        allfold_trace_put_number(bytes, *distance);
        begin = at += length;
    }
    put_literals(bytes, list, begin, list->end);
}

uint64_t allfold_trace_ns(double seconds)
{
    return seconds > 0 && seconds < 9e9 ? (uint64_t)(1e9 * seconds + 0.5) : 0;
}

void allfold_trace_put_record(struct allfold_trace_bytes *bytes, enum allfold_trace_record kind,
                              const struct allfold_trace_bytes *payload)
{
    const uint32_t begin = bytes->count;
    allfold_trace_put(bytes, (unsigned char)kind);
    allfold_trace_put_number(bytes, payload->count);
    allfold_trace_put_bytes(bytes, payload);
    if (bytes->is_lost)
        return;
    uint32_t sum = allfold_trace_sum(bytes->at + begin, bytes->count - begin);
    for (int i = 0; i < 4; i++, sum >>= 8)
        allfold_trace_put(bytes, (unsigned char)sum);
}
