// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/probe.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/export.hpp"
#include "app/picture.hpp"
#include "app/score.hpp"
#include "comm/summary.hpp"
#include "fuzz/cube.hpp"
#include "fuzz/mesh.hpp"
#include "fuzz/network.hpp"
#include "fuzz/placement.hpp"
#include "fuzz/scaling.hpp"
#include "fuzz/summary.hpp"
#include "input/input.hpp"
#include "otf2/writer.hpp"

namespace pathline::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMessages =
    "sender,receiver,send_s,recv_s,bytes,tag\n0,1,0.5,0.75,8,3\n1,0,0.25,1e-3,4096,0\n";

/// Files that place ranks are called after their format: "placement.bgq".
constexpr std::string_view kPlacement = "placement.";
/// Texts of networks after what they describe: "network.tree".
constexpr std::string_view kNetwork = "network.";
/// Cube profiles after how their values are stored: "cube.packed".
constexpr std::string_view kCube = "cube.";
/// Meshes after which of their files it is: "mesh.owner".
constexpr std::string_view kMesh = "mesh.";
/// And measurements after their form: "scaling.jsonl".
constexpr std::string_view kScaling = "scaling.";

/// Summaries after what is changed: "summary.judged".
constexpr std::string_view kSummary = "summary.";

/// What a file that stands alone holds at first; nothing if it is no such file.
std::optional<std::string> example_of(std::string_view file) {
  if (file.starts_with(kPlacement)) return placement_example(file.substr(kPlacement.size()));
  if (file.starts_with(kNetwork)) return network_example(file.substr(kNetwork.size()));
  if (file.starts_with(kScaling)) return scaling_example(file.substr(kScaling.size()));
  if (file.starts_with(kMesh)) return mesh_example(file.substr(kMesh.size()));
  if (file.starts_with(kCube)) return cube_example(file.substr(kCube.size()));
  return std::nullopt;
}

/// Which promise is broken for a file that stands alone.
std::string probe_alone(std::string_view file, std::span<const uint8_t> content) {
  if (file.starts_with(kCube)) return probe_cube(content);
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  if (file.starts_with(kNetwork)) return probe_network(file.substr(kNetwork.size()), text);
  if (file.starts_with(kScaling)) return probe_scaling(file.substr(kScaling.size()), text);
  if (file.starts_with(kMesh)) return probe_mesh(file.substr(kMesh.size()), text);
  return probe_placement(text);
}

[[noreturn]] void broken(const std::string& promise) {
  fmt::print(stderr, "fuzz: {}\n", promise);
  std::abort();
}

/// Runs a program that lies beside this one.
void run_beside(const char* program, const std::string& arguments) {
  const auto path = fs::read_symlink("/proc/self/exe").parent_path() / program;
  const auto command = fmt::format("'{}' {} 2>/dev/null", path.string(), arguments);
  if (std::system(command.c_str()) != 0) broken("'" + command + "' failed");
}

void make_archive(const fs::path& folder, const char* shape) {
  run_beside("pathline-synth", fmt::format("{} -o '{}'", shape, folder.string()));
}
constexpr const char* kSmall = "wrf --ranks 4 --messages 64 --seconds 1";
/// With time steps, and long enough for places to read again.
constexpr const char* kLonger = "fd4 --ranks 2 --messages 1000 --seconds 2";

/// Rank 1 is whole and complements rank 0, which is the one that is changed.
void make_raw_run(const fs::path& folder) {
  run_beside("make_raw",
             fmt::format("'{}' --ranks 2 --steps 2 --all 1", (folder / "raw").string()));
}

/// The smallest chunks that are allowed: the library clears a whole one for each file it opens.
void shrink_chunks(const fs::path& anchor) {
  constexpr std::streamoff kChunkSizes = 12;
  constexpr char kSizes[] = {0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0};
  fs::permissions(anchor, fs::perms::owner_all);
  std::fstream(anchor, std::ios::binary | std::ios::in | std::ios::out)
      .seekp(kChunkSizes)
      .write(kSizes, sizeof kSizes);
}

