// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Job job(const base::Environment& environment, std::string_view mpi = "auto") {
  const auto found = find_job(environment, mpi);
  EXPECT_TRUE(found.ok());
  return found.ok() ? found.value() : Job{};
}

TEST(FindJob, IsOneProcessWithoutLauncher) {
  EXPECT_EQ(job({{"PATH", "/usr/bin"}}).size, 1U);
  EXPECT_THAT(job({}).mpis, IsEmpty());
}

TEST(FindJob, OfOneProcessNeedsNoMpi) {
  EXPECT_EQ(job({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).size, 1U);
  EXPECT_THAT(job({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}).mpis, IsEmpty());
}

TEST(FindJob, KnowsOpenMpi) {
  const Job found = job({{"OMPI_COMM_WORLD_RANK", "5"},
                         {"OMPI_COMM_WORLD_SIZE", "8"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                         {"PMIX_RANK", "5"}});
  EXPECT_EQ(found.size, 8U);
  EXPECT_EQ(found.rank, 5U);
  EXPECT_EQ(found.local_size, 4U);
  EXPECT_EQ(found.local_rank, 1U);
  EXPECT_THAT(found.mpis, ElementsAre("openmpi"));
}

TEST(FindJob, KnowsHydra) {
  const Job found = job(
      {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}, {"MPI_LOCALNRANKS", "2"}, {"MPI_LOCALRANKID", "1"}});
  EXPECT_EQ(found.size, 4U);
  EXPECT_EQ(found.rank, 3U);
  EXPECT_EQ(found.local_size, 2U);
  EXPECT_EQ(found.local_rank, 1U);
  EXPECT_THAT(found.mpis, ElementsAre("mpich"));
}

TEST(FindJob, TriesBothMpisInAStepOfSlurm) {
  base::Environment environment = {
      {"SLURM_PROCID", "2"}, {"PMIX_RANK", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}};
  EXPECT_THAT(job(environment).mpis, ElementsAre("openmpi", "mpich"));
  EXPECT_EQ(job(environment).size, 3U);
  environment = {{"SLURM_PROCID", "2"}, {"PMI_RANK", "2"}, {"PMI_SIZE", "3"}};
  EXPECT_THAT(job(environment).mpis, ElementsAre("mpich", "openmpi"));
  EXPECT_THAT(job(environment, "openmpi").mpis, ElementsAre("openmpi"));
}

TEST(FindJob, OfATaskWithoutPmiIsOneProcess) {
  EXPECT_EQ(job({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "3"}}).size, 1U);
}

TEST(FindJob, TakesTheWordOfTheUser) {
  const base::Environment environment = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}};
  EXPECT_EQ(job(environment, "none").size, 1U);
  const auto wrong = find_job(environment, "lam");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("expected auto, openmpi, mpich or none"));
}

TEST(FindJob, NeedsALauncherForAnMpiThatIsNamed) {
  const auto alone = find_job({}, "openmpi");
  ASSERT_FALSE(alone.ok());
  EXPECT_THAT(alone.error().message, HasSubstr("no mpirun or srun has started this process"));
  EXPECT_EQ(job({}, "none").size, 1U);
  EXPECT_EQ(job({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}, "openmpi").size,
            1U);
  EXPECT_EQ(job({{"SLURM_PROCID", "2"}}, "mpich").size, 1U);
}

TEST(FindJob, DoesNotBelieveWhatIsNoNumber) {
  EXPECT_EQ(job({{"PMI_RANK", "x"}, {"PMI_SIZE", "4"}}).size, 1U);
  EXPECT_EQ(job({{"PMI_RANK", "1"}, {"PMI_SIZE", "-4"}}).size, 1U);
}

}  // namespace
}  // namespace pathline::exchange
