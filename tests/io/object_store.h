// The few requests of S3 and of Google's storage that reading makes, answered from memory.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "io/http_server.h"

namespace portatune {

/// Buckets behind both interfaces, on one port: S3's REST with paths like /bucket/key, and Google's JSON interface.
/// Arrow and the SDKs in it are pointed at it by the environment, for the whole process and those that it starts.
class ObjectStore {
 public:
  /// Sets AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST and credentials.
  ObjectStore();

  /// `place`: "bucket/key". Puts it there anew: it has another ETag and generation then.
  void put(const std::string& place, std::string bytes);
  void remove(const std::string& place);
  /// What the next requests are answered with, before those that are answered as usual.
  void fail_next(int times, HttpResponse response);
  /// All requests from now on.
  void fail_always(HttpResponse response) { fail_next(1 << 30, std::move(response)); }

  const HttpServer& server() const { return server_; }

 private:
  struct Object {
    std::string bytes;
    int generation = 0;
    std::string etag() const { return "\"etag-" + std::to_string(generation) + "\""; }
  };
  struct Listed {
    std::map<std::string, const Object*> objects;  // by their keys
    std::map<std::string, bool> folders;
  };

  HttpResponse answer(const HttpRequest& request);
  HttpResponse answer_s3(const HttpRequest& request);
  HttpResponse answer_gs(const HttpRequest& request);
  Listed list(const std::string& bucket, const std::string& prefix, const std::string& delimiter) const;

  std::mutex mutex_;
  std::map<std::string, Object> objects_;
  int generation_ = 0;
  int failures_ = 0;
  HttpResponse failure_;
  HttpServer server_;
};

}  // namespace portatune
