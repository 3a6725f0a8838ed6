/* Searching: which algorithm, with which parameters, is the fastest for a problem, by simulation.
 *
 * On one network the fastest of all candidates is the best. On several, of which a job may be on
 * any, it is the one of least regret: the regret on a network is the time over that of the fastest
 * there, and what counts is the most over all networks. A simpler name wins where it takes at most
 * 3 percent more, so that tables stay short, and the same in each edition.
 *
 * Parts of a composition follow each other, so that of two parts the best of one is nearly the best
 * whatever the other one is. The parts are varied one after the other, that between nodes first; on
 * several networks the part is kept whose geometric mean is least.
 *
 * Two bounds save time, and may miss a winner. A candidate is left out whose claimed rounds and
 * bytes take 1.5 times as long as the best so far. A simulation ends at three times the best so
 * far. */
#ifndef ALLFOLD_LAB_SEARCH_SEARCH_H
#define ALLFOLD_LAB_SEARCH_SEARCH_H

#include "lab/search/algorithm_variants.h"

enum { ALLFOLD_SEARCH_SITES = 8, ALLFOLD_FOUND_BYTES = 112 };

/* A network, and what a job on it knows of its nodes. The ranks are on them in the same way. */
struct allfold_search_site {
    const struct allfold_network *network;
    const struct allfold_nodes *nodes;
    const uint32_t *hosts; /* as of struct allfold_simulation */
};

struct allfold_search {
    enum allfold_collective collective;
    size_t bytes, element_bytes; /* as of struct allfold_simulation */
    bool keeps_order;            /* the operation does not commute */
    bool canonical;              /* results are bracketed by the canonical tree */
    const struct allfold_search_site *sites;
    int site_count;
};

struct allfold_found {
    char name[ALLFOLD_FOUND_BYTES]; /* as rules have it; "" where there is none */
    double time_s[ALLFOLD_SEARCH_SITES];
    double regret; /* the most over the sites; 1: it is the fastest everywhere */
};

struct allfold_search_result {
    struct allfold_found best;
    struct allfold_found next; /* the best of another algorithm */
    uint32_t simulated, left_out;
    char message[300]; /* of a simulation that failed */
};

/* ALLFOLD_UNMET_NEED where no algorithm of the collective serves; other errors are those of
 * allfold_simulate, with its message. */
enum allfold_error allfold_search_run(const struct allfold_search *search,
                                      struct allfold_search_result *result);

/* The time of an algorithm, by its name, on each site. False where it does not serve. */
bool allfold_search_time(const struct allfold_search *search, const char *name, double *time_s);

#endif
