#include "portatune/runtime/pjrt/ffi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "portatune/runtime/pjrt/call_error.h"
#include "runtime/pjrt/cpu.h"
#include "xla/ffi/api/ffi.h"

namespace portatune::pjrt {
namespace {

namespace ffi = xla::ffi;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

ffi::Error scale(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float factor) {
  for (size_t i = 0; i < x.element_count(); ++i) y->typed_data()[i] = factor * x.typed_data()[i];
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    kScale, scale, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<float>("factor"));

ffi::Error fail(ffi::Buffer<ffi::F32>, ffi::ResultBuffer<ffi::F32>) {
  return ffi::Error(ffi::ErrorCode::kInternal, "the kernel has failed");
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(kFail, fail, ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

std::string calling(const std::string& target, const std::string& backend_config) {
  return "module {\n  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
         "    %0 = stablehlo.custom_call @" +
         target + "(%x) {api_version = 4 : i32, backend_config = {" + backend_config +
         "}} : (tensor<3xf32>) -> tensor<3xf32>\n    return %0 : tensor<3xf32>\n  }\n}\n";
}

std::vector<Buffer> run(const std::string& module_text) {
  const Buffer x = cpu_client().move_to_device(Tensor({3}, {1.f, 2.f, 3.f}));
  const Buffer* arguments[] = {&x};
  return cpu_client().compile(module_text).execute_without_donation(arguments);
}

TEST(Ffi, HandlerRuns) {
  register_ffi(cpu_plugin(), "test.scale", kScale);
  const std::vector<Buffer> results = run(calling("test.scale", "factor = 2.5 : f32"));
  EXPECT_THAT(results[0].to_host().as<float>(), ElementsAre(2.5f, 5.f, 7.5f));
}

struct Factor {
  inline static ffi::TypeId id{};
  float value;
};
ffi::Error scale_by_context(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, Factor* factor) {
  return scale(x, y, factor->value);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    kScaleByContext, scale_by_context,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Ctx<ffi::UserData<Factor>>());

TEST(Ffi, EachExecutableHasItsContext) {
  register_ffi(cpu_plugin(), "test.scale_by_context", kScaleByContext);
  Factor::id.type_id = register_ffi_type(cpu_plugin(), "test.Factor");
  const auto executable = [](float factor) {
    LoadedExecutable compiled = cpu_client().compile(calling("test.scale_by_context", ""));
    compiled.set_context(
        std::make_shared<ExecuteContext>(cpu_plugin(), Factor::id.type_id, std::make_shared<Factor>(Factor{factor})));
    return compiled;
  };
  const LoadedExecutable twice = executable(2), thrice = executable(3);
  const Buffer x = cpu_client().move_to_device(Tensor({3}, {1.f, 2.f, 3.f}));
  const Buffer* arguments[] = {&x};
  EXPECT_THAT(twice.execute_without_donation(arguments)[0].to_host().as<float>(), ElementsAre(2.f, 4.f, 6.f));
  EXPECT_THAT(thrice.execute_without_donation(arguments)[0].to_host().as<float>(), ElementsAre(3.f, 6.f, 9.f));
}

TEST(Ffi, UnknownTargetIsACompileError) {
  EXPECT_THAT([] { run(calling("test.unknown", "")); }, ThrowsMessage<CallError>(HasSubstr("test.unknown")));
}

// A program that is too large to run during the call of execute().
std::vector<Buffer> fail_later(const std::string& target) {
  register_ffi(cpu_plugin(), target, kFail);
  const Buffer x = cpu_client().move_to_device(Tensor({DType::kFloat32, {256, 256}}));
  const Buffer* arguments[] = {&x};
  const std::string module_text = R"(module {
  func.func public @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = stablehlo.custom_call @)" +
                                  target +
                                  R"((%0) {api_version = 4 : i32} : (tensor<256x256xf32>) -> tensor<256x256xf32>
    return %1 : tensor<256x256xf32>
  }
}
)";
  return cpu_client().compile(module_text).execute_without_donation(arguments);
}

TEST(Ffi, ReadingAResultThrowsTheFailure) {
  const std::vector<Buffer> results = fail_later("test.fail");
  EXPECT_THAT([&] { results[0].to_host(); }, ThrowsMessage<CallError>(HasSubstr("the kernel has failed")));
  EXPECT_THAT([&] { results[0].wait(); }, ThrowsMessage<CallError>(HasSubstr("the kernel has failed")));
}

TEST(Ffi, FailurePropagatesThroughLaterPrograms) {
  const std::vector<Buffer> failed = fail_later("test.fail_first");
  const Buffer* arguments[] = {&failed[0]};
  const LoadedExecutable next = cpu_client().compile(R"(module {
  func.func public @main(%x: tensor<256x256xf32>) -> tensor<256x256xf32> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
    return %0 : tensor<256x256xf32>
  }
}
)");
  const std::vector<Buffer> results = next.execute_without_donation(arguments);
  EXPECT_THAT([&] { results[0].to_host(); }, ThrowsMessage<CallError>(HasSubstr("the kernel has failed")));
}

TEST(Ffi, UnreadFailureIsDropped) {
  const std::vector<Buffer> results = fail_later("test.fail_unread");
  const PendingTensor never_taken = results[0].to_host_async();
}

}  // namespace
}  // namespace portatune::pjrt
