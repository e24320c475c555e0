"""Unix sockets that lead to a real engine: what passes can be looked at, and the way can be broken. What lies behind is real."""
import re
import socket
import tempfile
import threading

REQUEST = re.compile(rb"[A-Z]+ /\S* HTTP/1\.1\r\n")


class EngineWay:
    """Listens at `path` and carries all connections on to `engine_path`."""

    def __init__(self, engine_path, path):
        self.engine_path = engine_path
        self.pairs = []  # of each connection that was made: the client's end and the engine's
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def admits(self):
        """Whether a new connection is carried on; else it is closed at once."""
        return True

    def passes(self, data, near):
        """Whether a piece that came from a client, by its end `near`, is carried on to the engine."""
        return True

    def _accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            if not self.admits():
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.engine_path)
            self.pairs.append((near, far))
            threading.Thread(target=self._pump, args=(near, far, self.passes), daemon=True).start()
            threading.Thread(target=self._pump, args=(far, near), daemon=True).start()

    @staticmethod
    def _pump(source, sink, passes=lambda data, source: True):
        try:
            while data := source.recv(65536):
                if passes(data, source):
                    sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            shut(end)
        source.close()

    def cut(self):
        """Ends all connections."""
        for pair in self.pairs:
            for end in pair:
                shut(end)
                end.close()
        self.pairs.clear()

    def close(self):
        shut(self.listener)  # wakes who accepts
        self.listener.close()
        self.cut()


class CuttableEngine(EngineWay):
    """A way that can be cut, and on which requests can hang."""

    def __init__(self, engine):
        self.folder = tempfile.TemporaryDirectory(prefix="cordon-cut-")
        self.url = "unix://" + self.folder.name + "/s"
        self.mode = "open"       # "open", "refuse" (connections are closed at once), "hang" (requests are never answered)
        self.requests = []       # the first line of each that was begun, of which several may share a connection
        self.cut_at = None       # cut the way when this many requests have been begun
        self.hang_at = None      # from this request on, none is answered
        self.lock = threading.Lock()
        super().__init__(engine.path, self.folder.name + "/s")

    @property
    def count(self):
        return len(self.requests)

    def admits(self):
        return self.mode != "refuse"

    def passes(self, data, near):
        if not REQUEST.match(data):
            return True
        with self.lock:
            self.requests.append(data.split(b"\r\n", 1)[0].decode())
            if self.cut_at is not None and self.count >= self.cut_at:
                self.cut_at = None
                self.cut("refuse")
            if self.hang_at is not None and self.count >= self.hang_at:
                self.mode = "hang"
            if self.mode == "refuse":  # its connection may have been let in before the cut, and been missed by it
                shut(near)
            return self.mode == "open"

    def cut(self, mode="refuse"):
        """The same; new ones meet `mode`."""
        self.mode = mode
        super().cut()

    def close(self):
        super().close()
        self.folder.cleanup()


def shut(end, how=socket.SHUT_RDWR):
    try:
        end.shutdown(how)
    except OSError:
        pass
