#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the assembly of the trampolines (trampolines.cpp) for the names in all given files.

generate_trampolines.py OUTPUT SYMBOLS...
"""

import sys

HEAD = """// Made by generate_trampolines.py; do not edit.
  .text
  // A call that comes here has its arguments in the registers (and on the stack): all of them, and
  // what a variadic call passes in rax, are kept while the target is looked up. r11 holds the number.
  .type pathline_trampoline_common, @function
pathline_trampoline_common:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  sub $192, %rsp
  and $-16, %rsp
  mov %rax, 0(%rsp)
  mov %rdi, 8(%rsp)
  mov %rsi, 16(%rsp)
  mov %rdx, 24(%rsp)
  mov %rcx, 32(%rsp)
  mov %r8, 40(%rsp)
  mov %r9, 48(%rsp)
  mov %r10, 56(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  mov %r11, %rdi
  call pathline_trampoline_resolve
  mov %rax, %r11
  mov 0(%rsp), %rax
  mov 8(%rsp), %rdi
  mov 16(%rsp), %rsi
  mov 24(%rsp), %rdx
  mov 32(%rsp), %rcx
  mov 40(%rsp), %r8
  mov 48(%rsp), %r9
  mov 56(%rsp), %r10
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  .cfi_def_cfa %rsp, 8
  jmp *%r11
  .cfi_endproc
"""


def main():
    output, files = sys.argv[1], sys.argv[2:]
    names = sorted({line.strip() for f in files for line in open(f, encoding="utf-8")
                    if line.strip()})
    with open(output, "w", encoding="utf-8") as out:
        out.write(HEAD)
        out.write("  .globl pathline_trampolines_begin, pathline_trampolines_end\n"
                  "  .hidden pathline_trampolines_begin, pathline_trampolines_end\n"
                  "pathline_trampolines_begin:\n")
        for i, name in enumerate(names):
            out.write(f"  .globl {name}\n  .type {name}, @function\n  .p2align 4\n{name}:\n"
                      f"  jmp *(pathline_trampoline_targets + {8 * i})(%rip)\n"
                      f"pathline_first_{i}:\n  mov ${i}, %r11d\n"
                      f"  jmp pathline_trampoline_common\n  .size {name}, . - {name}\n")
        out.write("pathline_trampolines_end:\n")
        out.write("  .hidden pathline_trampoline_targets, pathline_trampoline_names, "
                  "pathline_trampoline_count\n"
                  "  .globl pathline_trampoline_targets, pathline_trampoline_names, "
                  "pathline_trampoline_count\n")
        out.write("  .data\n  .p2align 3\npathline_trampoline_targets:\n")
        out.writelines(f"  .quad pathline_first_{i}\n" for i in range(len(names)))
        out.write("  .section .data.rel.ro, \"aw\"\n  .p2align 3\npathline_trampoline_names:\n")
        out.writelines(f"  .quad pathline_name_{i}\n" for i in range(len(names)))
        out.write("  .section .rodata\n  .p2align 3\npathline_trampoline_count:\n"
                  f"  .quad {len(names)}\n")
        out.writelines(f'pathline_name_{i}: .string "{name}"\n' for i, name in enumerate(names))
        out.write('  .section .note.GNU-stack, "", @progbits\n')


main()
