/* The subcommands of `allfold`: one function each, one file each. They get their own name as
 * argv[0] and return the exit status. */
#ifndef ALLFOLD_TOOLS_TOOLS_H
#define ALLFOLD_TOOLS_TOOLS_H

int allfold_tool_run(int argc, char **argv);
int allfold_tool_info(int argc, char **argv);
int allfold_tool_list(int argc, char **argv);
int allfold_tool_show(int argc, char **argv);
int allfold_tool_bench(int argc, char **argv);
int allfold_tool_tune(int argc, char **argv);
int allfold_tool_verify(int argc, char **argv);
int allfold_tool_explain(int argc, char **argv);
int allfold_tool_simulate(int argc, char **argv);

#endif
