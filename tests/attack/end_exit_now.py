"""Ends without a word, by os._exit."""
# expect: status=error
# expect-out: (?s)exit status 7.*last words
import os

os.write(1, b"last words\n")
os._exit(7)
