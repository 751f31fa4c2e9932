#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# icofoam.sh RANKS   makes the cavity of OpenFOAM's examples, 20 x 20 cells, in this folder and
#                    decomposes it. Scotch is a stub in Debian; OpenFOAM's bashrc is not needed.
set -euo pipefail

ranks=$1
export WM_PROJECT_DIR=/usr/share/openfoam
cp -r /usr/share/doc/openfoam-examples/examples/incompressible/icoFoam/cavity/cavity/* .
gunzip -rf . 2>/dev/null || true
cat >system/decomposeParDict <<EOT
FoamFile { version 2.0; format ascii; class dictionary; object decomposeParDict; }
numberOfSubdomains $ranks;
method simple;
simpleCoeffs { n (2 $((ranks / 2)) 1); delta 0.001; }
EOT
blockMesh
decomposePar
