// The interface between Portatune and libportatune_arrow.so, which reads tables and cloud objects with Apache Arrow. It
// is plain C, so that the command starts without Arrow and the two sides may use different C++ libraries.
#pragma once

#include <stdint.h>

#include "portatune/io/plugin/arrow_abi.h"

extern "C" {

enum { kPortatuneArrowVersion = 2 };

enum PortatuneArrowFault {
  kPortatuneArrowBadData = 1,
  kPortatuneArrowNotFound,
  kPortatuneArrowNoPermission,
  kPortatuneArrowTemporary,  // a retry may succeed
  kPortatuneArrowChanged,    // the object changed while it was read
  kPortatuneArrowIo
};

struct PortatuneArrowError {
  enum PortatuneArrowFault fault;
  char message[2048];  // one line, zero-terminated
};

struct PortatuneArrowTable;   // an open file with rows
struct PortatuneArrowObject;  // an open cloud object

// A local or remote file that the command has opened, from which Arrow reads a table.
struct PortatuneArrowInput {
  void* self;
  int64_t size;
  // Fills `target` and returns the number of bytes: fewer only at the end, negative after an error, which the command
  // stores.
  int64_t (*read_at)(void* self, int64_t offset, int64_t bytes, void* target);
};

struct PortatuneArrowApi {
  int32_t version;  // kPortatuneArrowVersion; other versions have other members

  // Opens a Parquet file or an Arrow file (IPC file or stream). Returns null after an error.
  // input         must outlive the table
  // memory_bytes  memory limit of all open files together; the first call sets it
  struct PortatuneArrowTable* (*open_table)(const struct PortatuneArrowInput* input, int64_t memory_bytes,
                                            struct PortatuneArrowError* error);
  void (*close_table)(struct PortatuneArrowTable* table);

  // The number of columns, and their names, which live as long as the table.
  int64_t (*column_count)(const struct PortatuneArrowTable* table);
  const char* (*column_name)(const struct PortatuneArrowTable* table, int64_t column);

  // Reads these columns from the first row. The batches are structs whose children, in the requested order, are all
  // large_utf8 ("U": text) or large_binary ("Z": bytes, such as encoded images). Only text that is not UTF-8 is null.
  // Call it once; the table must outlive the stream. Returns 0 on success. Codes of get_next: EIO; ENOMEM if a batch
  // needs more than memory_bytes; any other code for a faulty file.
  int (*read)(struct PortatuneArrowTable* table, const int64_t* columns, int64_t column_count,
              struct ArrowArrayStream* out, struct PortatuneArrowError* error);

  // Objects by their URLs, s3://bucket/key and gs://bucket/name. Names are literal: they contain no options or escapes.
  // Each call is one attempt, which may take minutes if a server does not answer. Several threads may read from one
  // object.
  struct PortatuneArrowObject* (*open_object)(const char* url,
                                              struct PortatuneArrowError* error);  // null after an error
  void (*close_object)(struct PortatuneArrowObject* object);
  int64_t (*object_size)(const struct PortatuneArrowObject* object);
  const char* (*object_identity)(const struct PortatuneArrowObject* object);  // ETag or generation; empty if unknown
  // Returns the number of bytes, negative after an error. The bytes are of the object version that was opened.
  int64_t (*read_object)(struct PortatuneArrowObject* object, int64_t offset, int64_t bytes, void* target,
                         struct PortatuneArrowError* error);
  // Calls take(self, name) for each object directly in a folder, or for each folder in it. On gs:// listing folders
  // takes as long as listing everything below. A name is relative to the folder and lives as long as the call. Returns
  // 0 on success.
  int (*list_folder)(const char* url, int32_t folders, void (*take)(void* self, const char* name), void* self,
                     struct PortatuneArrowError* error);
};

// The only exported symbol of the library. Returns a PortatuneArrowApi.
const void* portatune_arrow_api(void);

}  // extern "C"
