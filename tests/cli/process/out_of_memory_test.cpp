#include <gmock/gmock.h>

#include <new>

#include "cli/program.h"
#include "cli/toy.h"
#include "portatune/cli/process/exit_code.h"
#include "portatune/run/probes/memory_advice.h"
#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::cli {
namespace {

using pjrt::CallError;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string advice(const run::Workload& workload, const std::function<int()>& command) {
  try {
    run::with_memory_advice(workload, command);
  } catch (const run::OutOfMemoryError& error) {
    EXPECT_EQ(exit_code_of(error), kFailed);
    return error.what();
  }
  return "no error";
}

int fail_to_allocate(const std::string& bytes) {
  throw CallError({.where = "PJRT_Event_Await: INTERNAL: Out of memory allocating " + bytes + " bytes."},
                  CallError::Kind::kOutOfMemory);
}

TEST(OutOfMemory, SaysWhatWasRequestedAndWhatToChange) {
  const std::string request = std::to_string(int64_t{1} << 60);
  const std::string training =
      advice({.batch_size = 1 << 20, .gradient_accumulation_steps = 2}, [&] { return fail_to_allocate(request); });
  EXPECT_THAT(training, AllOf(HasSubstr("--batch-size 1048576"), HasSubstr("a request of 1048576.00 TiB"),
                              HasSubstr("are free"), HasSubstr("--gradient-accumulation-steps"),
                              HasSubstr("--remat layers"), HasSubstr("portatune plan --largest-batch")));
  const std::string inference = advice({.batch_size = 64}, [&] { return fail_to_allocate(request); });
  EXPECT_THAT(inference, AllOf(HasSubstr("a smaller --batch-size"), Not(HasSubstr("--remat"))));
}

TEST(OutOfMemory, OfTheProcessItselfHasTheSameAdvice) {
  const auto command = []() -> int { throw std::bad_alloc(); };
  EXPECT_THAT(
      advice({.batch_size = 64, .gradient_accumulation_steps = 1, .remat = true}, command),
      AllOf(HasSubstr("--batch-size 64"), HasSubstr("--gradient-accumulation-steps"), Not(HasSubstr("--remat"))));
}

TEST(OutOfMemory, OtherErrorsOfDevicesStayAsTheyAre) {
  const CallError error({.where = "INTERNAL"}, CallError::Kind::kOther);
  EXPECT_THROW(run::with_memory_advice({}, [&]() -> int { throw error; }), CallError);
  EXPECT_EQ(run::with_memory_advice({}, [] { return 7; }), 7);
}

// A step of so many rows asks for more than the process may have.
TEST(OutOfMemory, OfADeviceEndsWith1AndABatchThatFits) {
  const Toy toy;
  const Words words =
      toy.fit({"--max-steps", "1", "--packing", "none", "--padding", "max_length", "--eval-batch-size", "4"});
  const Finished run = portatune(with_batch_size(words, "400000"), {.largest_address_space_bytes = int64_t{4} << 30});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("out of memory with --batch-size 400000"), HasSubstr("a request of"),
                             HasSubstr("rows is free"), HasSubstr("--gradient-accumulation-steps")));
}

// Of a process that may have as many as it has.
TEST(OutOfMemory, OfThreadsSaysWhichLimitsToRaise) {
  const Toy toy;
  std::filesystem::permissions(toy.path(), std::filesystem::perms::others_all, std::filesystem::perm_options::add);
  const Finished run = portatune({"tokenize", "--tokenizer", tiny_bert(), "--input", toy.file("train.csv")},
                                 {.as_nobody = true, .most_threads = 1});
  EXPECT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("start a thread"), HasSubstr("ulimit -u")));
}

}  // namespace
}  // namespace portatune::cli
