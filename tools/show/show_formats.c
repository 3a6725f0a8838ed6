/* The formats of `allfold show` that are not pictures (see show_formats.h). */
#include "show/show_formats.h"

#include <stdio.h>

#include "json.h"

void allfold_show_summary(const struct allfold_case *of, const struct allfold_cost *cost)
{
    char title[200];
    allfold_case_title(of, title, sizeof title);
    printf("%s\n", title);
    allfold_cost_print(cost, stdout);
    printf("(a picture is drawn for up to %d ranks)\n", ALLFOLD_PICTURE_RANKS);
}

static json_t *json_of(const struct allfold_mark *mark)
{
    static const char *const kinds[] = {[ALLFOLD_MARK_MESSAGE] = "message",
                                        [ALLFOLD_MARK_REDUCTION] = "reduction",
                                        [ALLFOLD_MARK_LOST] = "never received",
                                        [ALLFOLD_MARK_UNSENT] = "never sent",
                                        [ALLFOLD_MARK_STUCK] = "never goes"};
    json_t *object = json_object();
    allfold_json_set_text(object, "kind", kinds[mark->kind]);
    allfold_json_set_number(object, "round", (double)mark->round);
    allfold_json_set_number(object, "from", mark->from);
    allfold_json_set_number(object, "to", mark->to);
    allfold_json_set_number(object, "elements", (double)mark->elements);
    allfold_json_set_text(object, "label", mark->label);
    return object;
}

void allfold_show_json(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    char name[100];
    json_t *object = json_object(), *marks = json_array();
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    allfold_json_set_text(object, "collective", allfold_collective_name(of->algorithm->collective));
    allfold_json_set_text(object, "algorithm", name);
    allfold_json_set_number(object, "p", of->p);
    allfold_json_set_number(object, "root", of->root);
    allfold_json_set_number(object, "count", (double)of->count);
    allfold_json_set_number(object, "rounds", (double)picture->cost.rounds);
    allfold_json_set_number(object, "sent", (double)picture->cost.sent);
    allfold_json_set_number(object, "reduced", (double)picture->cost.reduced);
    if (picture->blame.kind != ALLFOLD_BLAME_NOTHING) {
        allfold_json_set_text(object, "fault", allfold_blame_kind_name(picture->blame.kind));
        allfold_json_set_text(object, "blame", picture->blame.text);
    }
    for (uint32_t i = 0; i < picture->mark_count; i++)
        json_array_append_new(marks, json_of(&picture->marks[i]));
    json_object_set_new(object, "marks", marks);
    if (!allfold_json_print(object, stream))
        fprintf(stderr, "allfold show: no memory for so many messages; try fewer ranks with -p\n");
}
