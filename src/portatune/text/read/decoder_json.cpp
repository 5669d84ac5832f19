#include "portatune/text/decode/bytes.h"
#include "portatune/text/decode/pieces.h"
#include "portatune/text/decode/strings.h"
#include "portatune/text/read/components.h"
#include "portatune/text/read/metaspace_json.h"

namespace portatune::text {
namespace {

DecoderPtr decoder_sequence(const Json& json) {
  std::vector<DecoderPtr> stages;
  json.at("decoders").for_each([&](const Json& stage) { stages.push_back(read_decoder(stage)); });
  return std::make_unique<DecoderSequence>(std::move(stages));
}

DecoderPtr read_metaspace_decoder(const Json& json) {
  const MetaspaceOptions options = read_metaspace(json);
  return std::make_unique<MetaspaceDecoder>(options.replacement, options.prepend_scheme != PrependScheme::kNever);
}

}  // namespace

DecoderPtr read_decoder(const Json& json) {
  const std::string_view type = type_of(json);
  if (type == "Sequence") return decoder_sequence(json);
  if (type == "ByteLevel") return std::make_unique<ByteLevelDecoder>();
  if (type == "ByteFallback") return std::make_unique<ByteFallbackDecoder>();
  if (type == "Fuse") return std::make_unique<FuseDecoder>();
  if (type == "Metaspace") return read_metaspace_decoder(json);
  if (type == "BPEDecoder") return std::make_unique<BpeDecoder>(std::string(json.at("suffix").string()));
  if (type == "WordPiece") {
    return std::make_unique<WordPieceDecoder>(std::string(json.at("prefix").string()), json.at("cleanup").boolean());
  }
  if (type == "Strip") {
    return std::make_unique<StripDecoder>(read_character(json.at("content")),
                                          json.at("start").integer(0, kMaxFileBytes),
                                          json.at("stop").integer(0, kMaxFileBytes));
  }
  if (type == "Replace") {
    return std::make_unique<ReplaceDecoder>(read_pattern(json.at("pattern")), std::string(json.at("content").string()));
  }
  throw_unknown(json, "decoder",
                "Sequence, ByteLevel, ByteFallback, Fuse, Metaspace, BPEDecoder, WordPiece, Strip or Replace");
}

}  // namespace portatune::text
