/* Any memory of other processes of the node, through XPMEM: stacks, static data, mmap, malloc.
 *
 * XPMEM is a module of the kernel with a library, libxpmem, which is looked for when this process
 * runs. A process shares all of its addresses once; another one attaches ranges of them.
 *
 * Attachments are kept. They stay right when their process unmaps, remaps or moves what lies there:
 * an attachment is of addresses, not of pages. The module drops its pages when they leave those
 * addresses, and finds the new ones at the next access. So nobody needs to watch munmap here. To
 * touch an address where nothing is mapped raises SIGBUS.
 *
 * Attached ranges are whole windows of addresses, so that vectors side by side are attached once.
 * Of a process at most 64 are kept, besides those in use. A fork's child has no attachments. Any
 * thread. */
#ifndef ALLFOLD_HEAP_XPMEM_H
#define ALLFOLD_HEAP_XPMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_XPMEM_WINDOW_BYTES = 32 << 20, ALLFOLD_XPMEM_MOST_WINDOWS = 64 };

/* What a process sends the others, so that they attach its memory. */
struct allfold_xpmem_share {
    int64_t segment;        /* 0: it shares nothing */
    uint64_t address, word; /* which lies at that address */
};

/* This process's, made at the first call. */
struct allfold_xpmem_share allfold_xpmem_share(void);

/* Why this process shares nothing, in words; NULL where it does. */
const char *allfold_xpmem_missing(void);

/* A process whose memory is attached. */
struct allfold_xpmem_process;

/* NULL where its memory cannot be attached, or is another one's. Kept until allfold_xpmem_forget.
 */
struct allfold_xpmem_process *allfold_xpmem_open(const struct allfold_xpmem_share *share);

/* Where these bytes of the process lie for this one, until allfold_xpmem_detach; NULL where they
 * cannot be attached. */
const void *allfold_xpmem_attach(struct allfold_xpmem_process *process, uintptr_t address,
                                 size_t bytes);
void allfold_xpmem_detach(struct allfold_xpmem_process *process, const void *memory);

/* How many windows of a process are attached, for tests. */
uint32_t allfold_xpmem_windows(const struct allfold_xpmem_process *process);

/* Detaches all, and shares this process no more. Nothing is in use. */
void allfold_xpmem_forget(void);

#endif
