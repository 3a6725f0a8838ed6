/* The mesh: newest-vertex bisection (Mitchell, "A comparison of adaptive refinement techniques for
 * elliptic problems", 1989). Two triangles are bisected together, at a common edge that is the next
 * one for both, so the mesh never has hanging nodes. Both halves belong to the owner of the whole.
 */
#include "fem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends all ranks when there is no memory. */
static void *grow(void *list, size_t *room, size_t size)
{
    *room = *room * 2 + 64;
    void *more = *room < INT_MAX ? realloc(list, *room * size) : NULL;
    if (more == NULL) {
        fprintf(stderr, "fem: no memory for a mesh this large; use fewer --steps or a lower "
                        "--base\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return more;
}

static int add_node(struct mesh *mesh, double x, double y)
{
    if ((size_t)mesh->nodes == mesh->node_room)
        mesh->node = grow(mesh->node, &mesh->node_room, sizeof *mesh->node);
    mesh->node[mesh->nodes] = (struct node){x, y};
    return mesh->nodes++;
}

static int add_triangle(struct mesh *mesh, struct triangle triangle)
{
    if ((size_t)mesh->triangles == mesh->triangle_room)
        mesh->triangle = grow(mesh->triangle, &mesh->triangle_room, sizeof *mesh->triangle);
    mesh->triangle[mesh->triangles] = triangle;
    return mesh->triangles++;
}

/* Square by square and row by row, a lower right and an upper left triangle. */
void mesh_make(struct mesh *mesh, int base, int size)
{
    *mesh = (struct mesh){0};
    for (int i = 0; i <= base; i++) {
        for (int j = 0; j <= base; j++)
            add_node(mesh, (double)j / base, (double)i / base);
    }
    int squares = base * base;
    for (int square = 0; square < squares; square++) {
        int column = square % base;
        int corner = square / base * (base + 1) + column;
        int below = square >= base ? 2 * (square - base) + 1 : -1;
        int above = square < squares - base ? 2 * (square + base) : -1;
        int left = column > 0 ? 2 * (square - 1) : -1;
        int right = column < base - 1 ? 2 * (square + 1) + 1 : -1;
        int opposite = corner + base + 2;
        int owner = (int)((long long)square * size / squares);
        add_triangle(mesh, (struct triangle){.node = {corner + 1, opposite, corner},
                                             .neighbour = {2 * square + 1, below, right},
                                             .owner = owner});
        add_triangle(mesh, (struct triangle){.node = {opposite - 1, corner, opposite},
                                             .neighbour = {2 * square, above, left},
                                             .owner = owner});
    }
}

/* Halves a triangle at the middle of its edge; the half with node 1 stays in place, that with
 * node 2 is new and returned. What is across the cut edge is left to the caller. */
static int split(struct mesh *mesh, int index, int middle)
{
    struct triangle old = mesh->triangle[index];
    int added = mesh->triangles;
    add_triangle(mesh, (struct triangle){.node = {middle, old.node[2], old.node[0]},
                                         .neighbour = {old.neighbour[1], index, -1},
                                         .owner = old.owner});
    mesh->triangle[index] = (struct triangle){.node = {middle, old.node[0], old.node[1]},
                                              .neighbour = {old.neighbour[2], -1, added},
                                              .owner = old.owner};
    for (int i = 0; i < 3 && old.neighbour[1] >= 0; i++) {
        int *back = &mesh->triangle[old.neighbour[1]].neighbour[i];
        if (*back == index)
            *back = added;
    }
    return added;
}

/* Cuts a triangle, but first its neighbour if that is to be cut at another edge. Such a neighbour
 * has been cut less often; the recursion ends at the latest with the first mesh, where all match.
 */
static void refine(struct mesh *mesh, int index)
{
    int other = mesh->triangle[index].neighbour[0];
    if (other >= 0 && mesh->triangle[other].neighbour[0] != index)
        refine(mesh, other);
    struct triangle old = mesh->triangle[index];
    struct node from = mesh->node[old.node[1]];
    struct node to = mesh->node[old.node[2]];
    int middle = add_node(mesh, 0.5 * (from.x + to.x), 0.5 * (from.y + to.y));
    int added = split(mesh, index, middle);
    other = old.neighbour[0];
    if (other < 0)
        return;
    int other_added = split(mesh, other, middle);
    mesh->triangle[index].neighbour[1] = other_added;
    mesh->triangle[added].neighbour[2] = other;
    mesh->triangle[other].neighbour[1] = added;
    mesh->triangle[other_added].neighbour[2] = index;
}

void mesh_refine(struct mesh *mesh, const unsigned char *marks)
{
    int count = mesh->triangles;
    for (int i = 0; i < count; i++)
        mesh->triangle[i].marked = marks[i];
    for (int i = 0; i < count; i++) {
        if (mesh->triangle[i].marked) /* not if meanwhile cut for a neighbour's sake */
            refine(mesh, i);
    }
}

void mesh_free(struct mesh *mesh)
{
    free(mesh->node);
    free(mesh->triangle);
    *mesh = (struct mesh){0};
}
