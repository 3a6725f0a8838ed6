/* Pictures as an HTML page that steps through them (see picture.h): the drawing, a slider over its
 * rounds, and a sentence for each round. The page loads nothing from elsewhere. Without scripts it
 * shows everything at once. */
#include <stdio.h>
#include <string.h>

#include "lab/picture/holdings.h"
#include "lab/picture/picture.h"

/* The messages of one round, from `first` on. */
struct round {
    const struct allfold_case *of;
    const struct allfold_mark *marks; /* reductions among them */
    uint32_t count;
    uint32_t messages, red;
    size_t least, most; /* elements of a message */
};

static struct round round_of(const struct allfold_case *of, const struct allfold_picture *picture,
                             size_t number, uint32_t *next)
{
    struct round round = {.of = of, .least = SIZE_MAX};
    while (*next < picture->mark_count && picture->marks[*next].round < number)
        ++*next;
    round.marks = picture->marks + *next;
    for (; *next < picture->mark_count && picture->marks[*next].round == number; ++*next) {
        const struct allfold_mark *mark = &picture->marks[*next];
        round.count++;
        round.red += allfold_mark_is_red(mark);
        if (mark->kind != ALLFOLD_MARK_MESSAGE)
            continue;
        round.messages++;
        round.least = mark->elements < round.least ? mark->elements : round.least;
        round.most = mark->elements > round.most ? mark->elements : round.most;
    }
    return round;
}

/* The distance modulo p, or by exclusive or, that all messages of a round go; -1 where they
 * differ. */
static int common_shift(const struct round *round)
{
    int shift = -1;
    for (uint32_t i = 0; i < round->count; i++) {
        const struct allfold_mark *mark = &round->marks[i];
        const int to = (mark->to - mark->from + round->of->p) % round->of->p;
        if (mark->kind != ALLFOLD_MARK_MESSAGE)
            continue;
        if (shift >= 0 && to != shift)
            return -1;
        shift = to;
    }
    return shift;
}

static int common_mask(const struct round *round)
{
    int mask = -1;
    for (uint32_t i = 0; i < round->count; i++) {
        const struct allfold_mark *mark = &round->marks[i];
        if (mark->kind != ALLFOLD_MARK_MESSAGE)
            continue;
        if (mask >= 0 && (mark->from ^ mark->to) != mask)
            return -1;
        mask = mark->from ^ mark->to;
    }
    return mask;
}

static void write_elements(const struct round *round, FILE *stream)
{
    if (round->least == round->most)
        fprintf(stream, "%zu element%s", round->most, round->most == 1 ? "" : "s");
    else
        fprintf(stream, "%zu to %zu elements", round->least, round->most);
}

static void write_list(const struct round *round, FILE *stream)
{
    enum { MOST = 8 };
    uint32_t named = 0;
    fprintf(stream, "%u message%s of ", round->messages, round->messages == 1 ? "" : "s");
    write_elements(round, stream);
    for (uint32_t i = 0; i < round->count && named < MOST; i++)
        if (round->marks[i].kind == ALLFOLD_MARK_MESSAGE)
            fprintf(stream, "%s %d to %d", named++ == 0 ? ": rank" : ",", round->marks[i].from,
                    round->marks[i].to);
    if (named < round->messages)
        fprintf(stream, ", and %u more", round->messages - named);
    fprintf(stream, ".");
}

static void write_messages(const struct round *round, FILE *stream)
{
    const uint32_t p = (uint32_t)round->of->p;
    const int shift = common_shift(round), mask = common_mask(round);
    if (round->messages == 0) {
        fprintf(stream, "No message arrives.");
    } else if (round->messages == p && p > 2 && mask > 0) {
        fprintf(stream, "Each rank r exchanges ");
        write_elements(round, stream);
        fprintf(stream, " with rank r xor %d.", mask);
    } else if (round->messages == p && p > 1 && shift > 0) {
        fprintf(stream, "Each rank r sends ");
        write_elements(round, stream);
        if (2 * (uint32_t)shift <= p)
            fprintf(stream, " to rank r + %d, modulo %u.", shift, p);
        else
            fprintf(stream, " to rank r - %u, modulo %u.", p - (uint32_t)shift, p);
    } else {
        write_list(round, stream);
    }
    if (round->red > 0)
        fprintf(stream, " %u message%s in red never arrive%s.", round->red,
                round->red == 1 ? "" : "s", round->red == 1 ? "s" : "");
}

static void write_done(const struct allfold_holdings *holdings, FILE *stream)
{
    int of = 0, done = 0, last = 0;
    for (int r = 0; r < holdings->of->p; r++) {
        if (!allfold_holder_has_result(holdings, r))
            continue;
        of++;
        last = r;
        done += allfold_holder_is_done(holdings, r);
    }
    if (done == 0)
        return;
    if (of == 1)
        fprintf(stream, " Then rank %d has the result.", last);
    else if (done == of)
        fprintf(stream, " Then all %d ranks that get a result have it.", of);
    else
        fprintf(stream, " Then %d of %d ranks have their result.", done, of);
}

