// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/exchange.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "exchange/mpi_functions.h"

namespace pathline::exchange {
namespace {

base::Error cannot_share(const Job& job, const std::string& fact) {
  const bool open_mpi = job.mpis.front() == "openmpi";
  return {base::ErrorCode::kUnsupported,
          fmt::format("{} processes were started, which cannot work together: {}", job.size, fact),
          fmt::format("Needs {}; without mpirun one process does all the work, and so does each "
                      "with '--mpi none'.",
                      open_mpi ? "Open MPI (openmpi-bin)" : "MPICH (mpich)")};
}

/// fact  gets why none can be had.
const PathlineExchange* load(const Job& job, const std::vector<std::filesystem::path>& folders,
                             std::string& fact) {
  for (const std::string& mpi : job.mpis) {
    const std::string name = fmt::format("libpathline-exchange-{}.so", mpi);
    std::string missing = fmt::format("there is no {}", name);
    for (const auto& folder : folders) {
      std::error_code ignored;
      const auto path = std::filesystem::weakly_canonical(folder / name, ignored);
      if (!std::filesystem::exists(path, ignored)) {
        if (&folder == &folders.front()) missing = fmt::format("there is no {}", path.string());
        continue;
      }
      // Plug-ins of Open MPI look for its functions among those that are visible to all.
      void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
      if (library == nullptr) {
        const char* const reason = ::dlerror();
        missing = reason != nullptr ? reason : path.string();
        break;
      }
      const auto functions =
          reinterpret_cast<PathlineExchangeFunctions>(::dlsym(library, PATHLINE_EXCHANGE_SYMBOL));
      if (functions != nullptr && functions()->version == kPathlineExchangeVersion) {
        return functions();
      }
      missing = fmt::format("{} is of another version of Pathline", path.string());
      break;
    }
    fact += (fact.empty() ? "" : "; ") + missing;
  }
  return nullptr;
}

}  // namespace

Exchange::Exchange(const PathlineExchange& started) : mpi_(&started) {
  started.place(&rank_, &size_);
}

Exchange::Exchange(Exchange&& other) noexcept { *this = std::move(other); }

Exchange& Exchange::operator=(Exchange&& other) noexcept {
  std::swap(mpi_, other.mpi_);
  std::swap(rank_, other.rank_);
  std::swap(size_, other.size_);
  std::swap(slice_bytes_, other.slice_bytes_);
  return *this;
}

Exchange::~Exchange() {
  constexpr int kFailed = 2;
  if (mpi_ != nullptr) abort(kFailed);
}

base::Result<Exchange> Exchange::join(const Job& job,
                                      const std::vector<std::filesystem::path>& folders) {
  if (job.size == 1) return Exchange();
  std::string fact;
  const PathlineExchange* const mpi = load(job, folders, fact);
  if (mpi == nullptr) return cannot_share(job, fact);
  if (mpi->start() != 0) return cannot_share(job, "MPI_Init_thread failed");
  Exchange exchange(*mpi);
  if (exchange.size_ == job.size) return exchange;
  const unsigned known = exchange.size_;
  exchange.leave();
  return cannot_share(job, fmt::format("this MPI knows {} of them; --mpi names another", known));
}

void Exchange::gather_fixed(const void* mine, uint32_t bytes, void* all) {
  if (mpi_ == nullptr) {
    std::memcpy(all, mine, bytes);
  } else {
    mpi_->all_gather(mine, bytes, all);
  }
}

std::vector<Bytes> Exchange::all_to_all(const std::vector<Bytes>& parts) {
  if (mpi_ == nullptr) return parts;
  std::vector<uint64_t> send_bytes;
  std::vector<const uint8_t*> send;
  for (const Bytes& part : parts) {
    send_bytes.push_back(part.size());
    send.push_back(part.data());
  }
  std::vector<uint64_t> receive_bytes(size_);
  mpi_->all_to_all_numbers(send_bytes.data(), receive_bytes.data());
  std::vector<Bytes> result(size_);
  std::vector<uint8_t*> receive;
  for (unsigned i = 0; i < size_; ++i) {
    result[i].resize(receive_bytes[i]);
    receive.push_back(result[i].data());
  }
  mpi_->all_to_all(send.data(), send_bytes.data(), receive.data(), receive_bytes.data(),
                   slice_bytes_);
  return result;
}

std::vector<Bytes> Exchange::gather(Bytes mine) {
  std::vector<Bytes> parts(size_);
  parts[0] = std::move(mine);
  auto all = all_to_all(parts);
  if (rank_ != 0) all.clear();
  return all;
}

base::Status Exchange::agree(const base::Status& mine, uint64_t place) {
  if (mpi_ == nullptr) return mine;
  struct Outcome {
    uint64_t place;
    int failed;
    base::ErrorCode code;
    uint64_t message_bytes;
  };
  Outcome own{place, 0, {}, 0};
  if (!mine) own = {place, 1, mine.error().code, mine.error().message.size()};
  const auto all = all_gather(own);
  unsigned first = size_;
  for (unsigned i = 0; i < size_; ++i) {
    if (all[i].failed != 0 && (first == size_ || all[i].place < all[first].place)) first = i;
  }
  if (first == size_) return {};
  std::vector<Bytes> texts(size_);
  if (rank_ == first) {
    const std::string text = mine.error().message + mine.error().advice;
    for (Bytes& one : texts) one.assign(text.begin(), text.end());
  }
  const Bytes text = all_to_all(texts)[first];
  const auto message_end = text.begin() + static_cast<std::ptrdiff_t>(all[first].message_bytes);
  return base::Error{all[first].code, std::string(text.begin(), message_end),
                     std::string(message_end, text.end())};
}

void Exchange::leave() {
  if (mpi_ != nullptr) mpi_->finish();
  mpi_ = nullptr;
  rank_ = 0;
  size_ = 1;
}

void Exchange::abort(int status) {
  if (mpi_ != nullptr) mpi_->abort(status);
  std::_Exit(status);
}

}  // namespace pathline::exchange
