// A server in memory for the requests of S3 and Google storage that reading needs.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "io/http_server.h"

namespace portatune {

/// Buckets behind both interfaces on one port: S3's REST with paths like /bucket/key, and Google's JSON interface.
/// Environment variables direct Arrow and its SDKs to it, in this process and its child processes.
class ObjectStore {
 public:
  /// Sets AWS_ENDPOINT_URL, STORAGE_EMULATOR_HOST and credentials.
  ObjectStore();

  /// Stores an object under `name` ("bucket/key"). A replaced object gets another ETag and generation.
  void put(const std::string& name, std::string bytes);
  void remove(const std::string& name);
  /// Sets the response to the next `times` requests.
  void fail_next(int times, HttpResponse response);
  /// Sets the response to all requests from now on.
  void fail_always(HttpResponse response) { fail_next(1 << 30, std::move(response)); }

  const HttpServer& server() const { return server_; }

 private:
  struct Object {
    std::string bytes;
    int generation = 0;
    std::string etag() const { return "\"etag-" + std::to_string(generation) + "\""; }
  };
  struct Listed {
    std::map<std::string, const Object*> objects;  // objects by key
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