std::vector<uint8_t> content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What every command does with a trace.
void analyse(const trace::Trace& trace, base::ThreadPool& pool) {
  figure::Options options;
  options.width_px = 400;
  options.height_px = 300;
  std::ignore = comm::summarise(trace, pool);
  const app::Score score = app::score(trace, {}, pool);
  std::ignore = app::proposed_filter(trace, score);
  for (const auto kind :
       {app::FigureKind::kTimeline, app::FigureKind::kMatrix, app::FigureKind::kProfile}) {
    std::ignore = app::make_scene(kind, trace, {}, options, {}, pool);
  }
  for (const auto order :
       {comm::Order::kHost, comm::Order::kCommunicator, comm::Order::kSpectral}) {
    options.order = order;
    std::ignore = app::make_scene(app::FigureKind::kChord, trace, {}, options, {}, pool);
    std::ignore = app::make_scene(app::FigureKind::kFlow, trace, {}, options, {}, pool);
  }
}

/// What writes files. Not for thousands of locations, which a mutation may make up:
/// AddressSanitizer clears the buffers that the OTF2 library has for each, which takes seconds.
void write_all(const trace::Trace& trace, const fs::path& folder) {
  constexpr size_t kMostLocations = 256;
  if (trace.locations.size() > kMostLocations) return;
  base::Progress progress;
  const trace::Selection all;
  std::ignore = app::export_chrome(trace, all, folder / "chrome.json", progress);
  std::ignore = app::export_csv(trace, all, folder / "csv", progress);
  std::ignore = otf2::write(trace, folder / "again", "traces", progress);
}

}  // namespace

Probe::Probe(std::string file, const fs::path& archive) : file_(std::move(file)) {
  // In memory where there is such a folder: the files are written a hundred thousand times.
  const fs::path parent = fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path();
  folder_ =
      parent / fmt::format("pathline-fuzz-{}-{}", ::getpid(), fs::path(file_).filename().string());
  fs::remove_all(folder_);
  if (file_.ends_with(".csv")) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / file_) << kMessages;
  } else if (const auto example = example_of(file_)) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / file_, std::ios::binary) << *example;
    stands_alone_ = true;
  } else if (file_.ends_with(".raw")) {
    make_raw_run(folder_);
  } else if (archive.empty()) {
    const bool is_long = file_ == "summary.file" || file_ == "summary.columns";
    make_archive(folder_, is_long ? kLonger : kSmall);
  } else {
    fs::copy(archive, folder_, fs::copy_options::recursive);
  }
  if (file_.starts_with(kSummary)) {
    summary_ =
        std::make_unique<SummaryProbe>(folder_, std::string_view(file_).substr(kSummary.size()));
    original_ = summary_->example();
    return;
  }
  if (fs::exists(folder_ / "traces.otf2")) shrink_chunks(folder_ / "traces.otf2");
  original_ = content_of(folder_ / file_);
  if (original_.empty()) broken((folder_ / file_).string() + " is not there");
  fs::permissions(folder_ / file_, fs::perms::owner_all);
}

Probe::~Probe() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Probe::run(std::span<const uint8_t> content) {
  if (stands_alone_ || summary_) {
    const std::string promise = summary_ ? summary_->probe(content) : probe_alone(file_, content);
    if (!promise.empty()) broken(promise);
    return;
  }
  {
    std::ofstream out(folder_ / file_, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
  }
  check(false);
  check(true);
  ++runs_;
}

void Probe::check(bool partial) {
  static base::ThreadPool pool(1);
  base::Progress progress;
  const bool is_table = file_.ends_with(".csv");
  const bool is_raw = file_.ends_with(".raw");
  const fs::path input = is_raw ? folder_ : folder_ / (is_table ? file_ : "traces.otf2");
  const auto trace =
      input::need_trace(input::open(input, {.partial = partial}, pool, progress), input);
  if (!trace) {
    const std::string& message = trace.error().message;
    if (message.find(folder_.string()) == std::string::npos) {
      broken("this error names no file: " + message);
    }
    const bool corrupt = trace.error().code == base::ErrorCode::kCorrupt;
    const bool places =
        message.find("offset ") != std::string::npos || message.find("line ") != std::string::npos;
    if (corrupt && !places) broken("this error names no place: " + message);
    return;
  }
  if (partial && !trace.value().complete && trace.value().warnings.empty()) {
    broken("an incomplete trace without a warning");
  }
  // These cost much more than reading.
  if (partial && runs_ % 16 == 0) analyse(trace.value(), pool);
  if (partial && runs_ % 512 == 0) {
    const fs::path out = folder_ / "out";
    fs::create_directories(out);
    write_all(trace.value(), out);
    fs::remove_all(out);
  }
}

}  // namespace pathline::fuzz
