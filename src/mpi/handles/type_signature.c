/* Type signatures (see type_signature.h): polynomial hashes modulo 2^64, in which each basic type
 * is a coefficient. */
#include "mpi/handles/type_signature.h"

#include <string.h>

#include "mpi/handles/type_size.h"
#include "mpi/handles/predefined.h"
#include "util/memory.h"
#include "util/hash.h"

/* The value of a sequence, and the base to the power of its length. */
struct sequence {
    uint64_t value, power;
};

static const struct sequence empty = {0, 1};

static struct sequence join(struct sequence first, struct sequence second)
{
    return (struct sequence){first.value * second.power + second.value, first.power * second.power};
}

static struct sequence repeat(struct sequence part, uint64_t times)
{
    struct sequence all = empty;
    for (; times > 0; times /= 2) {
        if (times % 2 == 1)
            all = join(all, part);
        part = join(part, part);
    }
    return all;
}

/* What has no kernels (MPI_CHAR, MPI_PACKED) is known by its name. */
static struct sequence of_basic(MPI_Datatype datatype)
{
    const uint64_t base = 0x9e3779b97f4a7c15u;
    const struct allfold_known_type *known = allfold_basic_type(datatype);
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (known != NULL && known->type != ALLFOLD_TYPE_COUNT)
        return (struct sequence){allfold_hash(base, &known->type, sizeof known->type) | 1, base};
    PMPI_Type_get_name(datatype, name, &length);
    return (struct sequence){allfold_hash(base, name, strlen(name)) | 1, base};
}

static struct sequence of_type(MPI_Datatype datatype);

/* Returns how many elements of `part` a datatype has that is derived from `part` alone. */
static uint64_t times_in(MPI_Datatype whole, MPI_Datatype part)
{
    MPI_Count whole_bytes = 0, part_bytes = 0;
    allfold_type_size(whole, &whole_bytes);
    allfold_type_size(part, &part_bytes);
    return part_bytes > 0 ? (uint64_t)(whole_bytes / part_bytes) : 0;
}

static void free_part(MPI_Datatype part)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(part, &integers, &addresses, &types, &combiner);
    if (combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
        combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER)
        return;
    PMPI_Type_free(&part);
}

/* Returns the sequence of a derived datatype. If it has several parts, `integers` has their
 * lengths. */
static struct sequence of_parts(MPI_Datatype whole, const int *integers, MPI_Datatype *parts,
                                int part_count, bool is_struct)
{
    struct sequence all = empty;
    for (int i = 0; i < part_count; i++) {
        const uint64_t times = is_struct ? (uint64_t)integers[1 + i] : times_in(whole, parts[i]);
        all = join(all, repeat(of_type(parts[i]), times));
        free_part(parts[i]);
    }
    return all;
}

static struct sequence of_type(MPI_Datatype datatype)
{
    int integer_count, address_count, part_count, combiner;
    struct sequence all = empty;
    PMPI_Type_get_envelope(datatype, &integer_count, &address_count, &part_count, &combiner);
    if (part_count == 0)
        return of_basic(datatype);
    int *integers = allfold_allocate((size_t)(integer_count + 1) * sizeof *integers);
    MPI_Aint *addresses = allfold_allocate((size_t)(address_count + 1) * sizeof *addresses);
    MPI_Datatype *parts = allfold_allocate((size_t)part_count * sizeof *parts);
    if (integers != NULL && addresses != NULL && parts != NULL &&
        PMPI_Type_get_contents(datatype, integer_count, address_count, part_count, integers,
                               addresses, parts) == MPI_SUCCESS)
        all = of_parts(datatype, integers, parts, part_count, combiner == MPI_COMBINER_STRUCT);
    allfold_free(integers);
    allfold_free(addresses);
    allfold_free(parts);
    return all;
}

uint64_t allfold_signature(size_t count, MPI_Datatype datatype)
{
    if (datatype == MPI_DATATYPE_NULL || count == 0)
        return 0;
    return repeat(of_type(datatype), count).value;
}
