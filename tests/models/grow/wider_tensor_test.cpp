#include "portatune/models/grow/wider_tensor.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "portatune/error.h"

namespace portatune::grow {
namespace {

using testing::ElementsAre;

const Tensor kMatrix({2, 3}, {1.f, 2.f, 3.f, 4.f, 5.f, 6.f});

std::vector<float> elements_of(const Tensor& tensor) { return to_floats(tensor.view()); }

TEST(WiderTensor, CopiesRowsAfterAllRows) {
  const Tensor wide = wider_tensor(kMatrix.view(), {.axis = 0, .copies = 2}, {});
  EXPECT_EQ(wide.shape(), (Shape{4, 3}));
  EXPECT_THAT(elements_of(wide), ElementsAre(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6));
}

TEST(WiderTensor, CopiesAndDividesColumns) {
  const Tensor wide = wider_tensor(kMatrix.view(), {.axis = 1, .copies = 2, .divides = true}, {});
  EXPECT_THAT(elements_of(wide), ElementsAre(0.5, 1, 1.5, 0.5, 1, 1.5, 2, 2.5, 3, 2, 2.5, 3));
}

TEST(WiderTensor, CopiesEachKernelByItself) {
  const Tensor wide = wider_tensor(kMatrix.view(), {.axis = 0, .copies = 2, .kernels = 2}, {});
  EXPECT_THAT(elements_of(wide), ElementsAre(1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
}

TEST(WiderTensor, KeepsTheElementType) {
  Tensor half({DType::kBFloat16, {2}});
  const uint16_t bits[] = {to_bfloat16(1.5f), to_bfloat16(-3.f)};
  std::memcpy(half.data(), bits, sizeof(bits));
  const Tensor wide = wider_tensor(half.view(), {.copies = 3}, {});
  EXPECT_EQ(wide.type(), (TensorType{DType::kBFloat16, {6}}));
  EXPECT_THAT(elements_of(wide), ElementsAre(1.5, -3, 1.5, -3, 1.5, -3));
  EXPECT_THAT(elements_of(filled(half.type(), -1)), ElementsAre(-1, -1));
}

TEST(WiderTensor, NoiseHasADeviationRelativeToTheTensor) {
  std::vector<float> values(4000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 == 0 ? 2.f : -2.f;  // deviation 2
  const Tensor wide =
      wider_tensor(vector_of(values).view(), {.copies = 2, .divides = true}, {.deviation = 0.1, .key = 7});
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(wide.as<float>()[i], values[i] / 2);  // the originals have no noise
    const double change = wide.as<float>()[values.size() + i] - values[i] / 2;
    squares += change * change;
  }
  EXPECT_NEAR(std::sqrt(squares / static_cast<double>(values.size())), 0.1, 0.01);
}

TEST(WiderTensor, RefusesIntegers) {
  EXPECT_THROW(wider_tensor(Tensor({2}, {1, 2}).view(), {.copies = 2}, {}), UsageError);
}

}  // namespace
}  // namespace portatune::grow
