#include "io/object_store.h"

#include <stdlib.h>

#include <nlohmann/json.hpp>

namespace portatune {
namespace {

constexpr const char* kModified = "Sun, 01 Nov 2026 10:00:00 GMT";
constexpr const char* kModifiedXml = "2026-11-01T10:00:00.000Z";

HttpResponse xml(int status, const std::string& text) {
  return {.status = status,
          .headers = {{"Content-Type", "application/xml"}},
          .body = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + text};
}

HttpResponse json(int status, const nlohmann::json& value) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = value.dump()};
}

HttpResponse no_such_key() { return xml(404, "<Error><Code>NoSuchKey</Code><Message>No such key</Message></Error>"); }

HttpResponse not_found() { return json(404, {{"error", {{"code", 404}, {"message", "No such object"}}}}); }

}  // namespace

ObjectStore::ObjectStore() : server_([this](const HttpRequest& request) { return answer(request); }) {
  const std::string url = server_.url();
  setenv("AWS_ENDPOINT_URL", url.c_str(), 1);
  setenv("AWS_REGION", "us-east-1", 1);
  setenv("AWS_ACCESS_KEY_ID", "test", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "secret-of-the-test", 1);
  setenv("AWS_EC2_METADATA_DISABLED", "true", 1);
  setenv("STORAGE_EMULATOR_HOST", url.c_str(), 1);
}

void ObjectStore::put(const std::string& name, std::string bytes) {
  const std::lock_guard lock(mutex_);
  objects_[name] = {std::move(bytes), ++generation_};
}

void ObjectStore::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  objects_.erase(name);
}

void ObjectStore::fail_next(int times, HttpResponse response) {
  const std::lock_guard lock(mutex_);
  failures_ = times;
  server_.end_hangs();
  failure_ = std::move(response);
}

HttpResponse ObjectStore::answer(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  if (failures_ > 0) {
    --failures_;
    return failure_;
  }
  const bool is_gs = request.target.find("/storage/v1/") != std::string::npos;
  return is_gs ? answer_gs(request) : answer_s3(request);
}

ObjectStore::Listed ObjectStore::list(const std::string& bucket, const std::string& prefix,
                                      const std::string& delimiter) const {
  Listed listed;
  for (const auto& [name, object] : objects_) {
    if (!name.starts_with(bucket + "/" + prefix)) continue;
    const std::string key = name.substr(bucket.size() + 1);
    const size_t slash = delimiter.empty() ? std::string::npos : key.find(delimiter, prefix.size());
    if (slash == std::string::npos) {
      listed.objects[key] = &object;
    } else {
      listed.folders[key.substr(0, slash + 1)] = true;
    }
  }
  return listed;
}

HttpResponse ObjectStore::answer_s3(const HttpRequest& request) {
  const std::string name = percent_decoded(request.path()).substr(1);
  if (name.find('/') == std::string::npos || name.ends_with('/')) {
    const std::string bucket = name.substr(0, name.find('/'));
    const Listed listed = list(bucket, request.parameter("prefix"), request.parameter("delimiter"));
    std::string text = "<ListBucketResult><Name>" + bucket + "</Name><IsTruncated>false</IsTruncated>";
    for (const auto& [key, object] : listed.objects) {
      text += "<Contents><Key>" + key + "</Key><LastModified>" + kModifiedXml + "</LastModified><ETag>" +
              object->etag() + "</ETag><Size>" + std::to_string(object->bytes.size()) + "</Size></Contents>";
    }
    for (const auto& [folder, one] : listed.folders) {
      text += "<CommonPrefixes><Prefix>" + folder + "</Prefix></CommonPrefixes>";
    }
    return xml(200, text + "</ListBucketResult>");
  }
  const auto found = objects_.find(name);
  if (found == objects_.end()) return no_such_key();
  HttpResponse response = ranged(request, found->second.bytes, found->second.etag());
  response.headers.emplace_back("Last-Modified", kModified);
  return response;
}

// The targets are /storage/v1/b/BUCKET, /storage/v1/b/BUCKET/o and /storage/v1/b/BUCKET/o/NAME with escaped slashes.
HttpResponse ObjectStore::answer_gs(const HttpRequest& request) {
  const std::string path = request.path();
  const size_t begin = path.find("/b/") + 3, end = path.find("/o", begin);
  const std::string bucket = path.substr(begin, end - begin);
  const auto metadata = [&](const std::string& name, const Object& object) {
    return nlohmann::json{{"kind", "storage#object"},
                          {"bucket", bucket},
                          {"name", name},
                          {"generation", std::to_string(object.generation)},
                          {"metageneration", "1"},
                          {"etag", object.etag()},
                          {"size", std::to_string(object.bytes.size())},
                          {"timeCreated", kModifiedXml},
                          {"updated", kModifiedXml}};
  };
  if (end == std::string::npos) return json(200, {{"kind", "storage#bucket"}, {"id", bucket}, {"name", bucket}});
  if (path.size() <= end + 3) {
    const Listed listed = list(bucket, request.parameter("prefix"), request.parameter("delimiter"));
    nlohmann::json items = nlohmann::json::array(), prefixes = nlohmann::json::array();
    for (const auto& [key, object] : listed.objects) items.push_back(metadata(key, *object));
    for (const auto& [folder, one] : listed.folders) prefixes.push_back(folder);
    return json(200, {{"kind", "storage#objects"}, {"items", items}, {"prefixes", prefixes}});
  }
  const std::string name = percent_decoded(path.substr(end + 3));
  const auto found = objects_.find(bucket + "/" + name);
  if (found == objects_.end()) return not_found();
  const std::string generation = request.parameter("generation");
  if (!generation.empty() && generation != std::to_string(found->second.generation)) return not_found();
  if (request.parameter("alt") != "media") return json(200, metadata(name, found->second));
  HttpResponse response = ranged(request, found->second.bytes, found->second.etag());
  response.headers.emplace_back("x-goog-generation", std::to_string(found->second.generation));
  return response;
}

}  // namespace portatune
