// Serves a model over HTTP on this machine:  service MODEL [PORT]
//     curl --data '{"text": "A fine film."}' http://127.0.0.1:8080/predict
// A request has a row of JSON on each line, and so has the answer a prediction.
#include <httplib.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "portatune/portatune.h"

using namespace portatune;

// The rows of a request. Values that are no texts become their JSON, as in tables.
std::vector<data::Example> rows_in(const std::string& body) {
  std::vector<data::Example> rows;
  std::istringstream lines(body);
  for (std::string line; std::getline(lines, line);) {
    data::Example& row = rows.emplace_back();
    for (const auto& [name, value] : nlohmann::json::parse(line).items()) {
      row.set(name, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return rows;
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
      response.status = 400;
      response.body = std::string(error.what()) + "\n";
    } catch (const DataError& error) {
      response.status = 400;
      response.body = std::string(error.what()) + "\n";
    }
  });
  const int asked = argc > 2 ? std::atoi(argv[2]) : 8080;  // 0: any free port
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
