"""An innocent client beside a hostile one or a hostile server: it pings, and must not notice."""
import contextlib
import pathlib
import threading
import time

CEILING = 256 << 20
LATE = 0.25  # seconds that a ping may take, beyond what the machine itself was late in the same time


class Innocent(threading.Thread):
    """B: pings as long as it is told to; knows how late the worst was, and how late the machine itself was meanwhile."""

    def __init__(self, client):
        super().__init__(daemon=True)
        self.client, self.over, self.worst, self.count, self.failure = client, threading.Event(), 0.0, 0, None
        self.machine = 0.0
        self.control = threading.Thread(target=self._control, daemon=True)

    def _control(self):
        while not self.over.is_set():
            began = time.monotonic()
            time.sleep(0.01)
            self.machine = max(self.machine, time.monotonic() - began - 0.01)

    def run(self):
        self.control.start()
        try:
            while not self.over.is_set():
                began = time.monotonic()
                self.client.request("ping")
                self.worst = max(self.worst, time.monotonic() - began)
                self.count += 1
                self.over.wait(0.05)
        except Exception as failure:
            self.failure = failure

    def end(self):
        self.over.set()
        self.join(60)
        self.control.join(5)


def resident(pid, key="VmHWM"):
    for text in pathlib.Path("/proc", str(pid), "status").read_text().splitlines():
        if text.startswith(key + ":"):
            return int(text.split()[1]) << 10
    return 0


@contextlib.contextmanager
def unharmed(test, client, late=LATE):
    """Within it somebody attacks `test.cordon`, while the client pings. Then no ping was later than `late`, Cordon stayed under the
    ceiling, and no turn of its loop was too long (`test.turns`, the file of CORDON_TEST_TURNS)."""
    innocent = Innocent(client)
    innocent.start()
    try:
        yield innocent
    finally:
        innocent.end()
    test.maxDiff = None  # each of the turns that were too long
    test.assertIsNone(innocent.failure)
    test.assertLess(resident(test.cordon.process.pid), CEILING)
    test.assertEqual(test.turns.read_text() if test.turns.exists() else "", "")
    test.assertLess(innocent.worst - innocent.machine, late)
