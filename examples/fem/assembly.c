/* The load vector and the lumped mass on the mesh, their checks, and the error indicator. */
#include "fem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of the largest indicator: low enough for a mesh that grows by half per step at first. */
static const double MARK_ABOVE = 0.04;

void *allocate(int count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (memory == NULL) {
        fprintf(stderr, "fem: no memory for %d x %zu bytes; use fewer --steps or a lower --base\n",
                count, size);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory;
}

static double area(const struct mesh *mesh, const struct triangle *triangle)
{
    struct node a = mesh->node[triangle->node[0]];
    struct node b = mesh->node[triangle->node[1]];
    struct node c = mesh->node[triangle->node[2]];
    return 0.5 * ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
}

/* The source term in the middle of the edge opposite of node i: a ridge along the front. */
static double source(const struct mesh *mesh, const struct triangle *triangle, int i, double radius)
{
    struct node a = mesh->node[triangle->node[(i + 1) % 3]];
    struct node b = mesh->node[triangle->node[(i + 2) % 3]];
    double x = 0.5 * (a.x + b.x) - 0.31;
    double y = 0.5 * (a.y + b.y) - 0.27;
    double distance = (sqrt(x * x + y * y) - radius) / 0.01;
    return 1.0 / (1.0 + distance * distance);
}

/* The quadrature takes the middles of the edges, where the two shape functions of the edge's ends
 * are one half. */
void assemble(const struct mesh *mesh, int owner, double radius, double *const vector[])
{
    for (int index = 0; index < mesh->triangles; index++) {
        const struct triangle *triangle = &mesh->triangle[index];
        if (owner >= 0 && triangle->owner != owner)
            continue;
        double third = area(mesh, triangle) / 3.0;
        for (int i = 0; i < 3; i++) {
            double half = 0.5 * third * source(mesh, triangle, i, radius);
            vector[LOAD][triangle->node[(i + 1) % 3]] += half;
            vector[LOAD][triangle->node[(i + 2) % 3]] += half;
            vector[MASS][triangle->node[i]] += third;
        }
    }
}

/* The integral of the source, triangle by triangle, without shape functions or vectors. */
static double integrate(const struct mesh *mesh, double radius)
{
    long double sum = 0.0L;
    for (int index = 0; index < mesh->triangles; index++) {
        const struct triangle *triangle = &mesh->triangle[index];
        double values = 0.0;
        for (int i = 0; i < 3; i++)
            values += source(mesh, triangle, i, radius);
        sum += area(mesh, triangle) / 3.0 * values;
    }
    return (double)sum;
}

/* All terms are positive, so that rounding stays far below this bound. */
static bool is_close(double value, double expected)
{
    return fabs(value - expected) <= 1e-12 * fabs(expected);
}

static bool check_total(int step, const char *what, const double *vector, int length,
                        double expected)
{
    long double sum = 0.0L;
    for (int i = 0; i < length; i++)
        sum += vector[i];
    if (is_close((double)sum, expected))
        return true;
    fprintf(stderr, "fem: step %d: the %s adds up to %.17g, expected %.17g\n", step, what,
            (double)sum, expected);
    return false;
}

bool check_totals(int step, const struct mesh *mesh, double radius, double *const vector[])
{
    bool load = check_total(step, "load", vector[LOAD], mesh->nodes, integrate(mesh, radius));
    bool mass = check_total(step, "lumped mass", vector[MASS], mesh->nodes, 1.0);
    return load && mass;
}

bool check_entries(int step, const struct mesh *mesh, double radius, double *const vector[])
{
    static const char *const name[VECTORS] = {"load", "lumped mass"};
    double *expected[VECTORS] = {allocate(mesh->nodes, sizeof(double)),
                                 allocate(mesh->nodes, sizeof(double))};
    bool good = true;
    assemble(mesh, -1, radius, expected);
    for (int which = 0; which < VECTORS; which++) {
        for (int i = 0; i < mesh->nodes && good; i++) {
            good = is_close(vector[which][i], expected[which][i]);
            if (!good)
                fprintf(stderr, "fem: step %d: the %s of node %d is %.17g, expected %.17g\n", step,
                        name[which], i, vector[which][i], expected[which][i]);
        }
        free(expected[which]);
    }
    return good;
}

double finest_area(int base)
{
    enum { LEVELS = 8 }; /* times that a triangle of the first mesh may be halved */
    return ldexp(0.75 / base / base, -LEVELS);
}

void mark(const struct mesh *mesh, double finest, double *const vector[], unsigned char *marks)
{
    double *indicator = allocate(mesh->triangles, sizeof(double));
    double largest = 0.0;
    for (int index = 0; index < mesh->triangles; index++) {
        const struct triangle *triangle = &mesh->triangle[index];
        double low = INFINITY;
        double high = -INFINITY;
        for (int i = 0; i < 3; i++) {
            double value = vector[LOAD][triangle->node[i]] / vector[MASS][triangle->node[i]];
            low = fmin(low, value);
            high = fmax(high, value);
        }
        indicator[index] = sqrt(area(mesh, triangle)) * (high - low);
        largest = fmax(largest, indicator[index]);
    }
    for (int index = 0; index < mesh->triangles; index++)
        marks[index] =
            indicator[index] > MARK_ABOVE * largest && area(mesh, &mesh->triangle[index]) > finest;
    free(indicator);
}
