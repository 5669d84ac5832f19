// Serves a model over HTTP on this machine:  service MODEL [PORT]
//     curl --data '{"text": "A fine film."}' http://127.0.0.1:8080/predict
// Each line of a request is a row as JSON, and each line of the answer is its prediction.
#include <httplib.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "portatune/portatune.h"

using namespace portatune;

// The rows of a request. As in tables, null becomes an empty text, and other values that are not texts their JSON.
std::vector<data::Example> rows_in(const std::string& body) {
  std::vector<data::Example> rows;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json values = nlohmann::json::parse(line);
    if (!values.is_object())
      throw DataError({.where = "request", .given = line, .expected = "a JSON object on each line"});
    data::Example& row = rows.emplace_back();
    for (const auto& [name, value] : values.items()) {
      row.set(name, value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump());
    }
  }
  return rows;
}

int port_in(const char* text) {
  int port = -1;
  const char* const end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, port);
  if (error == std::errc() && stop == end && port >= 0 && port <= 65535) return port;
  throw UsageError({.where = "service", .given = "port '" + std::string(text) + "'", .expected = "0 to 65535"});
}

void refuse(httplib::Response& response, int status, const std::exception& error) {
  response.status = status;
  response.body = std::string(error.what()) + "\n";
}

int main(int argc, char** argv) try {
  if (argc < 2) throw UsageError({.where = "service", .expected = "service MODEL [PORT]"});
  run::Events events;
  run::Predictor predictor({.model = {.task = {}, .folder = argv[1]}}, events);
  std::mutex one_at_a_time;

  httplib::Server server;
  server.Post("/predict", [&](const httplib::Request& request, httplib::Response& response) {
    try {
      const std::vector<data::Example> rows = rows_in(request.body);
      const std::lock_guard lock(one_at_a_time);
      for (const std::string& prediction : predictor.predict(rows)) response.body += prediction + "\n";
    } catch (const nlohmann::json::exception& error) {
      refuse(response, 400, error);
    } catch (const DataError& error) {
      refuse(response, 400, error);
    } catch (const Error& error) {
      refuse(response, 500, error);
    }
  });
  const int asked = argc > 2 ? port_in(argv[2]) : 8080;  // 0: any free port
  const bool is_bound = asked == 0 || server.bind_to_port("127.0.0.1", asked);
  const int port = asked == 0 ? server.bind_to_any_port("127.0.0.1") : asked;
  if (!is_bound || port < 0)
    throw UsageError({.where = "service", .given = "port " + std::to_string(asked), .expected = "a free port"});
  std::printf("http://127.0.0.1:%d/predict\n", port);
  std::fflush(stdout);
  server.listen_after_bind();
} catch (const Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
