"""Locks the door of a process from inside: what a guest cannot do once a stranger's code runs in it.

Limits of memory, time and file size are POSIX's. On Linux two mechanisms that need no rights are added: Landlock (kernel 5.13 on; files
outside a list, and from 6.12 on signals to other processes), and a seccomp filter, which refuses system calls: sockets, new
processes, signals, other processes' memory. What a system does not have is not in the list that `locked` gives, and the report says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from math import ceil
from pathlib import Path
from threading import Thread
from time import process_time
from typing import TypeVar

T = TypeVar("T")

PROTECTIONS = {
    "memory": "memory is limited",
    "time": "processor time is limited",
    "writing": "files cannot be written",
    "files": "files outside Python's own cannot be read, and none written",
    "network": "the network cannot be used",
    "processes": "no process can be started or signalled",
}

PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP = 1, 38, 22
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
COMPILERS = ("/usr/bin/env", "/proc/self", "/dev/tty")  # what a compiler asks of the system, to find out which it is
READ = 1 << 2 | 1 << 0  # read and map files
READ_FOLDER = 1 << 3
EVERYTHING = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # rights by version of the interface
SIGNALS, ABSTRACT_SOCKETS = 2, 1  # scopes of version 6

# Numbers of system calls: include/uapi/asm-generic/unistd.h and arch/x86/entry/syscalls/syscall_64.tbl of Linux.
MACHINES: dict[str, tuple[int, dict[str, int]]] = {
    "x86_64": (
        0xC000003E,
        {
            "socket": 41, "socketpair": 53, "connect": 42, "bind": 49, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "kill": 62,
            "tkill": 200, "tgkill": 234, "ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "io_uring_setup": 425,
            "pidfd_open": 434, "pidfd_send_signal": 424, "pidfd_getfd": 438, "unshare": 272, "setns": 308, "mount": 165, "bpf": 321,
            "userfaultfd": 323, "perf_event_open": 298, "memfd_create": 319, "shmget": 29, "msgget": 68, "keyctl": 250, "setpriority": 141,
            "clone": 56, "clone3": 435, "prlimit64": 302,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "socket": 198, "socketpair": 199, "connect": 203, "bind": 200, "execve": 221, "execveat": 281, "kill": 129, "tkill": 130,
            "tgkill": 131, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "io_uring_setup": 425, "pidfd_open": 434,
            "pidfd_send_signal": 424, "pidfd_getfd": 438, "unshare": 97, "setns": 268, "mount": 40, "bpf": 280, "userfaultfd": 282,
            "perf_event_open": 241, "memfd_create": 279, "shmget": 194, "msgget": 186, "keyctl": 219, "setpriority": 140,
            "clone": 220, "clone3": 435, "prlimit64": 261,
        },
    ),
}  # fmt: skip
CLONE_THREAD = 0x10000
EPERM, ENOSYS = 1, 38
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000, 0x80000000  # what a filter answers: SECCOMP_RET_*
LOAD, EQUAL, AT_LEAST, HAS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # BPF: a word of the call's data; jumps on it; an answer


def lock(seconds: int, memory: int, hidden: Iterable[Path] = (), program: Path | None = None) -> list[str]:
    """Lock this process, for good. memory: MiB beyond what it has now. hidden: folders that it cannot read though they lie in Python's own.

    program: what this process is going to become, which can read itself and the system's libraries alone, without what is hidden among
    them. What has been achieved: names of PROTECTIONS.
    """
    done = _limits(seconds, memory)
    if sys.platform != "linux":
        return done
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return done
    if _landlock(libc, _readable_of([Path(one).resolve() for one in hidden], program)):
        done.append("files")
    if _filter(libc, () if program is None else ("execve",)):
        done += ["network", "processes"]
    return done


def with_few_files(function: Callable[[], T], hidden: Iterable[Path], writable: Iterable[Path]) -> T:
    """What a function returns in which, and in whose processes, files are readable as a guest reads them, and a few folders writable.

    For a compiler of a stranger's text, which may name any file. Without Landlock the function is called as it is. It runs in a thread of
    its own, since Landlock is a thread's.
    """
    answers: list[T] = []
    errors: list[BaseException] = []
    folders = [Path(one).resolve() for one in writable]
    places = [*_readable([Path(one).resolve() for one in hidden]), *(Path(one) for one in COMPILERS if Path(one).exists())]

    def locked() -> None:
        try:
            if sys.platform == "linux":
                libc = ctypes.CDLL(None, use_errno=True)
                if not libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
                    _landlock(libc, places, folders)
            answers.append(function())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=locked)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return answers[0]


def _limits(seconds: int, memory: int) -> list[str]:
    try:
        import resource
    except ImportError:  # Windows
        return []
    most_seconds = seconds + ceil(process_time())  # what its imports took is not the submission's
    resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    done = ["time", "writing"]
    with contextlib.suppress(OSError, ValueError):
        used = 0
        with contextlib.suppress(OSError):
            used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        most = used + (memory << 20)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        done.insert(0, "memory")
    return done


# ---------------------------------------------------------------------------------------------------------
# Files


def _landlock(libc: ctypes.CDLL, readable: list[Path], writable: Sequence[Path] = ()) -> bool:
    version = libc.syscall(LANDLOCK_CREATE, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = EVERYTHING[max(one for one in EVERYTHING if one <= version)]
    network = 3 if version >= 4 else 0
    scoped = SIGNALS | ABSTRACT_SOCKETS if version >= 6 else 0
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    wanted = ctypes.create_string_buffer(struct.pack("QQQ", rights, network, scoped)[:size], size)
    rules = libc.syscall(LANDLOCK_CREATE, wanted, ctypes.c_size_t(size), 0)
    if rules < 0:
        return False
    try:
        for place in (*readable, *writable):
            with contextlib.suppress(OSError):
                handle = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
                try:
                    allowed = rights if place in writable else READ | (READ_FOLDER if place.is_dir() else 0)
                    rule = ctypes.create_string_buffer(struct.pack("=Qi", allowed, handle), 12)
                    libc.syscall(LANDLOCK_ADD, rules, 1, rule, 0)
                finally:
                    os.close(handle)
        return libc.syscall(LANDLOCK_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def _readable_of(hidden: list[Path], program: Path | None) -> list[Path]:
    """What a process may read that stays Python, or becomes a program."""
    if program is None:
        return _readable(hidden)
    return [program, *(each for place in _system() for each in _without(place, hidden))]


def _readable(hidden: list[Path]) -> list[Path]:
    """What a guest may read: Python, its packages, the system's libraries; not what is hidden among them."""
    places = {Path(one).resolve() for one in (*sys.path, sys.prefix, sys.base_prefix) if one and Path(one).exists()}
    places |= {*_system(), *(Path(one) for one in ("/proc/cpuinfo", "/sys/devices/system/cpu") if Path(one).exists())}
    found: list[Path] = []
    for place in sorted(places):
        found += _without(place, hidden)
    return found


