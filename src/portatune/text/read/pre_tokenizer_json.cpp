#include <map>

#include "portatune/text/pretokenize/bert.h"
#include "portatune/text/pretokenize/byte_level.h"
#include "portatune/text/pretokenize/character_split.h"
#include "portatune/text/pretokenize/sequence.h"
#include "portatune/text/pretokenize/split.h"
#include "portatune/text/read/components.h"
#include "portatune/text/read/metaspace_json.h"

namespace portatune::text {
namespace {

SplitBehavior read_behavior(const Json& json) {
  using enum SplitBehavior;
  static const std::map<std::string_view, SplitBehavior> behaviors{{"Removed", kRemoved},
                                                                   {"Isolated", kIsolated},
                                                                   {"MergedWithPrevious", kMergedWithPrevious},
                                                                   {"MergedWithNext", kMergedWithNext},
                                                                   {"Contiguous", kContiguous}};
  const auto found = behaviors.find(json.string());
  if (found == behaviors.end()) json.fail("Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous");
  return found->second;
}

PreTokenizerPtr pre_tokenizer_sequence(const Json& json) {
  std::vector<PreTokenizerPtr> stages;
  json.at("pretokenizers").for_each([&](const Json& stage) { stages.push_back(read_pre_tokenizer(stage)); });
  return std::make_unique<PreTokenizerSequence>(std::move(stages));
}

PreTokenizerPtr read_digits(const Json& json) {
  const bool individual = json.at("individual_digits").boolean();
  return std::make_unique<PropertySplit>(kNumeric, individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

PreTokenizerPtr read_punctuation(const Json& json) {
  const auto behavior = json.find("behavior");
  return std::make_unique<PropertySplit>(kPunctuation, behavior ? read_behavior(*behavior) : SplitBehavior::kIsolated);
}

}  // namespace

PreTokenizerPtr read_pre_tokenizer(const Json& json) {
  const std::string_view type = type_of(json);
  if (type == "Sequence") return pre_tokenizer_sequence(json);
  if (type == "BertPreTokenizer") return std::make_unique<BertPreTokenizer>();
  if (type == "Whitespace") return std::make_unique<Whitespace>();
  if (type == "WhitespaceSplit") return std::make_unique<PropertySplit>(kSpace, SplitBehavior::kRemoved);
  if (type == "Digits") return read_digits(json);
  if (type == "Punctuation") return read_punctuation(json);
  if (type == "Metaspace") return std::make_unique<Metaspace>(read_metaspace(json));
  if (type == "FixedLength") {
    return std::make_unique<FixedLength>(json.integer_or("length", 5, 1, kMaxFileBytes));
  }
  if (type == "ByteLevel") {
    return std::make_unique<ByteLevelPreTokenizer>(ByteLevelOptions{
        .add_prefix_space = json.at("add_prefix_space").boolean(), .use_regex = json.boolean_or("use_regex", true)});
  }
  if (type == "Split") {
    return std::make_unique<Split>(read_pattern(json.at("pattern")), read_behavior(json.at("behavior")),
                                   json.at("invert").boolean());
  }
  if (type == "CharDelimiterSplit") {
    return std::make_unique<Split>(literal_pattern(read_character(json.at("delimiter"))), SplitBehavior::kRemoved,
                                   false);
  }
  throw_unknown(json, "pre_tokenizer",
                "Sequence, BertPreTokenizer, Whitespace, WhitespaceSplit, Digits, Punctuation, Metaspace, FixedLength, "
                "ByteLevel, Split or CharDelimiterSplit");
}

}  // namespace portatune::text
