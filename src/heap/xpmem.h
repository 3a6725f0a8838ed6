/* Access to any memory of other processes of the node through XPMEM: stack, static data, mmap,
 * malloc.
 *
 * XPMEM is a kernel module with a library, libxpmem, which is loaded at run time. A process shares
 * its whole address space once; another process attaches ranges of it.
 *
 * Attachments are kept. They remain valid when their process unmaps, remaps or moves memory,
 * because an attachment is of addresses, not of pages: the module drops pages that leave these
 * addresses, and finds the new ones at the next access. So there is no need to observe munmap. An
 * access to an address that is not mapped raises SIGBUS.
 *
 * Attached ranges are whole, aligned windows of addresses, so that neighboring vectors are attached
 * once. For each process, at most ALLFOLD_XPMEM_MOST_WINDOWS windows are kept, besides those in
 * use. A child after fork has no attachments. Thread-safe. */
#ifndef ALLFOLD_HEAP_XPMEM_H
#define ALLFOLD_HEAP_XPMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ALLFOLD_XPMEM_WINDOW_BYTES = 32 << 20, ALLFOLD_XPMEM_MOST_WINDOWS = 64 };

/* What a process sends to the others so that they can attach its memory. */
struct allfold_xpmem_share {
    int64_t segment;        /* 0: it shares nothing */
    uint64_t address, word; /* the value at `address`, to check that the memory is this process's */
};

/* Returns the share of this process, created at the first call. */
struct allfold_xpmem_share allfold_xpmem_share(void);

/* Returns the reason why this process shares nothing, for messages. NULL if it shares its memory.
 */
const char *allfold_xpmem_missing(void);

/* Another process whose memory can be attached. */
struct allfold_xpmem_process;

/* Opens the process with that share. NULL if its memory cannot be attached, or is that of another
 * process. Valid until allfold_xpmem_forget. */
struct allfold_xpmem_process *allfold_xpmem_open(const struct allfold_xpmem_share *share);

/* Returns an address in this process for `bytes` bytes at `address` in the other process. NULL if
 * they cannot be attached. Valid until allfold_xpmem_detach. */
const void *allfold_xpmem_attach(struct allfold_xpmem_process *process, uintptr_t address,
                                 size_t bytes);

/* Ends the use of memory that allfold_xpmem_attach returned. */
void allfold_xpmem_detach(struct allfold_xpmem_process *process, const void *memory);

/* For tests: returns the number of attached windows of a process. */
uint32_t allfold_xpmem_windows(const struct allfold_xpmem_process *process);

/* Detaches all memory, frees all processes, and stops sharing this process. No attached memory may
 * be in use. */
void allfold_xpmem_forget(void);

#endif
