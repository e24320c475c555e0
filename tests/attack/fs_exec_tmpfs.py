"""Executes programs and scripts from the places that may be written."""
# expect: status=success
import os
import shutil
import subprocess

for place in ("/tmp", "/workspace", "/dev/shm", "/dev/mqueue"):
    program = place + "/program"
    try:
        shutil.copyfile("/bin/true", program)
    except OSError as e:
        print("HELD" if place == "/dev/mqueue" else "WRONG", place, e)
        continue
    os.chmod(program, 0o755)
    script = place + "/script"
    with open(script, "w") as file:
        file.write("#!/bin/sh\necho WON\n")
    os.chmod(script, 0o755)
    for path in (program, script):
        try:
            print("WON", subprocess.run([path]).returncode, path)
        except PermissionError as e:
            print("HELD", e)
        fd = os.open(path, os.O_RDONLY)
        try:
            print("WON", subprocess.run(["/proc/self/fd/%d" % fd], pass_fds=[fd]).returncode, path)
        except PermissionError as e:
            print("HELD", e)
