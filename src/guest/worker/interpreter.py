"""The worker: takes executions from the channel, runs them in `__main__`, and tells how they ended."""
import gc
import json
import os
import sys
import types
import _signal as signal

from . import (bounded_repr, children, context, display, finalization, fonts, frames, libc_calls, localhost, missing, patching, preload, program,
               saved, tracebacks, user_names)
from .channel import Channel

DIRECTORIES = ("/workspace/.run_python", "/tmp/.run_python")
ALL_SIGNALS = sorted(map(int, signal.valid_signals()))
set_mask = signal.pthread_sigmask
MAX_ENVIRONMENT = 64 << 10  # of the list of servers: one string of the environment may hold 128 KiB


class Interpreter:
    """One `__main__` for all executions of this process."""

    def __init__(self, channel):
        self.channel = channel
        self.main_loop = None  # asyncio is half of what a start would cost, and few programs await
        self.executions = 0
        self.flags = 0
        self.directory = next((place for place in DIRECTORIES if os.access(os.path.dirname(place), os.W_OK)), "/tmp")
        program.make_directory(self.directory)
        self.module = types.ModuleType("__main__")
        self.module.__dict__.update(__builtins__=sys.modules["builtins"])
        user_names.install(channel)
        tracebacks.keep_out_of_warnings()
        frames.install()
        localhost.install()
        patching.after_import("multiprocessing.spawn", children.prepare(self.directory))
        patching.after_import("multiprocessing.pool", children.patch_pool)
        patching.after_import("matplotlib", fonts.link)

    def execute(self, job):
        """Runs one program; the params of `done`."""
        self.executions += 1
        self.imports, self.there_before = [], set(sys.modules)
        saved.forget_all()
        execution = context.current = context.Context(self.channel, job)
        self._prepare(job)
        report = {"status": "success", "exit_code": 0, "error": None, "value": None}
        bounds = job.get("output", {}).get("head", 15000), job.get("output", {}).get("tail", 15000)
        limits = set()
        try:
            release_signals()
            value = self._run(job["code"])
            if value is not None:
                report["value"] = display.value_text(value, lambda shown: bounded_repr.show(shown, *bounds))
            del value
        except SystemExit as end:
            hold_signals()
            report.update(exit_report(end))
        except BaseException as failure:
            hold_signals()
            limits = tracebacks.limits_behind(failure)
            missing.explain(failure)
            report.update(status="error", exit_code=130 if isinstance(failure, KeyboardInterrupt) else 1,
                          error=tracebacks.one_line(failure))
            flush_then_show(failure)
            failure.__traceback__ = None
        if job.get("figures"):
            display.show_figures()
        if not job.get("session") or not self.channel.is_ours():
            release_signals()
            self._end()  # a child that the program forked ends here as well
        finalization.flush_standard()
        libc_calls.flush_c_stdio()
        report.update(limits=sorted(limits), notes=execution.all_notes(), imports=self._new_imports())
        return report

    def _prepare(self, job):
        namespace = self.module.__dict__
        filename = os.path.join(self.directory, "main.py" if self.executions == 1 else "main%d.py" % self.executions)
        namespace.update(__name__="__main__", __file__=filename, __doc__=None, __package__=None, __spec__=None,
                         __loader__=None, __builtins__=sys.modules["builtins"])
        sys.modules["__main__"] = self.module
        sys.argv = list(job.get("argv") or ["<run_python>"])
        if self.executions == 1:
            sys.path.insert(0, "")
        listed = [{key: server.get(key) for key in ("name", "alias", "description")} for server in job["servers"]]
        text = json.dumps(listed)
        if len(text) > MAX_ENVIRONMENT:
            text = json.dumps([{"name": server["name"], "alias": server["alias"]} for server in listed])
        if len(text) <= MAX_ENVIRONMENT:
            os.environ["MCP_AVAILABLE_SERVERS"] = text
        user_names.put_into(namespace, job)

    def _new_imports(self):
        """Modules of the image that the program's own statements imported, and that were not there before: what another container may
        import early."""
        names = [name for name in self.imports if name not in self.there_before]
        if not names:
            return []
        from . import preloaded
        return preloaded.from_the_image(names)

    def _run(self, source):
        filename, source = self.module.__file__, program.as_python_reads(source)
        compiled, source = self._compiled(source, filename)
        self.flags, self.imports = compiled.flags, compiled.imports
        children.add_program(filename)
        if not compiled.is_async:
            return compiled.run(self.module.__dict__)
        if self.main_loop is None:
            self.main_loop = preload.asyncio_of_python()
        return self.main_loop.run(compiled.run_async(self.module.__dict__))

    def _compiled(self, source, filename):
        """The program, and its text as it was taken."""
        program.keep_source(source, filename, self.directory)
        try:
            return program.Program(source, filename, self.flags), source
        except SyntaxError as failure:
            from . import habits  # few programs need it
            inner = habits.unfenced(source)
            if inner is None:
                raise habits.explained(failure, source)
        source = program.as_python_reads(inner)
        program.keep_source(source, filename, self.directory)
        try:
            return program.Program(source, filename, self.flags), source
        except SyntaxError as failure:
            raise habits.explained(failure, source)

    def _end(self):
        try:
            if self.main_loop is not None:
                self.main_loop.close()
        except BaseException as failure:
            flush_then_show(failure)
        finalization.finish(self.module.__dict__)


