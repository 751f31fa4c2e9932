// SPDX-License-Identifier: BSD-3-Clause
#include "app/reduce.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>

#include <fmt/format.h>

#include "app/output.hpp"
#include "base/child_process.hpp"
#include "base/heap.hpp"
#include "base/memory.hpp"
#include "base/scratch.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "cli/command.hpp"
#include "cli/findings_options.hpp"

namespace pathline::cli {
namespace {

struct ReduceOptions : FocusOptions {
  std::string memory;
  std::string mpi = "auto";
  bool findings = false;
};

std::string text_of(const ReduceOptions& options, const app::Reduced& reduced, bool has_findings) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(options.output, failed);
  const auto bytes = [](uint64_t count) { return base::human_bytes(static_cast<double>(count)); };
  const comm::Summary& facts = reduced.summary.facts;
  const std::string file = base::printable(options.output);
  std::string text = fmt::format("{:<12} {}of {} with {}\n", file, failed ? "" : bytes(size) + ", ",
                                 base::counted(reduced.summary.run.rank_count, "rank", "ranks"),
                                 base::counted(facts.events, "event", "events"));
  if (reduced.input_bytes > 0) {
    text += fmt::format("{:<12} {} were read a window of time at a time\n", "",
                        bytes(reduced.input_bytes));
  } else if (!reduced.in_one_piece.empty()) {
    text += fmt::format("{:<12} read as a whole: {}\n", "", base::printable(reduced.in_one_piece));
  }
  if (!std::filesystem::is_regular_file(options.output, failed)) return text;  // /dev/null
  const std::string word = campaign::shell_word(options.output);
  const std::string focus =
      options.focus == ReduceOptions().focus ? "" : " --focus " + options.focus;
  bool first = true;
  const auto propose = [&](std::string_view command, bool has_answer, std::string_view more = "") {
    if (!has_answer) return;
    text += fmt::format("{:<12} pathline {} {}{}\n", first ? "next" : "", command, word, more);
    first = false;
  };
  propose("findings", has_findings, focus);
  propose("info", true);
  propose("profile", true);
  propose("matrix", facts.messages > 0);
  propose("waits", !reduced.summary.waits.rows.empty());
  propose("steps", facts.marked_steps > 0);
  propose("report", true, " -o report.html");
  if (reduced.summary.states.levels.empty()) return text;
  text += fmt::format(
      "{:<12} pathline figure timeline {} -o {}\n", "", word,
      campaign::shell_word(std::filesystem::path(options.output).stem().string() + ".png"));
  return text;
}

/// Also whether it is a file: the header of a summary is written last.
base::Status check_output(const ReduceOptions& options) {
  std::error_code ignored;
  const auto type = std::filesystem::status(options.output, ignored).type();
  if (type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::socket) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("cannot write {}: a summary is a file, and this is a pipe", options.output)};
  }
  if (type == std::filesystem::file_type::directory) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("cannot write {}: a summary is a file, and this is a folder", options.output),
        fmt::format("-o {}.plsum", run_name(options.output))};
  }
  return app::check_output(options.input, options.output);
}

/// What --memory says, or 1 GiB, or half of what each process on a machine can have, if that is
/// less: tables take some, too.
base::Result<uint64_t> memory_of(const ReduceOptions& options, const exchange::Job& job) {
  if (!options.memory.empty()) return app::parse_memory(options.memory);
  constexpr uint64_t kUsual = uint64_t{1} << 30U;
  constexpr uint64_t kLeast = uint64_t{1} << 20U;
  const auto available = base::available_memory();
  if (!available) return kUsual;
  return std::clamp(*available / 2 / std::max<uint64_t>(1, job.local_size), kLeast, kUsual);
}

/// One of the processes of a job speaks for all.
base::Result<int> reduce(const ReduceOptions& options, const exchange::Job& job,
                         exchange::Exchange& exchange, bool first) {
  const auto memory = memory_of(options, job);
  if (!memory) return memory.error();
  auto request = focus_of(options);
  if (!request) return request.error();
  const std::optional<app::FindingsRequest> findings =
      options.findings ? std::optional(request.value()) : std::nullopt;
  const auto can_write = exchange.agree(first ? check_output(options) : base::Status());
  if (!can_write) {
    exchange.leave();
    return first ? base::Result<int>(can_write.error()) : kDone;
  }
  base::ThreadPool pool(options.threads > 0 ? options.threads : app::threads_of(job));
  base::Progress progress;
  std::vector<std::string> notes;
  base::Result<app::Reduced> reduced = app::Reduced{};
  const app::ReduceOptions asked{.memory_bytes = memory.value(),
                                 .scratch = options.scratch,
                                 .partial = options.partial,
                                 .findings = findings};
  with_progress(progress, options.quiet || !first, [&] {
    reduced = app::reduce_run(options.input, asked, pool, progress, notes, exchange);
  });
  if (!first) return kDone;
  const auto say_notes = [&] {
    if (!options.quiet) {
      for (const std::string& text : notes) note(text);
    }
    notes.clear();
  };
  say_notes();
  if (!reduced) return reduced.error();
  if (auto status = app::write_summary(reduced.value(), options.input, options.output); !status) {
    return status.error();
  }
  const bool lacks_findings = reduced.value().lacks_findings;
  std::string text =
      text_of(options, reduced.value(), lacks_findings || !reduced.value().summary.judged.empty());
  if (lacks_findings) {
    reduced.value() = {};  // What judges needs the memory.
    base::give_back_freed_memory();
    base::Status added;
    with_progress(progress, options.quiet, [&] {
      added = app::add_findings(options.input, options.output, asked, pool, progress, notes);
    });
    say_notes();
    if (!added) {
      base::Error error = added.error();
      error.message =
          fmt::format("{} was written, but without findings: {}", options.output, error.message);
      if (error.code == base::ErrorCode::kUnsupported) {
        error.advice = fmt::format(
            "'pathline findings {}' may do with less; --scratch DIR has a disk in place of memory.",
            options.output);
      }
      return error;
    }
  }
  if (options.quiet) return kDone;
  if (auto status = write_result("-", text); !status) return status.error();
  return kDone;
}

