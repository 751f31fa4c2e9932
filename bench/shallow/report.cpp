// SPDX-License-Identifier: BSD-3-Clause
#include "bench/shallow/report.hpp"

#include <charconv>
#include <string>
#include <vector>

namespace shallow {
namespace {

constexpr int kRoot = 0;
constexpr const char* kStepName = "step";

std::vector<double> largest_of_ranks(std::span<const double> own, MPI_Comm communicator) {
  std::vector<double> largest(own.size());
  MPI_Reduce(own.data(), largest.data(), static_cast<int>(own.size()), MPI_DOUBLE, MPI_MAX, kRoot,
             communicator);
  return largest;
}

/// Nine digits: no clock that counts nanoseconds has more.
std::string digits(double value) {
  char text[32];
  constexpr auto kShortest = std::chars_format::general;
  return {text, std::to_chars(std::begin(text), std::end(text), value, kShortest, 9).ptr};
}

/// In quotes; control characters, which no host and no library has in its name, become blanks.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + '"';
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text);
  return all.substr(0, all.find_first_of(",\n"));  // How it was built may follow.
}

void write_line(std::FILE* file, const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), file);
}

std::string head(const Options& options, const TimeSummary& summary) {
  const auto list = [](int first, int second) {
    return "[" + std::to_string(first) + "," + std::to_string(second) + "]";
  };
  return R"({"program":"shallow","format":1,"grid":)" + list(options.whole_m, options.whole_n) +
         R"(,"ranks":)" + list(options.px, options.py) + R"(,"steps":)" +
         std::to_string(options.steps) + R"(,"warmup":)" + std::to_string(options.warmup) +
         R"(,"start":)" + quoted(name_of(options.start)) + R"(,"compute":)" +
         quoted(name_of(options.compute)) + R"(,"mpi":)" + quoted(library_version()) +
         R"(,"loop_s":)" + digits(summary.loop_s) + "}\n";
}

/// A line for each block of a rank.
void write_rank(std::FILE* file, int rank, const Options& options, std::string_view host,
                std::span<const double> all_s) {
  const Division division = divide(options.whole_m, options.whole_n, options.px, options.py, rank);
  const std::string who =
      R"({"rank":)" + std::to_string(rank) + R"(,"x":)" + std::to_string(division.x) + R"(,"y":)" +
      std::to_string(division.y) + R"(,"m":)" + std::to_string(division.own.m) + R"(,"n":)" +
      std::to_string(division.own.n) + R"(,"host":)" + quoted(host) + R"(,"block":)";
  const size_t steps = all_s.size() / (kBlockCount + 1);
  for (size_t block = 0; block <= kBlockCount; ++block) {
    std::string line =
        who + quoted(block < kBlockCount ? kBlockNames[block] : kStepName) + R"(,"seconds":[)";
    for (size_t step = 0; step < steps; ++step) {
      if (step != 0) line += ',';
      line += digits(all_s[block * steps + step]);
    }
    write_line(file, line + "]}\n");
  }
}

void print_row(const char* name, const Quantiles& row) {
  std::printf("%-10s %12.4E %15.4E %12.4E %16.4E\n", name, row.minimum, row.lower_quartile,
              row.median, row.percentile_90);
}

}  // namespace

TimeSummary summarize(const StepTimes& times, MPI_Comm communicator) {
  TimeSummary summary = {};
  for (size_t block = 0; block < kBlockCount; ++block) {
    summary.blocks[block] =
        quantiles(largest_of_ranks(times.block_s(static_cast<Block>(block)), communicator));
  }
  std::vector<double> ends_s;
  double end_s = 0;
  for (const double step_s : times.step_s()) ends_s.push_back(end_s += step_s);
  ends_s = largest_of_ranks(ends_s, communicator);
  summary.loop_s = ends_s.back();
  for (size_t step = ends_s.size() - 1; step > 0; --step) ends_s[step] -= ends_s[step - 1];
  summary.step = quantiles(ends_s);
  return summary;
}

void print(const TimeSummary& summary) {
  std::printf("time = %.6E s\n", summary.loop_s);
  std::printf("seconds per step = %.6E\n", summary.step.median);
  std::printf("seconds per step, lower quartile = %.6E\n", summary.step.lower_quartile);
  std::printf("%-10s %12s %15s %12s %16s\n", "seconds", "minimum", "lower quartile", "median",
              "90th percentile");
  for (size_t block = 0; block < kBlockCount; ++block) {
    print_row(kBlockNames[block], summary.blocks[block]);
  }
  print_row(kStepName, summary.step);
}

bool write_samples(std::FILE* file, const Options& options, const Division& division,
                   const TimeSummary& summary, const StepTimes& times, MPI_Comm communicator) {
  constexpr int kHostTag = 1;
  constexpr int kTimesTag = 2;
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  MPI_Get_processor_name(host, &length);
  const std::span<const double> own_s = times.all_s();
  const auto count = static_cast<int>(own_s.size());
  if (division.x != 0 || division.y != 0) {
    MPI_Send(host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, kRoot, kHostTag, communicator);
    MPI_Send(own_s.data(), count, MPI_DOUBLE, kRoot, kTimesTag, communicator);
    return true;
  }

  write_line(file, head(options, summary));
  write_rank(file, kRoot, options, host, own_s);
  std::vector<double> others_s(own_s.size());
  for (int rank = 1; rank < options.px * options.py; ++rank) {
    MPI_Recv(host, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, rank, kHostTag, communicator,
             MPI_STATUS_IGNORE);
    MPI_Recv(others_s.data(), count, MPI_DOUBLE, rank, kTimesTag, communicator, MPI_STATUS_IGNORE);
    write_rank(file, rank, options, host, others_s);
  }
  const bool is_written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && is_written;
}

}  // namespace shallow
