"""Uses setuid and setgid programs of the image, and makes one."""
# expect: status=success
# timeout: 60
import os
import shutil
import stat
import subprocess
import sys

found = []
for top, directories, files in os.walk("/"):
    directories[:] = [d for d in directories if os.path.join(top, d) not in ("/proc", "/sys", "/dev")]
    for name in files:
        path = os.path.join(top, name)
        try:
            if os.lstat(path).st_mode & (stat.S_ISUID | stat.S_ISGID) and os.access(path, os.X_OK):
                found.append(path)
        except OSError:
            pass
status = "import os; print(os.geteuid(), os.getegid(), [l for l in open('/proc/self/status') if l.startswith('CapEff')])"
for path in found:
    # The program itself does nothing for us; what counts is who it runs as: read while it starts.
    child = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        lines = open("/proc/%d/status" % child.pid).read().splitlines()
        ids = [line.split()[1:] for line in lines if line.startswith(("Uid:", "Gid:"))]
        if any("0" in words for words in ids):
            print("WON", path, ids)
    except OSError:
        pass
    child.kill()
    child.wait()
shutil.copy(sys.executable, "/tmp/python")
os.chmod("/tmp/python", 0o6755)
try:
    print("WON", subprocess.run(["/tmp/python", "-c", status], capture_output=True).stdout)
except PermissionError as e:
    print("HELD", e)
print("HELD", len(found), "setuid programs")
