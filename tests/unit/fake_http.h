#pragma once
#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime_api/error.h"
#include "runtime_api/http.h"

/// What a FakeHttp was asked and is to answer; outlives it, so that a test can look after an engine took the
/// FakeHttp.
struct HttpScript {
    /// By "METHOD target". Of several answers each is given once, the last for ever.
    std::map<std::string, std::vector<runtime_api::HttpResponse>> answers;
    std::map<std::string, runtime_api::Errc> failures;
    std::vector<std::string> asked;
    std::vector<runtime_api::HttpRequest> requests;

    void answer(const std::string& key, int status, const std::string& body = "") {
        answers[key].push_back(runtime_api::HttpResponse{status, {}, body});
    }
};

/// Plays back scripted answers and records what was asked. An unscripted request fails the test
/// (std::out_of_range).
class FakeHttp final : public runtime_api::Http {
public:
    explicit FakeHttp(std::shared_ptr<HttpScript> script) : script_(std::move(script)) {}

    boost::asio::awaitable<runtime_api::HttpResponse> send(runtime_api::HttpRequest request) override {
        runtime_api::HttpResponse answer = next(request);
        if (request.sink && answer.status < 300) {
            request.sink(answer.body);
            answer.body.clear();
        }
        co_return answer;
    }

    boost::asio::awaitable<runtime_api::Upgraded> upgrade(runtime_api::HttpRequest request) override {
        runtime_api::Upgraded out;
        out.answer = next(request);
        co_return out;
    }

private:
    runtime_api::HttpResponse next(const runtime_api::HttpRequest& request) {
        const std::string key = request.method + ' ' + request.target;
        script_->asked.push_back(key);
        script_->requests.push_back(request);
        if (const auto it = script_->failures.find(key); it != script_->failures.end())
            throw runtime_api::Error(it->second, "scripted");
        std::vector<runtime_api::HttpResponse>& list = script_->answers.at(key);
        const runtime_api::HttpResponse answer = list.front();
        if (list.size() > 1) list.erase(list.begin());
        return answer;
    }

    std::shared_ptr<HttpScript> script_;
};
