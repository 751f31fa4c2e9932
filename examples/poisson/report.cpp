// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/report.hpp"

#include <cmath>

namespace poisson {
namespace {

double imbalance(const Report& report) {
  return std::abs(report.outflow - report.source) / report.source;
}

void print_member(std::FILE* file, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value)) {
    std::fprintf(file, ",\"%s\":%.17g", name, *value);
  } else {
    std::fprintf(file, ",\"%s\":null", name);
  }
}

}  // namespace

void print_text(const Options& options, const Report& report) {
  std::printf("solver = %s\n", name_of(options.solver));
  std::printf("ranks = %d x %d\n", options.px, options.py);
  std::printf("grid = %d x %d\n", options.px * options.nx, options.py * options.ny);
  std::printf("coefficient = %g\n", options.coefficient);
  std::printf("iterations = %d\n", report.outcome.iterations);
  std::printf("converged = %s\n", report.outcome.converged ? "yes" : "no");
  std::printf("residual = %.3e\n", report.outcome.residual);
  std::printf("true residual = %.3e\n", report.true_residual);
  std::printf("flux = %.12f\n", report.flux);
  std::printf("outflow = %.12f\n", report.outflow);
  std::printf("source = %.12f\n", report.source);
  std::printf("imbalance = %.3e\n", imbalance(report));
  if (report.error) std::printf("error = %.6e\n", *report.error);
  if (report.census) std::printf("largest share of work = %.6f\n", *report.census);
  std::printf("time = %.6f s\n", report.time_s);
}

bool print_json(std::FILE* file, const Options& options, const Report& report) {
  std::fprintf(file, "{\"solver\":\"%s\",\"ranks\":[%d,%d],\"grid\":[%d,%d]",
               name_of(options.solver), options.px, options.py, options.px * options.nx,
               options.py * options.ny);
  print_member(file, "coefficient", options.coefficient);
  std::fprintf(file, ",\"iterations\":%d,\"converged\":%s", report.outcome.iterations,
               report.outcome.converged ? "true" : "false");
  print_member(file, "residual", report.outcome.residual);
  print_member(file, "true_residual", report.true_residual);
  print_member(file, "flux", report.flux);
  print_member(file, "outflow", report.outflow);
  print_member(file, "source", report.source);
  print_member(file, "imbalance", imbalance(report));
  print_member(file, "error", report.error);
  print_member(file, "largest_share_of_work", report.census);
  print_member(file, "time_s", report.time_s);
  std::fprintf(file, "}\n");
  return std::fflush(file) == 0 && std::ferror(file) == 0;
}

}  // namespace poisson
