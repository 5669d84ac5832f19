#include "portatune/analysis/plan/target_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/error.h"
#include "portatune/runtime/pjrt/call_error.h"

namespace portatune::plan {
namespace {

using testing::ElementsAre;

constexpr int64_t kIn = 8, kOut = 4;
constexpr int64_t kParameters = kOut * kIn + kOut;

// The sum of squares of a linear layer.
class Toy final : public Task {
 public:
  std::vector<std::string> inputs() const override { return {"x"}; }
  Forward forward(const nn::Scope& root, const Columns& batch) const override {
    const Value& x = batch.at("x");
    const Value y =
        convert(nn::linear(root / "dense", convert(x, root.options().compute_dtype), kOut), DType::kFloat32);
    return {.loss_sum = sum(y * y, {0, 1}),
            .weight_sum = full({DType::kFloat32, {}}, static_cast<double>(x.shape()[0])),
            .outputs = {}};
  }
  std::unique_ptr<Metrics> metrics() const override { return nullptr; }
  TokenCount tokens(const data::Example&) const override { return {}; }
  void save(const std::filesystem::path&) const override {}
};

// Needs the given temporary bytes for each row, half of them in bfloat16, and fails above a limit like TPU compilers.
class FakeCompiler final : public Compiler {
 public:
  static constexpr int64_t kBytesOfRow = 1000;

  explicit FakeCompiler(int64_t memory_bytes, int64_t limit = int64_t{1} << 40)
      : Compiler(memory_bytes, {.float32 = 1e9, .bfloat16 = 4e9, .bytes = 1e9}), limit_(limit) {}

  ProgramOrigin origin() const override { return {}; }
  Compiled compile(const Function& function, ProgramWriter*) const override {
    ++compilations;
    int64_t arguments = 0, rows = 0;
    for (const Value& parameter : function.parameters) {
      arguments += parameter.type().bytes();
      if (parameter.rank() == 2 && parameter.shape()[1] == kIn && parameter.shape()[0] != kOut)
        rows = parameter.shape()[0];
    }
    const int64_t temporary = rows * (has_bfloat16(function) ? kBytesOfRow / 2 : kBytesOfRow);
    if (temporary > limit_) {
      throw pjrt::CallError({.where = "PJRT_Compile: RESOURCE_EXHAUSTED: too much\nand more"},
                            pjrt::CallError::Kind::kOutOfMemory);
    }
    const int64_t aliased = 3 * 4 * kParameters;
    return {.memory = {.arguments = arguments + 64,
                       .results = aliased + 16,
                       .aliased = aliased,
                       .temporary = temporary,
                       .code = 100,
                       .peak = 0},
            .traffic = 5e6,
            .seconds = 2};
  }

  mutable int compilations = 0;

