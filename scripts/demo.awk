# What scripts/demo says and draws of its times. Each line is a run, its fields end with tabs: program, native
# or allfold, seconds from its start to its end, seconds of these in reductions. The n-th native run of a program
# and its n-th run under Allfold are a pair. Variables: format (text or svg), utf8 (not empty: the terminal has
# it), machine.

BEGIN {
    FS = "\t"
}

{
    if (!($1 in known)) {
        known[$1] = 1
        name[++programs] = $1
    }
    n = ++runs[$1, $2]
    wall[$1, $2, n] = $3
    reductions[$1, $2, n] = $4
}

# The quantile of sorted[1..n], between two by their distances
function quantile(share, n, position, below) {
    position = 1 + share * (n - 1)
    below = int(position)
    return sorted[below] + (below < n ? (position - below) * (sorted[below + 1] - sorted[below]) : 0)
}

function sort(n, i, j, value) {
    for (i = 2; i <= n; i++) {
        value = sorted[i]
        for (j = i - 1; j >= 1 && sorted[j] > value; j--)
            sorted[j + 1] = sorted[j]
        sorted[j + 1] = value
    }
}

function quartiles(what, n) {
    sort(n)
    for (quarter = 1; quarter <= 3; quarter++)
        q[what, quarter] = quantile(quarter / 4, n)
}

function measure(program, i, n, w, way) {
    n = runs[program, "native"]
    for (w = 1; w <= 2; w++) {
        way = w == 1 ? "native" : "allfold"
        for (i = 1; i <= n; i++)
            sorted[i] = wall[program, way, i]
        quartiles(program SUBSEP way, n)
        for (i = 1; i <= n; i++)
            sorted[i] = reductions[program, way, i] / wall[program, way, i]
        quartiles(program SUBSEP way SUBSEP "share", n)
        longest = q[program, way, 3] > longest ? q[program, way, 3] : longest
    }
    for (i = 1; i <= n; i++)
        sorted[i] = wall[program, "native", i] / wall[program, "allfold", i]
    quartiles(program SUBSEP "ratio", n)
}

# What three quarters of the pairs agree on. A gain or loss of up to 2 percent is called neither.
function is_gain(program) {
    return q[program, "ratio", 1] > 1.02
}

function is_loss(program) {
    return q[program, "ratio", 3] < 0.98
}

function verdict(program) {
    if (is_gain(program))
        return sprintf("%.2f times as fast with Allfold", q[program, "ratio", 2])
    if (is_loss(program))
        return sprintf("slower: takes %.2f times as long with Allfold", 1 / q[program, "ratio", 2])
    if (q[program, "ratio", 1] >= 0.98 && q[program, "ratio", 3] <= 1.02)
        return "within 2 % of native with Allfold"
    return "no clear difference with Allfold"
}

function sentence(program, share, bound) {
    share = q[program, "native", "share", 2]
    bound = share < 0.99 ? 1 / (1 - share) : 100
    printf "%s: %s. Native / Allfold is %.2f, the middle half of %d pairs %.2f to %.2f.\n", program,
        verdict(program), q[program, "ratio", 2], runs[program, "native"], q[program, "ratio", 1],
        q[program, "ratio", 3]
    printf "    Reductions take %.0f %% of the native time; if they took none, it would be %.2f times as fast.\n",
        100 * share, bound
}

function repeat(text, times, result) {
    result = ""
    while (times-- > 0)
        result = result text
    return result
}

function print_text(i, w, way, program, all, part) {
    full = utf8 != "" ? "\342\226\210" : "#"
    light = utf8 != "" ? "\342\226\221" : "."
    printf "Seconds from start to end, medians; %s reductions (with waiting for other ranks), %s all else:\n\n", full, light
    for (i = 1; i <= programs; i++) {
        program = name[i]
        for (w = 1; w <= 2; w++) {
            way = w == 1 ? "native" : "allfold"
            all = int(32 * q[program, way, 2] / longest + 0.5)
            part = int(32 * q[program, way, 2] * q[program, way, "share", 2] / longest + 0.5)
            printf "    %-23s %-8s%7.3f  %s%s\n", w == 1 ? program : "", w == 1 ? "native" : "Allfold",
                q[program, way, 2], repeat(full, part), repeat(light, all - part)
        }
    }
    print ""
    for (i = 1; i <= programs; i++)
        sentence(name[i])
}

