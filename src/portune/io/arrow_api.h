// The interface between Portune and libportune_arrow.so, which reads tables and objects of clouds with Apache Arrow.
// Only C crosses it, so that the command needs no Arrow to start, and neither knows the other's C++ library.
#pragma once

#include <stdint.h>

#include "portune/io/arrow_abi.h"

extern "C" {

enum { kPortuneArrowVersion = 2 };

enum PortuneArrowFault {
  kPortuneArrowBadData = 1,
  kPortuneArrowNotFound,
  kPortuneArrowNoPermission,
  kPortuneArrowTemporary,  // may go well at another time
  kPortuneArrowChanged,    // while it was read
  kPortuneArrowIo
};

struct PortuneArrowError {
  enum PortuneArrowFault fault;
  char message[2048];  // on one line, with a zero at its end
};

struct PortuneArrowTable;   // an open file of rows
struct PortuneArrowObject;  // an open object of a cloud

// A file that the command has opened, wherever it is, for Arrow to read a table from.
struct PortuneArrowInput {
  void* self;
  int64_t size;
  // Fills `target` and returns how many bytes, fewer only at the end; negative if it failed, which the command
  // remembers.
  int64_t (*read_at)(void* self, int64_t offset, int64_t bytes, void* target);
};

struct PortuneArrowApi {
  int32_t version;  // kPortuneArrowVersion; the rest is as here if it is the same

  // Opens a Parquet file, or Arrow's own in either form (file, stream). Null if that fails.
  // input         must outlive the table
  // memory_bytes  what all open files together may take at a time; the first call decides
  struct PortuneArrowTable* (*open_table)(const struct PortuneArrowInput* input, int64_t memory_bytes,
                                          struct PortuneArrowError* error);
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

  // Objects by their URLs, s3://bucket/key and gs://bucket/name; names are taken as they are, nothing in them is an
  // option or an escape. Each call is one attempt, which may take minutes where a server does not answer. Several
  // threads may read from one object.
  struct PortuneArrowObject* (*open_object)(const char* url, struct PortuneArrowError* error);  // null if that fails
  void (*close_object)(struct PortuneArrowObject* object);
  int64_t (*object_size)(const struct PortuneArrowObject* object);
  const char* (*object_identity)(const struct PortuneArrowObject* object);  // its ETag or generation; empty: unknown
  // Returns how many bytes, negative if it failed. What is returned is of the object that was opened.
  int64_t (*read_object)(struct PortuneArrowObject* object, int64_t offset, int64_t bytes, void* target,
                         struct PortuneArrowError* error);
  // Calls take(self, name) for each object directly in a folder, or for each folder in it, which on gs:// takes as long
  // as to list all that is below. A name is that within the folder, and lives as long as the call. 0 if it went well.
  int (*list_folder)(const char* url, int32_t folders, void (*take)(void* self, const char* name), void* self,
                     struct PortuneArrowError* error);
};

// The only symbol of the library.
const struct PortuneArrowApi* portune_arrow_api(void);

}  // extern "C"
