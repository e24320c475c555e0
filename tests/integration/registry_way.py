"""What may be between an engine and a registry, or in its place: a way with a hand on it, which stalls and breaks as networks do (TLS goes
through as it comes), and one that refuses."""
import http.server
import socket
import ssl
import struct
import threading
import time

from engine_way import shut


class Way:
    """Stands before a registry, with an address of its own (`host`); `ca` is the registry's, whose certificate is for loopback."""

    def __init__(self, registry):
        self.port, self.ca = registry.port, registry.ca
        self.changed = threading.Condition()
        self.left = None         # bytes that still come down; None: all
        self.cuts = 0            # how often they are reset when these have come; 0: they stand still
        self.waiting = set()
        self.pace = None         # bytes a second, about; None: as they come
        self.reached = threading.Event()
        self.ends = {}           # of each connection that is open, by the engine's end
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.host = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stall_after(self, count):
        """When so many bytes have come down, nothing more does, on no connection, until open()."""
        self._set(count, 0)

    def cut_after(self, count, times=1):
        """When so many bytes have come down, all connections are reset, and new ones come through; and again, so many times."""
        self._set(count, times)

    def open(self):
        self._set(None, 0)

    def standing(self):
        """How many connections have something to carry and may not."""
        with self.changed:
            return len(self.waiting & set(self.ends))

    def _set(self, left, cuts):
        with self.changed:
            self.left, self.each, self.cuts = left, left, cuts
            self.reached.clear()
            self.changed.notify_all()

    def _accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            far = socket.create_connection(("127.0.0.1", self.port))
            with self.changed:
                self.ends[near] = far
            threading.Thread(target=self._up, args=(near, far), daemon=True).start()
            threading.Thread(target=self._down, args=(near, far), daemon=True).start()

    def _up(self, near, far):
        try:
            while data := near.recv(65536):
                far.sendall(data)
        except OSError:
            pass
        with self.changed:  # whom it was for has gone
            self.ends.pop(near, None)
            self.changed.notify_all()
        shut(far)

    def _down(self, near, far):
        try:
            while data := far.recv(65536):
                while data and (count := self._may_pass(near, len(data))):
                    near.sendall(data[:count])
                    data = data[count:]
                    if self.pace:
                        time.sleep(count / self.pace)
        except OSError:
            pass
        with self.changed:
            if near in self.ends:
                shut(near)
            self.changed.wait_for(lambda: near not in self.ends)  # its other thread has done with it
        near.close()
        far.close()

    def _may_pass(self, near, count):
        """How many of these bytes; waits while it is none; 0 where the connection is over."""
        with self.changed:
            if self.left == 0:
                self.reached.set()
                if self.cuts:
                    self._cut()
            self.waiting.add(near)
            self.changed.wait_for(lambda: self.left != 0 or near not in self.ends)
            self.waiting.discard(near)
            if near not in self.ends:
                return 0
            if self.left is None:
                return count
            count = min(count, self.left)
            self.left -= count
            return count

    def _cut(self):
        self.cuts -= 1
        self.left = self.each if self.cuts else None
        for near in list(self.ends):
            near.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            shut(near, socket.SHUT_RD)  # wakes its threads; the engine hears of it by the close alone, which is a reset
        self.ends.clear()

    def close(self):
        self.listener.close()
        self.open()
        for each in list(self.ends):
            shut(each)


class Refuser(http.server.ThreadingHTTPServer):
    """Speaks TLS as the registry does, lets everybody in, and has the same answer to whatever is asked of it."""
    daemon_threads = True

    def __init__(self, registry, status, kind, body):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                ping = self.path == "/v2/"
                self.send_response(200 if ping else status)
                self.send_header("Content-Type", "application/json" if ping else kind)
                self.send_header("Content-Length", "2" if ping else str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(b"{}" if ping else body)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.host, self.ca = "127.0.0.1:%d" % self.server_address[1], registry.ca
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(registry.ca.parent / "cert.pem", registry.ca.parent / "key.pem")
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def handle_error(self, *_):
        pass  # a peer that left

    def close(self):
        self.shutdown()
        self.thread.join()
        self.server_close()
