#pragma once
#include <string>

#include "runtime_api/endpoint.h"

/// PEM files, above all those of an https:// engine, looked at before a connection is tried: what libcurl
/// says of them names a file and no reason.
namespace runtime_api {

/// Why they cannot serve, naming the file: it is missing, cannot be read, is not what it should be; the key
/// is locked with a passphrase, or is another certificate's. "" if they can, and for other kinds of
/// endpoints. Asks nobody for anything.
std::string tls_files_problem(const Endpoint& endpoint);

/// The same of a certificate and its key alone, a server's for example.
std::string tls_pair_problem(const std::string& certificate_file, const std::string& key_file);

/// That the client's own certificate is past its time or before it, as of now; "" if it is not, or if there
/// is none. An engine need not mind, and one that does may give another reason.
std::string client_certificate_age(const Endpoint& endpoint);

} // namespace runtime_api
