// SPDX-License-Identifier: BSD-3-Clause
#include "app/reduce.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace pathline::cli {
namespace {

struct ReduceOptions : CommonOptions {
  std::string memory = "1G";
};

std::string text_of(const ReduceOptions& options, const app::Reduced& reduced) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(options.output, ignored);
  const auto bytes = [](uint64_t count) { return base::human_bytes(static_cast<double>(count)); };
  const comm::Summary& facts = reduced.summary.facts;
  const std::string file = base::printable(options.output);
  std::string text = fmt::format("{:<12} {}, of {} with {}\n", file, bytes(size),
                                 base::counted(reduced.summary.run.rank_count, "rank", "ranks"),
                                 base::counted(facts.events, "event", "events"));
  if (reduced.input_bytes > 0) {
    text += fmt::format("{:<12} {} were read a window of time at a time\n", "",
                        bytes(reduced.input_bytes));
  } else if (!reduced.in_one_piece.empty()) {
    text += fmt::format("{:<12} read as a whole: {}\n", "", base::printable(reduced.in_one_piece));
  }
  bool first = true;
  for (const char* command : {"info", "profile", "matrix", "steps"}) {
    text += fmt::format("{:<12} pathline {} {}\n", first ? "next" : "", command, file);
    first = false;
  }
  return text;
}

base::Result<int> run_reduce(const ReduceOptions& options) {
  if (options.output == "-") {
    return base::Error{
        base::ErrorCode::kInvalidArgument, "reduce writes a file: give it by -o",
        fmt::format("pathline reduce {} -o {}.plsum", options.input, run_name(options.input))};
  }
  const auto memory = app::parse_memory(options.memory);
  if (!memory) return memory.error();
  base::ThreadPool pool(options.threads);
  base::Progress progress;
  std::vector<std::string> notes;
  base::Result<app::Reduced> reduced = app::Reduced{};
  with_progress(progress, options.quiet, [&] {
    reduced =
        app::reduce_run(options.input, {.memory_bytes = memory.value(), .partial = options.partial},
                        pool, progress, notes);
  });
  if (!options.quiet) {
    for (const std::string& text : notes) note(text);
  }
  if (!reduced) return reduced.error();
  if (auto status = app::write_summary(reduced.value(), options.input, options.output); !status) {
    return status.error();
  }
  if (options.quiet) return kDone;
  if (auto status = write_result("-", text_of(options, reduced.value())); !status) {
    return status.error();
  }
  return kDone;
}

}  // namespace

void add_reduce_command(Command& program, Action& action) {
  auto options = std::make_shared<ReduceOptions>();
  Command command =
      program.command("reduce", "Tables of a run too large for memory, in a small file");
  add_input(command, *options);
  add_output(command, *options);
  command
      .option("--memory", options->memory,
              "For the events that are in memory at a time, about: 512M, 2G")
      .show_default();
  command.footer(
      "Reads an OTF2 archive one window of time after the other and keeps what 'pathline info', "
      "'profile', 'matrix' and 'steps' say of the whole run; the same bytes for any --memory. "
      "These take "
      "the file in place of the run. Archives in which recording was switched on and off, or calls "
      "had begun before the first event, are read as a whole, and so are other inputs.\nExamples:\n"
      "  pathline reduce run -o run.plsum\n  pathline reduce run -o run.plsum --memory 4G\n"
      "  pathline profile run.plsum --by callpath");
  command.on_chosen([options, &action] { action = [options] { return run_reduce(*options); }; });
}

}  // namespace pathline::cli
