/* The subcommands of `allfold`: one function for each. It gets its own name as argv[0] and returns
 * the exit status. */
#ifndef ALLFOLD_TOOLS_H
#define ALLFOLD_TOOLS_H

/* All subcommands except `run`, which starts with every program and so is a program of its own (see
 * main.c). */
#define ALLFOLD_TOOLS(X)                                                                           \
    X(info, "print version, MPI libraries, machine, settings and placement")                       \
    X(list, "list the algorithms: needs, claims, source")                                          \
    X(show, "show who sends what to whom, as text, SVG or JSON")                                   \
    X(top, "show running programs, and who waits for whom")                                        \
    X(bench, "measure collectives and algorithms, the MPI library's too")                          \
    X(tune, "measure or simulate the best algorithms, for a table")                                \
    X(calibrate, "measure the machine for the simulator")                                          \
    X(table, "check, merge, pool and export tables")                                               \
    X(verify, "prove the algorithms on virtual ranks")                                             \
    X(explain, "say what is chosen for a call, and why nothing else is")                           \
    X(simulate, "simulate the algorithms on a network, without MPI")

int allfold_tool_run(int argc, char **argv);

#define ALLFOLD_TOOL(name, summary) int allfold_tool_##name(int argc, char **argv);
ALLFOLD_TOOLS(ALLFOLD_TOOL)
#undef ALLFOLD_TOOL

#endif