static void write_sentences(const struct allfold_case *of, const struct allfold_picture *picture,
                            struct allfold_holdings *holdings, FILE *stream)
{
    uint32_t next = 0;
    fprintf(stream,
            "<ol id=\"steps\" start=\"0\" aria-live=\"polite\">\n<li>At the start each rank "
            "has what it contributes.</li>\n");
    for (size_t number = 1; number <= allfold_picture_last_round(picture); number++) {
        const struct round round = round_of(of, picture, number, &next);
        allfold_holdings_advance(holdings, picture, number);
        fprintf(stream, "<li>");
        write_messages(&round, stream);
        write_done(holdings, stream);
        fprintf(stream, "</li>\n");
    }
    fprintf(stream, "</ol>\n");
}

static const char head[] =
    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
    "<style>body{font:16px/1.5 system-ui,sans-serif;margin:1em auto;max-width:60em;padding:0 1em;"
    "color:#222;background:#fff}h1{font-size:1.2em}.picture{overflow-x:auto}"
    ".faint{opacity:.15}#steps li{padding:.1em .4em}#steps li.now{background:#e3effa}"
    "#steps.one li:not(.now){color:#666}#control{display:none;gap:.6em;align-items:center}"
    "#control input{flex:1}button{font:inherit;padding:.2em .8em}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#16181c}"
    "#steps li.now{background:#23374d}#steps.one li:not(.now){color:#aaa}}"
    "@media print{#control{display:none!important}.faint{opacity:1}}</style>\n";

/* A step of -1 shows all rounds at once. */
static const char script[] =
    "<script>\n"
    "const steps=[...document.querySelectorAll('#steps li')];\n"
    "const parts=[...document.querySelectorAll('[data-round]')];\n"
    "const slider=document.getElementById('slider'),said=document.getElementById('said');\n"
    "let step=-1;\n"
    "function show(to){\n"
    "  step=Math.max(-1,Math.min(steps.length-1,to));\n"
    "  slider.value=step;\n"
    "  said.textContent=step<0?'all rounds':step==0?'start':'round '+step;\n"
    "  for(const part of parts){\n"
    "    const of=+part.dataset.round,arrows=part.classList.contains('round');\n"
    "    part.classList.toggle('faint',step>=0&&!(of==step||(!arrows&&of==step-1)));\n"
    "  }\n"
    "  steps.forEach((li,i)=>li.classList.toggle('now',i==step));\n"
    "  document.getElementById('steps').classList.toggle('one',step>=0);\n"
    "}\n"
    "slider.max=steps.length-1;\n"
    "slider.oninput=()=>show(+slider.value);\n"
    "document.getElementById('back').onclick=()=>show(step-1);\n"
    "document.getElementById('on').onclick=()=>show(step+1);\n"
    "document.onkeydown=e=>{\n"
    "  if(e.target==slider)return;\n"
    "  if(e.key=='ArrowRight'||e.key==' ')show(step+1);\n"
    "  else if(e.key=='ArrowLeft')show(step-1);\n"
    "  else if(e.key=='Home')show(-1);\n"
    "  else if(e.key=='End')show(steps.length-1);\n"
    "  else return;\n"
    "  e.preventDefault();\n"
    "};\n"
    "document.getElementById('control').style.display='flex';\n"
    "show(-1);\n"
    "</script>\n";

bool allfold_picture_write_html(const struct allfold_case *of,
                                const struct allfold_picture *picture, FILE *stream)
{
    struct allfold_holdings holdings;
    char title[400];
    bool has_memory = allfold_holdings_begin(&holdings, of, picture);
    allfold_case_title(of, title, sizeof title);
    if (has_memory) {
        fprintf(stream,
                "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>%s"
                "</title>\n%s</head>\n<body>\n<h1>%s</h1>\n<p>%s</p>\n"
                "<div id=\"control\"><button id=\"back\" aria-label=\"one round back\">&#8592;"
                "</button><input id=\"slider\" type=\"range\" min=\"-1\" aria-label=\"round\">"
                "<button id=\"on\" aria-label=\"one round on\">&#8594;</button>"
                "<output id=\"said\"></output></div>\n",
                title, head, title, of->algorithm->summary);
        write_sentences(of, picture, &holdings, stream);
        fprintf(stream, "<div class=\"picture\">\n");
        has_memory = allfold_picture_write_svg(of, picture, stream);
        fprintf(stream, "</div>\n%s</body>\n</html>\n", script);
    }
    allfold_holdings_free(&holdings);
    return has_memory;
}
