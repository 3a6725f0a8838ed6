/* The functions that liballfold-preload.so defines: a table of jumps.
 *
 * Each function jumps through its slot. At first the slot leads to the second half of the function,
 * which saves all argument registers, calls allfold_stub_resolve(index, return address), and jumps
 * to the address that this returns. Arguments on the stack and the return address stay in their
 * places, so the functions need no prototypes. MPI_Pcontrol may have arguments in vector
 * registers. */
#include "stub/stub.h"

#if defined(__x86_64__)
#define ENTRY(name, index)                                                                         \
    ".globl " #name "\n.type " #name ",@function\n.p2align 4\n" #name ":\n"                        \
    "    endbr64\n"                                                                                \
    "    jmp *(allfold_stub_slots + 8 * " #index ")(%rip)\n"                                       \
    ".Lfirst_" #index ":\n"                                                                        \
    "    endbr64\n"                                                                                \
    "    movl $" #index ", %r11d\n"                                                                \
    "    jmp .Lresolve\n"                                                                          \
    ".size " #name ", . - " #name "\n"
__asm__(".text\n"
        ".Lresolve:\n"
        "    .cfi_startproc\n"
        "    pushq %rbp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    .cfi_rel_offset %rbp, 0\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    andq $-16, %rsp\n"
        "    subq $192, %rsp\n"
        "    movq %rdi, (%rsp)\n"
        "    movq %rsi, 8(%rsp)\n"
        "    movq %rdx, 16(%rsp)\n"
        "    movq %rcx, 24(%rsp)\n"
        "    movq %r8, 32(%rsp)\n"
        "    movq %r9, 40(%rsp)\n"
        "    movq %rax, 48(%rsp)\n"
        "    movaps %xmm0, 64(%rsp)\n"
        "    movaps %xmm1, 80(%rsp)\n"
        "    movaps %xmm2, 96(%rsp)\n"
        "    movaps %xmm3, 112(%rsp)\n"
        "    movaps %xmm4, 128(%rsp)\n"
        "    movaps %xmm5, 144(%rsp)\n"
        "    movaps %xmm6, 160(%rsp)\n"
        "    movaps %xmm7, 176(%rsp)\n"
        "    movl %r11d, %edi\n"
        "    movq 8(%rbp), %rsi\n"
        "    call allfold_stub_resolve\n"
        "    movq %rax, %r11\n"
        "    movq (%rsp), %rdi\n"
        "    movq 8(%rsp), %rsi\n"
        "    movq 16(%rsp), %rdx\n"
        "    movq 24(%rsp), %rcx\n"
        "    movq 32(%rsp), %r8\n"
        "    movq 40(%rsp), %r9\n"
        "    movq 48(%rsp), %rax\n"
        "    movaps 64(%rsp), %xmm0\n"
        "    movaps 80(%rsp), %xmm1\n"
        "    movaps 96(%rsp), %xmm2\n"
        "    movaps 112(%rsp), %xmm3\n"
        "    movaps 128(%rsp), %xmm4\n"
        "    movaps 144(%rsp), %xmm5\n"
        "    movaps 160(%rsp), %xmm6\n"
        "    movaps 176(%rsp), %xmm7\n"
        "    leave\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
#include "stub_names.inc"
);
#define FIRST_WORD ".quad"
#elif defined(__aarch64__)
#define ENTRY(name, index)                                                                         \
    ".globl " #name "\n.type " #name ",%function\n.p2align 4\n" #name ":\n"                        \
    "    adrp x16, allfold_stub_slots + 8 * " #index "\n"                                          \
    "    ldr x16, [x16, #:lo12:allfold_stub_slots + 8 * " #index "]\n"                             \
    "    br x16\n"                                                                                 \
    ".Lfirst_" #index ":\n"                                                                        \
    "    mov w17, #" #index "\n"                                                                   \
    "    b .Lresolve\n"                                                                            \
    ".size " #name ", . - " #name "\n"
__asm__(".text\n"
        ".Lresolve:\n"
        "    .cfi_startproc\n"
        "    stp x29, x30, [sp, #-224]!\n"
        "    .cfi_adjust_cfa_offset 224\n"
        "    .cfi_rel_offset x29, 0\n"
        "    .cfi_rel_offset x30, 8\n"
        "    stp x0, x1, [sp, #16]\n"
        "    stp x2, x3, [sp, #32]\n"
        "    stp x4, x5, [sp, #48]\n"
        "    stp x6, x7, [sp, #64]\n"
        "    str x8, [sp, #80]\n"
        "    stp q0, q1, [sp, #96]\n"
        "    stp q2, q3, [sp, #128]\n"
        "    stp q4, q5, [sp, #160]\n"
        "    stp q6, q7, [sp, #192]\n"
        "    mov w0, w17\n"
        "    mov x1, x30\n"
        "    bl allfold_stub_resolve\n"
        "    mov x16, x0\n"
        "    ldp x0, x1, [sp, #16]\n"
        "    ldp x2, x3, [sp, #32]\n"
        "    ldp x4, x5, [sp, #48]\n"
        "    ldp x6, x7, [sp, #64]\n"
        "    ldr x8, [sp, #80]\n"
        "    ldp q0, q1, [sp, #96]\n"
        "    ldp q2, q3, [sp, #128]\n"
        "    ldp q4, q5, [sp, #160]\n"
        "    ldp q6, q7, [sp, #192]\n"
        "    ldp x29, x30, [sp], #224\n"
        "    .cfi_adjust_cfa_offset -224\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    br x16\n"
        "    .cfi_endproc\n"
#include "stub_names.inc"
);
#define FIRST_WORD ".xword"
#else
#error "the stub has jumps for x86-64 and aarch64 alone; add those of this processor here"
#endif
#undef ENTRY

#define ENTRY(name, index) FIRST_WORD " .Lfirst_" #index "\n"
__asm__(".data\n.p2align 3\n.globl allfold_stub_slots\n.hidden allfold_stub_slots\n"
        "allfold_stub_slots:\n"
#include "stub_names.inc"
        ".text\n");
#undef ENTRY

#define ENTRY(name, index) #name,
const char *const allfold_stub_names[] = {
#include "stub_names.inc"
};
#undef ENTRY

const size_t allfold_stub_count = sizeof allfold_stub_names / sizeof *allfold_stub_names;
