"""Leaves a thread that is no daemon and never ends."""
# expect: status=timeout
# expect-out: before
# timeout: 3
# within: 15
import threading
import time

print("before")
threading.Thread(target=lambda: time.sleep(1000)).start()
