/* Simulated cases (see support_simulate.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "support_simulate.h"

struct allfold_network network_of(const char *text)
{
    struct allfold_network network;
    char message[300] = "";
    if (allfold_network_read(text, &network, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s", message);
    return network;
}

const struct allfold_nodes *block_nodes(int nodes, int ppn)
{
    int64_t *keys = calloc((size_t)nodes * (size_t)ppn, sizeof *keys);
    assert_non_null(keys);
    for (int r = 0; r < nodes * ppn; r++)
        keys[r] = r / ppn;
    const struct allfold_nodes *made = allfold_nodes_make(keys, nodes * ppn);
    free(keys);
    return made;
}

enum allfold_error try_simulated(struct simulated_case of, struct allfold_simulated *result,
                                 char *message, size_t message_bytes)
{
    const struct allfold_nodes *nodes = block_nodes(of.nodes, of.ppn);
    struct allfold_simulation simulation = {
        .algorithm = allfold_algorithm_find(of.collective, of.name),
        .root = of.root,
        .bytes = of.bytes,
        .element_bytes = 1,
        .nodes = nodes,
        .network = of.network,
        .window = of.window > 0 ? of.window : ALLFOLD_SIMULATED_WINDOW,
        .memory_bytes = of.memory_bytes > 0 ? of.memory_bytes : (size_t)1 << 30};
    assert_non_null(simulation.algorithm);
    assert_non_null(nodes);
    simulation.parameters = allfold_parameter_presets(simulation.algorithm);
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++)
        if (of.parameter[i] > 0)
            simulation.parameters.value[i] = of.parameter[i];
    enum allfold_error error = allfold_simulate(&simulation, result, message, message_bytes);
    allfold_nodes_free(nodes);
    return error;
}

struct allfold_simulated simulated(struct simulated_case of)
{
    struct allfold_simulated result;
    char message[300] = "";
    if (try_simulated(of, &result, message, sizeof message) != ALLFOLD_OK)
        fail_msg("%s, %d x %d: %s", of.name, of.nodes, of.ppn, message);
    return result;
}

void assert_time(const char *what, int p, double found_s, double expected_s)
{
    if (fabs(found_s - expected_s) > 1e-12 + 1e-6 * expected_s)
        fail_msg("%s, p = %d: %.6f us, expected %.6f", what, p, 1e6 * found_s, 1e6 * expected_s);
}
