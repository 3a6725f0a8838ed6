/*
 * limits.c: a program without MPI that meets the limits of its memory.
 * `limits fill MOST` writes blocks of 16 MiB until malloc gives none, or so many. It says how many.
 * `limits abort` writes a word all over a block of 1 MiB, frees another one, and aborts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20, DUMPED_BYTES = 1 << 20 };

static int fill(int most)
{
    int count = 0;
    for (char *block; count < most && (block = malloc(BLOCK_BYTES)) != NULL; count++)
        memset(block, 1, BLOCK_BYTES); /* kept until the end */
    printf("%d blocks\n", count);
    return 0;
}

/* The word is put together here, so that it lies in the block alone. */
static int dump(void)
{
    char word[] = "!paeh eht ni seil ti";
    char *block = malloc(DUMPED_BYTES), *freed = malloc(DUMPED_BYTES);
    const size_t length = strlen(word);
    for (size_t i = 0; i < length / 2; i++) {
        const char last = word[length - 1 - i];
        word[length - 1 - i] = word[i];
        word[i] = last;
    }
    if (block == NULL || freed == NULL)
        return 1;
    for (size_t i = 0; i + length <= DUMPED_BYTES; i += length)
        memcpy(block + i, word, length);
    memset(freed, 1, DUMPED_BYTES);
    free(freed);
    abort();
}

int main(int argc, char **argv)
{
    return argc > 2 ? fill(atoi(argv[2])) : dump();
}
