/* The program of a part. All its code is in a library (src/CMakeLists.txt says why). */
#include "programs/part.h"

int main(int argc, char **argv)
{
    return allfold_part_main(argc, argv);
}
