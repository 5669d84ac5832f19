// generate_bench MODEL --prompts N --tokens N --new-tokens N --rounds N [--dtype bfloat16]: seconds that a model takes
// to read random prompts and to generate tokens. Prints {"prefill_s": [...], "decode_s": [...]}. The folder MODEL needs
// no tokenizer.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "portatune/generation.h"
#include "portatune/io/text/json.h"

namespace {

struct Sizes {
  int64_t prompts = 1, tokens = 128, new_tokens = 64, rounds = 3;
};

std::vector<std::vector<int32_t>> random_prompts(const std::string& model, const Sizes& sizes) {
  const auto vocab_size =
      portatune::io::JsonObject::read(std::filesystem::path(model) / "config.json").get_int("vocab_size");
  std::mt19937 generator(0);
  std::vector<std::vector<int32_t>> prompts(static_cast<size_t>(sizes.prompts));
  for (auto& prompt : prompts) {
    for (int64_t i = 0; i < sizes.tokens; ++i)
      prompt.push_back(static_cast<int32_t>(generator() % static_cast<uint64_t>(vocab_size)));
  }
  return prompts;
}

std::string list_of(const std::vector<double>& seconds) { return fmt::format("[{:.6f}]", fmt::join(seconds, ", ")); }

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string model = argv[1];
  Sizes sizes;
  portatune::GeneratorOptions options;
  portatune::GenerationOptions generation;  // has no end token
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--prompts") sizes.prompts = std::atoll(argv[i + 1]);
    if (name == "--tokens") sizes.tokens = std::atoll(argv[i + 1]);
    if (name == "--new-tokens") sizes.new_tokens = std::atoll(argv[i + 1]);
    if (name == "--rounds") sizes.rounds = std::atoll(argv[i + 1]);
    if (name == "--search") {
      const std::string search = argv[i + 1];
      generation.num_beams = search == "beams" ? 4 : 1;
      generation.do_sample = search == "drawing";
      generation.top_p = 0.9;
      generation.repetition_penalty = search == "drawing" ? 1.1 : 1;
    }
    if (name == "--dtype" && std::strcmp(argv[i + 1], "bfloat16") == 0) options.dtype = portatune::DType::kBFloat16;
  }
  generation.max_new_tokens = sizes.new_tokens;
  options.batch_size = sizes.prompts;
  const portatune::Device device;
  portatune::Generator generator(device, model, options);
  const auto prompts = random_prompts(model, sizes);
  std::vector<double> prefill, decode;
  for (int64_t round = 0; round <= sizes.rounds; ++round) {
    generator.generate_ids(prompts, generation);
    if (round == 0) continue;  // the first round warms up
    prefill.push_back(generator.times().prefill_s);
    decode.push_back(generator.times().decode_s);
  }
  fmt::print("{{\"prefill_s\": {}, \"decode_s\": {}}}\n", list_of(prefill), list_of(decode));
}
