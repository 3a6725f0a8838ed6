/*
 * laplace.c: solves the 2-D Laplace problem on N x N points by PETSc's conjugate gradients, and
 * prints the result. It does not use Allfold itself.
 */
#include <petscksp.h>

/* Row r of the five-point matrix. */
static PetscErrorCode set_row(Mat a, PetscInt r, PetscInt n)
{
    const PetscInt i = r / n, j = r % n;
    PetscCall(MatSetValue(a, r, r, 4.0, INSERT_VALUES));
    if (i > 0)
        PetscCall(MatSetValue(a, r, r - n, -1.0, INSERT_VALUES));
    if (i < n - 1)
        PetscCall(MatSetValue(a, r, r + n, -1.0, INSERT_VALUES));
    if (j > 0)
        PetscCall(MatSetValue(a, r, r - 1, -1.0, INSERT_VALUES));
    if (j < n - 1)
        PetscCall(MatSetValue(a, r, r + 1, -1.0, INSERT_VALUES));
    return 0;
}

static PetscErrorCode solve(PetscInt n)
{
    Mat a;
    Vec x, b;
    KSP ksp;
    PetscInt first, end, iterations;
    PetscReal norm;
    PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 5,
                           NULL, &a));
    PetscCall(MatGetOwnershipRange(a, &first, &end));
    for (PetscInt r = first; r < end; r++)
        PetscCall(set_row(a, r, n));
    PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
    PetscCall(MatCreateVecs(a, &x, &b));
    PetscCall(VecSet(b, 1.0));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetOperators(ksp, a, a));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(VecNorm(x, NORM_2, &norm));
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "iterations %d\nnorm %.9e\n", (int)iterations, (double)norm));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&a));
    return 0;
}

int main(int argc, char **argv)
{
    PetscInt n = 200;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-points", &n, NULL));
    PetscCall(solve(n));
    PetscCall(PetscFinalize());
    return 0;
}
