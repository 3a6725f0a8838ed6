/* Figures of a page (see page_figures.h). */
#include "events/page_figures.h"

#include <stdio.h>

/* Is the row busier than the other one? */
static bool is_busier(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    const double a_s = a->recent.seconds + a->recent.flight_s,
                 b_s = b->recent.seconds + b->recent.flight_s;
    return a_s != b_s ? a_s > b_s : a->all.seconds > b->all.seconds;
}

/* The slot for a row: the next one, or that of the least busy row where all are taken. */
static struct allfold_page_row *slot_for(struct allfold_page_figures *figures,
                                         const struct allfold_page_sums *sums)
{
    if (figures->row_count < ALLFOLD_PAGE_ROWS)
        return &figures->rows[figures->row_count++];
    struct allfold_page_row *least = &figures->rows[0];
    for (int i = 1; i < ALLFOLD_PAGE_ROWS; i++)
        if (is_busier(&least->sums, &figures->rows[i].sums))
            least = &figures->rows[i];
    figures->left_out++;
    return is_busier(sums, &least->sums) ? least : NULL;
}

static void fill_row(struct allfold_page_row *slot, const struct allfold_report_row *row)
{
    *slot = (struct allfold_page_row){
        .p = row->p, .least_bytes = row->least_bytes, .most_bytes = row->most_bytes};
    allfold_report_name_call(row, slot->call);
    snprintf(slot->algorithm, sizeof slot->algorithm, "%s", row->algorithm);
    snprintf(slot->source, sizeof slot->source, "%s", row->source);
    snprintf(slot->phase, sizeof slot->phase, "%s", row->phase == NULL ? "" : row->phase);
}

static void add_row(struct allfold_page_figures *figures, struct allfold_report_row *row)
{
    struct allfold_page_sums sums;
    if (row->sums.calls <= 0)
        return; /* its calls are not in the log yet */
    allfold_page_add_up(&sums, &row->shown, &row->sums);
    row->shown = row->sums;
    struct allfold_page_row *slot = slot_for(figures, &sums);
    if (slot == NULL)
        return;
    fill_row(slot, row);
    slot->sums = sums;
}

static bool is_later(const struct allfold_page_sums *a, const struct allfold_page_sums *b)
{
    return a->recent.behind_s != b->recent.behind_s ? a->recent.behind_s > b->recent.behind_s
                                                    : a->all.behind_s > b->all.behind_s;
}

/* Puts a rank among those that are later than it, and drops the least late one. */
static void insert_late(struct allfold_page_figures *figures, const struct allfold_page_late *one)
{
    uint32_t at = figures->late_count;
    while (at > 0 && is_later(&one->sums, &figures->late[at - 1].sums))
        at--;
    if (at == ALLFOLD_PAGE_LATE)
        return;
    if (figures->late_count < ALLFOLD_PAGE_LATE)
        figures->late_count++;
    for (uint32_t i = figures->late_count - 1; i > at; i--)
        figures->late[i] = figures->late[i - 1];
    figures->late[at] = *one;
}

static struct allfold_sums sums_of(const struct allfold_latecomer *of, double chance_s)
{
    return (struct allfold_sums){.last = (double)of->last,
                                 .behind_s = of->behind_s,
                                 .chance_s = chance_s,
                                 .squares = of->squares};
}

static void add_late(struct allfold_page_figures *figures, struct allfold_latecomers *seen)
{
    for (int r = 0; r < seen->p; r++) {
        struct allfold_latecomer *now = &seen->of[r], *shown = &seen->of[seen->p + r];
        const struct allfold_sums before = sums_of(shown, seen->chance_shown_s),
                                  all = sums_of(now, seen->chance_s);
        struct allfold_page_late one = {.rank = r};
        if (now->last == 0)
            continue;
        allfold_page_add_up(&one.sums, &before, &all);
        *shown = *now;
        insert_late(figures, &one);
    }
    seen->chance_shown_s = seen->chance_s;
}

void allfold_page_fill(struct allfold_page_figures *figures, struct allfold_log *log)
{
    figures->row_count = figures->left_out = figures->late_count = 0;
    for (uint32_t i = 0; i < log->row_count; i++)
        add_row(figures, &log->rows[i]);
    allfold_page_add_up(&figures->own, &log->own_shown, &log->own.sums);
    log->own_shown = log->own.sums;
    if (log->shows_late)
        add_late(figures, log->seen);
}
