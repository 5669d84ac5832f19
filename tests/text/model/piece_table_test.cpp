#include "portatune/text/model/piece_table.h"

#include <gtest/gtest.h>

namespace portatune::text {
namespace {

TEST(PieceTable, FindsInsertedPieces) {
  PieceTable table;
  std::string piece;
  for (int32_t id = 0; id < 3000; ++id) {
    piece = std::to_string(id) + std::string(static_cast<size_t>(id % 40), 'x');
    table.insert(piece, id);
  }
  for (int32_t id = 0; id < 3000; ++id) {
    piece = std::to_string(id) + std::string(static_cast<size_t>(id % 40), 'x');
    EXPECT_EQ(table.find(piece), id);
    EXPECT_EQ(table.find(piece + "y"), PieceTable::kAbsent);
  }
  EXPECT_EQ(table.longest(), 43u);
}

TEST(PieceTable, DistinguishesNulBytesFromPadding) {
  PieceTable table;
  table.insert("a", 1);
  table.insert(std::string_view("a\0", 2), 2);
  EXPECT_EQ(table.find("a"), 1);
  EXPECT_EQ(table.find(std::string_view("a\0", 2)), 2);
  EXPECT_EQ(table.find(std::string_view("\0", 1)), PieceTable::kAbsent);
  EXPECT_EQ(table.find(""), PieceTable::kAbsent);
}

TEST(PieceTable, KeepsTheLastId) {
  PieceTable table;
  for (const std::string_view piece : {"short", "rather longer than that"}) {
    table.insert(piece, 1);
    table.insert(piece, 2);
    EXPECT_EQ(table.find(piece), 2);
  }
}

TEST(PieceTable, DistinguishesPiecesOf15And16Bytes) {
  PieceTable table;
  table.insert("abcdefghijklmno", 15);
  table.insert("abcdefghijklmnop", 16);
  EXPECT_EQ(table.find("abcdefghijklmno"), 15);
  EXPECT_EQ(table.find("abcdefghijklmnop"), 16);
  EXPECT_EQ(table.find("abcdefghijklmn"), PieceTable::kAbsent);
}

}  // namespace
}  // namespace portatune::text
