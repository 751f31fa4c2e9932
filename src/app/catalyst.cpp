// SPDX-License-Identifier: BSD-3-Clause
#include "app/catalyst.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::app {

base::Result<std::string> catalyst_scripts(const std::string& setting,
                                           const std::filesystem::path& recorder) {
  const std::filesystem::path folder = recorder.parent_path();
  std::error_code failure;
  if (!std::filesystem::exists(folder / "libpathline-catalyst.so", failure)) {
    return base::Error{
        base::ErrorCode::kUnsupported,
        fmt::format("--catalyst: there is no {}, as Pathline was built without ParaView",
                    (folder / "libpathline-catalyst.so").string()),
        "Install ParaView 5.11 (Debian: paraview-dev and python3-paraview) and build again; "
        "without "
        "it --insitu geometry writes files that ParaView opens."};
  }
  std::string scripts;
  for (size_t begin = 0; begin <= setting.size();) {
    const size_t end = std::min(setting.find(':', begin), setting.size());
    std::string script = setting.substr(begin, end - begin);
    if (script == "default" || script == "default-legacy") {
      std::replace(script.begin(), script.end(), '-', '_');
      script = (folder / "pathline-catalyst" / (script + ".py")).string();
    }
    if (!scripts.empty()) scripts += ':';
    scripts += script;
    begin = end + 1;
  }
  return scripts;
}

}  // namespace pathline::app
