/* Proof digests (see proof_digest.h). */
#include "lab/verify/proof_digest.h"

#include "algorithms/algorithm.h"

void allfold_digest_add(uint64_t *digest, uint64_t value)
{
    const uint64_t mixed = (*digest ^ value) * 0x9e3779b97f4a7c15u;
    *digest = mixed ^ mixed >> 32;
}

static void add_numbers(uint64_t *digest, const uint32_t *numbers, size_t count)
{
    allfold_digest_add(digest, count);
    for (size_t i = 0; i < count; i++)
        allfold_digest_add(digest, numbers[i]);
}

static void add_step(uint64_t *digest, const struct allfold_step *step)
{
    allfold_digest_add(
        digest, step->kind | (uint64_t)step->buffer[0] << 8 | (uint64_t)step->buffer[1] << 16 |
                    (uint64_t)step->buffer[2] << 24 | (uint64_t)(uint32_t)step->peer << 32);
    allfold_digest_add(digest, step->number | (uint64_t)step->message << 32);
    allfold_digest_add(digest, step->length);
    for (int i = 0; i < 3; i++)
        allfold_digest_add(digest, step->offset[i]);
}

static void add_schedule(uint64_t *digest, const struct allfold_schedule *schedule)
{
    const size_t steps = schedule->step_count;
    allfold_digest_add(digest, steps);
    for (size_t i = 0; i < steps; i++)
        add_step(digest, &schedule->steps[i]);
    allfold_digest_add(digest, schedule->buffer_count);
    for (size_t i = 0; i < schedule->buffer_count; i++)
        allfold_digest_add(digest, schedule->buffer_length[i]);
    add_numbers(digest, schedule->waits_for, steps);
    add_numbers(digest, schedule->first_edge, steps + 1);
    add_numbers(digest, schedule->edges, schedule->edge_count);
    add_numbers(digest, schedule->message_step, schedule->message_count);
    add_numbers(digest, schedule->fused, steps);
    add_numbers(digest, schedule->publication, steps);
    add_numbers(digest, schedule->roots, schedule->root_count);
}

/* The parts that the schedules are compared with. */
static void add_claim(uint64_t *digest, const struct allfold_case *of)
{
    const struct allfold_claim claim = allfold_case_claim(of);
    const uint64_t parts[] = {claim.rounds,
                              claim.sent,
                              claim.reduced,
                              allfold_claim_ports(&claim),
                              claim.divisor,
                              claim.is_bound,
                              allfold_claim_carried(&claim),
                              claim.serial,
                              claim.again,
                              claim.copied,
                              claim.far_lanes,
                              claim.far_sent};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        allfold_digest_add(digest, parts[i]);
}

/* Which ranks share a node, to which the claims refer. All else about the placement shows in the
 * schedules. */
static void add_nodes(uint64_t *digest, const struct allfold_case *of)
{
    allfold_digest_add(digest, of->nodes == NULL ? 0 : (uint64_t)of->nodes->count);
    for (int r = 0; of->nodes != NULL && r < of->p; r++)
        allfold_digest_add(digest, (uint64_t)of->nodes->node_of[r]);
}

void allfold_digest_case(uint64_t *digest, const struct allfold_case *of,
                         struct allfold_schedule *const *schedules)
{
    const struct allfold_algorithm *algorithm = of->algorithm;
    const uint64_t parts[] = {
        algorithm->collective, algorithm->consistent, allfold_is_ordered(algorithm),
        (uint64_t)of->p,       (uint64_t)of->root,    of->count,
        of->in_place,          of->commutes,          of->canonical};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        allfold_digest_add(digest, parts[i]);
    for (int r = 0; of->begins != NULL && r <= of->p; r++)
        allfold_digest_add(digest, of->begins[r]);
    add_nodes(digest, of);
    add_claim(digest, of);
    for (int r = 0; r < of->p; r++)
        add_schedule(digest, schedules[r]);
}
