/* What `allfold explain` found out, and its formats. */
#ifndef ALLFOLD_TOOLS_EXPLAIN_H
#define ALLFOLD_TOOLS_EXPLAIN_H

#include "kernels/kernels.h"
#include "select/choose.h"

enum { EXPLAIN_MOST = 128, EXPLAIN_TEXT = 240 };

/* An algorithm that was not chosen, or was. */
struct explained {
    char name[EXPLAIN_TEXT];
    double cost_s; /* what the model expects; 0: it cannot serve, or the model knows nothing */
    char reason[EXPLAIN_TEXT];
    bool is_chosen;
};

struct explanation {
    struct allfold_problem problem;
    size_t bytes;
    const char *type, *operation; /* NULL where the collective has no operation */
    struct allfold_choice choice;
    const char *table_path; /* of the table whose row was taken; NULL: none */
    const char *rule;       /* the text of the rules where they force; NULL: they do not */
    struct explained list[EXPLAIN_MOST]; /* chosen first, then by cost; what cannot serve last */
    int count;
};

void allfold_explain_table(const struct explanation *explanation);
void allfold_explain_json(const struct explanation *explanation);

#endif
