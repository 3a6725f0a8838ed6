/* Linear regression of measured times (see fit.h). */
#include "lab/measure/fit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "lab/measure/statistics.h"

enum { TERMS = ALLFOLD_FIT_TERMS, ROUNDS = 20 };

double allfold_fit_time_s(const struct allfold_fit *fit, const struct allfold_fit_point *point)
{
    double time_s = 0;
    for (int i = 0; i < TERMS; i++)
        time_s += fit->value[i] * point->x[i];
    return time_s;
}

static double error_of(const struct allfold_fit *fit, const struct allfold_fit_point *point)
{
    assert(point->time_s > 0); /* errors are relative */
    return fabs(allfold_fit_time_s(fit, point) / point->time_s - 1);
}

/* The normal equations of the terms in use, with columns of length 1, so that latencies and bytes
 * are alike in size. */
struct equations {
    double matrix[TERMS][TERMS + 1];
    double length[TERMS];
    bool is_used[TERMS];
};

static void set_up(struct equations *e, const struct allfold_fit_point *points,
                   const double *weights, int count)
{
    memset(e->matrix, 0, sizeof e->matrix);
    for (int i = 0; i < TERMS; i++) {
        e->length[i] = 0;
        for (int n = 0; n < count; n++)
            e->length[i] += weights[n] * pow(points[n].x[i] / points[n].time_s, 2);
        e->length[i] = sqrt(e->length[i]);
        e->is_used[i] = e->is_used[i] && e->length[i] > 0;
    }
    for (int n = 0; n < count; n++)
        for (int i = 0; i < TERMS; i++) {
            if (!e->is_used[i])
                continue;
            const double row = points[n].x[i] / points[n].time_s / e->length[i];
            for (int k = 0; k < TERMS; k++)
                if (e->is_used[k])
                    e->matrix[i][k] +=
                        weights[n] * row * points[n].x[k] / points[n].time_s / e->length[k];
            e->matrix[i][TERMS] += weights[n] * row;
        }
}

/* Gauss and Jordan; the matrix is positive, so its diagonal serves as pivots. A term that depends
 * on those before it gets 0. */
static void solve(struct equations *e, double *value)
{
    const double least_pivot = 1e-12;
    for (int i = 0; i < TERMS; i++) {
        e->is_used[i] = e->is_used[i] && e->matrix[i][i] > least_pivot;
        for (int k = 0; e->is_used[i] && k < TERMS; k++) {
            const double factor = k == i ? 0 : e->matrix[k][i] / e->matrix[i][i];
            for (int j = 0; j <= TERMS; j++)
                e->matrix[k][j] -= factor * e->matrix[i][j];
        }
    }
    for (int i = 0; i < TERMS; i++)
        value[i] = e->is_used[i] ? e->matrix[i][TERMS] / e->matrix[i][i] / e->length[i] : 0;
}

/* The most negative value is left out, until there is none. */
static void solve_without_negatives(const struct allfold_fit_point *points, const double *weights,
                                    int count, int terms, double *value)
{
    struct equations e;
    int worst = 0;
    for (int i = 0; i < TERMS; i++)
        e.is_used[i] = i < terms;
    while (worst >= 0) {
        set_up(&e, points, weights, count);
        solve(&e, value);
        worst = -1;
        for (int i = 0; i < TERMS; i++)
            if (value[i] < 0 &&
                (worst < 0 || value[i] * e.length[i] < value[worst] * e.length[worst]))
                worst = i;
        if (worst >= 0)
            e.is_used[worst] = false;
    }
}

static bool find_errors(const struct allfold_fit_point *points, int count, struct allfold_fit *fit)
{
    double errors[ALLFOLD_FIT_POINTS];
    struct allfold_statistics statistics;
    for (int n = 0; n < count; n++)
        errors[n] = error_of(fit, &points[n]);
    if (!allfold_statistics_of(errors, count, 0.95, &statistics))
        return false;
    fit->median_error = statistics.median;
    fit->most_error = statistics.most;
    return true;
}

