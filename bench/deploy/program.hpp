// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace deploy {

/// Thrown by all ranks alike. what() is one line that says what was found and what is expected.
class Refused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws Refused on all ranks if one of them has a reason: that of the first of them. Collective.
///
/// reason  empty: this rank has none.
void refuse_if_any(const std::string& reason);

/// The largest value of all ranks, on all of them. Collective.
double largest(double value);

int world_rank();
int world_size();

/// What a main() does: MPI_Init, `run`, MPI_Finalize. Of a refusal rank 0 tells the reason, once.
///
/// returns  the exit status: what `run` returned, the same on all ranks, or 2 after a refusal.
int main_of(const char* program, int argc, char** argv,
            const std::function<int(const std::vector<std::string>&)>& run);

}  // namespace deploy