def _system() -> list[Path]:
    """What every program reads; by the places that links lead to, among which something may be hidden."""
    system = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
    return sorted({Path(one).resolve() for one in system if Path(one).exists()})


def _without(place: Path, hidden: list[Path]) -> list[Path]:
    if place in hidden:
        return []
    if not any(one.is_relative_to(place) for one in hidden):
        return [place]
    return [each for inner in sorted(place.iterdir()) if not inner.is_symlink() for each in _without(inner, hidden)]


# ---------------------------------------------------------------------------------------------------------
# System calls


def _filter(libc: ctypes.CDLL, allowed: Sequence[str] = ()) -> bool:
    if platform.machine() not in MACHINES or sys.maxsize < 1 << 32:
        return False
    machine, known = MACHINES[platform.machine()]
    calls = {name: number for name, number in known.items() if name not in allowed}
    program = b"".join(struct.pack("HBBI", *row) for row in filter_of(machine, calls))
    code = ctypes.create_string_buffer(program, len(program))
    whole = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    return bool(libc.prctl(PR_SET_SECCOMP, 2, ctypes.create_string_buffer(whole, len(whole)), 0, 0) == 0)


def filter_of(machine: int, calls: dict[str, int]) -> list[tuple[int, int, int, int]]:
    """The filter as rows of BPF: (operation, jump if true, jump if false, value). machine: AUDIT_ARCH_*."""
    refused = sorted(number for name, number in calls.items() if name not in ("clone", "clone3", "prlimit64"))
    rows = [
        (LOAD, 0, 0, 4), (EQUAL, 1, 0, machine), (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, 0), (AT_LEAST, 0, 1, 0x40000000), (RETURN, 0, 0, KILL),  # the second table of calls of x86
        (EQUAL, 0, 1, calls["clone3"]), (RETURN, 0, 0, REFUSE | ENOSYS),  # its flags lie in memory; libraries use clone then
    ]  # fmt: skip
    for number in refused:
        rows += [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | EPERM)]
    rows += [
        (EQUAL, 0, 4, calls["clone"]),
        (LOAD, 0, 0, 16),
        (HAS, 1, 0, CLONE_THREAD),
        (RETURN, 0, 0, REFUSE | EPERM),
        (RETURN, 0, 0, ALLOW),
    ]
    rows += [(EQUAL, 0, 3, calls["prlimit64"]), (LOAD, 0, 0, 16), (EQUAL, 1, 0, 0), (RETURN, 0, 0, REFUSE | EPERM)]
    return [*rows, (RETURN, 0, 0, ALLOW)]