function escape(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    return text
}

function text_at(x, y, class, text) {
    printf "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, escape(text)
}

function box(x, y, width, class) {
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"24\" class=\"%s\"/>\n", x, y, width, class
}

function draw_bar(program, way, y, x, part, end) {
    part = scale * q[program, way, 2] * q[program, way, "share", 2]
    end = scale * q[program, way, 2]
    text_at(left - 8, y + 17, "right", way == "native" ? "native" : "Allfold")
    box(left, y, part, "reductions")
    box(left + part, y, end - part, "rest")
    printf "<path d=\"M%.1f %.1fH%.1f\" class=\"spread\"/>\n", left + scale * q[program, way, 1], y + 12,
        left + scale * q[program, way, 3]
    x = scale * q[program, way, 3] > end ? scale * q[program, way, 3] : end
    text_at(left + x + 8, y + 17, "", sprintf("%.2f s, %.0f %% of it reductions", q[program, way, 2],
        100 * q[program, way, "share", 2]))
}

function draw_axis(y, step, i) {
    step = 0.01
    while (longest / step > 6)
        step *= index(sprintf("%g", step), "2") ? 2.5 : 2
    for (i = 0; i * step <= longest; i++) {
        printf "<path d=\"M%.1f 92V%.1f\" class=\"grid\"/>\n", left + scale * i * step, y
        text_at(left + scale * i * step, y + 16, "middle", sprintf("%g", i * step))
    }
    text_at(left, y + 36, "", "seconds of the whole program, from the start of mpirun to its end")
}

function print_style() {
    print "<style>"
    print "text { font: 14px sans-serif; fill: #1b1f23 } .title { font-size: 18px; font-weight: bold }"
    print ".small { font-size: 12px } .middle { text-anchor: middle } .right { text-anchor: end }"
    print ".page { fill: #ffffff } .reductions { fill: #0072b2 } .rest { fill: #c8cdd2 }"
    print ".spread { stroke: #1b1f23; stroke-width: 2 } .grid { stroke: #e3e6e9 }"
    print "@media (prefers-color-scheme: dark) {"
    print "text { fill: #e6e8ea } .page { fill: #15181c } .reductions { fill: #56b4e9 } .rest { fill: #565c63 }"
    print ".spread { stroke: #e6e8ea } .grid { stroke: #2b3036 } }"
    print "</style>"
}

function print_svg(i, y, title, height) {
    left = 84
    scale = 440 / longest
    height = 92 + 92 * programs + 96
    for (i = 1; i <= programs; i++)
        sorted[i] = is_gain(name[i]) || is_loss(name[i]) ? q[name[i], "ratio", 2] : 1
    sort(programs)
    title = sprintf("Whole programs are %.2f to %.2f times as fast with Allfold", sorted[1], sorted[programs])
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 %d\" width=\"780\" height=\"%d\" role=\"img\">\n",
        height, height
    printf "<title>%s</title>\n", escape(title)
    print_style()
    print "<rect width=\"100%\" height=\"100%\" class=\"page\"/>"
    text_at(20, 32, "title", title)
    box(20, 46, 24, "reductions")
    text_at(52, 63, "", "in reductions, with waiting for other ranks")
    box(360, 46, 24, "rest")
    text_at(392, 63, "", "all else: start, computing, end")
    draw_axis(92 + 92 * programs)
    for (i = 1; i <= programs; i++) {
        y = 92 + 92 * (i - 1)
        text_at(left, y + 14, "", name[i] ": " verdict(name[i]))
        draw_bar(name[i], "native", y + 22)
        draw_bar(name[i], "allfold", y + 52)
    }
    text_at(20, height - 30, "small", sprintf("Medians of %d alternating pairs of runs; a line spans the middle half of them.",
        runs[name[1], "native"]))
    text_at(20, height - 12, "small", machine)
    print "</svg>"
}

END {
    for (i = 1; i <= programs; i++)
        measure(name[i])
    if (format == "svg")
        print_svg()
    else
        print_text()
}
