"""Blocks in the __del__ of a last object, deaf to signals."""
# expect: status=timeout
# expect-out: before
# timeout: 3
# within: 15
import signal
import time


class Stays:
    def __del__(self, sleep=time.sleep):  # globals are gone by then
        while True:
            sleep(1)


signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
print("before")
stays = Stays()