def flush_then_show(failure):
    finalization.flush_standard()
    try:
        tracebacks.show(failure, sys.__stderr__)
    except BaseException:
        os.write(2, (tracebacks.one_line(failure) + "\n").encode("utf-8", "replace"))


def exit_report(end):
    """What `sys.exit(x)` means: None is 0, a number itself, anything else is printed and 1."""
    code = end.code
    if code is None:
        return {"status": "success", "exit_code": 0}
    if isinstance(code, int):
        code = int(code) & 0xFF
        return {"status": "error" if code else "success", "exit_code": code}
    finalization.flush_standard()
    try:
        sys.__stderr__.write("%s\n" % (code,))
    except Exception:
        pass
    return {"status": "error", "exit_code": 1}


def release_signals():
    set_mask(signal.SIG_UNBLOCK, ALL_SIGNALS)


def hold_signals():
    """Where our own code runs, none is delivered; a handler that raises as this begins is tried again."""
    while True:
        try:
            set_mask(signal.SIG_BLOCK, ALL_SIGNALS)
            return
        except BaseException:
            continue


def serve(fd, wanted=""):
    """Until the channel closes. A program that is no session's ends with its process. `wanted`: what is to be imported early; then this is
    the second worker, and takes a program only if it uses that."""
    channel = Channel(fd)
    interpreter = Interpreter(channel)
    early = None
    if wanted:
        from . import preloaded
        preload.all_common()
        early = preloaded.Preloaded(wanted, channel.notify)
        early.prepare()
    else:
        channel.notify("warm", {"python": "%d.%d.%d" % sys.version_info[:3]})
        if preload.while_idle(fd):
            channel.notify("warm", {})
    gc.freeze()  # what is ours is never walked again
    gc.enable()
    exit_now = os._exit
    while True:
        message = channel.next_job()
        if message is None:
            exit_now(0)
        job = message["params"]
        if early is not None:
            suits, early = early.suits(job["code"]), None
            channel.notify("taken" if suits else "declined", {})
            if not suits:
                continue
        try:
            report = interpreter.execute(job)
        except BaseException as failure:  # a signal handler of the program's may still raise, wherever we are
            report = {"status": "error", "exit_code": 1, "error": tracebacks.one_line(failure), "value": None}
        hold_signals()
        try:
            channel.notify("done", report)
        except RuntimeError:  # the program closed the channel; its exit status still tells how it ended
            exit_now(report["exit_code"])
        if not job.get("session"):
            exit_now(report["exit_code"])
