#include "portatune/error.h"
#include "portatune/text/normalize/bert.h"
#include "portatune/text/normalize/bounded.h"
#include "portatune/text/normalize/characters.h"
#include "portatune/text/normalize/ends.h"
#include "portatune/text/normalize/precompiled.h"
#include "portatune/text/normalize/replace.h"
#include "portatune/text/normalize/sequence.h"
#include "portatune/text/normalize/unicode_form.h"
#include "portatune/text/read/base64.h"
#include "portatune/text/read/components.h"

namespace portatune::text {
namespace {

NormalizerPtr read_bert(const Json& json) {
  const bool lowercase = json.at("lowercase").boolean();
  return std::make_unique<BertNormalizer>(
      BertNormalizerOptions{.clean_text = json.at("clean_text").boolean(),
                            .handle_chinese_chars = json.at("handle_chinese_chars").boolean(),
                            .strip_accents = json.boolean_or("strip_accents", lowercase),
                            .lowercase = lowercase});
}

NormalizerPtr normalizer_sequence(const Json& json) {
  std::vector<NormalizerPtr> stages;
  json.at("normalizers").for_each([&](const Json& stage) { stages.push_back(read_normalizer(stage)); });
  return std::make_unique<NormalizerSequence>(std::move(stages));
}

NormalizerPtr read_precompiled(const Json& json) {
  const Json charsmap = json.at("precompiled_charsmap");
  const auto bytes = from_base64(charsmap.string());
  if (!bytes) charsmap.fail("base64");
  try {
    return std::make_unique<Precompiled>(*bytes);
  } catch (const UsageError& error) {
    throw CheckpointError({.where = json.file() + ", " + charsmap.path(),
                           .given = error.report().given,
                           .expected = error.report().expected});
  }
}

NormalizerPtr read_stage(const Json& json, std::string_view type) {
  if (type == "NFC") return std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfc);
  if (type == "NFD") return std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfd);
  if (type == "NFKC") return std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfkc);
  if (type == "NFKD") return std::make_unique<UnicodeNormalizer>(UnicodeForm::kNfkd);
  if (type == "Lowercase") return std::make_unique<Lowercase>();
  if (type == "StripAccents") return std::make_unique<StripAccents>();
  if (type == "Nmt") return std::make_unique<Nmt>();
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  if (type == "Precompiled") return read_precompiled(json);
  if (type == "Prepend") return std::make_unique<Prepend>(std::string(json.at("prepend").string()));
  if (type == "Strip") {
    return std::make_unique<Strip>(json.at("strip_left").boolean(), json.at("strip_right").boolean());
  }
  if (type == "Replace") {
    return std::make_unique<ReplaceNormalizer>(read_pattern(json.at("pattern")),
                                               std::string(json.at("content").string()));
  }
  throw_unknown(json, "normalizer",
                "Sequence, BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Nmt, ByteLevel, Precompiled, "
                "Prepend, Strip or Replace");
}

}  // namespace

NormalizerPtr read_normalizer(const Json& json) {
  const std::string_view type = type_of(json);
  if (type == "Sequence") return normalizer_sequence(json);  // limits its stages
  if (type == "BertNormalizer") return read_bert(json);      // adds at most two blanks to a character
  return std::make_unique<BoundedNormalizer>(json.file() + ", " + json.path(), read_stage(json, type));
}

}  // namespace portatune::text
