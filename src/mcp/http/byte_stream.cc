#include "src/mcp/http/byte_stream.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

#include "runtime_api/tls_files.h"

namespace mcp {
namespace asio = boost::asio;
namespace {

using asio::ip::tcp;
using boost::system::error_code;

tcp::socket& socket_of(tcp::socket& socket) { return socket; }
tcp::socket& socket_of(asio::ssl::stream<tcp::socket>& stream) { return stream.next_layer(); }

// A peer that goes without the goodbye of TLS has still ended: HTTP messages say themselves how long they
// are.
bool is_end(const error_code& error) {
    return error == asio::error::eof || error == asio::ssl::error::stream_truncated;
}

asio::awaitable<void> shake_hands(tcp::socket&) { co_return; }
asio::awaitable<void> shake_hands(asio::ssl::stream<tcp::socket>& stream) {
    const auto side = asio::ssl::stream_base::server;
    co_await stream.async_handshake(side, asio::use_awaitable);
}

template <class Stream> class StreamOn : public ByteStream {
public:
    template <class... Args> explicit StreamOn(Args&&... args) : stream_(std::forward<Args>(args)...) {
        error_code ignored;
        socket_of(stream_).set_option(tcp::no_delay(true), ignored);
    }

    asio::awaitable<std::size_t> read(char* out, std::size_t most) override {
        error_code error;
        const std::size_t count = co_await stream_.async_read_some(
            asio::buffer(out, most), asio::redirect_error(asio::use_awaitable, error));
        if (is_end(error)) co_return 0;
        if (error) throw boost::system::system_error(error);
        co_return count;
    }

    asio::awaitable<void> write(std::string bytes) override {
        const auto all = asio::buffer(bytes);
        co_await asio::async_write(stream_, all, asio::use_awaitable);
    }

    asio::awaitable<void> end_writing() override {
        error_code ignored;
        socket_of(stream_).shutdown(tcp::socket::shutdown_send, ignored);
        co_return;
    }

    asio::awaitable<void> handshake() override { return shake_hands(stream_); }

    void close() noexcept override {
        error_code ignored;
        socket_of(stream_).close(ignored);
    }

private:
    Stream stream_;
};

} // namespace

std::unique_ptr<ByteStream> plain_stream(tcp::socket socket) {
    return std::make_unique<StreamOn<tcp::socket>>(std::move(socket));
}

std::unique_ptr<ByteStream> tls_stream(tcp::socket socket, asio::ssl::context& context) {
    return std::make_unique<StreamOn<asio::ssl::stream<tcp::socket>>>(std::move(socket), context);
}

std::shared_ptr<asio::ssl::context> tls_context(const std::string& certificate_file,
                                                const std::string& key_file) {
    const std::string problem = runtime_api::tls_pair_problem(certificate_file, key_file);
    if (!problem.empty()) throw std::runtime_error(problem);
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    context->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                         asio::ssl::context::no_tlsv1_1 | asio::ssl::context::no_compression);
    error_code error;
    context->use_certificate_chain_file(certificate_file, error);
    if (error) throw std::runtime_error("TLS certificate " + certificate_file + ": " + error.message());
    context->use_private_key_file(key_file, asio::ssl::context::pem, error);
    if (error) throw std::runtime_error("TLS key " + key_file + ": " + error.message());
    return context;
}

} // namespace mcp
