"""Looks for the host in the environment, in the arguments and in what the interpreter remembers of its start."""
# expect: status=success
import os
import sys

expected = {"PATH", "HOME", "LANG", "TMPDIR", "MPLBACKEND", "MPLCONFIGDIR", "HOSTNAME", "container", "MCP_AVAILABLE_SERVERS"}
expected |= {"CORDON_IMAGE_ENV", *os.environ.get("CORDON_IMAGE_ENV", "").split()}  # what the image sets is no secret of the host's
others = [name for name in os.environ if name not in expected]
print("WON" if others else "HELD", others)
started = [item.partition(b"=")[0].decode() for item in open("/proc/self/environ", "rb").read().split(b"\0") if item]
print("HELD" if all(name in expected for name in started) else "WON", started)
arguments = open("/proc/1/cmdline", "rb").read()
print("HELD" if len(arguments) < 1000 else "WON", len(arguments), sys.argv)
print("HELD" if os.uname().nodename == "sandbox" else "WON", os.uname().nodename)
