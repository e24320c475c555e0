"""A podman that answers as a real one does, says that it is rootless, and refuses every POST in words of the test's choice. On a Unix socket, or with TLS
and client certificates on loopback."""
import http.server
import json
import pathlib
import socket
import socketserver
import ssl
import threading

INFO = {"host": {"arch": "amd64", "cgroupControllers": ["memory", "pids", "cpu"], "cgroupVersion": "v2", "cgroupManager": "systemd",
                 "distribution": {"distribution": "debian", "version": "12"}, "hostname": "fake", "kernel": "6.1", "cpus": 2, "memTotal": 1 << 30,
                 "ociRuntime": {"name": "crun"}, "security": {"rootless": True, "seccompEnabled": True, "apparmorEnabled": False,
                                                              "selinuxEnabled": False}},
        "store": {"graphDriverName": "vfs"}, "version": {"Version": "4.3.1", "APIVersion": "4.3.1"}}


class Handler(http.server.BaseHTTPRequestHandler):
    def address_string(self):
        return "unix"

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in (("Api-Version", "1.41"), ("Libpod-Api-Version", "4.3.1"), ("Content-Length", str(len(body))), ("Connection", "close")):
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/_ping":
            self.answer(200, b"OK")
        elif self.path.endswith("/info"):
            self.answer(200, INFO)
        elif "/images/" in self.path:
            self.answer(200, {"Id": "1"})
        else:
            self.answer(200, [])

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.answer(500, {"cause": "x", "message": self.server.words, "response": 500})

    def do_DELETE(self):
        self.answer(404, {"message": "no such container"})


class Server(socketserver.ThreadingMixIn):
    daemon_threads = True
    words = ""

    def begin(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()

    def handle_error(self, request, client_address):
        pass  # clients that TLS turns away


class UnixEngine(Server, socketserver.UnixStreamServer):
    def __init__(self, path, handler=Handler):
        super().__init__(str(path), handler)
        self.begin()


class TlsEngine(Server, socketserver.TCPServer):
    """Listens at self.port of address, with cert.pem and key.pem of folder, and lets in who has a certificate by its ca.pem."""

    def __init__(self, folder, address="127.0.0.1"):
        self.address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        super().__init__((address, 0), Handler)
        self.port = self.server_address[1]
        folder = pathlib.Path(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        self.context.load_verify_locations(folder / "ca.pem")
        self.context.verify_mode = ssl.CERT_REQUIRED
        self.begin()

    def finish_request(self, request, client_address):
        with self.context.wrap_socket(request, server_side=True) as stream:
            super().finish_request(stream, client_address)
