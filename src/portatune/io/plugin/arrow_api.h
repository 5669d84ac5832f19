// The interface between Portatune and libportatune_arrow.so, which reads tables and objects of clouds with Apache
// Arrow. Only C crosses it, so that the command needs no Arrow to start, and neither knows the other's C++ library.
#pragma once

#include <stdint.h>

#include "portatune/io/plugin/arrow_abi.h"

extern "C" {

enum { kPortatuneArrowVersion = 2 };

enum PortatuneArrowFault {
  kPortatuneArrowBadData = 1,
  kPortatuneArrowNotFound,
  kPortatuneArrowNoPermission,
  kPortatuneArrowTemporary,  // may go well at another time
  kPortatuneArrowChanged,    // while it was read
  kPortatuneArrowIo
};

struct PortatuneArrowError {
  enum PortatuneArrowFault fault;
  char message[2048];  // on one line, with a zero at its end
};

struct PortatuneArrowTable;   // an open file of rows
struct PortatuneArrowObject;  // an open object of a cloud

// A file that the command has opened, wherever it is, for Arrow to read a table from.
struct PortatuneArrowInput {
  void* self;
  int64_t size;
  // Fills `target` and returns how many bytes, fewer only at the end; negative if it failed, which the command
  // remembers.
  int64_t (*read_at)(void* self, int64_t offset, int64_t bytes, void* target);
};

struct PortatuneArrowApi {
  int32_t version;  // kPortatuneArrowVersion; the rest is as here if it is the same

  // Opens a Parquet file, or Arrow's own in either form (file, stream). Null if that fails.
  // input         must outlive the table
  // memory_bytes  what all open files together may take at a time; the first call decides
  struct PortatuneArrowTable* (*open_table)(const struct PortatuneArrowInput* input, int64_t memory_bytes,
                                            struct PortatuneArrowError* error);
  void (*close_table)(struct PortatuneArrowTable* table);

  // How many columns there are, and their names, which live as long as the table.
  int64_t (*column_count)(const struct PortatuneArrowTable* table);
  const char* (*column_name)(const struct PortatuneArrowTable* table, int64_t column);

  // Reads these columns from the first row on: batches of a struct whose children, in the order asked for, are all
  // large_utf8 ("U": texts) or large_binary ("Z": bytes, such as encoded images). Null is a text that is not UTF-8, and
  // nothing else. May be called once;
  // the table must outlive the stream. Codes of get_next: EIO, ENOMEM (more than memory_bytes), else what is wrong with
  // the file. 0 if it has begun.
  int (*read)(struct PortatuneArrowTable* table, const int64_t* columns, int64_t column_count,
              struct ArrowArrayStream* out, struct PortatuneArrowError* error);

  // Objects by their URLs, s3://bucket/key and gs://bucket/name; names are taken as they are, nothing in them is an
  // option or an escape. Each call is one attempt, which may take minutes where a server does not answer. Several
  // threads may read from one object.
  struct PortatuneArrowObject* (*open_object)(const char* url,
                                              struct PortatuneArrowError* error);  // null if that fails
  void (*close_object)(struct PortatuneArrowObject* object);
  int64_t (*object_size)(const struct PortatuneArrowObject* object);
  const char* (*object_identity)(const struct PortatuneArrowObject* object);  // its ETag or generation; empty: unknown
  // Returns how many bytes, negative if it failed. What is returned is of the object that was opened.
  int64_t (*read_object)(struct PortatuneArrowObject* object, int64_t offset, int64_t bytes, void* target,
                         struct PortatuneArrowError* error);
  // Calls take(self, name) for each object directly in a folder, or for each folder in it, which on gs:// takes as long
  // as to list all that is below. A name is that within the folder, and lives as long as the call. 0 if it went well.
  int (*list_folder)(const char* url, int32_t folders, void (*take)(void* self, const char* name), void* self,
                     struct PortatuneArrowError* error);
};

// The only symbol of the library.
const struct PortatuneArrowApi* portatune_arrow_api(void);

}  // extern "C"
