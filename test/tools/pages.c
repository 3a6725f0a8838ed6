/* Pages of a program whose ranks have stopped, for test_top.sh: rank 0 is in a call, the others are
 * not. They last until stdin ends.
 *
 * Usage: pages DIRECTORY RANKS */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "events/live_page.h"

enum { MOST = 64 };
static struct allfold_open_page opened[MOST];

static void make_page(int rank, int ranks, const char *directory)
{
    const double age_s = 10;
    const struct allfold_page_head head = {.job = 7,
                                           .pid = getpid(),
                                           .rank = rank,
                                           .p = ranks,
                                           .nodes = 1,
                                           .begin_s = allfold_monotonic_s() - age_s,
                                           .opened = allfold_moment(),
                                           .program = "made_up"};
    if (!allfold_page_open(&opened[rank], directory, &head)) {
        perror("pages");
        exit(1);
    }
    struct allfold_page *page = opened[rank].page;
    const struct allfold_moment now = allfold_moment();
    allfold_page_begin_write(page);
    page->figures.refreshed_s = now.now_s - age_s;
    page->figures.interval_s = 1;
    allfold_page_end_write(page);
    if (rank == 0)
        allfold_page_enter(page, now.ticks, (enum allfold_collective)ALLFOLD_PASSED_alltoall);
}

int main(int argc, char **argv)
{
    const int ranks = argc == 3 ? atoi(argv[2]) : 0;
    if (ranks < 1 || ranks > MOST)
        return 2;
    allfold_ticks_open();
    for (int i = 0; i < ranks; i++)
        make_page(i, ranks, argv[1]);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    for (int i = 0; i < ranks; i++)
        allfold_page_close(&opened[i]);
    return 0;
}