base::Result<int> run_reduce(const ReduceOptions& options) {
  if (options.focus != ReduceOptions().focus && !options.findings) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       "--focus is of the findings: it goes with --findings"};
  }
  const auto job = exchange::find_job(base::own_environment(), options.mpi);
  if (!job) return job.error();
  const bool first = job.value().rank == 0;
  if (!options.scratch.empty()) {
    if (auto status = base::offer_scratch(options.scratch); !status) return status.error();
  }
  // A process that fails makes the launcher kill the others, maybe before they have spoken.
  if (options.output == "-") {
    if (!first) return kDone;
    return base::Error{
        base::ErrorCode::kInvalidArgument, "reduce writes a file: give it by -o",
        fmt::format("pathline reduce {} -o {}.plsum", options.input, run_name(options.input))};
  }
  auto joined = app::join(job.value());
  if (!joined) {
    if (job.value().local_rank != 0) return kDone;
    return joined.error();
  }
  exchange::Exchange exchange = std::move(joined).value();
  try {
    return reduce(options, job.value(), exchange, exchange.rank() == 0);
  } catch (const std::bad_alloc&) {
    if (exchange.size() == 1) {
      return base::Error{base::ErrorCode::kIo, "there is not enough memory for this input",
                         "Give less --memory, and --scratch DIR for a folder on a disk."};
    }
    exchange.abort(report_error({base::ErrorCode::kIo, "there is not enough memory for this input",
                                 "Start fewer processes on a machine, or give less --memory."}));
  } catch (const std::exception& error) {
    if (exchange.size() == 1) throw;
    exchange.abort(report_error({base::ErrorCode::kIo, error.what()}));
  }
}

}  // namespace

void add_reduce_command(Command& program, Action& action) {
  auto options = std::make_shared<ReduceOptions>();
  Command command =
      program.command("reduce", "Tables of a run too large for memory, in a small file");
  add_input(command, *options, true, false);
  command.option("-o,--output", options->output, "File to write, FILE.plsum");
  command.flag(
      "--findings", options->findings,
      "Also what 'pathline findings', 'efficiency', 'critical' and 'waits --by cause' say: "
      "reads the run once more, as a whole; one larger than memory part by part");
  add_focus(command, *options);
  command.option("--memory", options->memory,
                 "For the events that are in memory at a time, about: 512M, 2G; of each process. "
                 "Without it 1G, or half of what there is. With --scratch as much for tables that "
                 "grow with the run, the rest of which lies there");
  command
      .option(
          "--mpi", options->mpi,
          "The MPI that started several processes, if it is not recognised; none: each does all")
      .one_of({"auto", "openmpi", "mpich", "none"})
      .show_default();
  command.footer(
      "Reads an OTF2 archive one window of time after the other and keeps what 'pathline info', "
      "'profile', 'matrix', 'waits', 'messages --summary', 'score' and 'steps' say of the whole "
      "run; "
      "the same bytes for any --memory. Every command takes the file in place of the run: these, "
      "'figure' and "
      "'report' need nothing else, others read the run where it lies. With --findings those that "
      "it "
      "names need nothing else, either, for all ranks and a --min of 2 or more. Archives in which "
      "recording was switched on and off, or calls "
      "had begun before the first event, are read as a whole, and so are other inputs.\n"
      "Started by mpirun (Open MPI, MPICH) or srun, the processes share the work, on any number of "
      "machines; the same bytes for any number.\nExamples:\n"
      "  pathline reduce run -o run.plsum\n  pathline reduce run -o run.plsum --memory 4G\n"
      "  pathline reduce run -o run.plsum --findings\n"
      "  mpirun -n 16 pathline reduce run -o run.plsum\n"
      "  pathline profile run.plsum --by callpath");
  command.on_chosen([options, &action] { action = [options] { return run_reduce(*options); }; });
}

}  // namespace pathline::cli
