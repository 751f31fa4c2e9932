// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace pathline::fuzz {

class SummaryProbe;

/// Reads one file with any content in its place: inside an archive that is whole otherwise, or
/// alone. Ends the program where a reader breaks its promises:
///
/// - strict, it returns a trace or an error that names a file of the archive; if something stands
///   wrongly in it, also where;
/// - partial, what it returns can be summarised, drawn, exported and written again.
///
/// Crashes, hangs and allocations that are too large are found by the sanitizer and the fuzzing
/// engine around it.
class Probe {
 public:
  /// file     path inside the archive: "traces.otf2", "traces.def", "traces/0.def",
  ///          "traces/0.evt"; a name ending in ".csv" stands alone, one ending in ".raw" lies in a
  ///          run directory that make_raw, beside this program, makes; "placement.bgq" and the
  ///          like are files that place ranks, see fuzz/placement.hpp; "network.tree" and the like
  ///          are texts of networks, see fuzz/network.hpp; "mesh.owner" and the like are files of
  ///          meshes, see fuzz/mesh.hpp; "scaling.jsonl" and the like are texts of measurements,
  ///          see fuzz/scaling.hpp; "summary.file" and the like are of a summary of the archive,
  ///          see fuzz/summary.hpp.
  /// archive  folder of a whole archive called "traces", of which a copy is made; "" means the
  ///          one that pathline-synth, beside this program, makes.
  explicit Probe(std::string file, const std::filesystem::path& archive = {});
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  void run(std::span<const uint8_t> content);

  /// The content that the file has in the whole archive.
  [[nodiscard]] const std::vector<uint8_t>& original() const { return original_; }

 private:
  void check(bool partial);

  std::string file_;
  std::filesystem::path folder_;
  std::vector<uint8_t> original_;
  bool stands_alone_ = false;  // Needs no archive, nor a file.
  std::unique_ptr<SummaryProbe> summary_;
  uint64_t runs_ = 0;
};

}  // namespace pathline::fuzz
