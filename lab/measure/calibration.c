/* Calibration of network models (see calibration.h). */
#include "lab/measure/calibration.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "lab/measure/fit.h"
#include "util/number.h"
#include "util/quantity.h"

enum { TEXT_BYTES = 40, MOST_CLASSES = 4 /* of sizes; more are noise */ };

static const double least_s = 1e-12, least_byte_s = 1e-15; /* constants are more than 0 */

/* --- gathering --- */

/* What all rows of a fit are made with. */
struct fitting {
    const struct allfold_calibration_sample *samples;
    int count;
    struct allfold_calibration *to;
    enum allfold_level level;
    int least_lanes, most_lanes; /* that there are samples of, on that level */
    struct allfold_fit_point points[ALLFOLD_FIT_POINTS];
};

/* Makes a point's x of a sample; false where the fit has no use for it. */
typedef bool row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                 double *x);

static int gather(struct fitting *f, row *make)
{
    int count = 0;
    for (int i = 0; i < f->count && count < ALLFOLD_FIT_POINTS; i++) {
        struct allfold_fit_point *point = &f->points[count];
        *point = (struct allfold_fit_point){.time_s = f->samples[i].time_s};
        count += f->samples[i].level == f->level && make(f, &f->samples[i], point->x);
    }
    return count;
}

static void find_lanes(struct fitting *f)
{
    f->least_lanes = f->most_lanes = 0;
    for (int i = 0; i < f->count; i++) {
        const struct allfold_calibration_sample *sample = &f->samples[i];
        if (sample->level != f->level || sample->kind != ALLFOLD_TIMED_BOTH_WAYS)
            continue;
        if (f->least_lanes == 0 || sample->lanes < f->least_lanes)
            f->least_lanes = sample->lanes;
        f->most_lanes = sample->lanes > f->most_lanes ? sample->lanes : f->most_lanes;
    }
}

static void __attribute__((format(printf, 6, 7)))
note(struct fitting *f, int points, double median_error, double most_error, const char *what,
     const char *format, ...)
{
    if (f->to->fit_count == ALLFOLD_CALIBRATION_FITS)
        return;
    struct allfold_calibration_fit *fit = &f->to->fits[f->to->fit_count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fit->constants, sizeof fit->constants, format, arguments);
    va_end(arguments);
    snprintf(fit->what, sizeof fit->what, "%s: %s", allfold_level_names[f->level], what);
    fit->points = points;
    fit->median_error = median_error;
    fit->most_error = most_error;
}

/* To four digits, which is more than measurements are worth, as they are written in some unit. */
static double rounded(double value, const struct allfold_unit *units)
{
    char text[TEXT_BYTES];
    const struct allfold_unit *unit = allfold_fitting_unit(value, units);
    double number;
    const char *end;
    const locale_t before = allfold_numbers_plain();
    snprintf(text, sizeof text, "%.4g%s", value / unit->value, unit->name);
    allfold_numbers_restore(before);
    return allfold_quantity_read(text, units, &number, &end) ? number : value;
}

static double rounded_s(double value_s)
{
    return rounded(value_s, allfold_time_units);
}

struct text {
    char text[TEXT_BYTES];
};

static struct text say(double value, const struct allfold_unit *units)
{
    struct text text;
    allfold_quantity_write(rounded(value, units), units, text.text, sizeof text.text);
    return text;
}

/* --- the network that simulations take --- */

static bool line_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                     double *x)
{
    x[0] = 1;
    x[1] = (double)sample->bytes;
    return sample->kind == ALLFOLD_TIMED_BOTH_WAYS && sample->lanes == f->least_lanes &&
           sample->messages == 1;
}

/* Several messages at once go one after the other through their sender. */
static bool overhead_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                         double *x)
{
    enum { SHORT_BYTES = 4096 };
    x[0] = 1;
    x[1] = sample->messages - 1;
    x[2] = (double)sample->messages * (double)sample->bytes;
    return sample->kind == ALLFOLD_TIMED_BOTH_WAYS && sample->lanes == f->least_lanes &&
           sample->bytes <= SHORT_BYTES;
}

/* Several ranks of a node at once: equation 3 of Bienz et al. */
static bool limit_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                      double *x)
{
    enum { LONG_BYTES = 32 << 10 };
    x[0] = 1;
    x[1] = (double)sample->lanes * (double)sample->bytes;
    return sample->kind == ALLFOLD_TIMED_BOTH_WAYS && sample->lanes > f->least_lanes &&
           sample->messages == 1 && sample->bytes >= LONG_BYTES;
}

static bool one_way_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                        double *x)
{
    const struct allfold_link *link =
        allfold_network_link(&f->to->network, f->level, sample->bytes);
    x[0] = link->latency_s;
    x[1] = link->bandwidth > 0 ? (double)sample->bytes / link->bandwidth : 0;
    return sample->kind == ALLFOLD_TIMED_ONE_WAY;
}

