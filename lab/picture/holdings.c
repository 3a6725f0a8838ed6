/* The holdings of ranks after each round (see holdings.h). */
#include "lab/picture/holdings.h"

#include <assert.h>

#include "lab/verify/case.h"
#include "util/memory.h"

static uint64_t lowest(int ranks)
{
    return ranks >= 64 ? UINT64_MAX : (UINT64_C(1) << ranks) - 1;
}

static const struct allfold_traits *traits_of(const struct allfold_case *of)
{
    return allfold_traits(of->algorithm->collective);
}

static bool is_moved(const struct allfold_case *of)
{
    return !traits_of(of)->reduces;
}

/* The contributions to a reduction's result on a rank. */
static uint64_t contributors(const struct allfold_case *of, int rank)
{
    return lowest(allfold_contributors(of->algorithm->collective, of->p, rank));
}

/* Who gives an element to a rank that has a result, where data is moved. */
static uint64_t givers(const struct allfold_case *of, size_t element)
{
    const struct allfold_problem problem = allfold_case_problem(of, 0);
    uint64_t ranks = 0;
    if (traits_of(of)->has_root)
        return UINT64_C(1) << of->root;
    for (int r = 0; r < of->p; r++)
        if (element < allfold_block_length(&problem, r))
            ranks |= UINT64_C(1) << r;
    return ranks;
}

static uint64_t wanted(const struct allfold_case *of, int rank, size_t element)
{
    const struct allfold_problem problem = allfold_case_problem(of, rank);
    if (allfold_case_result_length(of, rank) == 0)
        return 0;
    if (is_moved(of))
        return givers(of, element);
    if (traits_of(of)->in_is_blocks && (element < allfold_block_begin(&problem, rank) ||
                                        element >= allfold_block_begin(&problem, rank + 1)))
        return 0;
    return contributors(of, rank);
}

bool allfold_holdings_begin(struct allfold_holdings *holdings, const struct allfold_case *of,
                            const struct allfold_picture *picture)
{
    const size_t rows = allfold_row_count(of), all = (size_t)of->p * rows;
    assert(of->p <= ALLFOLD_PICTURE_RANKS);
    *holdings = (struct allfold_holdings){
        .of = of,
        .rows = rows,
        .held = allfold_allocate_zeroed(all * sizeof *holdings->held),
        .wanted = allfold_allocate_zeroed(all * sizeof *holdings->wanted),
    };
    if (holdings->held == NULL || holdings->wanted == NULL)
        return false;
    for (int r = 0; r < of->p; r++)
        for (size_t row = 0; row < rows; row++)
            holdings->wanted[(size_t)r * rows + row] = wanted(of, r, allfold_row_element(of, row));
    allfold_holdings_advance(holdings, picture, 0);
    return true;
}

void allfold_holdings_free(struct allfold_holdings *holdings)
{
    allfold_free(holdings->held);
    allfold_free(holdings->wanted);
}

static void take_holding(struct allfold_holdings *holdings, const struct allfold_holding *holding)
{
    uint64_t *held = &holdings->held[(size_t)holding->rank * holdings->rows + holding->row];
    if (is_moved(holdings->of))
        *held |= holding->ranks;
    else if (!allfold_held_is_whole(holdings, holding->rank, holding->row) &&
             (holding->ranks == contributors(holdings->of, holding->rank) ||
              __builtin_popcountll(holding->ranks) > __builtin_popcountll(*held)))
        *held = holding->ranks;
}

void allfold_holdings_advance(struct allfold_holdings *holdings,
                              const struct allfold_picture *picture, size_t round)
{
    for (; holdings->next < picture->holding_count; holdings->next++) {
        assert(holdings->next == 0 || picture->holdings[holdings->next - 1].round <=
                                          picture->holdings[holdings->next].round);
        if (picture->holdings[holdings->next].round > round)
            return;
        take_holding(holdings, &picture->holdings[holdings->next]);
    }
}

uint64_t allfold_held(const struct allfold_holdings *holdings, int rank, size_t row)
{
    return holdings->held[(size_t)rank * holdings->rows + row];
}

bool allfold_held_is_whole(const struct allfold_holdings *holdings, int rank, size_t row)
{
    const uint64_t held = allfold_held(holdings, rank, row);
    return held != 0 && (is_moved(holdings->of) || held == contributors(holdings->of, rank));
}

bool allfold_holder_has_result(const struct allfold_holdings *holdings, int rank)
{
    for (size_t row = 0; row < holdings->rows; row++)
        if (holdings->wanted[(size_t)rank * holdings->rows + row] != 0)
            return true;
    return false;
}

bool allfold_holder_is_done(const struct allfold_holdings *holdings, int rank)
{
    for (size_t row = 0; row < holdings->rows; row++) {
        const uint64_t wants = holdings->wanted[(size_t)rank * holdings->rows + row];
        const uint64_t held = allfold_held(holdings, rank, row);
        if (wants != 0 && (is_moved(holdings->of) ? (held & wants) != wants : held != wants))
            return false;
    }
    return true;
}
