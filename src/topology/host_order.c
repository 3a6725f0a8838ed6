/* Order of hosts by their names (see host_order.h). */
#include "topology/host_order.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/memory.h"

/* An integer holds three numbers of 20 bits; greater numbers count as the maximum. */
enum { NUMBERS = 6, NUMBER_BITS = 20, MOST = (1 << NUMBER_BITS) - 1 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the length of the part of the name that is used. */
static size_t length_of(const char *name)
{
    const size_t numbers = strspn(name, "0123456789.");
    return name[numbers] == '\0' ? numbers : strcspn(name, ".");
}

static int64_t packed(const int64_t number[3])
{
    return number[0] << 2 * NUMBER_BITS | number[1] << NUMBER_BITS | number[2];
}

struct allfold_host_key allfold_host_key_of(const char *name)
{
    const size_t length = length_of(name);
    int64_t number[NUMBERS] = {0};
    uint64_t kind = allfold_hash_of_nothing;
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || !is_digit(name[i - 1]);
        if (!is_digit(name[i]) || begins)
            kind = allfold_hash(kind, is_digit(name[i]) ? "0" : &name[i], 1);
        if (!is_digit(name[i]))
            continue;
        if (begins) {
            memmove(number, number + 1, (NUMBERS - 1) * sizeof *number);
            number[NUMBERS - 1] = 0;
        }
        const int64_t longer = 10 * number[NUMBERS - 1] + (name[i] - '0');
        number[NUMBERS - 1] = longer < MOST ? longer : MOST;
    }
    return (struct allfold_host_key){(int64_t)(kind >> 1), packed(number), packed(number + 3)};
}

static bool are_comparable(const struct allfold_host_key *hosts, int p)
{
    for (int r = 0; r < p; r++)
        if (hosts[r].kind == 0 || hosts[r].kind != hosts[0].kind)
            return false;
    return true;
}

static int by_numbers(const void *left, const void *right)
{
    const struct allfold_host_key *a = *(const struct allfold_host_key *const *)left;
    const struct allfold_host_key *b = *(const struct allfold_host_key *const *)right;
    if (a->major != b->major)
        return a->major < b->major ? -1 : 1;
    return (a->minor > b->minor) - (a->minor < b->minor);
}

int64_t *allfold_host_keys_order(const struct allfold_host_key *hosts, int p)
{
    int64_t *order = allfold_allocate_zeroed((size_t)p * sizeof *order);
    const struct allfold_host_key **sorted = allfold_allocate((size_t)p * sizeof *sorted);
    const bool fits = order != NULL && sorted != NULL;
    if (fits && are_comparable(hosts, p)) {
        for (int r = 0; r < p; r++)
            sorted[r] = &hosts[r];
        qsort(sorted, (size_t)p, sizeof *sorted, by_numbers);
        for (int i = 1; i < p; i++)
            order[sorted[i] - hosts] =
                order[sorted[i - 1] - hosts] + (by_numbers(&sorted[i - 1], &sorted[i]) < 0);
    }
    allfold_free(sorted);
    if (!fits) {
        allfold_free(order);
        order = NULL;
    }
    return order;
}
