// Collectives on four virtual devices of the CPU, in a mesh of two by two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graph/evaluate.h"
#include "portatune/error.h"
#include "runtime/pjrt/aot.h"

namespace portatune::test {
namespace {

using ::testing::ElementsAre;

const Mesh kMesh{.data = 2, .fsdp = 2};
const MeshAxes kData{MeshAxis::kData}, kFsdp{MeshAxis::kFsdp};
// An array with one row on each device.
const Sharding kARowEach{.axis = 0, .over = kBatchAxes};

const Device& four_devices() {
  static const Device device({.mesh = kMesh, .cache_folder = program_cache(), .use_kernels = false});
  return device;
}

// The results of the devices, concatenated along the first axis.
std::vector<float> on_devices(const Value& result, const Values& parameters = {},
                              const std::vector<Tensor>& inputs = {}) {
  const Program program = four_devices().compile(
      {.parameters = parameters, .results = {result}, .mesh = kMesh, .result_shardings = {kARowEach}});
  std::vector<DeviceArray> arrays;
  for (const Tensor& input : inputs) arrays.push_back(four_devices().put(input.view(), kARowEach));
  std::vector<DeviceArray*> arguments;
  for (DeviceArray& array : arrays) arguments.push_back(&array);
  return to_floats(program.run(arguments).front().to_host().view());
}

// Devices 0 and 1 differ along fsdp, 0 and 2 along data.
const Tensor kRows({4, 2}, {1.0f, 2.0f, 10.0f, 20.0f, 100.0f, 200.0f, 1000.0f, 2000.0f});

Value row() { return parameter("x", {DType::kFloat32, {1, 2}}); }

TEST(Collectives, AllReduceSumsOverTheDevicesOfAGroup) {
  const Value x = row();
  EXPECT_THAT(on_devices(all_reduce(x, kMesh, kFsdp), {x}, {kRows}),
              ElementsAre(11, 22, 11, 22, 1100, 2200, 1100, 2200));
  EXPECT_THAT(on_devices(all_reduce(x, kMesh, kData), {x}, {kRows}),
              ElementsAre(101, 202, 1010, 2020, 101, 202, 1010, 2020));
  EXPECT_THAT(on_devices(all_reduce(x, kMesh, kBatchAxes), {x}, {kRows}),
              ElementsAre(1111, 2222, 1111, 2222, 1111, 2222, 1111, 2222));
}

TEST(Collectives, AllGatherConcatenatesTheArraysOfAGroup) {
  const Value x = row();
  EXPECT_THAT(on_devices(all_gather(x, 1, kMesh, kData), {x}, {kRows}),
              ElementsAre(1, 2, 100, 200, 10, 20, 1000, 2000, 1, 2, 100, 200, 10, 20, 1000, 2000));
}

// 1 + 2^-9 is not a bfloat16 number; the nearest one is 1.
TEST(Collectives, AllGatherRoundsToTheSentType) {
  const Tensor rows({4, 2}, {1.001953125f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 1.001953125f});
  const Value x = row(), y = all_gather(x, 1, kMesh, kFsdp, DType::kBFloat16);
  EXPECT_EQ(y.type(), (TensorType{DType::kFloat32, {1, 4}}));
  EXPECT_THAT(on_devices(y, {x}, {rows}), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 1, 5, 6, 7, 1));
  const std::string text = to_stablehlo({.parameters = {x}, .results = {y}, .mesh = kMesh}, {});
  EXPECT_THAT(text, ::testing::ContainsRegex("stablehlo.all_gather.*: \\(tensor<1x1x2xbf16>\\) -> tensor<2x1x2xbf16>"));
}

// Each device gets the sum of two weights, one of which has more bits than bfloat16.
TEST(Collectives, GradientOfAnAllGatherIsNotRounded) {
  const Tensor weights({4, 4}, {1.001953125f, 0.0f, 0.0f, 0.0f, 2.0f, 0.0f, 0.0f, 0.0f,  //
                                0.0f, 0.0f, 4.0f, 0.001953125f, 0.0f, 0.0f, 8.0f, 1.0f});
  const Value x = row(), w = parameter("w", part_of(weights.type(), kARowEach, kMesh));
  const Value loss = sum(all_gather(x, 1, kMesh, kFsdp, DType::kBFloat16) * w);
  EXPECT_THAT(on_devices(gradients(loss, Values{x}).front(), {x, w}, {kRows, weights}),
              ElementsAre(3.001953125f, 0, 0, 0, 0, 0, 12, 1.001953125f));
}

TEST(Collectives, ReduceScatterGivesEachDeviceItsPartOfTheSum) {
  const Value x = row();
  EXPECT_THAT(on_devices(reduce_scatter(x, 1, kMesh, kFsdp), {x}, {kRows}), ElementsAre(11, 22, 1100, 2200));
}

TEST(Collectives, ReturnTheIndexOfADevice) {
  const auto place = [](const MeshAxes& axes) {
    return on_devices(reshape(convert(place_of_device(kMesh, axes), DType::kFloat32), {1}));
  };
  EXPECT_THAT(place(kData), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(place(kFsdp), ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(place(kBatchAxes), ElementsAre(0, 1, 2, 3));
}

// The loss of device d is sum(w_d f(x_0, ..., x_3)); gradients are those of the sum of all losses.
TEST(Collectives, GradientsAreThoseOfTheSumOverDevices) {
  const auto gradient = [](const std::function<Value(const Value&)>& f, const Tensor& weights) {
    const Value x = row(), y = f(x), w = parameter("w", part_of(weights.type(), kARowEach, kMesh));
    return on_devices(gradients(sum(y * w), Values{x}).front(), {x, w}, {kRows, weights});
  };
  const Tensor of_pairs({4, 2}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f});
  EXPECT_THAT(gradient([](const Value& x) { return all_reduce(x, kMesh, kFsdp); }, of_pairs),
              ElementsAre(4, 6, 4, 6, 12, 14, 12, 14));
  const Tensor of_fours({4, 4}, {1.0f, 2.0f, 3.0f, 4.0f, 10.0f, 20.0f, 30.0f, 40.0f,  //
                                 5.0f, 6.0f, 7.0f, 8.0f, 50.0f, 60.0f, 70.0f, 80.0f});
  EXPECT_THAT(gradient([](const Value& x) { return all_gather(x, 1, kMesh, kFsdp); }, of_fours),
              ElementsAre(11, 22, 33, 44, 55, 66, 77, 88));
  const Tensor of_ones({4, 1}, {1.0f, 2.0f, 3.0f, 4.0f});
  EXPECT_THAT(gradient([](const Value& x) { return reduce_scatter(x, 1, kMesh, kFsdp); }, of_ones),
              ElementsAre(1, 2, 1, 2, 3, 4, 3, 4));
}

TEST(Collectives, DoNothingOnOneDevice) {
  const Value x = row();
  const Mesh mesh{.data = 4};
  EXPECT_EQ(all_reduce(x, mesh, kFsdp), x);
  EXPECT_EQ(all_gather(x, 1, mesh, kFsdp), x);
  EXPECT_EQ(reduce_scatter(x, 1, mesh, kFsdp), x);
}

TEST(Collectives, RefuseAnAxisThatCannotBeDivided) {
  const Value x = row();
  EXPECT_THROW(reduce_scatter(x, 0, kMesh, kFsdp), ShapeError);
  EXPECT_THROW(all_gather(x, 2, kMesh, kFsdp), ShapeError);
}

TEST(Collectives, NeedTheMeshOfTheDevice) {
  const Value x = row();
  EXPECT_THROW(decompositions().compile({.parameters = {x}, .results = {x}, .mesh = kMesh}), UsageError);
}

// Arrays of several rows, divided along either axis.
TEST(Collectives, DivideAndJoinArraysAlongAnyAxis) {
  const Mesh mesh{.fsdp = 4};
  const Device device({.mesh = mesh, .cache_folder = program_cache(), .use_kernels = false});
  const Tensor whole = random(TensorType{DType::kFloat32, {8, 12}});
  for (const int64_t axis : {0, 1}) {
    const Sharding sharding{.axis = axis, .over = {MeshAxis::kFsdp}};
    const Value x = parameter("x", part_of(whole.type(), sharding, mesh));
    const Value all = all_gather(x, axis, mesh, sharding.over);
    const Value part = reduce_scatter(all, axis, mesh, sharding.over);
    const Program program =
        device.compile({.parameters = {x}, .results = {all, part}, .mesh = mesh, .result_shardings = {{}, sharding}});
    DeviceArray array = device.put(whole.view(), sharding);
    const std::vector<DeviceArray> results = program.run({&array});
    const Tensor gathered = results[0].to_host(), scattered = results[1].to_host();
    for (size_t i = 0; i < 96; ++i) {
      EXPECT_EQ(gathered.as<float>()[i], whole.as<float>()[i]) << axis << ", " << i;
      EXPECT_NEAR(scattered.as<float>()[i], 4 * whole.as<float>()[i], 1e-6) << axis << ", " << i;
    }
  }
}

// The CPU's plugin computes wrong results for this along the second axis.
TEST(Collectives, ScatterTheResultOfAKernel) {
  const Mesh mesh{.fsdp = 4};
  const Device device({.mesh = mesh, .cache_folder = program_cache()});
  const MeshAxes axes{MeshAxis::kFsdp};
  const TensorType weight{DType::kFloat32, {12, 8}};
  const auto gradient_of = [&](const Value& x, const Value& dy) {
    const Value w = full(weight, 0) + 0.0;
    return gradients(sum(linear(x, w) * dy), Values{w}).front();
  };
  const Tensor x = random(TensorType{DType::kFloat32, {16, 8}}, 1),
               dy = random(TensorType{DType::kFloat32, {16, 12}}, 2);
  const Value whole_x = parameter("x", x.type()), whole_dy = parameter("dy", dy.type());
  const Tensor wanted = evaluate({gradient_of(whole_x, whole_dy)}, {whole_x, whole_dy}, {x, dy}).front();

  const Sharding rows{.axis = 0, .over = axes}, columns{.axis = 1, .over = axes};
  const Value part_x = parameter("x", part_of(x.type(), rows, mesh));
  const Value part_dy = parameter("dy", part_of(dy.type(), rows, mesh));
  const Program program = device.compile({.parameters = {part_x, part_dy},
                                          .results = {reduce_scatter(gradient_of(part_x, part_dy), 1, mesh, axes)},
                                          .mesh = mesh,
                                          .result_shardings = {columns}});
  DeviceArray on_x = device.put(x.view(), rows), on_dy = device.put(dy.view(), rows);
  const Tensor found = program.run({&on_x, &on_dy}).front().to_host();
  ASSERT_EQ(found.type(), wanted.type());
  for (size_t i = 0; i < 96; ++i) EXPECT_NEAR(found.as<float>()[i], wanted.as<float>()[i], 1e-5) << i;
}

}  // namespace
}  // namespace portatune::test