 private:
  static bool has_bfloat16(const Function& function) {
    return to_stablehlo(function, {}).find("bf16") != std::string::npos;
  }
  int64_t limit_;
};

std::vector<BatchShape> shapes(int64_t size, const Mesh& mesh = {}) {
  return {{.batch = {{"x", {DType::kFloat32, {size * mesh.devices(), kIn}}}}, .steps = 10}};
}

Run run(const Task& task, int64_t size, DType dtype = DType::kFloat32) {
  return {.task = task,
          .step = {.compute_dtype = dtype},
          .batch_size = size,
          .shapes = shapes(size),
          .shapes_with = shapes};
}

TEST(TargetPlan, AddsUpMemoryAndWork) {
  const Toy task;
  const FakeCompiler compiler(1 << 20);
  const TargetPlan plan = plan_target(compiler, run(task, 16));
  const Memory& memory = plan.memory;
  EXPECT_EQ(memory.parameters, 4 * kParameters);
  EXPECT_EQ(memory.optimizer(), 8 * kParameters);
  EXPECT_EQ(memory.batch, 4 * 16 * kIn + (12 + 4) + 4 + 8);  // progress, learning rate and key
  EXPECT_EQ(memory.layout, 64);
  EXPECT_EQ(memory.temporaries, 16'000 + 16);  // four results
  EXPECT_EQ(memory.code, 100);
  EXPECT_TRUE(plan.fits);
  ASSERT_EQ(plan.shapes.size(), 1u);
  // y = x W^T and dW = dy^T x; dx is not needed.
  EXPECT_DOUBLE_EQ(plan.shapes[0].step.work.flops.at(DType::kFloat32), 2 * 2 * 16 * kIn * kOut);
  EXPECT_DOUBLE_EQ(plan.shapes[0].time.seconds(), 5e-3);
  EXPECT_EQ(compiler.compilations, 1);
}

TEST(TargetPlan, MomentsOfMatricesAreDividedAlongData) {
  const Toy task;
  const auto bytes = [&](const Mesh& mesh) {
    const Memory memory = memory_of_arguments(task, shapes(16, mesh)[0].batch, {.mesh = mesh});
    return memory.parameters + memory.optimizer();
  };
  EXPECT_EQ(bytes({}), 12 * kParameters);
  EXPECT_EQ(bytes({.data = 2}), 4 * kParameters + 8 * (kOut * kIn / 2 + kOut));
  EXPECT_EQ(bytes({.fsdp = 2}), 12 * kParameters / 2);
  EXPECT_EQ(bytes({.data = 2, .fsdp = 2}), 12 * kParameters / 2) << "what is divided along fsdp is not divided further";
}

TEST(TargetPlan, ProductsOfBfloat16HaveTheirPeak) {
  const Toy task;
  const TargetPlan plan = plan_target(FakeCompiler(1 << 20), run(task, 16, DType::kBFloat16));
  EXPECT_DOUBLE_EQ(plan.shapes[0].step.work.flops.at(DType::kBFloat16), 2 * 2 * 16 * kIn * kOut);
  EXPECT_DOUBLE_EQ(plan.shapes[0].time.compute_s, 2 * 2 * 16 * kIn * kOut / 4e9);
}

TEST(TargetPlan, ShapesShareParametersAndAddTheirCode) {
  const Toy task;
  plan::Run two = run(task, 16);
  two.shapes.push_back({.batch = {{"x", {DType::kFloat32, {32, kIn}}}}, .steps = 5});
  const TargetPlan plan = plan_target(FakeCompiler(1 << 20), two);
  EXPECT_EQ(plan.memory.parameters, 4 * kParameters);
  EXPECT_EQ(plan.memory.temporaries, 32'000 + 16);
  EXPECT_EQ(plan.memory.code, 200);
}

// 32 rows need 32,000 bytes, for any batch.
TEST(TargetPlan, EvaluationsHaveToFitToo) {
  const Toy task;
  plan::Run asked = run(task, 16);
  asked.evaluations_with = [](int64_t, const Mesh&) { return std::vector<train::Signature>{shapes(32).front().batch}; };
  EXPECT_TRUE(plan_target(FakeCompiler(40'000), asked).fits);
  const FakeCompiler compiler(20'000);
  const TargetPlan plan = plan_target(compiler, asked);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.memory.temporaries, 32'000 + 16);
  EXPECT_THAT(remedies_for(compiler, asked), ElementsAre(Remedy{DType::kBFloat16, Remat::kNone, {}, 16}))
      << "no smaller batch";
}

TEST(TargetPlan, FindsRemedies) {
  const Toy task;
  const FakeCompiler compiler(12'000);
  EXPECT_FALSE(plan_target(compiler, run(task, 16)).fits);
  // Rows need 1,032 bytes each and everything else 640. This task has no layers to compute again.
  EXPECT_THAT(remedies_for(compiler, run(task, 16)), ElementsAre(Remedy{DType::kBFloat16, Remat::kNone, {}, 16},
                                                                 Remedy{DType::kFloat32, Remat::kNone, {}, 11}));
}

// 432 bytes of parameters and moments, 48 of them of a bias that cannot be divided by eight.
TEST(TargetPlan, ShardsWeightsThatAreTooLargeForADevice) {
  const Toy task;
  const plan::Run asked = run(task, 1);
  const int64_t memory = 3 * 4 * (kOut * kIn / 8 + kOut) + FakeCompiler::kBytesOfRow + 4 * kIn + 28 + 64 + 16 + 100;
  const FakeCompiler compiler(memory);
  EXPECT_THAT(remedies_for(compiler, asked, 8), ElementsAre(Remedy{DType::kBFloat16, Remat::kNone, {}, 1},
                                                            Remedy{DType::kFloat32, Remat::kNone, {.fsdp = 8}, 1}));
}

// A packed run, for example, may be indivisible.
TEST(TargetPlan, SkipsRemediesThatTheRunCannotHave) {
  const Toy task;
  plan::Run asked = run(task, 16);
  asked.shapes_with = [](int64_t size, const Mesh& mesh) {
    if (mesh.devices() > 1) throw UsageError({.where = "mesh", .given = "this", .expected = "none"});
    return shapes(size);
  };
  EXPECT_THAT(remedies_for(FakeCompiler(12'000), asked, 8), ElementsAre(Remedy{DType::kBFloat16, Remat::kNone, {}, 16},
                                                                        Remedy{DType::kFloat32, Remat::kNone, {}, 11}));
}

TEST(TargetPlan, CombinesRemedies) {
  const Toy task;
  const std::vector<Remedy> remedies = remedies_for(FakeCompiler(4'000), run(task, 64));
  ASSERT_EQ(remedies.size(), 2u);
  EXPECT_EQ(remedies[0].dtype, DType::kBFloat16);
  EXPECT_EQ(remedies[1].dtype, DType::kFloat32);
  EXPECT_GT(remedies[0].batch_size, remedies[1].batch_size);
  EXPECT_GE(remedies[1].batch_size, 1);
}

TEST(TargetPlan, TriesNothingIfTheStateAloneIsTooLarge) {
  const Toy task;
  const FakeCompiler compiler(3 * 4 * kParameters - 1);
  EXPECT_FALSE(plan_target(compiler, run(task, 16)).fits);
  EXPECT_THAT(remedies_for(compiler, run(task, 16)), testing::IsEmpty());
  EXPECT_EQ(compiler.compilations, 1);
}

TEST(TargetPlan, ReportsOutOfMemoryOfTheCompiler) {
  const Toy task;
  const FakeCompiler compiler(1 << 20, 10'000);
  const TargetPlan plan = plan_target(compiler, run(task, 16));
  EXPECT_THAT(plan.refusal, testing::HasSubstr("RESOURCE_EXHAUSTED"));
  EXPECT_EQ(plan.memory.parameters, 4 * kParameters) << "what is known without the compiler";
  EXPECT_EQ(plan.memory.optimizer(), 8 * kParameters);
  EXPECT_EQ(plan.memory.batch, 4 * 16 * kIn + 28);
  EXPECT_EQ(plan.memory.temporaries + plan.memory.layout + plan.memory.code, 0);
  EXPECT_THAT(plan.shapes, testing::IsEmpty());
  EXPECT_FALSE(plan.fits);
  const std::vector<Remedy> remedies = remedies_for(compiler, run(task, 16));
  ASSERT_EQ(remedies.size(), 2u);
  EXPECT_EQ(remedies[1].batch_size, 10);
}

TEST(TargetPlan, NamesEachProgramBeforeItIsCompiled) {
  const Toy task;
  plan::Run asked = run(task, 16);
  std::vector<std::string> programs;
  asked.on_compile = [&](const std::string& what) { programs.push_back(what); };
  asked.evaluations_with = [](int64_t, const Mesh&) { return std::vector<train::Signature>{shapes(32).front().batch}; };
  plan_target(FakeCompiler(1 << 20), asked);
  EXPECT_THAT(programs, ElementsAre("the training step of 16 rows in float32", "the evaluation of 32 rows in float32"));
}

TEST(TargetPlan, LargestBatchDoesNotCompileTheRunAgain) {
  const Toy task;
  const FakeCompiler compiler(100'000);
  const plan::Run asked = run(task, 16);
  const TargetPlan plan = plan_target(compiler, asked);
  const LargestBatch found = largest_batch_of(compiler, asked, plan);
  // A row needs 1,000 temporary bytes and 32 of its own.
  const int64_t fixed = 12 * kParameters + 28 + 64 + 16 + 100;
  EXPECT_EQ(found.fits, (100'000 - fixed) / 1032);
  EXPECT_LE(compiler.compilations, 6);
}

}  // namespace
}  // namespace portatune::plan
