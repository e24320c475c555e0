#pragma once
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <memory>
#include <string>

namespace boost::asio::ssl {
class context;
}

namespace mcp {

/// A TCP connection that was accepted, with TLS or without. One reader and one writer at a time. All throw
/// boost::system::system_error, also when it is closed meanwhile.
class ByteStream {
public:
    virtual ~ByteStream() = default;
    virtual boost::asio::awaitable<void> handshake() = 0;
    /// At least one byte into `out`, at most `most`; 0 at the end of the stream. `out` must outlive the wait.
    virtual boost::asio::awaitable<std::size_t> read(char* out, std::size_t most) = 0;
    virtual boost::asio::awaitable<void> write(std::string bytes) = 0;
    /// Tells the other side that no more comes; it may still send.
    virtual boost::asio::awaitable<void> end_writing() = 0;
    virtual void close() noexcept = 0;
};

std::unique_ptr<ByteStream> plain_stream(boost::asio::ip::tcp::socket socket);
/// The context must outlive the stream.
std::unique_ptr<ByteStream> tls_stream(boost::asio::ip::tcp::socket socket,
                                       boost::asio::ssl::context& context);

/// A context that serves with this certificate chain and key (PEM files), TLS 1.2 and up. Throws
/// std::runtime_error that names the file.
std::shared_ptr<boost::asio::ssl::context> tls_context(const std::string& certificate_file,
                                                       const std::string& key_file);

} // namespace mcp