static double rate_of(double byte_s)
{
    return byte_s > least_byte_s ? rounded(1 / byte_s, allfold_rate_units) : 0;
}

/* The ranges of a level; false where there is nothing to fit. */
static bool fit_links(struct fitting *f, enum allfold_level level)
{
    struct allfold_fit_class classes[ALLFOLD_FIT_CLASSES];
    char what[TEXT_BYTES];
    const int points = gather(f, line_row);
    const int count = allfold_fit_classes(f->points, points, MOST_CLASSES, classes);
    struct allfold_network *network = &f->to->network;
    network->link_count[level] = count;
    for (int i = 0; i < count; i++) {
        struct allfold_link *link = &network->links[level][i];
        *link =
            (struct allfold_link){.from_bytes = classes[i].from_bytes,
                                  .to_bytes = i + 1 < count ? classes[i + 1].from_bytes : SIZE_MAX,
                                  .latency_s = rounded_s(fmax(classes[i].latency_s, least_s)),
                                  .bandwidth = rate_of(classes[i].byte_s)};
        link->overhead_s = link->latency_s;
        int in_class = 0;
        for (int k = 0; k < points; k++)
            in_class += f->points[k].x[1] >= (double)link->from_bytes &&
                        f->points[k].x[1] < (double)link->to_bytes;
        snprintf(what, sizeof what, "messages of %zu bytes and more", link->from_bytes);
        note(f, in_class, classes[i].median_error, classes[i].most_error, what,
             "latency %s, bandwidth %s", say(link->latency_s, allfold_time_units).text,
             say(link->bandwidth, allfold_rate_units).text);
    }
    return count > 0;
}

static void fit_overhead(struct fitting *f, enum allfold_level level)
{
    struct allfold_fit fit;
    struct allfold_network *network = &f->to->network;
    const int points = gather(f, overhead_row);
    if (!allfold_fit(f->points, points, 3, &fit))
        return;
    for (int i = 0; i < network->link_count[level]; i++) {
        struct allfold_link *link = &network->links[level][i];
        link->overhead_s = rounded_s(fmin(fit.value[1], link->latency_s));
    }
    note(f, points, fit.median_error, fit.most_error, "several messages at once", "overhead %s",
         say(fit.value[1], allfold_time_units).text);
}

/* A limit that is no less than what the ranks can send together is none. */
static void fit_limit(struct fitting *f, enum allfold_level level)
{
    struct allfold_fit fit;
    struct allfold_network *network = &f->to->network;
    const int points = gather(f, limit_row);
    if (!allfold_fit(f->points, points, 2, &fit))
        return;
    const double limit = rate_of(fit.value[1]);
    for (int i = 0; i < network->link_count[level]; i++) {
        struct allfold_link *link = &network->links[level][i];
        if (limit < f->most_lanes * link->bandwidth)
            link->limit = limit;
    }
    network->ejection |= f->level == ALLFOLD_LEVEL_NETWORK && limit > 0;
    note(f, points, fit.median_error, fit.most_error, "several ranks at once", "limit %s",
         say(limit, allfold_rate_units).text);
}

static void fit_one_way(struct fitting *f)
{
    const double least_factor = 0.01;
    struct allfold_fit fit;
    const int points = gather(f, one_way_row);
    if (!allfold_fit(f->points, points, 2, &fit))
        return;
    struct allfold_network *network = &f->to->network;
    network->one_way_latency = rounded(fmax(fit.value[0], least_factor), allfold_no_units);
    network->one_way_byte = rounded(fmax(fit.value[1], least_factor), allfold_no_units);
    note(f, points, fit.median_error, fit.most_error, "one way",
         "latency x %.3g, time per byte x %.3g", network->one_way_latency, network->one_way_byte);
}

static bool fit_level(struct fitting *f, enum allfold_level level)
{
    f->level = level;
    find_lanes(f);
    if (!fit_links(f, level))
        return false;
    fit_overhead(f, level);
    fit_limit(f, level);
    fit_one_way(f); /* that of the farthest level, which comes last */
    return true;
}

/* --- reductions and copies --- */

static bool reduce_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                       double *x)
{
    (void)f;
    x[0] = 1;
    x[1] = (double)sample->bytes;
    return sample->kind == ALLFOLD_TIMED_REDUCTION;
}

static bool copy_row(const struct fitting *f, const struct allfold_calibration_sample *sample,
                     double *x)
{
    reduce_row(f, sample, x);
    return sample->kind == ALLFOLD_TIMED_COPY;
}

/* Seconds a byte; reported besides are those of the shortest and the longest, in the caches and
 * out of them. */
