#include "src/bridge/call_questions.h"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <stdexcept>

#include "runtime_api/pause.h"
#include "src/policy/append.h"

namespace bridge {
namespace asio = boost::asio;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto a_moment = 50ms; // in which calls that were made together come
constexpr std::size_t most_questions = 64;
constexpr auto longest = 55min; // less than sandbox::Sandbox::longest_hold
constexpr std::size_t most_clients = 1000, most_grants = 1000;

// One tool under one rule: what a person has allowed is not more than was asked.
std::string key_of(const CallQuestion& question) {
    return question.server + '\n' + question.tool + '\n' + question.rule;
}

} // namespace

void Grants::add(const std::string& client, const std::string& call) {
    if (client.empty() || (by_client_.size() >= most_clients && !by_client_.contains(client))) return;
    std::set<std::string>& calls = by_client_[client];
    if (calls.size() < most_grants) calls.insert(call);
}

bool Grants::has(const std::string& client, const std::string& call) const {
    const auto found = by_client_.find(client);
    return found != by_client_.end() && found->second.contains(call);
}

struct CallQuestions::Item {
    AskedCall call{};
    bool abandoned = false; // its call has ended
    bool done = false;
    std::string why_not{}; // once it is done; "": it may go on
};

CallQuestions::CallQuestions(asio::any_io_executor executor, Options options)
    : executor_(std::move(executor)), options_(std::move(options)), changed_(executor_) {}

AskedCall CallQuestions::asked(CallQuestion question) const {
    AskedCall call;
    const policy::Rule* const by = question.by ? &*question.by : nullptr;
    const bool writable = options_.store && !options_.store->file().empty();
    if (writable && question.may_be_always && policy::can_be_replaced(by))
        call.always = policy::allowing_rule(policy::Target{question.server, question.tool});
    call.session = !options_.client.empty();
    call.question = std::move(question);
    return call;
}

asio::awaitable<std::string> CallQuestions::ask(CallQuestion question) {
    const auto self = shared_from_this();
    const std::string key = key_of(question);
    if (granted_.contains(key) || options_.grants->has(options_.client, key)) co_return std::string();
    if (++count_ > most_questions || took_ >= longest)
        co_return "the user was asked often enough in this run";
    const auto item = std::make_shared<Item>();
    item->call = asked(std::move(question));
    waiting_.push_back(item);
    struct Leave { // also when the call is cancelled
        CallQuestions& questions;
        Item& item;
        ~Leave() {
            item.abandoned = true;
            questions.changed_.notify();
        }
    } leave{*self, *item};
    if (!std::exchange(works_, true)) asio::co_spawn(executor_, work(self), asio::detached);
    while (!item->done) co_await changed_.wait(Clock::time_point::max());
    co_return item->why_not;
}

// Those to ask now. One that an earlier answer covers is done.
CallQuestions::Items CallQuestions::next() {
    Items items;
    while (!waiting_.empty() && items.size() < most_calls_of_form) {
        const auto item = waiting_.front();
        waiting_.pop_front();
        const std::string key = key_of(item->call.question);
        if (item->abandoned) continue;
        if (granted_.contains(key))
            item->done = true;
        else
            items.push_back(item);
    }
    changed_.notify();
    return items;
}

// Never cancelled: it ends when nobody waits for it any more, and thaws what it froze.
asio::awaitable<void> CallQuestions::work(std::shared_ptr<CallQuestions> self) {
    co_await runtime_api::pause(a_moment);
    bool frozen = false;
    for (Items items = self->next(); !items.empty(); items = self->next()) {
        if (!std::exchange(frozen, true)) {
            const std::string why = co_await self->freeze();
            if (!why.empty() && self->note && !std::exchange(self->noted_, true))
                self->note("while the user was asked, the code was not frozen but waited: " + why);
        }
        const auto began = Clock::now();
        co_await show(self, std::move(items));
        self->took_ += Clock::now() - began;
        co_await runtime_api::pause(0ms);
    }
    if (frozen) co_await self->thaw();
    self->works_ = false;
    if (!self->waiting_.empty()) { // came while it was thawed
        self->works_ = true;
        asio::co_spawn(self->executor_, work(self), asio::detached);
    }
}

asio::awaitable<std::string> CallQuestions::ask_client(std::shared_ptr<CallQuestions> self,
                                                       std::string params) {
    co_return co_await self->options_.ask(std::move(params));
}

asio::awaitable<void> CallQuestions::show(std::shared_ptr<CallQuestions> self, Items items) {
    struct Answer {
        bool there = false;
        std::string result{}, failure{};
        asio::cancellation_signal taken_back{};
    };
    const auto answer = std::make_shared<Answer>();
    std::vector<AskedCall> calls;
    for (const auto& item : items) calls.push_back(item->call);
    std::string form = call_form(calls, self->options_.store ? self->options_.store->file() : "");
    auto came = [answer, self](const std::exception_ptr& failed, std::string result) {
        answer->there = true;
        answer->result = std::move(result);
        if (failed) answer->failure = "the client could not ask the user";
        self->changed_.notify();
    };
    asio::co_spawn(self->executor_, ask_client(self, std::move(form)),
                   asio::bind_cancellation_slot(answer->taken_back.slot(), std::move(came)));
    const auto until = base::after(self->options_.limit);
    const auto all_gone = [&items] {
        return std::all_of(items.begin(), items.end(), [](const auto& item) { return item->abandoned; });
    };
    while (!answer->there && !all_gone() && Clock::now() < until) co_await self->changed_.wait(until);
    if (!answer->there) {
        answer->taken_back.emit(asio::cancellation_type::terminal);
        answer->failure = "the user did not answer within " + std::to_string(self->options_.limit.count()) +
                          " s (--ask-timeout)";
    }
    const std::vector<Permission> permissions = form_answers(answer->result, calls);
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i]->why_not = answer->failure;
        if (answer->failure.empty()) self->settle(*items[i], permissions[i]);
        items[i]->done = true;
    }
    self->changed_.notify();
}

// What cannot be written is allowed all the same: the person has said so of this call and those like it.
void CallQuestions::settle(Item& item, Permission permission) {
    const CallQuestion& question = item.call.question;
    if (permission == Permission::no) item.why_not = "the user did not allow this call";
    if (permission >= Permission::run && granted_.size() < most_grants) granted_.insert(key_of(question));
    if (permission >= Permission::session) options_.grants->add(options_.client, key_of(question));
    if (permission != Permission::always) return;
    try {
        options_.store->add_allowing(question.by ? &*question.by : nullptr,
                                     policy::Target{question.server, question.tool});
    } catch (const std::exception& e) {
        if (note)
            note("\"allow always\" holds for this session only, and was not written: " +
                 std::string(e.what()));
    }
}

} // namespace bridge
