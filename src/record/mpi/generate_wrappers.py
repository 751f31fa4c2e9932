#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrappers of all MPI functions that an MPI library has, for C and Fortran.

generate_wrappers.py HEADER FUNCTIONS C_LIBRARY FORTRAN_LIBRARIES OUTPUT_FOLDER

HEADER is the preprocessed mpi.h: what this MPI declares is wrapped, without exception. FUNCTIONS says
what is recorded besides enter and leave (functions.txt). The libraries tell which Fortran routines
there are; FORTRAN_LIBRARIES is a list with ';', or empty. Makes functions.inc (names and numbers),
wrappers.inc, fortran.inc and symbols.txt (what is exported, one name a line).
"""

import os
import re
import subprocess
import sys

BY_HAND = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Pcontrol"}
# Headers spell some parameters differently from the standard: Open MPI's, and those behind it SimGrid's.
STANDARD_NAMES = {
    "type": "datatype", "index": "indx", "new_comm": "newcomm",
    "MPI_Cart_create old_comm": "comm_old", "MPI_Dist_graph_create newcomm": "comm_dist_graph",
    "MPI_Intercomm_merge newintercomm": "newintracomm", "MPI_Rsend ibuf": "buf",
    "MPI_Precv_init dest": "source", "MPI_Precv_init_c dest": "source",
    "dst": "dest", "src": "source", "sendcnts": "sendcounts", "recvcnts": "recvcounts",
    "whenace": "whence", "comm_out": "newintercomm", "MPI_Cart_sub comm_new": "newcomm", "MPI_Comm_split comm_out": "newcomm",
    "MPI_Comm_set_name name": "comm_name", "MPI_Win_set_name name": "win_name",
    "MPI_Intercomm_merge comm": "intercomm", "MPI_Intercomm_merge comm_out": "newintracomm",
    "requests": "array_of_requests", "statuses": "array_of_statuses",
    "indices": "array_of_indices", "MPI_Waitall status": "array_of_statuses",
    "MPI_Waitsome status": "array_of_statuses", "MPI_Testsome status": "array_of_statuses",
}
# The Fortran routines whose arguments are not those of the C function: numbers of pointers, and
# whether an ierror follows.
FORTRAN_ARGUMENTS = {"MPI_Wtime": (0, False), "MPI_Wtick": (0, False), "MPI_Aint_add": (2, False),
                     "MPI_Aint_diff": (2, False)}
OUT_HANDLES = {"MPI_Comm": "Comm", "MPI_Request": "Request", "MPI_Win": "Win", "MPI_File": "File",
               "MPI_Message": "Message", "MPI_Datatype": "Type", "MPI_Group": "Group",
               "MPI_Info": "Info", "MPI_Op": "Op", "MPI_Errhandler": "Errhandler",
               "MPI_Session": "Session"}


class Parameter:
    def __init__(self, declaration):
        self.variadic = declaration == "..."
        array = re.search(r"(\w+)\s*((?:\[[^\]]*\])+)$", declaration)
        self.name = "" if self.variadic else (array.group(1) if array else
                                              re.search(r"(\w+)$", declaration).group(1))
        kind = "" if self.variadic else declaration[:declaration.rindex(self.name)]
        self.const = "const" in kind
        self.pointer = kind.count("*") + (len(re.findall(r"\[", declaration)) if array else 0)
        # Open MPI's header writes some arrays as pointers; the standard calls them all so.
        self.array = bool(array) or (self.pointer > 0 and self.name.startswith("array_of_"))
        self.base = re.sub(r"\b(const|struct|restrict)\b|[*]", "", kind).strip()
        self.callback = self.base.endswith(("_function", "_fn", "_FN"))
        self.declaration = declaration

    def rename(self, function, others):
        wanted = STANDARD_NAMES.get(f"{function} {self.name}") or STANDARD_NAMES.get(self.name)
        if wanted and wanted not in others:
            self.declaration = re.sub(r"\b%s\b(?=(\s*\[[^\]]*\])*$)" % self.name, wanted,
                                      self.declaration)
            self.name = wanted


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


def prototypes(text):
    """name -> (return type, parameters)"""
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", "", text)
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found = {}
    pattern = (r"(?:extern\s+)?\b(int|double|ptrdiff_t|MPI_\w+)\s+(MPI_[A-Z]\w*|MPIX_[A-Z]\w*)\s*"
               r"\(([^;{}]*?)\)\s*;")
    for kind, name, text_of_parameters in re.findall(pattern, text, flags=re.S):
        parameters = [Parameter(part) for part in split(text_of_parameters)]
        for p in parameters:
            p.rename(name, {other.name for other in parameters})
        found[name] = (kind, parameters)
    return found


class Hooks:
    def __init__(self):
        self.before, self.after, self.failed, self.local = [], [], [], []
        self.call = self.late = None
        self.by_c = self.quick = False

    def text(self):
        return " ".join(self.before + self.after + self.failed + self.local + [self.call or "", self.late or ""])


def read_hooks(path):
    hooks, current = {}, Hooks()
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        if not line.startswith(" "):
            current = Hooks()
            for name in line.split():
                if name in hooks:
                    sys.exit(f"{path}:{number}: {name} stands here twice")
                hooks[name] = current
            continue
        what, separator, expression = line.strip().partition(": ")
        if what in ("before", "after", "failed", "local"):
            getattr(current, what).append(expression)
        elif what in ("call", "late"):
            setattr(current, what, expression)
        elif what == "fortran" and expression == "c":
            current.by_c = True
        elif what == "quick" and expression == "yes":
            current.quick = True
        else:
            sys.exit(f"{path}:{number}: '{line.strip()}' is nothing that can be said of a function")
    return hooks


def names_in(library, which):
    text = subprocess.run(["nm", "-D", which, library], capture_output=True, text=True,
                          check=True).stdout
    return {line.split()[-1].split("@")[0] for line in text.splitlines() if line.split()}


def uses(text, name):
    return re.search(r"\b%s\b" % name, text) is not None


def own_status(parameters):
    return any(p.base == "MPI_Status" and p.pointer == 1 and p.name == "status" for p in parameters)


def body(function, hooks, parameters, call, kind, after_call=(), status=True):
    """The lines of a wrapper between its braces."""
    first = any(re.match(r"(begin_)?(send|receive)\(", expression) for expression in hooks.before)
    when = ", Call::kLate" if hooks.late or hooks.quick else ", Call::kWithFirst" if first else ""
    lines = [f"  Call call(k{function}{when});"]
    text = hooks.text()
    if status and own_status(parameters) and not hooks.call and uses(text, "status"):
        lines.append("  MPI_Status own_status;")
        lines.append("  own_status.MPI_SOURCE = MPI_PROC_NULL;")
        lines.append("  if (status == MPI_STATUS_IGNORE) status = &own_status;")
    lines += [f"  {local};" for local in hooks.local]
    lines += [f"  if (call.tracked()) {expression};" for expression in hooks.before]
    if first:
        lines.append("  call.entered();")
    lines.append(f"  const {kind} answer = {call};")
    lines += [f"  {line}" for line in after_call]
    if hooks.quick:
        lines.append("  call.passed();")
    if hooks.late:
        lines.append(f"  call.found(answer == MPI_SUCCESS && ({hooks.late}));")
    if hooks.after:
        lines.append("  if (call.tracked() && answer == MPI_SUCCESS) {")
        lines += [f"    {expression};" for expression in hooks.after]
        lines.append("  }")
    if hooks.failed:
        lines.append("  if (call.tracked() && answer != MPI_SUCCESS) [[unlikely]] {")
        lines += [f"    {expression};" for expression in hooks.failed]
        lines.append("  }")
    return lines


def c_wrapper(name, kind, parameters, hooks):
    declarations = ", ".join(p.declaration for p in parameters) or "void"
    arguments = ", ".join(p.name for p in parameters)
    # The text says PMPI_Wait; this may be PMPI_Wait_c.
    call = re.sub(r"^PMPI_\w+", f"next_{name}", hooks.call or f"P{name}({arguments})")
    lines = body(name, hooks, parameters, call, kind)
    return "\n".join([f'extern "C" PATHLINE_EXPORT {kind} {name}({declarations}) {{', *lines,
                      "  return answer;", "}"])


def is_text(p):
    return p.base == "char" and p.pointer >= 1


def fortran_wrapper(name, symbol, slot, kind, parameters, hooks):
    """One that calls the Fortran routine behind `symbol`."""
    if name in FORTRAN_ARGUMENTS:
        count, has_error = FORTRAN_ARGUMENTS[name]
        names = [f"a{i}" for i in range(count)]
        texts = []
    else:
        names = [f"{p.name}_f" for p in parameters]
        texts = [f"length{i}" for i, p in enumerate(parameters) if is_text(p)]
        has_error = True
    arguments = [f"void* {n}" for n in names] + (["MPI_Fint* error_f"] if has_error else []) + \
                [f"size_t {t}" for t in texts]
    types = ["void*"] * len(names) + (["MPI_Fint*"] if has_error else []) + ["size_t"] * len(texts)
    values = names + (["error_f"] if has_error else []) + texts
    result = "void" if has_error else kind
    head = f'extern "C" PATHLINE_EXPORT {result} {symbol}({", ".join(arguments)}) {{'
    real = f"reinterpret_cast<{result} (*)({', '.join(types)})>(fortran_routine({slot}))"
    if not has_error:
        when, after = (", Call::kLate", "  call.passed();\n") if hooks.quick else ("", "")
        return "\n".join([head, f"  Call call(k{name}{when});",
                          f"  const {kind} answer = {real}({', '.join(values)});",
                          f"{after}  return answer;", "}"])

    text = hooks.text()
    lines, last, back = [], [], []
    for p in parameters:
        if not uses(text, p.name):
            continue
        f = f"{p.name}_f"
        if p.base == "MPI_Status":
            # Whether the program wants it or not: MPI fills one.
            lines.append(f"alignas(MPI_Status) char own_status[sizeof(MPI_Status) + 16] = {{}};")
            lines.append(f"if (ignores_status({f})) {f} = own_status;")
            lines.append(f"MPI_Status status_value;")
            lines.append(f"MPI_Status* {p.name} = &status_value;")
            back.append(f"PMPI_Status_f2c(static_cast<MPI_Fint*>({f}), {p.name});")
        elif p.base in OUT_HANDLES and p.pointer == 0:
            lines.append(f"const {p.base} {p.name} = "
                         f"PMPI_{OUT_HANDLES[p.base]}_f2c(*static_cast<MPI_Fint*>({f}));")
        elif p.base in OUT_HANDLES and p.array:
            # After the communicator, which tells how many there are.
            count = ("partners" if "Neighbor" not in name and "neighbor" not in name else
                     "destinations" if p.name.startswith("send") else "sources")
            last.append(f"const Converted<Datatypes> {p.name}_values({f}, {count}(comm));")
            last.append(f"const {p.base}* {p.name} = {p.name}_values.data();")
        elif p.base in OUT_HANDLES and p.pointer == 1:
            convert = f"PMPI_{OUT_HANDLES[p.base]}_f2c(*static_cast<MPI_Fint*>({f}))"
            # Before the call only what comes in has a value.
            incoming = any(uses(expression, p.name) for expression in hooks.before + hooks.local)
            lines.append(f"{p.base} {p.name}_value{{{convert if incoming else ''}}};")
            lines.append(f"const {p.base}* {p.name} = &{p.name}_value;")
            if not incoming:
                back.append(f"{p.name}_value = {convert};")
        elif p.base == "void":
            lines.append(f"const void* {p.name} = fortran_address({f});")
        elif p.pointer == 0:
            lines.append(f"const {p.base} {p.name} = *static_cast<{p.base}*>({f});")
        elif p.array and p.base in ("int", "MPI_Aint", "MPI_Count"):
            lines.append(f"const {p.base}* {p.name} = static_cast<{p.base}*>({f});")
        elif p.base == "int":
            lines.append(f"int {p.name}_value = 0;")
            lines.append(f"const int* {p.name} = &{p.name}_value;")
            back.append(f"{p.name}_value = *static_cast<MPI_Fint*>({f});")
        else:
            sys.exit(f"{name}: no rule turns the Fortran argument '{p.declaration}' into one of C")
    lines += last
    # f08 programs may leave ierror out.
    lines.append("MPI_Fint own_error = MPI_SUCCESS;")
    lines.append("if (error_f == nullptr) error_f = &own_error;")
    call = f"({real}({', '.join(values)}), *error_f)"
    inner = body(name, hooks, parameters, call, "int", back, status=False)
    return "\n".join([head] + [f"  {l}" for l in lines] + inner + ["  (void)answer;", "}"])


def fortran_by_c(name, symbol, parameters):
    """One that converts its arguments and calls our wrapper of the C function."""
    names = [f"{p.name}_f" for p in parameters]
    texts = [f"length_{p.name}" for p in parameters if is_text(p)]
    arguments = [f"void* {n}" for n in names] + ["MPI_Fint* error_f"] + [f"size_t {t}" for t in texts]
    lines, back, values = [], [], []
    count = next((p.name for p in parameters if p.name in ("count", "incount")), "1")
    # What is not complete has no status.
    complete = "if (*flag) " if any(p.name == "flag" for p in parameters) else ""
    out_count = "*outcount" if any(p.name == "outcount" for p in parameters) else count
    for p in parameters:
        f = f"{p.name}_f"
        values.append(p.name)
        short = OUT_HANDLES.get(p.base)
        if p.base == "MPI_Status" and p.array:
            lines.append(f"FortranStatuses {p.name}_values({f}, {count});")
            lines.append(f"MPI_Status* {p.name} = {p.name}_values.data();")
            back.append(f"{complete}{p.name}_values.give_back({out_count});")
        elif p.base == "MPI_Status":
            # What MPI leaves alone (MPI_ERROR) stays as it was.
            lines.append(f"MPI_Status {p.name}_value;")
            lines.append(f"MPI_Status* {p.name} = ignores_status({f}) ? MPI_STATUS_IGNORE : "
                         f"&{p.name}_value;")
            lines.append(f"if ({p.name} != MPI_STATUS_IGNORE) "
                         f"PMPI_Status_f2c(static_cast<MPI_Fint*>({f}), {p.name});")
            back.append(f"if ({p.name} != MPI_STATUS_IGNORE) "
                        f"PMPI_Status_c2f({p.name}, static_cast<MPI_Fint*>({f}));")
        elif short and p.array:
            lines.append(f"Converted<Requests> {p.name}_values({f}, {count});")
            lines.append(f"{p.base}* {p.name} = {p.name}_values.data();")
            back.append(f"{p.name}_values.give_back();")
        elif short and p.pointer == 1:
            lines.append(f"{p.base} {p.name}_value = "
                         f"PMPI_{short}_f2c(*static_cast<MPI_Fint*>({f}));")
            lines.append(f"{p.base}* {p.name} = &{p.name}_value;")
            back.append(f"*static_cast<MPI_Fint*>({f}) = PMPI_{short}_c2f({p.name}_value);")
        elif short:
            lines.append(f"{p.base} {p.name} = PMPI_{short}_f2c(*static_cast<MPI_Fint*>({f}));")
        elif p.base == "void":
            lines.append(f"void* {p.name} = fortran_address({f});")
        elif is_text(p):
            lines.append(f"const FortranText {p.name}_value({f}, length_{p.name});")
            lines.append(f"const char* {p.name} = {p.name}_value.data();")
        elif p.pointer == 0:
            lines.append(f"{p.base} {p.name} = *static_cast<{p.base}*>({f});")
        elif p.array:  # array_of_indices
            lines.append(f"int* {p.name} = static_cast<int*>({f});")
            back.append(f"for (int i = 0; i < {out_count}; ++i) ++{p.name}[i];")
        else:
            lines.append(f"int {p.name}_value = 0;")
            lines.append(f"int* {p.name} = &{p.name}_value;")
            value = {"flag": f"{p.name}_value != 0 ? 1 : 0",
                     "indx": f"{p.name}_value == MPI_UNDEFINED ? MPI_UNDEFINED : {p.name}_value + 1",
                     }.get(p.name, f"{p.name}_value")
            back.append(f"*static_cast<MPI_Fint*>({f}) = {value};")
    lines.append("const CalledFrom here;")
    lines.append(f"const int result = {name}({', '.join(values)});")
    lines.append("if (result == MPI_SUCCESS || result == MPI_ERR_IN_STATUS) {")
    lines += [f"  {l}" for l in back]
    lines += ["}", "if (error_f != nullptr) *error_f = result;"]
    return "\n".join([f'extern "C" PATHLINE_EXPORT void {symbol}({", ".join(arguments)}) {{',
                      *[f"  {l}" for l in lines], "}"])


def hooks_of(name, hooks):
    return hooks.get(name) or hooks.get(re.sub(r"_c$", "", name)) or Hooks()


def write_names(out, names):
    out.write("constexpr const char* kFunctionNames[] = {\n")
    out.writelines(f'    "{name}",\n' for name in names)
    out.write("};\n")
    out.writelines(f"constexpr uint16_t k{name} = {i};\n" for i, name in enumerate(names))


def write_c(out, functions, names, hooks):
    # What our wrappers call: the library's own function, or that of a tool behind us.
    for name in names:
        out.write(f"static __typeof__(&P{name}) next_{name} = &P{name};\n")
    out.write("static const struct {\n  const char* name;\n  void* next;\n} kNext[] = {\n")
    out.writelines(f'    {{"{name}", &next_{name}}},\n' for name in names)
    out.write("};\n")
    for name in names:
        if name not in BY_HAND:
            kind, parameters = functions[name]
            out.write(c_wrapper(name, kind, parameters, hooks_of(name, hooks)) + "\n")
        out.write(f"PATHLINE_WRAPPED({name});\n")


def write_fortran(out, functions, names, hooks, libraries):
    """returns the symbols"""
    there, called = set(), set()
    for library in libraries:
        there |= names_in(library, "--defined-only")
        called |= names_in(library, "--undefined-only")
    slots, symbols, wrappers = [], [], []
    for name in names:
        lower = name.lower()
        kind, parameters = functions[name]
        bases = []
        for variant in ("", "_cptr"):
            # MPICH's routines of mpif.h call the function of C, which is wrapped; its f08 routines
            # with a buffer (..._f08ts_) do, too. All others go past it.
            if name not in called and f"{lower}{variant}_" in there:
                bases.append((f"{lower}{variant}_", [s for s in (
                    f"{lower}{variant}", f"{lower}{variant}__", f"{lower}{variant}".upper())
                    if s in there]))
            if f"{lower}{variant}_f08_" in there:
                bases.append((f"{lower}{variant}_f08_", []))
        for symbol, aliases in bases:
            symbols += [symbol] + aliases
            # MPICH spells the profiling names of its f08 routines pmpir_..._f08_.
            real = next((s for s in ("p" + symbol, re.sub("^mpi(x?)_", r"pmpi\1r_", symbol))
                         if s in there), None)
            if real is None:
                sys.exit(f"{symbol}: no routine of this name is there for profilers")
            if name in BY_HAND:
                slots.append(real)
                wrappers.append(f"PATHLINE_FORTRAN_{name.upper()}({symbol}, {len(slots) - 1})")
            elif hooks_of(name, hooks).by_c:
                wrappers.append(fortran_by_c(name, symbol, parameters))
            else:
                slots.append(real)
                wrappers.append(fortran_wrapper(name, symbol, len(slots) - 1, kind, parameters,
                                                hooks_of(name, hooks)))
            for alias in aliases:
                wrappers.append(f'extern "C" PATHLINE_EXPORT __typeof__({symbol}) {alias} '
                                f'__attribute__((alias("{symbol}")));')
    out.write("constexpr const char* kFortranRoutines[] = {\n")
    out.writelines(f'    "{slot}",\n' for slot in slots)
    out.write('    ""};\n')
    out.write("static void* fortran_routines[sizeof kFortranRoutines / sizeof *kFortranRoutines];\n")
    out.write("static void* fortran_routine(size_t slot) {\n"
              "  return find_routine(fortran_routines[slot], kFortranRoutines[slot]);\n}\n")
    out.write("\n".join(wrappers) + "\n")
    return symbols


def main():
    header, hook_file, c_library, fortran_libraries, folder = sys.argv[1:]
    functions = prototypes(open(header, encoding="utf-8").read())
    there = names_in(c_library, "--defined-only")
    hooks = read_hooks(hook_file)
    # MPI_DUP_FN and the like look like functions but are handed over as values; what has no PMPI
    # (Open MPI's MPIX_Query_cuda_support) cannot be wrapped.
    names = sorted(n for n in functions if {n, f"P{n}"} <= there and not re.search(r"_(FN|F90)$", n))
    libraries = [library for library in fortran_libraries.split(";") if library]
    # Open MPI's C has macros in the place of two functions that its Fortran has.
    only_fortran = [n for n in FORTRAN_ARGUMENTS if n not in names]
    functions.update({n: ("MPI_Aint", []) for n in only_fortran})
    symbols = []

    def write(file, writer, *arguments):
        with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
            out.write("// Made by generate_wrappers.py; do not edit.\n")
            symbols.extend(writer(out, *arguments) or [])

    write("functions.inc", write_names, names + only_fortran)
    write("wrappers.inc", write_c, functions, names, hooks)
    write("fortran.inc", write_fortran, functions, names + only_fortran, hooks, libraries)
    with open(os.path.join(folder, "symbols.txt"), "w", encoding="utf-8") as out:
        out.writelines(f"{symbol}\n" for symbol in sorted(set(names) | set(symbols)))


main()
