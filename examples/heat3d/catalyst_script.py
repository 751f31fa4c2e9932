# script-version: 2.0
# SPDX-License-Identifier: BSD-3-Clause
#
# heat3d_catalyst heat.toml --catalyst catalyst_script.py: all arrays as VTK files, every 20th step.
from paraview import catalyst
from paraview.simple import *

options = catalyst.Options()
options.ExtractsOutputDirectory = "heat"
options.GlobalTrigger = "TimeStep"
options.GlobalTrigger.Frequency = 20

heat = TrivialProducer(registrationName="heat")
data = CreateExtractor("VTI", heat, registrationName="data")
data.Writer.FileName = "step_{timestep:06d}.pvti"
