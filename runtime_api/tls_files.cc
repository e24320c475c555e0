#include "runtime_api/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <optional>

#include "runtime_api/error.h"
#include "src/base/small_file.h"

namespace runtime_api {
namespace {

template <class T, void (*release)(T*)> struct Release {
    void operator()(T* each) const { release(each); }
};
using Certificate = std::unique_ptr<X509, Release<X509, X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY, EVP_PKEY_free>>;
using Memory = std::unique_ptr<BIO, Release<BIO, BIO_free_all>>;

/// Without one of its own, OpenSSL asks at the terminal.
int no_passphrase(char*, int, int, void* asked) noexcept {
    *static_cast<bool*>(asked) = true;
    return -1;
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
    throw Error(Errc::bad_endpoint, path + ": " + why);
}

Memory open(const std::string& path) {
    const std::optional<std::string> text = base::read_small_file(path);
    if (!text) fail(path, "no such file");
    Memory out(BIO_new(BIO_s_mem()));
    BIO_write(out.get(), text->data(), static_cast<int>(text->size())); // at most most_small_file
    return out;
}

/// The first one in it, which is the host's own where others follow.
Certificate read_certificate(const std::string& path) {
    const Memory in = open(path);
    bool asked = false;
    Certificate out(PEM_read_bio_X509_AUX(in.get(), nullptr, no_passphrase, &asked));
    ERR_clear_error();
    if (!out) fail(path, "there is no certificate in it (PEM)");
    return out;
}

Key read_key(const std::string& path) {
    const Memory in = open(path);
    bool asked = false;
    Key out(PEM_read_bio_PrivateKey(in.get(), nullptr, no_passphrase, &asked));
    ERR_clear_error();
    if (!out && asked) fail(path, "the key is locked with a passphrase, and nobody can be asked for it here");
    if (!out) fail(path, "there is no key in it (PEM)");
    return out;
}

void check_pair(const std::string& certificate_file, const std::string& key_file) {
    const Certificate certificate = read_certificate(certificate_file);
    const Key key = read_key(key_file);
    const bool fits = X509_check_private_key(certificate.get(), key.get()) == 1;
    ERR_clear_error();
    if (!fits) fail(key_file, "the key is not that of the certificate in " + certificate_file);
}

template <class Check> std::string problem_of(Check check) {
    try {
        check();
    } catch (const std::runtime_error& e) { // an Error, or a FileError
        return std::string("TLS: ") + e.what();
    }
    return "";
}

std::string date(const ASN1_TIME* time) {
    const Memory out(BIO_new(BIO_s_mem()));
    ASN1_TIME_print(out.get(), time);
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    return std::string(text, static_cast<std::size_t>(size));
}

} // namespace

std::string tls_files_problem(const Endpoint& endpoint) {
    if (endpoint.kind != Endpoint::Kind::https) return "";
    return problem_of([&] {
        if (!endpoint.ca_file.empty()) read_certificate(endpoint.ca_file);
        if (!endpoint.cert_file.empty() && !endpoint.key_file.empty())
            check_pair(endpoint.cert_file, endpoint.key_file);
    });
}

std::string tls_pair_problem(const std::string& certificate_file, const std::string& key_file) {
    return problem_of([&] { check_pair(certificate_file, key_file); });
}

std::string client_certificate_age(const Endpoint& endpoint) {
    if (endpoint.kind != Endpoint::Kind::https || endpoint.cert_file.empty()) return "";
    try {
        const Certificate certificate = read_certificate(endpoint.cert_file);
        const ASN1_TIME* const from = X509_get0_notBefore(certificate.get());
        const ASN1_TIME* const until = X509_get0_notAfter(certificate.get());
        const std::string whose = "the client's certificate " + endpoint.cert_file;
        if (X509_cmp_current_time(until) < 0) return whose + " expired on " + date(until);
        if (X509_cmp_current_time(from) > 0) return whose + " is not valid before " + date(from);
    } catch (const std::runtime_error&) { // then it is a problem
    }
    return "";
}

} // namespace runtime_api
