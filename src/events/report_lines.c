/* Lines of a report (see report_lines.h). */
#include "events/report_lines.h"

#include "util/quantity.h"

static void print_one_copy(const struct allfold_report_head *head,
                           const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    const struct allfold_report_one_copy sum = allfold_report_one_copy(rows, count);
    if (head->copies && sum.calls > 0)
        fprintf(stream,
                "One copy: %llu calls copied long vectors, and moved data for %.6f seconds. "
                "`allfold run --one-copy` may save up to %.6f seconds of that.\n",
                (unsigned long long)sum.calls, sum.seconds, sum.saved_s);
}

static void print_nodes(const struct allfold_report_head *head, FILE *stream)
{
    if (head->nodes == 0)
        fprintf(stream, "nodes not known");
    else if (head->least_per_node == head->most_per_node)
        fprintf(stream, "%d x %d (nodes x ranks per node)", head->nodes, head->most_per_node);
    else
        fprintf(stream, "%d nodes with %d to %d ranks", head->nodes, head->least_per_node,
                head->most_per_node);
    if (head->switches > 0)
        fprintf(stream, ", %d switch%s", head->switches, head->switches == 1 ? "" : "es");
    if (head->fabric[0] != '\0')
        fprintf(stream, ", messages by the fabric %s", head->fabric);
}

/* `rows` and `count` are unused; put_lines (report_html.c) needs all parts to have one type. */
void allfold_report_print_title(const struct allfold_report_head *head,
                                const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    (void)rows;
    (void)count;
    fprintf(stream, "Allfold %s report: %s, %s, p = %d, ", ALLFOLD_VERSION, head->machine,
            head->mpi, head->p);
    print_nodes(head, stream);
    fprintf(stream, "\n");
}

/* How often a result of ours has other bits than the native one. */
static void print_bits(const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    uint64_t compared = 0, differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        compared += rows[i].figures.bits_compared;
        differ += rows[i].figures.bits_differ;
    }
    if (compared > 0)
        fprintf(stream,
                "Bits: %llu of %llu floating-point results of rank 0 differ from the native ones "
                "in some bit.\n",
                (unsigned long long)differ, (unsigned long long)compared);
}

/* An operation of the program's own costs a call, and may expect a whole vector. */
static void print_operations(const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    for (uint32_t i = 0; i < count; i++) {
        const double pieces = allfold_report_pieces(&rows[i]);
        char most[32];
        if (pieces <= 0)
            continue;
        allfold_size_write(rows[i].most_bytes, most, sizeof most);
        fprintf(stream,
                "Operation: in %.0f calls of %s up to %s on %d ranks (%s), rank 0 called the "
                "program's operation %.0f times, in %.3g piece%s a vector.\n",
                rows[i].sums.calls, allfold_collective_name(rows[i].collective), most, rows[i].p,
                rows[i].algorithm, rows[i].sums.op_calls, pieces, pieces > 1.001 ? "s" : "");
    }
}

static void print_findings(const struct allfold_report_findings *found, FILE *stream)
{
    const struct allfold_report_guard *guard = &found->guard;
    if (guard->state == NULL || (guard->looks == 0 && found->count == 0))
        return; /* it had no reason to look, or no time */
    fprintf(stream, "Guard (%s): %u looks; %.6f of %.3f seconds.%s\n", guard->state, guard->looks,
            guard->spent_s, guard->run_s, found->count == 0 ? "" : " Slower choices:");
    for (uint32_t i = 0; i < found->count; i++) {
        const struct allfold_report_finding *one = &found->list[i];
        char size[32];
        allfold_size_write(one->bytes, size, sizeof size);
        fprintf(stream, "%-20s %4d %13s  %s is %.2f times as fast as %s (%s): %s\n",
                allfold_collective_name(one->collective), one->p, size, one->better, one->factor,
                one->chosen, one->source, one->outcome);
    }
}

bool allfold_report_has_staged(const struct allfold_report_head *head)
{
    return head->staged_to_host > 0 || head->staged_to_device > 0;
}

static void print_staged(const struct allfold_report_head *head, FILE *stream)
{
    char to_host[32], to_device[32], pageable[32];
    if (!allfold_report_has_staged(head))
        return;
    allfold_size_write(head->staged_to_host, to_host, sizeof to_host);
    allfold_size_write(head->staged_to_device, to_device, sizeof to_device);
    allfold_size_write(head->staged_pageable, pageable, sizeof pageable);
    fprintf(stream, "Device memory: %s staged to the host, %s back; %s of it not pinned.\n",
            to_host, to_device, pageable);
}

void allfold_report_print_more(const struct allfold_report_head *head,
                               const struct allfold_report_row *rows, uint32_t count, FILE *stream)
{
    print_bits(rows, count, stream);
    print_operations(rows, count, stream);
    print_one_copy(head, rows, count, stream);
    print_findings(&head->found, stream);
    print_staged(head, stream);
    if (head->no_lines != NULL)
        fprintf(stream, "Calls have places without source lines: %s.\n", head->no_lines);
}
