# SPDX-License-Identifier: BSD-3-Clause
"""box.py N   writes a unit cube of N x N x N hexahedra in Gmsh's format 2.2 to standard output."""

import itertools
import sys

n = int(sys.argv[1])


def node(i, j, k):
    return 1 + i + (n + 1) * (j + (n + 1) * k)


print("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes", (n + 1) ** 3, sep="\n")
for k, j, i in itertools.product(range(n + 1), repeat=3):
    print(node(i, j, k), i / n, j / n, k / n)
print("$EndNodes\n$Elements", n ** 3, sep="\n")
for number, (k, j, i) in enumerate(itertools.product(range(n), repeat=3), 1):
    corners = [node(i + a, j + b, k + c) for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    print(number, 5, 2, 1, 1, *corners)
print("$EndElements")
