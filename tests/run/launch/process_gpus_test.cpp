#include "portatune/run/launch/process_gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "portatune/error.h"
#include "runtime/pjrt/variable.h"
#include "runtime/processes/thread_group.h"

namespace portatune::run {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

Launch of_machine(int64_t local_rank, int64_t local_size) {
  return {.by = Launch::By::kEnvironment, .size = 8, .local_rank = local_rank, .local_size = local_size};
}

TEST(ProcessGpus, AreAllWhereItIsAloneOnItsMachine) {
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 0), "cuda:0,1,2,3");
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 2), "cuda:0,1");
  EXPECT_EQ(gpus_of_process(of_machine(0, 1), 4, 5), "cuda:0,1,2,3");  // which are too few for the mesh
}

TEST(ProcessGpus, AreDividedAmongTheProcessesOfAMachine) {
  EXPECT_EQ(gpus_of_process(of_machine(0, 4), 8, 0), "cuda:0,1");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 8, 0), "cuda:6,7");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 8, 1), "cuda:6");
  EXPECT_THROW(gpus_of_process(of_machine(0, 4), 2, 0), UsageError);
}

TEST(ProcessGpus, AreThoseThatItAloneSees) {
  {
    const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", "3");
    EXPECT_EQ(gpus_of_process(of_machine(3, 4), 1, 0), "cuda:0");
  }
  const pjrt::Variable slurm("SLURM_GPUS_PER_TASK", "2");
  EXPECT_EQ(gpus_of_process(of_machine(3, 4), 2, 0), "cuda:0,1");
}

TEST(ProcessGpus, OneOfAMachineIsForOneProcess) {
  const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", nullptr);
  EXPECT_THROW(gpus_of_process(of_machine(1, 2), 1, 0), UsageError);
}

TEST(ProcessGpus, OfATaskOfSlurmAreDividedAmongWhatAnotherLauncherStartsInIt) {
  const pjrt::Variable slurm("SLURM_GPUS_PER_TASK", "8"), local("LOCAL_WORLD_SIZE", "8");
  EXPECT_EQ(gpus_of_process(of_machine(5, 8), 8, 0), "cuda:5");
}

TEST(ProcessGpus, AreCountedByWhatIsVisible) {
  const pjrt::Variable visible("CUDA_VISIBLE_DEVICES", "4,5,7");
  EXPECT_EQ(visible_gpus(), 3);
}

constexpr int64_t kFirst[] = {0};

std::vector<uint64_t> marks_in(const char* visible, const OpenGpus& open, std::span<const int64_t> numbers = kFirst) {
  const pjrt::Variable named("CUDA_VISIBLE_DEVICES", visible), order("CUDA_DEVICE_ORDER", nullptr);
  return marks_of_gpus(numbers, open);
}

TEST(MarksOfGpus, AreTheSameForOneGpuAlone) {
  const OpenGpus all{"machine", {0, 1, 2, 3}};
  const uint64_t mark = marks_in("2", all).front();
  EXPECT_NE(mark, 0);
  EXPECT_EQ(marks_in("2", all).front(), mark);
  EXPECT_EQ(marks_in("3,2", all, std::vector<int64_t>{1}).front(), mark);
  EXPECT_EQ(marks_in(nullptr, all, std::vector<int64_t>{2}).front(), mark);
  EXPECT_NE(marks_in("3", all).front(), mark);
  EXPECT_NE(marks_in("2", {"another machine", all.files}).front(), mark);
  // Each is the first that its process may open.
  EXPECT_NE(marks_in("0", {"machine", {2}}).front(), marks_in("0", {"machine", {3}}).front());
  EXPECT_EQ(marks_in("GPU-8f2", all).front(), marks_in("GPU-8f2", {"machine", {2}}).front());
  EXPECT_NE(marks_in("MIG-1", all).front(), marks_in("MIG-2", all).front());
}

TEST(MarksOfGpus, AreNoneWhereNothingIsKnown) {
  EXPECT_EQ(marks_in("0", {"", {0, 1}}).front(), 0);         // no name of the machine
  EXPECT_EQ(marks_in("0", {"machine", {}}).front(), 0);      // no file of a GPU
  EXPECT_EQ(marks_in("2", {"machine", {0, 1}}).front(), 0);  // which it does not see
  EXPECT_EQ(marks_in("-1", {"machine", {0, 1}}).front(), 0);
  EXPECT_EQ(marks_in("", {"machine", {0, 1}}).front(), 0);
  EXPECT_EQ(marks_in("0", {"machine", {0, 1}}, std::vector<int64_t>{1}).front(), 0);
}

// The errors of processes with these marks, one per process.
std::vector<std::string> errors_of(const std::vector<std::vector<uint64_t>>& marks) {
  std::vector<std::string> errors(marks.size());
  test::in_processes(std::ssize(marks), [&](ProcessGroup& group) {
    const auto rank = static_cast<size_t>(group.rank());
    try {
      require_own_gpus(group, marks[rank]);
    } catch (const UsageError& error) {
      errors[rank] = error.what();
    }
  });
  return errors;
}

TEST(OwnGpus, AreThoseOfNoOtherProcess) {
  EXPECT_THAT(errors_of({{1, 2}, {3, 4}, {5, 6}}), Each(""));
  EXPECT_THAT(errors_of({{0}, {0}}), Each(""));  // unknown GPUs
  EXPECT_THAT(errors_of({{1, 2}, {3, 4}, {5, 2}}), Each(HasSubstr("one GPU for process 0 and for process 2")));
}

TEST(OwnGpus, AreEquallyManyOfEach) {
  EXPECT_THAT(errors_of({{1, 2}, {3, 4}, {5, 6, 7, 8}}),
              Each(AllOf(HasSubstr("2 GPUs for process 0 and 4 for process 2"), HasSubstr("--mesh data=6"))));
}

}  // namespace
}  // namespace portatune::run
