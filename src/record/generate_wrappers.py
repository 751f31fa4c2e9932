#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of all MPI functions that an mpi.h declares.

generate_wrappers.py PREPROCESSED_MPI_H HOOKS OUTPUT

PREPROCESSED_MPI_H is the output of the C preprocessor for a file that includes <mpi.h>: what this MPI
really offers is wrapped, without exception. HOOKS says what to record besides enter and leave; its
format is explained there. Each wrapper enters the call's region, runs the hooks before the call,
calls the PMPI function, runs the hooks after it and leaves.
"""

import re
import sys

# Called by our own wrappers of other functions or before recording is possible: written by hand.
BY_HAND = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol"}


def prototypes(text):
    """name -> (return type, [(declaration, name of parameter)])"""
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    text = re.sub(r'^#.*$', "", text, flags=re.M)
    found = {}
    pattern = r"(?:extern\s+)?\b(int|double|MPI_\w+)\s+(MPI_[A-Z]\w*)\s*\(([^;{}]*?)\)\s*;"
    for kind, name, parameters in re.findall(pattern, text, flags=re.S):
        found[name] = (kind, [parameter(part) for part in split(parameters)])
    return found


def split(parameters):
    """At the commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for c in " ".join(parameters.split()):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    parts.append(part.strip())
    return [] if parts in ([""], ["void"]) else parts


def parameter(declaration):
    if declaration == "...":
        return (declaration, "")
    array = re.search(r"(\w+)\s*((?:\[\w*\])+)$", declaration)
    if array:
        return (declaration, array.group(1))
    return (declaration, re.search(r"(\w+)$", declaration).group(1))


def read_hooks(path):
    """name -> [(when, expression)], when is 'before', 'after' or 'call'"""
    hooks, current = {}, []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if not line.startswith(" "):
            current = []
            for name in line.split():
                if name in hooks:
                    sys.exit(f"{path}:{number}: {name} stands here twice")
                hooks[name] = current
            continue
        when, separator, expression = line.strip().partition(": ")
        if when not in ("before", "after", "call") or not separator:
            sys.exit(f"{path}:{number}: expected 'before: ...', 'after: ...' or 'call: ...'")
        current.append((when, expression))
    return hooks


def wrapper(index, name, kind, parameters, hooks):
    declarations = ", ".join(declaration for declaration, _ in parameters) or "void"
    arguments = ", ".join(parameter_name for _, parameter_name in parameters)
    lines = [f'extern "C" PATHLINE_EXPORT {kind} {name}({declarations}) {{']
    lines.append(f"  Call call({index});")
    for when, expression in hooks:
        if when == "before":
            lines.append(f"  if (call.active()) {expression};")
    calls = [expression for when, expression in hooks if when == "call"]
    lines.append(f"  const {kind} result = {calls[0] if calls else f'P{name}({arguments})'};")
    for when, expression in hooks:
        if when == "after":
            lines.append(f"  if (call.active()) {expression};")
    lines.append("  return result;")
    lines.append("}")
    return "\n".join(lines)


def main():
    header, hook_file, output = sys.argv[1:]
    functions = prototypes(open(header, encoding="utf-8").read())
    hooks = read_hooks(hook_file)
    wrapped = sorted(name for name in functions if not functions[name][1]
                     or functions[name][1][-1][0] != "...")
    with open(output, "w", encoding="utf-8") as out:
        out.write("// Made by generate_wrappers.py; do not edit.\n")
        out.write("constexpr const char* kFunctionNames[] = {\n")
        out.writelines(f'    "{name}",\n' for name in wrapped)
        out.write("};\n")
        for index, name in enumerate(wrapped):
            out.write(f"constexpr uint16_t k{name} = {index};\n")
        for index, name in enumerate(wrapped):
            if name in BY_HAND:
                continue
            kind, parameters = functions[name]
            out.write(wrapper(index, name, kind, parameters, hooks.get(name, [])) + "\n")


main()
