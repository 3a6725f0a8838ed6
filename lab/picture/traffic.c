/* The traffic on the links of a network graph (see traffic.h). */
#include "lab/picture/traffic.h"

#include <stdio.h>
#include <string.h>

#include "algorithms/peers.h"
#include "schedule/schedule.h"
#include "util/memory.h"

/* The elements that each link carries. */
static enum allfold_error count_messages(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules,
                                         const struct allfold_graph *graph, uint64_t *elements)
{
    const int most = allfold_graph_longest_route(graph);
    uint32_t *way = allfold_allocate(((size_t)most + 1) * sizeof *way);
    if (way == NULL)
        return ALLFOLD_NO_MEMORY;
    for (int r = 0; r < of->p; r++)
        for (uint32_t i = 0; i < schedules[r]->step_count; i++) {
            const struct allfold_step *step = &schedules[r]->steps[i];
            if (step->kind != ALLFOLD_STEP_SEND)
                continue;
            const int count =
                allfold_graph_route(graph, (uint32_t)of->nodes->node_of[r],
                                    (uint32_t)of->nodes->node_of[step->peer], way, most);
            for (int k = 0; k < count; k++)
                elements[way[k]] += step->length;
        }
    allfold_free(way);
    return ALLFOLD_OK;
}

/* Puts a link among the heaviest ones, if it is one; of equal ones the first stay. */
static void rank_link(struct allfold_traffic *traffic, struct allfold_traffic_link link)
{
    int at = traffic->heaviest_count;
    while (at > 0 && traffic->heaviest[at - 1].load < link.load)
        at--;
    if (at == ALLFOLD_HEAVIEST_LINKS)
        return;
    if (traffic->heaviest_count < ALLFOLD_HEAVIEST_LINKS)
        traffic->heaviest_count++;
    memmove(&traffic->heaviest[at + 1], &traffic->heaviest[at],
            (size_t)(traffic->heaviest_count - at - 1) * sizeof link);
    traffic->heaviest[at] = link;
}

static void sum_up(const struct allfold_case *of, const uint64_t *elements,
                   struct allfold_traffic *traffic)
{
    const struct allfold_graph *graph = traffic->graph;
    const double card = allfold_graph_link(graph, 0).bandwidth;
    const double vector = (double)(of->count > 0 ? of->count : 1);
    traffic->class_count = allfold_graph_class_count(graph);
    for (int i = 0; i < traffic->class_count; i++)
        traffic->classes[i].name = allfold_graph_class_name(graph, i);
    for (uint32_t i = 0; i < allfold_graph_link_count(graph); i++) {
        const struct allfold_graph_link link = allfold_graph_link(graph, i);
        struct allfold_traffic_class *in = &traffic->classes[link.link_class];
        const double load = (double)elements[i] / vector * card / link.bandwidth;
        in->links++;
        in->used += elements[i] > 0;
        in->elements += elements[i];
        in->most = elements[i] > in->most ? elements[i] : in->most;
        in->load = load > in->load ? load : in->load;
        if (elements[i] > 0)
            rank_link(traffic, (struct allfold_traffic_link){i, elements[i], load});
    }
}

enum allfold_error allfold_traffic_count(const struct allfold_case *of,
                                         struct allfold_schedule *const *schedules,
                                         const struct allfold_graph *graph,
                                         struct allfold_traffic *traffic, char *message,
                                         size_t message_bytes)
{
    *traffic = (struct allfold_traffic){.graph = graph};
    if ((uint32_t)of->nodes->count > allfold_graph_host_count(graph)) {
        snprintf(message, message_bytes, "%d nodes are more than the network's %u hosts",
                 of->nodes->count, allfold_graph_host_count(graph));
        return ALLFOLD_BAD_INPUT;
    }
    uint64_t *elements =
        allfold_allocate_zeroed((allfold_graph_link_count(graph) + 1) * sizeof *elements);
    enum allfold_error error = ALLFOLD_NO_MEMORY;
    if (elements != NULL)
        error = count_messages(of, schedules, graph, elements);
    if (error == ALLFOLD_OK)
        sum_up(of, elements, traffic);
    else
        snprintf(message, message_bytes, "no memory");
    allfold_free(elements);
    return error;
}

static double greatest_load(const struct allfold_traffic *traffic)
{
    double most = 0;
    for (int i = 0; i < traffic->class_count; i++)
        most = traffic->classes[i].load > most ? traffic->classes[i].load : most;
    return most > 0 ? most : 1;
}