static double fit_bytes(struct fitting *f, row *make, const char *what)
{
    struct allfold_fit fit;
    f->level = ALLFOLD_LEVEL_NODE;
    const int points = gather(f, make);
    if (!allfold_fit(f->points, points, 2, &fit))
        return 0;
    double least = INFINITY;
    for (int i = 0; i < points; i++)
        least = fmin(least, f->points[i].time_s / f->points[i].x[1]);
    const struct allfold_fit_point *last = &f->points[points - 1];
    note(f, points, fit.median_error, fit.most_error, what,
         "%s a byte; %s in caches, %s at %.0f bytes", say(fit.value[1], allfold_time_units).text,
         say(least, allfold_time_units).text,
         say(last->time_s / last->x[1], allfold_time_units).text, last->x[1]);
    return rounded_s(fit.value[1]);
}

/* Levels without samples of their own are like others. */
static void fill_links(struct allfold_network *network, bool has_near, enum allfold_level from)
{
    for (int level = 0; level < ALLFOLD_LEVEL_COUNT; level++) {
        if (network->link_count[level] > 0)
            continue;
        const int like = level == ALLFOLD_LEVEL_SOCKET && has_near ? ALLFOLD_LEVEL_NODE : (int)from;
        network->link_count[level] = network->link_count[like];
        memcpy(network->links[level], network->links[like], sizeof network->links[level]);
    }
}

bool allfold_calibrate(const struct allfold_calibration_sample *samples, int count,
                       struct allfold_calibration *calibration, char *message, size_t message_bytes)
{
    struct fitting f = {.samples = samples, .count = count, .to = calibration};
    *calibration = (struct allfold_calibration){.network = {.name = "calibrated",
                                                            .sockets = 1,
                                                            .cards = 1,
                                                            .one_way_latency = 1,
                                                            .one_way_byte = 1}};
    const bool has_sockets = fit_level(&f, ALLFOLD_LEVEL_SOCKET);
    const bool has_near = fit_level(&f, ALLFOLD_LEVEL_NODE);
    const bool has_far = fit_level(&f, ALLFOLD_LEVEL_NETWORK);
    if (!has_sockets && !has_near && !has_far) {
        snprintf(message, message_bytes, "there are no messages to fit");
        return false;
    }
    struct allfold_network *network = &calibration->network;
    fill_links(network, has_near, has_far ? ALLFOLD_LEVEL_NETWORK : ALLFOLD_LEVEL_NODE);
    network->reduce_s = fit_bytes(&f, reduce_row, "a reduction");
    network->copy_s = fit_bytes(&f, copy_row, "a copy");
    return true;
}

/* --- samples as lines ------------------------------------------------------------------------- */

static const char *const kind_names[ALLFOLD_CALIBRATION_KINDS] = {
    [ALLFOLD_TIMED_ONE_WAY] = "one_way",
    [ALLFOLD_TIMED_BOTH_WAYS] = "both_ways",
    [ALLFOLD_TIMED_REDUCTION] = "reduce",
    [ALLFOLD_TIMED_COPY] = "copy",
};

const char *allfold_calibration_kind_name(enum allfold_calibration_kind kind)
{
    return kind_names[kind];
}

void allfold_calibration_write_sample(const struct allfold_calibration_sample *sample, FILE *stream)
{
    const locale_t before = allfold_numbers_plain();
    fprintf(stream, "%s\t%s\t%d\t%d\t%zu\t%.9g\t%.9g\t%d\n", kind_names[sample->kind],
            allfold_level_names[sample->level], sample->lanes, sample->messages, sample->bytes,
            sample->time_s, sample->least_s, sample->count);
    allfold_numbers_restore(before);
}

bool allfold_calibration_read_sample(const char *line, struct allfold_calibration_sample *sample)
{
    char kind[20], level[20], time[40], least[40];
    *sample = (struct allfold_calibration_sample){.lanes = 0};
    if (sscanf(line, "%19s %19s %d %d %zu %39s %39s %d", kind, level, &sample->lanes,
               &sample->messages, &sample->bytes, time, least, &sample->count) != 8 ||
        !allfold_number_is(time, &sample->time_s) || !allfold_number_is(least, &sample->least_s))
        return false;
    while (sample->kind < ALLFOLD_CALIBRATION_KINDS && strcmp(kind_names[sample->kind], kind) != 0)
        sample->kind++;
    while (sample->level < ALLFOLD_LEVEL_COUNT &&
           strcmp(allfold_level_names[sample->level], level) != 0)
        sample->level++;
    return sample->kind < ALLFOLD_CALIBRATION_KINDS && sample->lanes > 0 && sample->messages > 0 &&
           sample->bytes > 0 && sample->time_s > 0 && sample->least_s > 0 &&
           sample->level < ALLFOLD_LEVEL_COUNT;
}
