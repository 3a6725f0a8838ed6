/* The declarations of the example fem: adaptive finite elements in 2-D.
 *
 * The unit square is divided into triangles, which are refined by newest-vertex bisection around a
 * circular front that grows from step to step. Every rank stores the whole mesh and refines it in
 * the same way, but assembles only its own triangles, into vectors with one entry for each node. */
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

/* A triangle. Nodes are in counterclockwise order, the newest node first; the edge opposite to it
 * is the next one to be bisected. Neighbor i is across the edge opposite to node i; -1 at the
 * boundary of the domain. */
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
    size_t node_room;     /* capacity of `node` */
    size_t triangle_room; /* capacity of `triangle` */
};

/* The assembled vectors, each with one entry for each node. */
enum { LOAD, MASS, VECTORS };

/* Parses the command line; prints help if requested, or an error. Rank 0 only. */
enum parsed options_parse(int argc, char **argv, struct options *options);

/* Allocates zeroed memory. Aborts all ranks if out of memory. */
void *allocate(int count, size_t size);

/* Makes a mesh of base x base squares, each of two triangles. Ranks 0 to size - 1 own bands of
 * squares. */
void mesh_make(struct mesh *mesh, int base, int size);

/* Bisects the marked triangles, and others as needed to avoid hanging nodes. */
void mesh_refine(struct mesh *mesh, const unsigned char *marks);

void mesh_free(struct mesh *mesh);

/* Adds the triangles of `owner` (-1: all triangles) to the load vector and the lumped mass. */
void assemble(const struct mesh *mesh, int owner, double radius, double *const vector[]);

/* Checks the sums of the assembled vectors. Prints an error and returns false if one is wrong. */
bool check_totals(int step, const struct mesh *mesh, double radius, double *const vector[]);

/* Compares each entry with a serial assembly. Prints an error and returns false if one differs. */
bool check_entries(int step, const struct mesh *mesh, double radius, double *const vector[]);

/* Returns a value between the areas of triangles of the last level and of the level before, so that
 * comparisons with it are safe from rounding errors. */
double finest_area(int base);

/* Marks the triangles over which the projection of the source, load over mass, varies most, except
 * triangles that are not larger than `finest`. */
void mark(const struct mesh *mesh, double finest, double *const vector[], unsigned char *marks);

#endif
