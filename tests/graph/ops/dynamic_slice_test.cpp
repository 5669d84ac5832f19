// dynamic_slice, dynamic_update_slice.
#include <gtest/gtest.h>

#include "graph/evaluate.h"

namespace portatune::test {

namespace {

using Numbers = std::vector<double>;

Value place(int32_t start) { return constant(Tensor({}, {start})); }
Value table() { return constant(Tensor({2, 3}, {0.0, 1.0, 2.0, 3.0, 4.0, 5.0})); }

}  // namespace

TEST(DynamicSlice, TakesElementsFromAStartKnownAtRunTime) {
  EXPECT_EQ(elements(dynamic_slice(table(), 1, place(1), 2)), (Numbers{1, 2, 4, 5}));
  EXPECT_EQ(elements(dynamic_slice(table(), 0, place(1), 1)), (Numbers{3, 4, 5}));
}
TEST(DynamicSlice, ClampsAStartThatIsTooLarge) {
  EXPECT_EQ(elements(dynamic_slice(table(), -1, place(7), 2)), (Numbers{1, 2, 4, 5}));
}
TEST(DynamicUpdateSlice, OverwritesElements) {
  const Value update = constant(Tensor({2, 1}, {-1.0, -2.0}));
  EXPECT_EQ(elements(dynamic_update_slice(table(), update, 1, place(2))), (Numbers{0, 1, -1, 3, 4, -2}));
}
TEST(DynamicSlice, GradientsMatchFiniteDifferences) {
  check_gradient([](const Values& x) { return dynamic_slice(x[0], 1, place(1), 2); }, {random({2, 4})});
  check_gradient([](const Values& x) { return dynamic_update_slice(x[0], x[1], 0, place(1)); },
                 {random({4, 2}), random({2, 2})});
}
TEST(DynamicSlice, ErrorsNameTheOperands) {
  expect_shape_error([] { dynamic_slice(table(), 1, place(0), 4); }, {"dynamic_slice", "[2, 3]", "size 4 on axis 1"});
  expect_shape_error([] { dynamic_slice(table(), 1, table(), 1); }, {"int32 scalar"});
  expect_shape_error(
      [] {
        dynamic_update_slice(table(), constant(Tensor({1, 1}, {1.0})), 1, place(0));
      },
      {"dynamic_update_slice", "[1, 1]", "axis 1"});
}

}  // namespace portatune::test
