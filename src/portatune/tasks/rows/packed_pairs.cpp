#include "portatune/tasks/rows/packed_pairs.h"

#include <span>
#include <vector>

#include "portatune/data/batch/batching.h"
#include "portatune/tasks/objectives/objectives.h"

namespace portatune::tasks {
namespace {

constexpr std::string_view kLabels = "labels", kSourceLength = "source_length";

Tensor filled(Shape shape, int32_t value) {
  Tensor tensor({DType::kInt32, std::move(shape)});
  std::ranges::fill(tensor.as<int32_t>(), value);
  return tensor;
}

// Number of labels before the padding.
int64_t count_labels(std::span<const int32_t> labels) { return std::ranges::find(labels, kNoLabel) - labels.begin(); }

// The arrays of a packed batch that differ from those of Dataset::pack().
struct Arrays {
  Arrays(const data::Example& batch, const PairRows& rows)
      : parts(batch.tensor(data::kTokenPlaces).shape().rank() == 3 ? batch.tensor(data::kTokenPlaces).shape()[0] : 1),
        pairs(batch.tensor(kLabels).shape()[0] / parts),
        mask(batch.tensor(data::kAttentionMask)),
        positions(batch.tensor(data::kPositionIds)),
        target_mask(filled({mask.shape()[0], rows.target_length()}, 0)),
        target_positions(target_mask),
        target_places(
            filled(parts == 1 ? Shape{pairs, rows.target_length()} : Shape{parts, pairs, rows.target_length()}, -1)),
        labels(filled({parts * pairs, rows.target_length()}, kNoLabel)) {}

  int64_t parts;  // see PackedShapes::parts; each has numbers and places of its own
  int64_t pairs;  // in a part
  Tensor mask, positions;
  Tensor target_mask, target_positions, target_places, labels;
};

// One part of the arrays.
struct Part {
  Part(Arrays& all, int64_t index)
      : mask(share(all.mask, all, index)),
        positions(share(all.positions, all, index)),
        target_mask(share(all.target_mask, all, index)),
        target_positions(share(all.target_positions, all, index)),
        target_places(share(all.target_places, all, index)),
        labels(share(all.labels, all, index)) {}

  static std::span<int32_t> share(Tensor& tensor, const Arrays& all, int64_t index) {
    const size_t size = tensor.as<int32_t>().size() / static_cast<size_t>(all.parts);
    return tensor.as<int32_t>().subspan(static_cast<size_t>(index) * size, size);
  }

  std::span<int32_t> mask, positions, target_mask, target_positions, target_places, labels;
};

// Shortens the source of a pair, which begins at `place`, to its tokens.
void cut_source(const Part& part, int64_t place, int64_t tokens, int64_t size) {
  for (int64_t i = place + tokens; i < place + size; ++i) {
    part.mask[static_cast<size_t>(i)] = 0;
    part.positions[static_cast<size_t>(i)] = 0;
  }
}

// Puts the target of pair `number` into the row of its source, which begins at `place`.
void put_target(const Part& part, const PairRows& rows, int64_t number, int64_t place,
                std::span<const int32_t> labels) {
  const int64_t row = place / rows.length, offset = place % rows.length;
  const int64_t begin = row * rows.target_length() + (offset + rows.ratio - 1) / rows.ratio;
  for (int64_t i = 0; i < std::ssize(labels); ++i) {
    const auto at = static_cast<size_t>(begin + i), in_pair = static_cast<size_t>(number * rows.target_length() + i);
    part.target_mask[at] = static_cast<int32_t>(number + 1);
    part.target_positions[at] = static_cast<int32_t>(i);
    part.target_places[in_pair] = static_cast<int32_t>(at);
    part.labels[in_pair] = labels[static_cast<size_t>(i)];
  }
}

// Adds pair `number` of a part.
void put_pair(const data::Example& batch, const PairRows& rows, const Part& part, int64_t index_of_part,
              int64_t number) {
  const int64_t pairs = std::ssize(part.labels) / rows.target_length(), pair = index_of_part * pairs + number;
  const auto of_pair = [&](std::string_view column) {
    const auto length = static_cast<size_t>(rows.length);
    return batch.tensor(column).as<int32_t>().subspan(static_cast<size_t>(pair) * length, length);
  };
  const std::span<const int32_t> places = of_pair(data::kTokenPlaces), labels = of_pair(kLabels);
  const int64_t size = std::ranges::find(places, -1) - places.begin();
  if (size == 0) return;  // the batch has fewer examples
  const int32_t tokens = batch.tensor(kSourceLength).as<int32_t>()[static_cast<size_t>(pair)];
  cut_source(part, places.front(), tokens, size);
  put_target(part, rows, number, places.front(), labels.first(static_cast<size_t>(count_labels(labels))));
}

// The types of all batches of the dataset, which differ in the number of rows.
std::vector<data::BatchType> types_of(const data::Example& batch, const std::vector<data::BatchType>& packed) {
  std::vector<int64_t> rows;
  for (const data::BatchType& type : packed) {
    const auto mask = std::ranges::find(type, data::kAttentionMask, &data::BatchType::value_type::first);
    rows.push_back(mask->second.shape[0]);
  }
  const auto is_of_pairs = [](const std::string& name) {
    return name == kLabels || name == kTargetPlaces || name == data::kExampleWeight;
  };
  return data::types_with_sizes(batch, rows.size(), data::BatchAxis::kFirst, [&](const std::string& name, size_t i) {
    return is_of_pairs(name) ? std::nullopt : std::optional(rows[i]);
  });
}

}  // namespace

data::Example to_packed_size(const data::Example& pair, const PairRows& rows,
                             const std::map<std::string, double>& padding) {
  data::Example example = pair;
  const int64_t source = pair.tensor(data::kAttentionMask).shape()[0];
  const int64_t size = rows.size_of({source, pair.tensor(kLabels).shape()[0]});
  for (const auto& [column, value] : padding) {
    const std::span<const int32_t> tokens = pair.tensor(column).as<int32_t>();
    std::vector<int32_t> longer(tokens.begin(), tokens.end());
    longer.resize(static_cast<size_t>(size), static_cast<int32_t>(value));
    example.set(column, vector_of(longer));
  }
  example.set(data::kAttentionMask, filled({size}, 1));
  return example.set(kSourceLength, Tensor({}, {static_cast<int32_t>(source)}));
}

data::Example with_packed_targets(const data::Example& batch, const PairRows& rows) {
  Arrays arrays(batch, rows);
  for (int64_t part = 0; part < arrays.parts; ++part) {
    for (int64_t pair = 0; pair < arrays.pairs; ++pair) put_pair(batch, rows, Part(arrays, part), part, pair);
  }
  data::Example result = batch;
  result.erase(data::kTokenPlaces).erase(kSourceLength);
  result.set(data::kAttentionMask, std::move(arrays.mask)).set(data::kPositionIds, std::move(arrays.positions));
  result.set(kTargetMask, std::move(arrays.target_mask)).set(kTargetPositions, std::move(arrays.target_positions));
  result.set(kTargetPlaces, std::move(arrays.target_places)).set(kLabels, std::move(arrays.labels));
  result.set_batch_types(types_of(result, batch.batch_types()));
  return result;
}

}  // namespace portatune::tasks
