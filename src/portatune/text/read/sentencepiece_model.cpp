#include "portatune/text/read/sentencepiece_model.h"

#include "portatune/base/wire.h"
#include "portatune/error.h"
#include "portatune/text/read/file.h"
#include "portatune/text/read/spec.h"
#include "portatune/text/unicode/utf8.h"

namespace portatune::text {
namespace {

// Field numbers of sentencepiece_model.proto.
constexpr int kPieces = 1, kTrainerSpec = 2, kNormalizerSpec = 3;
constexpr int kPieceText = 1, kPieceScore = 2, kPieceType = 3;
constexpr uint64_t kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5;
constexpr int kModelType = 3, kWhitespaceAsSuffix = 24, kByteFallback = 35, kUnkId = 40, kUnkPiece = 45, kBosPiece = 46,
              kEosPiece = 47;
constexpr int kCharsmap = 2, kAddDummyPrefix = 3, kRemoveExtraWhitespaces = 4, kEscapeWhitespaces = 5;

std::string utf8_of(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  throw UsageError({.where = "piece", .given = "bytes that are not UTF-8", .expected = "UTF-8"});
}

SentencePieceModel::Piece read_piece(std::string_view message) {
  SentencePieceModel::Piece piece;
  for (WireReader reader(message); reader.next();) {
    if (reader.field() == kPieceText) piece.text = utf8_of(reader.bytes());
    if (reader.field() == kPieceScore) piece.score = reader.fixed32();
    if (reader.field() == kPieceType) {
      piece.control = reader.varint() == kControl;
      piece.user_defined = reader.varint() == kUserDefined;
      piece.unknown = reader.varint() == kUnknown;
      piece.unused = reader.varint() == kUnused;
    }
  }
  if (std::ssize(piece.text) > kMaxTokenBytes) {
    throw UsageError(
        {.where = "piece", .given = std::to_string(piece.text.size()) + " bytes", .expected = "at most 65536"});
  }
  return piece;
}

SentencePieceModel::Kind kind_of(uint64_t number) {
  if (number == 1 || number == 2) return static_cast<SentencePieceModel::Kind>(number);
  throw UsageError({.where = "trainer_spec",
                    .given = "model_type " + std::to_string(number),
                    .expected = "1 (Unigram) or 2 (BPE): Portatune supports no other type"});
}

void read_trainer_spec(std::string_view message, SentencePieceModel& model) {
  for (WireReader reader(message); reader.next();) {
    if (reader.field() == kModelType) model.kind = kind_of(reader.varint());
    if (reader.field() == kWhitespaceAsSuffix && reader.varint() != 0) model.has_usual_spaces = false;
    if (reader.field() == kByteFallback) model.byte_fallback = reader.varint() != 0;
    if (reader.field() == kUnkId) model.unk_id = static_cast<int32_t>(reader.varint());
    if (reader.field() == kUnkPiece) model.unk_piece = utf8_of(reader.bytes());
    if (reader.field() == kBosPiece) model.bos_piece = utf8_of(reader.bytes());
    if (reader.field() == kEosPiece) model.eos_piece = utf8_of(reader.bytes());
  }
}

void read_normalizer_spec(std::string_view message, SentencePieceModel& model) {
  for (WireReader reader(message); reader.next();) {
    if (reader.field() == kCharsmap) model.charsmap = reader.bytes();
    const bool is_rule = reader.field() >= kAddDummyPrefix && reader.field() <= kEscapeWhitespaces;
    if (is_rule && reader.varint() == 0) model.has_usual_spaces = false;
  }
}

}  // namespace

SentencePieceModel parse_sentencepiece_model(std::string_view bytes) {
  SentencePieceModel model;
  for (WireReader reader(bytes); reader.next();) {
    if (reader.field() == kPieces && std::ssize(model.pieces) < kMaxTokens)
      model.pieces.push_back(read_piece(reader.bytes()));
    if (reader.field() == kTrainerSpec) read_trainer_spec(reader.bytes(), model);
    if (reader.field() == kNormalizerSpec) read_normalizer_spec(reader.bytes(), model);
  }
  if (model.pieces.empty()) throw UsageError({.where = "model", .given = "no pieces", .expected = "a vocabulary"});
  return model;
}

SentencePieceModel read_sentencepiece_model(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  try {
    return parse_sentencepiece_model(bytes);
  } catch (const UsageError& error) {
    throw CheckpointError({.where = file.string() + ", " + error.report().where,
                           .given = error.report().given,
                           .expected = error.report().expected});
  }
}

}  // namespace portatune::text
