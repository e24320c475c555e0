#include "src/engines/advice_words.h"

namespace engines {
namespace {

constexpr const char* client_certificate =
    "--runtime-tls-cert and --runtime-tls-key, signed by the engine's own CA";
constexpr const char* speak_tls =
    "write https:// instead of tcp://, with --runtime-tls-ca, --runtime-tls-cert and --runtime-tls-key";

/// A command that shows what the engine's certificate says.
std::string shown(const runtime_api::Endpoint& endpoint, const char* what) {
    const std::string host =
        endpoint.host.find(':') == std::string::npos ? endpoint.host : '[' + endpoint.host + ']';
    return "openssl s_client -connect " + host + ':' + std::to_string(endpoint.port) +
           " </dev/null | openssl x509 -noout " + what;
}

std::optional<Advice> on_our_files(const Words& words) {
    if (words.any({"locked with a passphrase"}))
        return Advice{
            "the client's key is locked with a passphrase, and Cordon cannot ask for it",
            "a key without one, which others cannot read: umask 077; openssl pkey -in KEY -out NEW-KEY"};
    if (words.any({"the key is not that of the certificate"}))
        return Advice{
            "the client's certificate and key are not of one pair",
            "the two of one pair print the same: openssl x509 -noout -pubkey -in CERT, and openssl pkey "
            "-pubout -in KEY"};
    if (words.any({"there is no certificate in it", "there is no key in it"}))
        return Advice{
            "a file of TLS is not in PEM, or holds something else",
            "look into it: a certificate begins with BEGIN CERTIFICATE, a key with BEGIN PRIVATE KEY"};
    if (words.any({"the client's certificate"}) && words.any({" expired on "}))
        return Advice{
            "the client's certificate has expired",
            "a new certificate, signed by the engine's own CA, for --runtime-tls-cert (and its key)"};
    if (words.any({"the client's certificate"}) && words.any({" is not valid before "}))
        return Advice{"the client's certificate is not yet valid, or this host's clock is wrong",
                      "set the clock (date shows it), or wait"};
    return std::nullopt;
}

std::optional<Advice> on_client_certificate(const Words& words) {
    if (words.any({"alert unsupported certificate"}))
        return Advice{"the client's certificate is not meant for clients",
                      "one with extendedKeyUsage = clientAuth, signed by the engine's own CA"};
    if (words.any({"certificate required", "bad certificate", "alert handshake failure", "alert unknown ca",
                   "alert certificate expired", "alert certificate revoked", "alert certificate unknown"}))
        return Advice{"the engine wants a client certificate that it knows", client_certificate};
    return std::nullopt;
}

std::optional<Advice> on_engine_certificate(const runtime_api::Endpoint& endpoint, const Words& words) {
    if (words.any({"certificate has expired", "certificate is not yet valid"}))
        return Advice{"the engine's certificate is past its time or before it, or this host's clock is wrong",
                      "date shows the clock, and " + shown(endpoint, "-dates") +
                          " the certificate's time; renew it on the engine's host, and restart the engine"};
    if (words.any({"unable to get local issuer", "self-signed certificate", "self signed certificate",
                   "unable to get issuer", "unable to verify the first certificate"}))
        return Advice{
            "the engine's certificate is signed by a CA unknown here",
            "--runtime-tls-ca with the CA that signed it (Docker: ca.pem); if there is a CA between the two, "
            "the engine's own file must hold its certificate, too, after the engine's"};
    if (words.any({"no alternative certificate subject name", "does not match target host"}))
        return Advice{"the engine's certificate is for another name",
                      "use a name or address that the certificate has: " +
                          shown(endpoint, "-ext subjectAltName")};
    return std::nullopt;
}

std::optional<Advice> on_protocol(const runtime_api::Endpoint& endpoint, const std::string& text,
                                  const Words& words) {
    if (words.any({"http request to an https server", "http request was sent to https"}))
        return Advice{"the engine speaks TLS at that port", speak_tls};
    if (words.any({"wrong version number", "http request"}))
        return Advice{"what listens there does not speak TLS",
                      "give the engine TLS at that port (Docker: --tlsverify), or reach it by ssh://; tcp:// "
                      "is without "
                      "TLS, for this machine only"};
    if (words.any({"alert protocol version", "unsupported protocol", "no protocols available"}))
        return Advice{"the engine speaks no TLS 1.2 or newer",
                      "update the engine, or what stands in front of it, to one that speaks TLS 1.2"};
    // By TLS 1.3 a client learns only after its first request that its certificate was not liked, and the
    // word of it may be lost on the way.
    if (!text.starts_with("talking to") ||
        !words.any({"empty reply", "connection reset", "unexpected eof", "ended the connection"}))
        return std::nullopt;
    if (endpoint.kind == runtime_api::Endpoint::Kind::https)
        return Advice{"the engine ended the connection without a word, as some do who miss a client "
                      "certificate that they know",
                      client_certificate};
    return Advice{"what listens there ended the connection without a word: it may speak TLS", speak_tls};
}

} // namespace

std::optional<Advice> advice_on_tls(const runtime_api::Endpoint& endpoint, const std::string& text) {
    const Words words(text);
    std::optional<Advice> found = on_our_files(words);
    if (!found) found = on_client_certificate(words);
    if (!found) found = on_engine_certificate(endpoint, words);
    if (!found) found = on_protocol(endpoint, text, words);
    return found;
}

std::optional<Advice> advice_on_endpoint(const runtime_api::Endpoint& endpoint) {
    if (endpoint.kind != runtime_api::Endpoint::Kind::https || endpoint.verify) return std::nullopt;
    return Advice{"the engine's certificate is not checked: whoever is on the way can be the engine, and "
                  "read and change "
                  "all that is sent",
                  "--runtime-tls-verify 1, with --runtime-tls-ca and the CA that signed it (a Docker "
                  "context: create it anew "
                  "without skip-tls-verify; DOCKER_TLS: set DOCKER_TLS_VERIFY=1)"};
}

} // namespace engines
