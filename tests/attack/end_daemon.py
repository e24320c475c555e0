"""Leaves processes that hold the output and print on: the result does not wait for them, and none survives."""
# expect: status=success
# expect-not-out: FORGED
# within: 10
import subprocess
import sys

for _ in range(5):
    subprocess.Popen([sys.executable, "-c", "import time\ntime.sleep(3)\nwhile True: print('FORGED', flush=True)"], start_new_session=True)
print("HELD")
