#include <algorithm>
#include <numeric>

#include "portatune/data/order/random.h"
#include "portatune/data/pack/row_packer.h"
#include "portatune/data/stage.h"

namespace portatune::data {
namespace {

using Sample = std::vector<TextLengths>;

// Fixed, so that the same data give the same plan.
constexpr uint64_t kSeed = 1;

int64_t tokens_in(const TextLengths& texts) { return std::accumulate(texts.begin(), texts.end(), int64_t{0}); }

int64_t tokens_in(const Sample& examples) {
  return std::accumulate(examples.begin(), examples.end(), int64_t{0},
                         [](int64_t sum, const TextLengths& texts) { return sum + tokens_in(texts); });
}

int64_t divided_up(int64_t tokens, int64_t length) { return (tokens + length - 1) / length; }

void check(const char* where, const Sample& sample, int64_t size, int64_t length) {
  require_at_least(where, "the size of a batch", size, 1);
  require_at_least(where, "the number of examples", std::ssize(sample), 1);
  int64_t longest = 1;
  for (const TextLengths& texts : sample) {
    require_at_least(where, "the number of an example's texts", std::ssize(texts), 1);
    require_at_least(where, "the length of a text", std::ranges::min(texts), 0);
    longest = std::max(longest, std::ranges::max(texts));
  }
  require_at_least(where, "the number of tokens", tokens_in(sample), 1);
  require_at_least(where, "length", length, longest);
}

int64_t rows_needed(const Sample& examples, int64_t length) {
  std::vector<size_t> all(examples.size());
  std::iota(all.begin(), all.end(), 0);
  for (int64_t rows = std::max<int64_t>(1, divided_up(tokens_in(examples), length));; ++rows) {
    if (pack_all(examples, all, {&rows, 1}, length)) return rows;
  }
}

int64_t max_rows_of_one(const Sample& sample, int64_t length) {
  int64_t max_rows = 1;
  for (const TextLengths& texts : sample) max_rows = std::max(max_rows, rows_needed({texts}, length));
  return max_rows;
}

Sample draw(const Sample& sample, int64_t count, Random& random) {
  Sample drawn;
  for (int64_t i = 0; i < count; ++i) drawn.push_back(sample[random.below(sample.size())]);
  return drawn;
}

// The number of rows beside `max_rows` that minimises the mean; `max_rows` if none saves a fiftieth.
// needed  rows that random batches need, in rising order
int64_t second_number(const std::vector<int64_t>& needed, int64_t max_rows) {
  const auto total = static_cast<int64_t>(needed.size());
  int64_t best = max_rows, fewest = max_rows * total;
  for (int64_t i = 0; i < total; ++i) {
    const int64_t rows = needed[static_cast<size_t>(i)] * (i + 1) + max_rows * (total - i - 1);
    if (rows >= fewest) continue;
    fewest = rows;
    best = needed[static_cast<size_t>(i)];
  }
  return fewest * 50 <= max_rows * total * 49 ? best : max_rows;
}

}  // namespace

PackingPlan plan_exact_examples(const Sample& sample, int64_t examples, int64_t length) {
  check("plan_exact_examples", sample, examples, length);
  Random random(kSeed);
  const int64_t in_batch = std::min(examples, std::ssize(sample));
  const int64_t trials = std::clamp<int64_t>(200'000 / in_batch, 50, 1000);
  std::vector<int64_t> needed;
  int64_t tokens = 0;
  for (int64_t i = 0; i < trials; ++i) {
    const Sample batch = draw(sample, in_batch, random);
    tokens += tokens_in(batch);
    needed.push_back(rows_needed(batch, length));
  }
  std::ranges::sort(needed);
  const int64_t max_rows = std::max(needed.back(), max_rows_of_one(sample, length));
  const int64_t few = second_number(needed, max_rows);
  int64_t rows = 0;
  for (const int64_t number : needed) rows += number <= few ? few : max_rows;
  PackedShapes shapes{
      .examples = examples, .rows = {max_rows}, .length = length, .window = examples + examples / 8 + 8};
  if (few < max_rows) shapes.rows.insert(shapes.rows.begin(), few);
  return {.shapes = shapes,
          .examples_per_batch = static_cast<double>(in_batch),
          .useful = static_cast<double>(tokens) / static_cast<double>(rows * length)};
}

PackingPlan plan_token_budget(const Sample& sample, int64_t tokens, int64_t length) {
  check("plan_token_budget", sample, tokens, length);
  const int64_t rows = std::max(tokens / length, max_rows_of_one(sample, length));
  const int64_t positions = rows * length;
  // The average; a batch of short examples may have half as many again.
  const int64_t examples = divided_up(positions * std::ssize(sample), std::max<int64_t>(1, tokens_in(sample)));
  PackedShapes shapes{.packing = Packing::kTokenBudget,
                      .examples = (examples + examples / 2 + 8) / 8 * 8,
                      .rows = {rows},
                      .length = length,
                      .window = 4 * examples + 8};

  constexpr int64_t kTrials = 100;
  Random random(kSeed);
  Sample window;
  int64_t packed_tokens = 0, packed_examples = 0;
  for (int64_t trial = 0; trial < kTrials; ++trial) {
    const Sample more = draw(sample, shapes.window - std::ssize(window), random);
    window.insert(window.end(), more.begin(), more.end());
    const PackedRows batch = pack_budget(window, shapes.examples, rows, length);
    packed_examples += std::ssize(batch.examples);
    for (size_t i = batch.examples.size(); i-- > 0;) {
      packed_tokens += tokens_in(window[batch.examples[i]]);
      window.erase(window.begin() + static_cast<std::ptrdiff_t>(batch.examples[i]));
    }
  }
  return {.shapes = shapes,
          .examples_per_batch = static_cast<double>(packed_examples) / kTrials,
          .useful = static_cast<double>(packed_tokens) / static_cast<double>(kTrials * positions)};
}

}  // namespace portatune::data
