/* Adaptive finite elements in 2-D: what the files of this program share.
 *
 * The unit square is cut into triangles, which are refined by newest-vertex bisection around a
 * circular front that grows from step to step. Every rank keeps the whole mesh and refines it
 * alike, but assembles only its own triangles, into vectors with an entry per node. */
#ifndef FEM_H
#define FEM_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#include "../options.h"

struct options {
    int steps;
    int base;
    bool check_all;
};

/* Counter-clockwise. The newest node comes first; the edge opposite of it is the one to cut next.
 * Neighbour i is across the edge opposite of node i, -1 outside of the domain. */
struct triangle {
    int node[3];
    int neighbour[3];
    int owner;
    bool marked;
};

struct node {
    double x;
    double y;
};

struct mesh {
    struct node *node;
    struct triangle *triangle;
    int nodes;
    int triangles;
    size_t node_room;
    size_t triangle_room;
};

/* What is assembled: an entry per node in each. */
enum { LOAD, MASS, VECTORS };

/* Rank 0 only. Prints help or what is wrong. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Zeroed memory; ends all ranks when there is none. */
void *allocate(int count, size_t size);

/* base x base squares, each of two triangles; the owners 0 to size - 1 get bands of squares. */
void mesh_make(struct mesh *mesh, int base, int size);

/* Cuts the marked triangles, and more so that the mesh has no hanging nodes. */
void mesh_refine(struct mesh *mesh, const unsigned char *marks);

void mesh_free(struct mesh *mesh);

/* Adds the triangles of one owner, or with -1 of all, to load and lumped mass. */
void assemble(const struct mesh *mesh, int owner, double radius, double *const vector[]);

/* Whether the assembled vectors add up to what they should; prints what does not. */
bool check_totals(int step, const struct mesh *mesh, double radius, double *const vector[]);

/* Whether each entry is as when assembled by one rank alone; prints what is not. */
bool check_entries(int step, const struct mesh *mesh, double radius, double *const vector[]);

/* Between the areas of triangles of the last level and of the one before, far from rounding. */
double finest_area(int base);

/* Marks triangles over which the source's projection, load over mass, varies most, except those
 * that are no larger than the finest area. */
void mark(const struct mesh *mesh, double finest, double *const vector[], unsigned char *marks);

#endif
