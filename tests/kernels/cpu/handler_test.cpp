#include "portatune/kernels/cpu/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace portatune::kernels {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y = factor x, the kernel of these tests.
void scale(F32Operand x, F32Result y, Attribute<float, "factor"> factor) {
  require(size_of(*y) == size_of(x), "a result like x");
  for (int64_t i = 0; i < size_of(x); ++i) y->typed_data()[i] = factor * x.typed_data()[i];
}

struct Call {
  XLA_FFI_DataType type = XLA_FFI_DataType_F32;  // element type of x
  std::string attribute = "factor";
  std::vector<float> x{1, 2}, y{0, 0};
};

std::string message;  // of the last error

XLA_FFI_Error* create_error(XLA_FFI_Error_Create_Args* args) {
  message = args->message;
  return reinterpret_cast<XLA_FFI_Error*>(&message);
}

// Calls the kernel with factor 3 as XLA does; returns the message of its error, or nothing.
std::string error_of(Call& call) {
  XLA_FFI_Api api{};
  api.XLA_FFI_Error_Create = create_error;
  int64_t x_size = static_cast<int64_t>(call.x.size()), y_size = static_cast<int64_t>(call.y.size());
  XLA_FFI_Buffer x{XLA_FFI_Buffer_STRUCT_SIZE, nullptr, call.type, call.x.data(), 1, &x_size};
  XLA_FFI_Buffer y{XLA_FFI_Buffer_STRUCT_SIZE, nullptr, XLA_FFI_DataType_F32, call.y.data(), 1, &y_size};
  float factor = 3;
  XLA_FFI_Scalar scalar{XLA_FFI_DataType_F32, &factor};
  XLA_FFI_ByteSpan name{call.attribute.data(), call.attribute.size()}, *names[] = {&name};
  XLA_FFI_ArgType arg_type = XLA_FFI_ArgType_BUFFER;
  XLA_FFI_RetType ret_type = XLA_FFI_RetType_BUFFER;
  XLA_FFI_AttrType attribute_type = XLA_FFI_AttrType_SCALAR;
  void *args[] = {&x}, *rets[] = {&y}, *attributes[] = {&scalar};

  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.api = &api;
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  frame.args = {XLA_FFI_Args_STRUCT_SIZE, nullptr, 1, &arg_type, args};
  frame.rets = {XLA_FFI_Rets_STRUCT_SIZE, nullptr, 1, &ret_type, rets};
  frame.attrs = {XLA_FFI_Attrs_STRUCT_SIZE, nullptr, 1, &attribute_type, names, attributes};
  const auto handler = reinterpret_cast<XLA_FFI_Error* (*)(XLA_FFI_CallFrame*)>(kernel<"test.scale", scale>().handler);
  return handler(&frame) == nullptr ? "" : message;
}

TEST(Handler, PassesOperandsResultsAndAttributes) {
  Call call;
  EXPECT_EQ(error_of(call), "");
  EXPECT_THAT(call.y, ElementsAre(3, 6));
}

TEST(Handler, ErrorOfAConditionNamesTheTarget) {
  Call call{.y = {0}};
  EXPECT_THAT(error_of(call), AllOf(HasSubstr("test.scale"), HasSubstr("a result like x")));
}

TEST(Handler, OtherElementTypesAreErrors) {
  Call call{.type = XLA_FFI_DataType_S32};
  EXPECT_THAT(error_of(call), HasSubstr("expected F32 but got S32"));
}

TEST(Handler, OtherAttributesAreErrors) {
  Call call{.attribute = "power"};
  EXPECT_THAT(error_of(call), HasSubstr("power"));
}

}  // namespace
}  // namespace portatune::kernels
