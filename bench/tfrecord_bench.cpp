// Reads and writes TFRecord files of tf.train.Example, and prints how long that took. Used by bench/tfrecord.py.
//   portatune_tfrecord_bench make KIND COUNT FILE     writes examples: tokens, texts or images
//   portatune_tfrecord_bench read KIND FILE PASSES    reads batches of 256, of images 32
//   portatune_tfrecord_bench write KIND FILE PASSES   writes the examples of FILE to FILE.portatune
// Prints the CPU seconds of the fastest pass and, after reading, a sum over the values read.
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "clocks.h"
#include "portatune/base/random.h"
#include "portatune/sources.h"

namespace {

using namespace portatune;
using data::Example;

constexpr int64_t kLength = 128;
constexpr size_t kImageBytes = 30'000;

double fastest(int passes, const std::function<void()>& pass) {
  double best_s = 1e9;
  for (int i = 0; i < passes; ++i) {
    const double start = cpu_seconds();
    pass();
    best_s = std::min(best_s, cpu_seconds() - start);
  }
  return best_s;
}

// A number in [0, 1), a function of an example and an index in it.
double uniform(int64_t example, uint64_t place) {
  return static_cast<double>(split_mix_64(static_cast<uint64_t>(example), place) >> 11) * 0x1p-53;
}

// Ids like those of a BERT tokenizer with padding: few ids are small, and small ones are frequent.
Example tokens(int64_t number) {
  const auto real = static_cast<int64_t>(16 + uniform(number, 0) * (kLength - 16));
  std::vector<int64_t> ids(kLength), mask(kLength), types(kLength);
  for (int64_t i = 0; i < real; ++i) {
    ids[static_cast<size_t>(i)] =
        static_cast<int64_t>(1000 * std::exp(uniform(number, static_cast<uint64_t>(i) + 1) * std::log(30.0)));
    mask[static_cast<size_t>(i)] = 1;
  }
  Example example;
  return example.set("input_ids", vector_of(ids))
      .set("attention_mask", vector_of(mask))
      .set("token_type_ids", vector_of(types));
}

Example text(int64_t number, const char* column, size_t bytes) {
  std::string text(bytes, ' ');
  for (size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + static_cast<int>(26 * uniform(number, i)));
  Example example;
  return example.set(column, std::move(text));
}

Example make(const std::string& kind, int64_t number) {
  Example example = kind == "tokens"  ? tokens(number)
                    : kind == "texts" ? text(number, "sentence", static_cast<size_t>(20 + 80 * uniform(number, 1000)))
                                      : text(number, "image", kImageBytes);
  return example.set("label", Tensor({}, {number % 2}));
}

data::Dataset batches(const std::string& kind, const std::string& file) {
  std::vector<data::TfrecordFeature> features = {{.name = "label", .dtype = DType::kInt64, .shape = Shape{}}};
  if (kind == "tokens") {
    for (const char* name : {"input_ids", "attention_mask", "token_type_ids"}) {
      features.push_back({.name = name, .dtype = DType::kInt64, .shape = Shape{kLength}});
    }
  } else {
    features.push_back({.name = kind == "texts" ? "sentence" : "image"});
  }
  return data::read_tfrecord(file, {.features = std::move(features)})
      .batch({.size = kind == "images" ? 32 : 256, .fill_remainder = false});
}

int64_t sum_over(const Example& batch) {
  int64_t sum = 0;
  for (const auto& [name, value] : batch.columns()) {
    if (name == data::kExampleWeight) continue;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& text : *texts) sum += std::ssize(text);
    } else {
      for (const int64_t number : std::get<Tensor>(value).as<int64_t>()) sum += number;
    }
  }
  return sum;
}

void write(const std::vector<Example>& examples, const std::string& file) {
  data::TfrecordWriter writer(file, {.index = false});
  for (const Example& example : examples) writer.write(example);
  writer.commit();
}

}  // namespace

int main(int, char** arguments) {
  mallopt(M_MMAP_THRESHOLD, 4 << 20);  // as the command does
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  const std::string command = arguments[1], kind = arguments[2];
  if (command == "make") {
    data::TfrecordWriter writer(arguments[4], {.index = false});
    for (int64_t i = 0; i < std::stoll(arguments[3]); ++i) writer.write(make(kind, i));
    writer.commit();
    return 0;
  }
  const std::string file = arguments[3];
  const int passes = std::stoi(arguments[4]);
  if (command == "read") {
    const data::Dataset dataset = batches(kind, file);
    const double seconds = fastest(passes, [&] {
      for (data::Cursor cursor = dataset.iterate(); cursor.next();) continue;
    });
    int64_t sum = 0;
    for (const Example& batch : dataset.iterate()) sum += sum_over(batch);
    std::printf("%.6f %lld\n", seconds, static_cast<long long>(sum));
    return 0;
  }
  std::vector<Example> examples;
  for (Example& example : data::read_tfrecord(file).iterate()) {
    // read_tfrecord() gives a single number as a text.
    if (example.has("label")) example.set("label", Tensor({}, {int64_t{std::stoll(example.text("label"))}}));
    examples.push_back(std::move(example));
  }
  std::printf("%.6f\n", fastest(passes, [&] { write(examples, file + ".portatune"); }));
}
