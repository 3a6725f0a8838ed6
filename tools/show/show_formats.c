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

void allfold_show_json(const struct allfold_case *of, const struct allfold_picture *picture,
                       FILE *stream)
{
    static const char *const kinds[] = {[ALLFOLD_MARK_MESSAGE] = "message",
                                        [ALLFOLD_MARK_REDUCTION] = "reduction",
                                        [ALLFOLD_MARK_LOST] = "never received",
                                        [ALLFOLD_MARK_UNSENT] = "never sent",
                                        [ALLFOLD_MARK_STUCK] = "never goes"};
    char name[100];
    allfold_algorithm_write(of->algorithm, &of->parameters, name, sizeof name);
    fprintf(
        stream,
        "{\n  \"collective\": \"%s\",\n  \"algorithm\": \"%s\",\n  \"p\": %d,\n  \"root\": %d,\n"
        "  \"count\": %zu,\n  \"rounds\": %zu,\n  \"sent\": %zu,\n  \"reduced\": %zu,\n"
        "  \"marks\": [",
        allfold_collective_name(of->algorithm->collective), name, of->p, of->root, of->count,
        picture->cost.rounds, picture->cost.sent, picture->cost.reduced);
    for (uint32_t i = 0; i < picture->mark_count; i++) {
        const struct allfold_mark *mark = &picture->marks[i];
        fprintf(stream,
                "%s\n    {\"kind\": \"%s\", \"round\": %zu, \"from\": %d, \"to\": %d, "
                "\"elements\": %zu, \"label\": \"%s\"}",
                i == 0 ? "" : ",", kinds[mark->kind], mark->round, mark->from, mark->to,
                mark->elements, mark->label);
    }
    fprintf(stream, "\n  ]");
    if (picture->blame.kind != ALLFOLD_BLAME_NOTHING) {
        fprintf(stream, ",\n  \"fault\": \"%s\",\n  \"blame\": ",
                allfold_blame_kind_name(picture->blame.kind));
        allfold_json_text(stream, picture->blame.text);
    }
    fprintf(stream, "\n}\n");
}
