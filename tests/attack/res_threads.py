"""Starts threads until no more start: the limit is met in good order."""
# expect: status=success
# needs-limit: processes
# hits-limit: processes
# timeout: 30
import threading

end = threading.Event()
count = 0
try:
    while count < 20_000:
        threading.Thread(target=end.wait, daemon=True).start()
        count += 1
except RuntimeError as e:
    print("HELD" if count < 200 else "WON", count, e)
end.set()
