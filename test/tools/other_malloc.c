/* Another malloc than the C library's, as some programs bring: it only counts. */
#include <stddef.h>

void *__libc_malloc(size_t bytes);
void __libc_free(void *memory);
void *malloc(size_t bytes);
void free(void *memory);

static unsigned long calls;

void *malloc(size_t bytes)
{
    calls++;
    return __libc_malloc(bytes);
}

void free(void *memory)
{
    calls++;
    __libc_free(memory);
}