/* "host 3 -> switch 0" */
static void name_link(const struct allfold_traffic *traffic, uint32_t number, char *name,
                      size_t bytes)
{
    char ends[2][100] = {"", ""};
    const struct allfold_graph_link link = allfold_graph_link(traffic->graph, number);
    if (link.from == ALLFOLD_NO_VERTEX || link.to == ALLFOLD_NO_VERTEX) {
        snprintf(name, bytes, "link %u", number);
        return;
    }
    allfold_graph_vertex_name(traffic->graph, link.from, ends[0], sizeof ends[0]);
    allfold_graph_vertex_name(traffic->graph, link.to, ends[1], sizeof ends[1]);
    snprintf(name, bytes, "%s %s %s", ends[0], link.both_ways ? "--" : "->", ends[1]);
}

void allfold_traffic_write_text(const struct allfold_case *of, const char *network,
                                const struct allfold_traffic *traffic, FILE *stream)
{
    enum { BAR = 30 };
    static const char bar[] = "##############################";
    char title[400], name[420];
    const double most = greatest_load(traffic);
    allfold_case_title(of, title, sizeof title);
    fprintf(stream, "%s, network %s\n\n", title, network);
    fprintf(stream, "%-12s %7s %7s %12s %10s %8s\n", "links", "count", "used", "elements",
            "busiest", "load");
    for (int i = 0; i < traffic->class_count; i++) {
        const struct allfold_traffic_class *in = &traffic->classes[i];
        fprintf(stream, "%-12s %7u %7u %12llu %10llu %8.2f  %.*s\n", in->name, in->links, in->used,
                (unsigned long long)in->elements, (unsigned long long)in->most, in->load,
                (int)(BAR * in->load / most + 0.5), bar);
    }
    fprintf(stream, "\nheaviest links\n");
    for (int i = 0; i < traffic->heaviest_count; i++) {
        const struct allfold_traffic_link *link = &traffic->heaviest[i];
        name_link(traffic, link->number, name, sizeof name);
        fprintf(stream, "%-28s %-12s %10llu %8.2f\n", name,
                traffic->classes[allfold_graph_link(traffic->graph, link->number).link_class].name,
                (unsigned long long)link->elements, link->load);
    }
    fprintf(stream, "\n(load 1: as long as the whole vector takes over one %s link)\n",
            traffic->class_count > 0 ? traffic->classes[0].name : "");
}

/* A bar with a label before it and a figure behind it, in pixels. */
static void draw_bar(FILE *stream, int y, const char *label, double load, double most,
                     const char *color)
{
    enum { LEFT = 230, WIDTH = 420 };
    const int width = (int)(WIDTH * load / most);
    fprintf(stream,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n"
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"14\" fill=\"%s\"/>\n"
            "<text x=\"%d\" y=\"%d\">%.2f</text>\n",
            LEFT - 8, y + 12, label, LEFT, y, width > 0 ? width : 1, color, LEFT + width + 6,
            y + 12, load);
}

void allfold_traffic_write_svg(const struct allfold_case *of, const char *network,
                               const struct allfold_traffic *traffic, FILE *stream)
{
    enum { LINE = 22, TOP = 70, GAP = 44 };
    char title[400], name[420];
    const double most = greatest_load(traffic);
    const int height = TOP + LINE * (traffic->class_count + traffic->heaviest_count) + GAP + 20;
    int y = TOP;
    allfold_case_title(of, title, sizeof title);
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"740\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<text x=\"16\" y=\"24\" font-size=\"15\">%s, network %s</text>\n"
            "<text x=\"16\" y=\"52\">load of the busiest link of each class; 1: as long as the "
            "whole vector takes over one %s link</text>\n",
            height, title, network, traffic->class_count > 0 ? traffic->classes[0].name : "");
    for (int i = 0; i < traffic->class_count; i++, y += LINE)
        draw_bar(stream, y, traffic->classes[i].name, traffic->classes[i].load, most, "#4878a8");
    fprintf(stream, "<text x=\"16\" y=\"%d\">heaviest links</text>\n", y + 28);
    y += GAP;
    for (int i = 0; i < traffic->heaviest_count; i++, y += LINE) {
        name_link(traffic, traffic->heaviest[i].number, name, sizeof name);
        for (char *c = name; *c != '\0'; c++) /* names have no such letters; an arrow has */
            *c = strchr("<>&", *c) != NULL ? '-' : *c;
        draw_bar(stream, y, name, traffic->heaviest[i].load, most, "#b06040");
    }
    fprintf(stream, "</svg>\n");
}
