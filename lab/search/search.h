/* The search for the fastest algorithm and parameters of a problem, by simulation.
 *
 * On one network the fastest candidate is the best. If a job may be on any of several networks, the
 * best candidate is the one with the smallest maximum regret. The regret on a network is the time
 * of the candidate over the time of the fastest candidate there. A simpler name wins if it takes at
 * most 3 percent more time, which keeps tables short and stable between editions.
 *
 * The parts of a composition run one after the other, so the best choice of one part barely depends
 * on the other parts. The parts are therefore varied one after the other, beginning with the part
 * between nodes. On several networks, the part with the smallest geometric mean of the times is
 * kept.
 *
 * Two bounds save time and may miss a winner. A candidate is skipped if the time of its claimed
 * rounds and bytes is more than twice the best time so far. A simulation ends at three times the
 * best time so far. */
#ifndef ALLFOLD_LAB_SEARCH_SEARCH_H
#define ALLFOLD_LAB_SEARCH_SEARCH_H

#include "lab/search/algorithm_variants.h"

enum { ALLFOLD_SEARCH_SITES = 8, ALLFOLD_FOUND_BYTES = 112 };

/* A site: a network, and the placement of the job there as Allfold detects it. All sites have the
 * same number of ranks on each node. */
struct allfold_search_site {
    const struct allfold_network *network;
    const struct allfold_nodes *nodes;
    const uint32_t *hosts; /* as in struct allfold_simulation */
};

struct allfold_search {
    enum allfold_collective collective;
    size_t bytes, element_bytes; /* as in struct allfold_simulation */
    bool keeps_order;            /* the operation does not commute */
    bool canonical;              /* results must have the canonical order of summation */
    const struct allfold_search_site *sites;
    int site_count;
};

struct allfold_found {
    char name[ALLFOLD_FOUND_BYTES]; /* as in rules (select/rules.h); "": none was found */
    double time_s[ALLFOLD_SEARCH_SITES];
    double regret; /* the maximum over the sites; 1: the fastest on all sites */
};

struct allfold_search_result {
    struct allfold_found best;
    struct allfold_found next;    /* the best one with a different algorithm */
    uint32_t simulated, left_out; /* candidates */
    char message[300];            /* the error of a simulation that failed */
};

/* Runs the search. Returns ALLFOLD_OK; ALLFOLD_UNMET_NEED if no algorithm of the collective
 * supports the problem; or an error of allfold_simulate, with its message in `result`. */
enum allfold_error allfold_search_run(const struct allfold_search *search,
                                      struct allfold_search_result *result);

/* Simulates the algorithm of that name on each site and stores its times in `time_s`, one for each
 * site. Returns false if the algorithm does not support the problem. */
bool allfold_search_time(const struct allfold_search *search, const char *name, double *time_s);

#endif