bool allfold_fit(const struct allfold_fit_point *points, int count, int terms,
                 struct allfold_fit *fit)
{
    const double far = 1.345 / 0.6745; /* Huber's, in median errors of a normal distribution */
    const double exact = 1e-9;
    double weights[ALLFOLD_FIT_POINTS];
    memset(fit, 0, sizeof *fit);
    if (count <= 0 || count > ALLFOLD_FIT_POINTS || terms < 1 || terms > TERMS)
        return false;
    for (int n = 0; n < count; n++) {
        weights[n] = 1;
        if (!(points[n].time_s > 0))
            return false;
    }
    for (int round = 0; round < ROUNDS; round++) {
        solve_without_negatives(points, weights, count, terms, fit->value);
        if (!find_errors(points, count, fit))
            return false;
        const double near = fmax(far * fit->median_error, exact);
        for (int n = 0; n < count; n++)
            weights[n] = fmin(1, near / fmax(error_of(fit, &points[n]), exact));
    }
    return true;
}

/* --- classes --- */

/* The best cuts of the first `end` points into so many classes. */
struct cut {
    double squares;
    int begin; /* of the last class */
};

static double squares_of(const struct allfold_fit_point *points, int begin, int end)
{
    struct allfold_fit fit;
    double squares = 0;
    if (!allfold_fit(points + begin, end - begin, 2, &fit))
        return INFINITY;
    for (int n = begin; n < end; n++)
        squares += pow(error_of(&fit, &points[n]), 2);
    return squares;
}

static bool is_border(const struct allfold_fit_point *points, int n, int count)
{
    return n == 0 || n == count || points[n].x[1] > points[n - 1].x[1];
}

static int sizes_in(const struct allfold_fit_point *points, int begin, int end)
{
    int sizes = 0;
    for (int n = begin; n < end; n++)
        sizes += n == begin || points[n].x[1] > points[n - 1].x[1];
    return sizes;
}

static void cut_all(const struct allfold_fit_point *points, int count, int most,
                    struct cut cuts[][ALLFOLD_FIT_POINTS + 1])
{
    enum { LEAST_SIZES = 3 };
    for (int c = 0; c < most; c++)
        for (int end = 0; end <= count; end++)
            cuts[c][end] = (struct cut){INFINITY, 0};
    for (int end = 1; end <= count; end++)
        for (int begin = 0; begin < end; begin++) {
            if (!is_border(points, begin, count) || !is_border(points, end, count) ||
                (end - begin < count && sizes_in(points, begin, end) < LEAST_SIZES))
                continue;
            const double squares = squares_of(points, begin, end);
            for (int c = begin == 0 ? 0 : 1; c < (begin == 0 ? 1 : most); c++) {
                const double all = squares + (begin == 0 ? 0 : cuts[c - 1][begin].squares);
                if (all < cuts[c][end].squares)
                    cuts[c][end] = (struct cut){all, begin};
            }
        }
}

/* Schwarz's criterion; errors of a hundredth are as good as none. */
static int choose_count(const struct cut cuts[][ALLFOLD_FIT_POINTS + 1], int count, int most)
{
    const double none = 1e-4;
    double best = INFINITY;
    int chosen = 0;
    for (int c = 0; c < most; c++) {
        const double score =
            count * log(cuts[c][count].squares / count + none) + 3 * (c + 1) * log(count);
        if (score < best) {
            best = score;
            chosen = c + 1;
        }
    }
    return chosen;
}

int allfold_fit_classes(const struct allfold_fit_point *points, int count, int most,
                        struct allfold_fit_class *classes)
{
    struct cut cuts[ALLFOLD_FIT_CLASSES][ALLFOLD_FIT_POINTS + 1];
    if (count <= 0 || count > ALLFOLD_FIT_POINTS || most > ALLFOLD_FIT_CLASSES)
        return 0;
    cut_all(points, count, most, cuts);
    const int chosen =
        choose_count((const struct cut(*)[ALLFOLD_FIT_POINTS + 1]) cuts, count, most);
    for (int c = chosen - 1, end = count; c >= 0; c--) {
        const int begin = cuts[c][end].begin;
        struct allfold_fit fit;
        if (!allfold_fit(points + begin, end - begin, 2, &fit))
            return 0;
        classes[c] = (struct allfold_fit_class){.latency_s = fit.value[0],
                                                .byte_s = fit.value[1],
                                                .median_error = fit.median_error,
                                                .most_error = fit.most_error};
        if (begin > 0)
            classes[c].from_bytes = (size_t)sqrt(points[begin - 1].x[1] * points[begin].x[1]);
        end = begin;
    }
    return chosen;
}
