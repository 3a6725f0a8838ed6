/* Parameters and partial results of the adapted n-way dissemination (see adapted_dissemination.h).
 */
#include "algorithms/adapted_dissemination.h"

#include "algorithms/ports.h"
#include "schedule/verbs.h"

/* A rank holds the reduction over that many ranks at some time before the last round. */
static bool is_prefix(int ranks, int n, int last)
{
    if (ranks < 1 || ranks > last)
        return false;
    while (ranks % (n + 1) == 0)
        ranks /= n + 1;
    return ranks <= n;
}

/* Leaving nothing out saves the second accumulator. */
static bool is_better(const struct adaption *a, const struct adaption *b)
{
    if ((a->left_out == 0) != (b->left_out == 0))
        return a->left_out == 0;
    return last_messages(a) < last_messages(b);
}

/* Uses c for sender s if some r fits. */
static void consider(int p, int s, int c, struct adaption *best)
{
    const int last = best->last, r = s * last + c - p;
    const struct adaption found = {.n = best->n,
                                   .rounds = best->rounds,
                                   .last = best->last,
                                   .senders = s,
                                   .sent = c,
                                   .left_out = r};
    if (r != 0 && !is_prefix(r, best->n, last))
        return;
    if (best->senders == 0 || is_better(&found, best))
        *best = found;
}

static bool adapt(int p, int n, struct adaption *a)
{
    const int k = rounds_with_ports(p, n);
    int last = 1;
    for (int l = 1; l < k; l++)
        last *= n + 1;
    *a = (struct adaption){.n = n, .rounds = k, .last = last};
    for (int s = 1; s <= n; s++) {
        consider(p, s, 0, a);
        for (int unit = 1; unit < last; unit *= n + 1)
            for (int i = 1; i <= n; i++)
                consider(p, s, i * unit, a);
        consider(p, s, last, a);
    }
    return a->senders > 0;
}

bool allfold_adapt(int p, int n, struct adaption *adaption)
{
    if (n > 0)
        return adapt(p, n, adaption);
    for (int least = 1; least <= ALLFOLD_MOST_PORTS; least++)
        if (adapt(p, least, adaption))
            return true;
    return false;
}

int allfold_messages_beyond(const struct adaption *a)
{
    int messages = 0;
    for (int step = 1; a->left_out > 0 && step < a->last; step *= a->n + 1)
        for (int i = 1; i <= a->n; i++)
            messages += i * step > a->left_out;
    return messages;
}

/* What the last round alone would send is not always sent: not where its only sender sends a
 * prefix, and what stays here is beyond what is left out. */
static bool is_needed(const struct adaption *a, int i, int step)
{
    const bool is_sent_whole = a->senders > 1 || a->left_out == 0 || step * (a->n + 1) < a->last;
    return is_sent_whole || (i + 1) * step <= a->sent;
}

int allfold_messages_unneeded(const struct adaption *a)
{
    int messages = 0;
    for (int i = 1; a->rounds > 1 && i <= a->n; i++)
        messages += !is_needed(a, i, a->last / (a->n + 1));
    return messages;
}

struct sums allfold_sums(struct allfold_builder *s, const struct adaption *a, size_t count)
{
    const size_t most = (size_t)(a->rounds > 1 ? a->n : last_messages(a));
    const struct allfold_span in = span(ALLFOLD_IN, 0, count);
    const struct allfold_span first = scratch(s, a->rounds > 1 ? count : 0);
    const struct allfold_span second = scratch(s, a->sent > 1 && a->sent < a->last ? count : 0);
    return (struct sums){.place = {in, first, second},
                         .beyond = scratch(s, a->left_out > 0 ? count : 0),
                         .tmp = scratch(s, most * count)};
}

struct allfold_span allfold_sums_message(const struct adaption *a, const struct sums *sums, int i,
                                         int step)
{
    const size_t n = sums->place[0].length;
    return i * step == a->left_out ? sums->beyond : part(sums->tmp, (size_t)(i - 1) * n, n);
}

void allfold_sums_reduce(struct allfold_builder *s, const struct adaption *a, struct sums *sums,
                         int step)
{
    for (int i = 1; i <= a->n; i++) {
        const struct allfold_span got = allfold_sums_message(a, sums, i, step);
        const int from = sums->all;
        if (is_needed(a, i, step)) {
            if (from == 0 || from == sums->prefix)
                sums->all++;
            reduce(s, sums->place[sums->all], sums->place[from], got);
        }
        if ((i + 1) * step == a->sent)
            sums->prefix = sums->all;
        if (a->left_out > 0 && i * step > a->left_out)
            reduce(s, sums->beyond, sums->beyond, got);
    }
}
