// The interface between Portune and libportune_arrow.so, which reads files with Apache Arrow. Only C crosses it, so
// that the command needs no Arrow to start, and neither knows the other's C++ library.
#pragma once

#include <stdint.h>

#include "portune/io/arrow_abi.h"

extern "C" {

enum { kPortuneArrowVersion = 1 };

enum PortuneArrowFault { kPortuneArrowBadData = 1, kPortuneArrowNotFound, kPortuneArrowIo };

struct PortuneArrowError {
  enum PortuneArrowFault fault;
  char message[2048];  // on one line, with a zero at its end
};

struct PortuneArrowTable;  // an open file

struct PortuneArrowApi {
  int32_t version;  // kPortuneArrowVersion; the rest is as here if it is the same

  // Opens a Parquet file, or Arrow's own in either form (file, stream). Null if that fails.
  // memory_bytes  what all open files together may take at a time; the first call decides
  struct PortuneArrowTable* (*open_table)(const char* path, int64_t memory_bytes, struct PortuneArrowError* error);
  void (*close_table)(struct PortuneArrowTable* table);

  // How many columns there are, and their names, which live as long as the table.
  int64_t (*column_count)(const struct PortuneArrowTable* table);
  const char* (*column_name)(const struct PortuneArrowTable* table, int64_t column);

  // Reads these columns from the first row on: batches of a struct whose children, in the order asked for, are all
  // large_utf8 ("U": texts) or large_binary ("Z": bytes, such as encoded images). Null is a text that is not UTF-8, and
  // nothing else. May be called once;
  // the table must outlive the stream. Codes of get_next: EIO, ENOMEM (more than memory_bytes), else what is wrong with
  // the file. 0 if it has begun.
  int (*read)(struct PortuneArrowTable* table, const int64_t* columns, int64_t column_count,
              struct ArrowArrayStream* out, struct PortuneArrowError* error);
};

// The only symbol of the library.
const struct PortuneArrowApi* portune_arrow_api(void);

}  // extern "C"
