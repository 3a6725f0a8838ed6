/* The main function of a part: the program with MPI that `allfold bench`, `tune` or `info`
 * starts. */
#ifndef ALLFOLD_PROGRAMS_PART_H
#define ALLFOLD_PROGRAMS_PART_H

/* Returns the exit status. */
__attribute__((visibility("default"))) int allfold_part_main(int argc, char **argv);

#endif
