"""Unit and system: cgroups, attestation, the bundle, an execution's arithmetic."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

import units  # noqa: F401
import bundle
import importer
from _cordon import attestation, cgroup, execution, preload
from host import Guest


class Bundle(unittest.TestCase):
    def test_the_loader_is_small_and_compiles(self):
        self.assertLess(len(bundle.loader_text()), 500)
        compile(bundle.loader_text(), "loader", "exec")

    def test_stripping_keeps_meaning_and_line_numbers(self):
        import ast
        for path in bundle.GUEST.rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            for keep in (True, False):
                stripped = bundle.without_comments(text, keep)
                self.assertEqual(len(stripped.splitlines()), len(text.splitlines()), path)
                first = [(type(node).__name__, node.lineno) for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.stmt, ast.Call))]
                second = [(type(node).__name__, node.lineno) for node in ast.walk(ast.parse(stripped)) if isinstance(node, (ast.stmt, ast.Call))]
                self.assertEqual(first, second, path)

    def test_the_blob_holds_all_modules(self):
        table = importer.Bundle(bundle.sources_part(), b"")
        for path in bundle.GUEST.rglob("*.py"):
            self.assertEqual(table.find_spec("_cordon." + path.stem) is None, path.stem in bundle.NOT_IN_TABLE or path.parent.name == "build", path)

    def test_no_module_needs_a_newer_python(self):
        import ast
        for path in bundle.GUEST.rglob("*.py"):
            ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))

    def test_the_cc_source_has_the_same_bytes(self):
        with tempfile.NamedTemporaryFile(suffix=".cc") as out:
            subprocess.run([os.sys.executable, str(bundle.GUEST / "build" / "bundle.py"), out.name], check=True)
            with open(out.name) as file:
                text = file.read()
        loader, blob = [bytes(int(code, 8) for code in re.findall(r"\\(\d{3})", part)) for part in text.split("const std::string_view")[1:]]
        self.assertEqual(loader.decode(), bundle.loader_text())
        self.assertEqual(blob, bundle.blob_bytes())


class Compiled(unittest.TestCase):
    """The modules as code, from one guest for the next."""

    SEEN = 'import sys; bundle = sys.modules["_cordon.wire"].__spec__.loader; print(len(bundle.codes) > 30, len(bundle.sources) > 30)'

    def test_a_guest_that_got_sources_tells_them_as_code_before_it_is_ready(self):
        with Guest() as guest:
            self.assertTrue(guest.compiled)
            self.assertEqual(guest.run(self.SEEN).stdout, "False True\n")
            codes = guest.compiled
        with Guest(codes=codes) as guest:
            self.assertEqual(guest.compiled, b"")
            self.assertEqual(guest.run(self.SEEN).stdout, "True False\n")

    def test_code_of_another_python_is_passed_over(self):
        with Guest() as guest:
            ours = zlib.decompress(guest.compiled)
        with Guest(codes=zlib.compress(b"\0" + ours[1:])) as guest:
            self.assertEqual(zlib.decompress(guest.compiled)[:40], ours[:40])  # its name; a set's order differs each time
            self.assertEqual(guest.run(self.SEEN).stdout, "False True\n")

    def test_where_no_container_follows_nothing_is_compiled_for_it(self):
        with Guest(codes=b"-") as guest:
            self.assertEqual(guest.run(self.SEEN).stdout, "False True\n")
            self.assertEqual(guest.compiled, b"")

    def test_a_program_cannot_tell_code(self):
        with Guest() as guest:
            before = guest.compiled
            sent = b'{"jsonrpc":"2.0","method":"compiled","params":{"data":"AAAA"}}\n'
            result = guest.run("import os; os.write(3, %r)" % sent)
            self.assertEqual(guest.compiled, before)
            self.assertIn("malformed messages", result.notes[-1])

    def test_a_traceback_through_compiled_modules_is_as_usual(self):
        code = "import mcp.runtime as runtime\nruntime.save_tool(5)"
        shown = []
        with Guest() as guest:
            codes = guest.compiled
            shown.append(guest.run(code, session=True).stderr)
        with Guest(codes=codes) as guest:
            shown.append(guest.run(code, session=True).stderr)
        self.assertTrue(shown[0])
        self.assertEqual(shown[0], shown[1])


class Preloaded(unittest.TestCase):
    def test_while_it_waits_it_imports_what_programs_use(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        self.assertTrue(preload.while_idle(reader))
        self.assertLessEqual(set(preload.COMMON), set(sys.modules))
        os.write(writer, b"x")
        self.assertFalse(preload.while_idle(reader))


class Cgroups(unittest.TestCase):
    def mount(self, kind, at, root, super_options):
        return {"type": kind, "at": at, "root": root, "super_options": super_options, "options": "ro", "source": "cgroup"}

    def write(self, directory, **files):
        os.makedirs(directory, exist_ok=True)
        for name, text in files.items():
            with open(os.path.join(directory, name.replace("__", ".")), "w") as file:
                file.write(text)

    def test_version_2(self):
        with tempfile.TemporaryDirectory() as top:
            self.write(top, memory__max="536870912\n", memory__swap__max="0\n", pids__max="64\n", cpu__max="50000 100000\n",
                       memory__events="low 0\noom 3\noom_kill 2\n", pids__events="max 7\n", memory__peak="1234\n")
            group = cgroup.Cgroup([self.mount("cgroup2", top, "/", "rw")], "0::/\n")
            self.assertEqual((group.memory_kills(), group.refused_forks(), group.peak_memory()), (2, 7, 1234))
            self.assertEqual(group.limits(), {"version": 2, "memory_max": 536870912, "memory_swap_max": 0, "memsw_max": None,
                                              "pids_max": 64, "cpu_quota": 50000, "cpu_period": 100000, "file_errors": []})

    def test_version_2_without_limits_counts_nothing(self):
        with tempfile.TemporaryDirectory() as top:
            self.write(top, memory__max="max\n", pids__max="max\n", memory__events="oom_kill 2\n", pids__events="max 7\n", memory__peak="1234\n")
            group = cgroup.Cgroup([self.mount("cgroup2", top, "/", "rw")], "0::/\n")
            self.assertEqual((group.memory_kills(), group.refused_forks(), group.peak_memory()), (None, None, None))
            self.assertEqual((group.limits()["memory_max"], group.limits()["pids_max"]), (-1, -1))

    def test_version_2_without_controllers(self):
        with tempfile.TemporaryDirectory() as top:
            group = cgroup.Cgroup([self.mount("cgroup2", top, "/", "rw")], "0::/\n")
            self.assertEqual(group.limits()["file_errors"], ["memory.max", "pids.max"])
            self.assertIsNone(group.memory_kills())

    def test_version_1_with_a_mount_of_the_containers_own_part(self):
        with tempfile.TemporaryDirectory() as top:
            self.write(top + "/memory", memory__limit_in_bytes="9223372036854771712\n", memory__memsw__limit_in_bytes="1048576\n",
                       memory__oom_control="oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
            self.write(top + "/pids", pids__max="128\n")
            group = cgroup.Cgroup([self.mount("cgroup", top + "/memory", "/libpod/x", "rw,memory"),
                                   self.mount("cgroup", top + "/pids", "/libpod/x", "rw,pids")],
                                  "4:memory:/libpod/x\n8:pids:/libpod/x\n0::/\n")
            limits = group.limits()
            self.assertEqual((limits["version"], limits["memory_max"], limits["memsw_max"], limits["pids_max"]), (1, -1, 1048576, 128))
            self.assertIsNone(group.memory_kills())  # of a group without a limit, and so of others, too
            self.write(top + "/memory", memory__limit_in_bytes="1048576\n")
            group = cgroup.Cgroup([self.mount("cgroup", top + "/memory", "/libpod/x", "rw,memory")], "4:memory:/libpod/x\n")
            self.assertEqual(group.memory_kills(), 1)

    def test_a_group_below_the_mount(self):
        with tempfile.TemporaryDirectory() as top:
            self.write(top + "/a/b", memory__peak="5\n", memory__max="6\n")
            group = cgroup.Cgroup([self.mount("cgroup2", top, "/", "rw")], "0::/a/b\n")
            self.assertEqual((group.peak_memory(), group.limits()["memory_max"]), (5, 6))

    def test_no_cgroups_at_all(self):
        group = cgroup.Cgroup([], "")
        self.assertEqual((group.version, group.memory_kills(), group.peak_memory()), (0, None, None))

    def test_blanks_in_mountinfo(self):
        self.assertEqual(cgroup.unescape(r"/a\040b\134c"), "/a b\\c")


class Clock(unittest.TestCase):
    def execution(self, params):
        group = cgroup.Cgroup([], "")
        return execution.Execution(1, params, group, os.getpid(), execution.Counters(group, os.getpid()))

    def run_of(self, timeout):
        return self.execution({"timeout_seconds": timeout})

    def test_pauses(self):
        run = self.run_of(10)
        start = run.began
        self.assertEqual(run.deadline(start), start + 10)
        run.pause(start + 1)
        self.assertEqual(run.deadline(start + 4), start + 13)
        run.pause(start + 4)
        run.resume(start + 5)
        self.assertEqual(run.deadline(start + 6), start + 15)
        run.resume(start + 6)
        self.assertEqual(run.deadline(start + 9), start + 15)
        run.resume(start + 9)
        run.pause(start + 9)
        self.assertEqual(run.deadline(start + 100), start + 20)  # all pauses together: at most the run's own time

    def test_no_time_passes_while_a_person_is_asked_or_the_container_is_frozen(self):
        run = self.run_of(10)
        start = run.began
        run.pause(start + 1)
        run.hold(start + 2)
        self.assertGreater(run.deadline(start + 500), start + 500)
        run.skip(100)  # frozen, in the midst of it
        run.release(start + 502)
        run.resume(start + 503)
        self.assertEqual(run.deadline(start + 503), start + 512)  # 500 s held, 2 s paused
        run.release(start + 504)
        self.assertEqual(run.deadline(start + 504), start + 512)

    def test_ticks(self):
        run = self.execution({"output": {"head": 2, "tail": 100}})
        now = run.began
        run.take("stdout", b"ab")
        self.assertIsNone(run.tick(now + 1))
        run.take("stdout", b"c\nlast")
        self.assertEqual(run.tick(now + 1), {"line": "last", "total_bytes": 8})
        run.take("stdout", b"!")
        self.assertIsNone(run.tick(now + 1.5))
        self.assertEqual(run.tick(now + 2)["line"], "last!")
        self.assertIsNone(run.tick(now + 4))

    def test_whatever_a_worker_claims_the_result_has_its_types(self):
        import json
        import random
        from _cordon import wire
        chance = random.Random(11)

        def anything(depth=0):
            kinds = [None, True, 0, -1, 1 << 40, 1.5, "", "text" * 3000, "\ud800", "success", "error"]
            if depth < 3 and chance.random() < 0.4:
                return [anything(depth + 1) for _ in range(chance.randrange(60))]
            if depth < 3 and chance.random() < 0.2:
                return {"k%d" % n: anything(depth + 1) for n in range(3)}
            return chance.choice(kinds)
        for _ in range(300):
            run = self.run_of(1)
            run.done = {key: anything() for key in ("status", "exit_code", "error", "value", "limits", "notes") if chance.random() < 0.9}
            result = run.result("done")
            json.loads(wire.dumps(result))
            self.assertIn(result["status"], ("success", "error"))
            self.assertTrue(result["exit_code"] is None or type(result["exit_code"]) is int)
            for key in ("error", "value"):
                self.assertTrue(result[key] is None or isinstance(result[key], str) and len(result[key]) <= 30200)
                (result[key] or "").encode("utf-8")
            claimed = result["claimed"]
            self.assertTrue(all(isinstance(note, str) and len(note) <= 1000 for note in claimed["notes"]) and len(claimed["notes"]) <= 40)
            self.assertLessEqual(set(claimed["limits"]), {"memory", "processes", "time", "disk", "open_files"})
            self.assertEqual((result["limits"], result["notes"]), ([], []))  # whatever the worker says

    def test_verdicts(self):
        self.assertEqual(execution.verdict_of(9, True), {"status": "out_of_memory", "signal": 9})
        self.assertEqual(execution.verdict_of(9, False), {"status": "killed", "signal": 9})
        self.assertEqual(execution.verdict_of(11, True), {"status": "killed", "signal": 11})
        self.assertEqual(execution.verdict_of(3 << 8, False), {"status": "error", "exit_code": 3})
        self.assertEqual(execution.verdict_of(0, False), {"status": "success", "exit_code": 0})


class Attestation(unittest.TestCase):
    def test_facts_of_a_real_guest(self):
        with Guest() as guest:
            ready = guest.ready_params
        facts = ready["attestation"]
        self.assertEqual(ready["protocol"], 1)
        self.assertEqual((facts["pid"], facts["dumpable"], facts["no_new_privs"], facts["seccomp"]), (1, 0, 1, 2))
        for name in ("uid_map", "gid_map"):
            self.assertTrue(facts[name] and all(len(row) == 3 for row in facts[name]))
        for name in ("cap_inh", "cap_prm", "cap_eff", "cap_bnd", "cap_amb"):
            int(facts[name], 16)
        root = [mount for mount in facts["mounts"] if mount["at"] == "/"][-1]
        self.assertEqual(set(root), {"at", "type", "options", "super_options", "source", "root"})
        self.assertEqual(facts["interfaces"], ["lo"])
        self.assertEqual(facts["routes"], [])
        self.assertIn({"name": "/dev/null", "kind": "char", "major": 1, "minor": 3}, facts["devices"])
        self.assertIn("/workspace", facts["writable"])
        self.assertNotIn("/proc", facts["writable"])
        self.assertEqual(facts["cwd"], "/workspace")
        self.assertEqual(set(facts["masked"].values()) - {"absent", "empty", "denied", "readable", "writable"}, set())
        self.assertEqual(len(facts["rlimits"]["nofile"]), 2)
        self.assertEqual(set(facts["rlimits"]), set(attestation.RLIMITS))
        self.assertEqual(set(facts["probed"].values()) - {"refused", "allowed"}, set())
        self.assertIn("keyctl", facts["probed"])
        self.assertEqual(facts["environment"]["HOME"], "/workspace")
        self.assertEqual(ready["python"].count("."), 2)
        self.assertTrue({"version", "memory_max", "memory_swap_max", "memsw_max", "pids_max", "cpu_quota", "cpu_period",
                         "file_errors"} <= set(facts["cgroup"]))
        self.assertEqual({key for key in facts if facts[key] is None} - {"seccomp_filters"}, set())

    def test_places_where_a_file_can_be_made(self):
        with tempfile.TemporaryDirectory() as top:
            self.assertTrue(attestation.can_write(top))
            self.assertEqual(os.listdir(top), [])
        self.assertFalse(attestation.can_write("/proc"))
        self.assertFalse(attestation.can_write("/nowhere"))


class Landlock(unittest.TestCase):
    """In the real guest, whose root here is the host's: there are folders that anybody may write."""

    def guest_or_skip(self):
        import ctypes
        abi = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1)
        if abi < 2:
            self.skipTest("this kernel has no Landlock, or its first version")
        return Guest(), abi

    def test_it_is_in_force_or_said_why_not(self):
        guest, abi = self.guest_or_skip()
        with guest:
            self.assertEqual(guest.ready_params["attestation"]["landlock"], {"abi": abi, "why": None})

    def test_writes_end_at_the_places_that_are_the_code_s_own(self):
        guest, abi = self.guest_or_skip()
        with guest:
            result = guest.run("""
import errno, os, subprocess, sys, threading
def refused(what, call):
    try:
        call()
    except OSError as failure:
        if failure.errno in (errno.EACCES, errno.EPERM): return
        print(what, failure)
    else:
        print(what, 'went well')
def all_of_it():
    refused('make', lambda: open('/var/tmp/cordon-landlock', 'w'))
    refused('folder', lambda: os.mkdir('/var/tmp/cordon-landlock'))
    refused('link', lambda: os.symlink('/etc', '/var/tmp/cordon-landlock'))
    refused('fifo', lambda: os.mkfifo('/var/tmp/cordon-landlock'))
    refused('out by a link', lambda: open('/workspace/out/cordon-landlock', 'w'))
    if %d >= 6:
        refused('a signal', lambda: os.kill(1, 0))
os.makedirs('/workspace/a/b'); os.mkdir('/workspace/c'); open('/workspace/a/f', 'w').write('x')
os.symlink('/var/tmp', '/workspace/out')
print(os.access('/var/tmp', os.W_OK))
all_of_it()
thread = threading.Thread(target=all_of_it); thread.start(); thread.join()
if os.fork() == 0:
    all_of_it(); sys.stdout.flush(); os._exit(0)
os.wait()
print(subprocess.run(['sh', '-c', 'echo x > /var/tmp/cordon-landlock'], stderr=subprocess.DEVNULL).returncode != 0)
""" % abi, timeout=20)
            self.assertEqual(result.stdout, "True\nTrue\n", result)

    def test_what_programs_do_with_files_terminals_and_each_other_goes_on(self):
        guest, _ = self.guest_or_skip()
        with guest:
            result = guest.run("""
import multiprocessing as mp, os, pty, signal, socket, subprocess, tempfile, termios, time
os.makedirs('/workspace/a/b'); os.mkdir('/workspace/c')
open('/workspace/a/b/f', 'w').write('long'); os.rename('/workspace/a/b/f', '/workspace/c/f'); os.link('/workspace/c/f', '/workspace/a/g')
os.truncate('/workspace/c/f', 1); open('/workspace/c/f', 'w').close(); os.symlink('c', '/workspace/l'); os.mkfifo('/workspace/p'); os.rmdir('/workspace/a/b'); os.unlink('/workspace/a/g')
for place in ('/dev/null', '/dev/zero', '/dev/full', '/dev/stdout', '/dev/fd/1', '/proc/self/comm'):
    open(place, 'w').close()
leader, follower = pty.openpty(); termios.tcgetattr(follower); os.write(follower, b'x')
with open(os.ttyname(follower), 'w') as again: again.write('y'); again.flush()
with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryDirectory(dir='/dev/shm') as d: pass
lock = mp.Lock(); child = subprocess.Popen(['sleep', '60']); child.terminate(); print(child.wait())
one = socket.socket(socket.AF_UNIX); one.bind('\\0cordon-landlock'); one.listen(); socket.socket(socket.AF_UNIX).connect('\\0cordon-landlock')
two = socket.socket(socket.AF_UNIX); two.bind('/workspace/s'); two.listen(); socket.socket(socket.AF_UNIX).connect('/workspace/s')
os.kill(os.getpid(), 0); os.killpg(0, 0)
""", timeout=20)
            self.assertEqual((result.status, result.stdout), ("success", "-15\n"), result)

    def test_a_kernel_without_it_and_one_that_is_too_old_are_told(self):
        from _cordon import landlock
        plain = landlock.call
        try:
            for answer, why in ((-38, "this kernel has none"), (-95, "it is turned off in this kernel"), (-1, "the engine's seccomp profile refuses it"),
                                (-12, "Cannot allocate memory"), (1, "this kernel's first version of it forbids to move files")):
                landlock.call = lambda *arguments: answer
                self.assertEqual(landlock.enter(), {"abi": 0, "why": why})
        finally:
            landlock.call = plain

    def test_each_version_is_asked_for_what_it_knows(self):
        from _cordon import landlock
        plain, asked = landlock.call, []

        def call(number, *arguments):
            asked.append((number, arguments))
            return os.open("/", os.O_RDONLY) if number == landlock.CREATE_RULESET else 0
        try:
            landlock.call = call
            for abi, size, last, quiet in ((2, 8, 13, 0), (3, 8, 14, 0), (4, 8, 14, 0), (5, 8, 15, 0), (6, 24, 15, 0), (7, 24, 15, 5), (40, 24, 15, 5)):
                del asked[:]
                self.assertIsNone(landlock.restrict(abi))
                attributes = asked[0][1][0]
                self.assertEqual((len(attributes), asked[0][1][1], int.from_bytes(attributes[:8], "little").bit_length() - 1), (size, size, last), abi)
                self.assertEqual((asked[-1][0], asked[-1][1][1]), (landlock.RESTRICT_SELF, quiet), abi)
        finally:
            landlock.call = plain


class Surroundings(unittest.TestCase):
    def test_all_limits_and_the_label_are_told(self):
        with Guest() as guest:
            facts = guest.ready_params["attestation"]
        self.assertEqual(len(facts["rlimits"]), 16)
        for soft, hard in facts["rlimits"].values():
            self.assertTrue(soft == -1 or soft >= 0)
        self.assertIsInstance(facts["lsm_label"], str)


if __name__ == "__main__":
    unittest.main()
