// What a server asks of a person while it works on our calls.
#include <algorithm>

#include "src/base/json.h"
#include "src/mcp/client/life.h"

namespace mcp {
namespace asio = boost::asio;
using jsonrpc::Error;
using jsonrpc::Message;

namespace {

asio::awaitable<std::string> asked(AskPerson ask, std::string params) {
    const std::string said = co_await ask(std::move(params));
    co_return elicitation::answer(said);
}

} // namespace

Client::Life::CallInFlight::CallInFlight(Life& owner, Asker who)
    : life(owner), asker(std::move(who)), link(owner.link) {
    life.calls.push_back(this);
}

// What was asked for this call's sake is no longer of interest.
Client::Life::CallInFlight::~CallInFlight() {
    std::erase(life.calls, this);
    const auto open = questions;
    for (const std::string& id : open) link->peer.give_up(id);
}

// The call on whose behalf a server that says only "ask" may do so: the newest, where all that it works on
// are of one client.
Client::Life::CallInFlight* Client::Life::call_to_ask() const {
    if (calls.empty() || !calls.back()->asker.ask) return nullptr;
    const bool others = std::any_of(calls.begin(), calls.end(), [&](const CallInFlight* each) {
        return each->asker.who != calls.back()->asker.who;
    });
    return others ? nullptr : calls.back();
}

// A person's answer to one question, or that there is none: whatever kept it away.
asio::awaitable<std::string> Client::Life::put(AskPerson ask, std::string params) {
    std::string why;
    try {
        co_return co_await asked(std::move(ask), std::move(params));
    } catch (const Error& e) { // the client's business, not the server's
        why = e.what();
    } catch (const json::Error& e) {
        why = e.what();
    }
    if (options.log) options.log("a question was not answered: " + why);
    co_return std::string(elicitation::nobody);
}

// A request of the server's (legacy).
asio::awaitable<std::string> Client::Life::answer(std::weak_ptr<Life> weak, Message request) {
    const auto self = weak.lock();
    if (request.method() == "ping") co_return "{}";
    if (!self || request.method() != "elicitation/create" || !self->spec.elicits)
        throw Error(jsonrpc::code::method_not_found, "this client does not do " + request.method());
    std::string question = elicitation::question(self->spec.name, request.params());
    CallInFlight* const call = self->call_to_ask();
    if (!call || ++call->asked > elicitation::most_questions) co_return std::string(elicitation::nobody);
    struct Open { // the call may end first, and says so by giving the request up
        Life& life;
        CallInFlight* call;
        std::string id;
        ~Open() {
            if (std::count(life.calls.begin(), life.calls.end(), call) > 0) call->questions.erase(id);
        }
    } open{*self, call, request.id()};
    call->questions.insert(open.id);
    AskPerson ask = call->asker.ask;
    co_return co_await self->put(std::move(ask), std::move(question));
}

// What a result asks for (modern).
asio::awaitable<std::string> Client::Life::answer_all(Questions questions, CallInFlight* call) {
    json::Writer w;
    w.object();
    for (const auto& [key, params] : questions) {
        std::string said(elicitation::nobody);
        if (call->asker.ask && ++call->asked <= elicitation::most_questions) {
            std::string question = elicitation::question(spec.name, params);
            AskPerson ask = call->asker.ask;
            said = co_await put(std::move(ask), std::move(question));
        }
        w.raw_field(key, said);
    }
    co_return w.end().take();
}

} // namespace mcp
