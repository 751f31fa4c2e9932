# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C ends a long call soon, and what takes more memory than there is says so."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time

from common import command, error_of, need, synth

need("numpy")
import pathline  # noqa: E402


def cpu_s():
    return time.process_time()


def check_interrupt(job):
    """Interrupted in the midst, a call takes less than a whole one."""
    begin = cpu_s()
    job()
    whole_s = cpu_s() - begin
    stopped = 0
    for tries in range(20):
        timer = threading.Timer(0.3 * whole_s, os.kill, (os.getpid(), signal.SIGINT))
        begin = cpu_s()
        timer.start()
        try:
            job()
            timer.join()  # The signal comes behind the call.
            time.sleep(0.01)
        except KeyboardInterrupt:
            stopped += cpu_s() - begin < 0.8 * whole_s
        timer.join()
        if stopped == 2:
            return
    raise AssertionError(f"of {tries + 1} calls of {whole_s} s {stopped} were stopped")


def check_other_threads(run):
    """A thread that is not the main one hears nothing of it."""
    results = []
    thread = threading.Thread(target=lambda: results.append(len(run.profile())))
    thread.start()
    thread.join()
    assert results == [len(run.profile())]


def check_handler(run):
    """What a handler of the program's own raises, or nothing."""
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    assert len(run.findings()) >= 0 and len(run.profile())
    timer.join()
    signal.signal(signal.SIGINT, before)
    assert heard == [1]


def check_memory(archive):
    """In a process of its own, which may take a little more than it has."""
    program = """if True:
        import re, resource, sys
        import pathline
        pathline.open(sys.argv[2], threads=1)  # All libraries and threads are there.
        now = int(re.search(r"VmSize:\\s+(\\d+)", open("/proc/self/status").read())[1]) << 10
        resource.setrlimit(resource.RLIMIT_AS, (now + int(sys.argv[3]), -1))
        try:
            pathline.open(sys.argv[1], threads=1)
        except pathline.Error as error:
            print(error)
        """
    small = archive + "-small"
    synth("fd4", small, "--ranks", 4, "--messages", 100, "--seconds", 1)
    size = sum(os.path.getsize(os.path.join(where, name))
               for where, _, names in os.walk(archive) for name in names)
    done = subprocess.run([sys.executable, "-c", program, archive, small, str(size)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, advice = done.stdout.rstrip().split("\n")
    assert first.startswith(archive) and "events and needs" in first and "of memory" in first, first
    assert advice.startswith("  'pathline reduce "), advice


with tempfile.TemporaryDirectory() as folder:
    archive = os.path.join(folder, "run")
    synth("fd4", archive, "--ranks", 64, "--messages", 150000, "--seconds", 20)
    check_memory(archive)
    check_interrupt(lambda: pathline.open(archive, threads=1))
    run = pathline.open(archive, threads=1)
    check_interrupt(run.findings)
    check_other_threads(run)
    check_handler(run)
    assert len(run.messages()) > 0 and error_of(lambda: run.profile("x"))
print("ok")
