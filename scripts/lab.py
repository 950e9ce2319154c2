"""What the trials share: two namespaces with a cable between them, the daemon at one end, frames from the other, figures against bounds.

A trial makes what it needs for itself and takes it away again. It needs root, iproute2 and util-linux, and the program: $LANATOMY, else the
newest build. Its last line says whether the bounds were kept, and so does its status: 0 kept, 1 missed, 77 cannot be run here.
"""

import atexit
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HOME = pathlib.Path(__file__).resolve().parent.parent
MIB = 1 << 20


def program():
    """The program to try."""
    named = os.environ.get("LANATOMY")
    builds = [pathlib.Path(named)] if named else [HOME / ".build" / kind / "lanatomy" for kind in ("release", "debug")]
    found = [p for p in builds if os.access(p, os.X_OK)]
    if not found:
        sys.exit("there is no build: swift build -c release --product lanatomy, or LANATOMY=FILE")
    return str(max(found, key=lambda p: p.stat().st_mtime).resolve())


def need(*tools):
    """Ends the trial, with the reason, where it cannot be run."""
    missing = [t for t in ("ip", *tools) if not shutil.which(t)]
    if os.geteuid() != 0 or missing:
        print("skipped: needs root" if os.geteuid() else "skipped: not installed: " + ", ".join(missing))
        sys.exit(77)
    # Mounts of a trial are nobody else's, and end with it.
    if not os.environ.get("LANATOMY_TRIAL"):
        os.environ["LANATOMY_TRIAL"] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv])


def tmpfs(folder, size):
    """Memory in place of a disk; with a size as `mount` takes it."""
    os.makedirs(folder, exist_ok=True)
    sh("mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "lanatomy-trial", folder)


def sh(*words, check=True):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if check and done.returncode:
        raise SystemExit(f"failed: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


class Figures:
    """What was measured, each against its bound."""

    def __init__(self, title):
        self.missed = 0
        print(title, flush=True)

    def say(self, what, figure, bound, is_kept):
        self.missed += not is_kept
        print(f"  {'ok    ' if is_kept else 'MISSED'}  {what}: {figure} (bound: {bound})", flush=True)

    def at_most(self, what, figure, bound, unit=""):
        self.say(what, f"{figure:.6g}{unit}", f"at most {bound}{unit}", figure <= bound)

    def at_least(self, what, figure, bound, unit=""):
        self.say(what, f"{figure:.6g}{unit}", f"at least {bound}{unit}", figure >= bound)

    def equal(self, what, figure, bound):
        self.say(what, figure, bound, figure == bound)

    def end(self):
        print(f"{self.missed} bounds were missed" if self.missed else "all bounds were kept", flush=True)
        sys.exit(1 if self.missed else 0)


# ---------------------------------------------------------------- the cable


class Cable:
    """`l0` in a namespace of its own, where the frames come from, to `m0` in another, where the daemon listens. Nobody else speaks on it."""

    def __init__(self, mtu=1500):
        self.lan, self.mon, self.mtu = f"lt{os.getpid()}-lan", f"lt{os.getpid()}-mon", mtu
        atexit.register(self.close)
        for name in (self.lan, self.mon):
            sh("ip", "netns", "add", name)
            self.inside(name, "sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
            sh("ip", "-n", name, "link", "set", "lo", "up")
        self.plug()

    def inside(self, name, *words, check=True):
        return sh("ip", "netns", "exec", name, *words, check=check)

    def plug(self):
        sh("ip", "link", "add", "l0", "mtu", self.mtu, "netns", self.lan, "type", "veth", "peer", "name", "m0", "mtu", self.mtu, "netns", self.mon)
        sh("ip", "-n", self.lan, "link", "set", "l0", "up")
        sh("ip", "-n", self.mon, "link", "set", "m0", "up")

    def unplug(self):
        sh("ip", "-n", self.mon, "link", "del", "m0")

    def counter(self, name):
        """What the kernel counted at the daemon's end."""
        return int(self.inside(self.mon, "cat", f"/sys/class/net/m0/statistics/{name}"))

    def sender(self):
        """A socket that sends whole frames from the far end: made there, used here."""
        return inside_namespace(self.lan, packet_socket)

    def close(self):
        for name in (self.lan, self.mon):
            sh("ip", "netns", "del", name, check=False)


def packet_socket(interface="l0"):
    out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * MIB)
    out.bind((interface, 0))
    return out


def inside_namespace(name, body):
    """Calls `body` in the namespace; the thread comes back afterwards."""
    enter = ctypes.CDLL(None, use_errno=True).setns
    here, there = os.open("/proc/thread-self/ns/net", os.O_RDONLY), os.open(f"/run/netns/{name}", os.O_RDONLY)
    try:
        if enter(there, 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")
        return body()
    finally:
        enter(here, 0x40000000)
        os.close(here)
        os.close(there)


# ---------------------------------------------------------------- the daemon


class Daemon:
    """The program at the daemon's end of the cable, with folders of its own."""

    def __init__(self, cable, configuration="", folder=None):
        self.cable = cable
        self.folder = folder or tempfile.mkdtemp(prefix="lanatomy-trial.")
        os.chmod(self.folder, 0o755)
        # As with the unit: the report files in memory, the history on the disk, and the log not in a file of ours.
        self.run, self.state = f"/run/{os.path.basename(self.folder)}", f"{self.folder}/state"
        tmpfs(self.run, "32m")
        self.log_path = f"/dev/shm/{os.path.basename(self.folder)}.log"
        self.process = None
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(f"{self.folder}/notify")
        os.chmod(f"{self.folder}/notify", 0o777)
        self.is_ready = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()
        self.configure(configuration)
        atexit.register(self.close)

    def configure(self, text, name="lanatomy.toml"):
        pathlib.Path(self.folder, name).write_text(text)

    def start(self, prefix=(), within=10):
        """Seconds until it said that it is ready; None when it did not."""
        self.is_ready.clear()
        began = time.monotonic()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                ["ip", "netns", "exec", self.cable.mon, *prefix, program(), "run", "--config", f"{self.folder}/lanatomy.toml", "-i", "m0",
                 "--runtime", self.run, "--state", self.state],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": f"{self.folder}/notify", "SWIFT_BACKTRACE": "enable=no"})
        return time.monotonic() - began if self.is_ready.wait(within) else None

    def listen(self):
        """As a service manager does: who does not read lets the daemon wait once ten messages are in the queue."""
        while True:
            if b"READY=1" in self.notify.recv(4096):
                self.is_ready.set()

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_alive(self):
        return self.process.poll() is None

    def end(self, number=signal.SIGTERM, within=10):
        """Its status as of a shell, and the seconds that it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        status = self.process.wait(within)
        return (status if status >= 0 else 128 - status), time.monotonic() - began

    def report(self):
        try:
            return json.loads(pathlib.Path(self.run, "report.json").read_bytes())
        except (OSError, ValueError):
            return None

    def device(self, mac):
        return next((d for d in (self.report() or {}).get("devices", []) if d["mac"] == mac), None)

    def log(self, *words):
        """Its lines that hold all of these."""
        lines = pathlib.Path(self.log_path).read_text(errors="replace").splitlines()
        return [line for line in lines if all(w in line for w in words)]

    def status(self, key):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return line.split(":", 1)[1].split()[0]
        return ""

    def resident(self, key="VmRSS"):
        """MiB."""
        return int(self.status(key)) / 1024

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu(self):
        """Seconds of all its threads, to the nanosecond."""
        return cpu_seconds(self.pid)

    def show(self, *words):
        return sh(program(), "show", *words, "--state", self.state, "--runtime", self.run)

    def database(self, sql):
        return sh("sqlite3", f"file:{self.state}/history.db?mode=ro", ".timeout 2000", sql).strip()

    def close(self):
        if self.process and self.is_alive:
            self.process.kill()
            self.process.wait()
        sh("umount", self.run, check=False)
        pathlib.Path(self.log_path).unlink(missing_ok=True)
        for folder in (self.run, self.folder):
            shutil.rmtree(folder, ignore_errors=True)


def cpu_seconds(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            total += int(pathlib.Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0])
        except OSError:
            pass
    return total / 1e9


def until(limit, is_true, pause=0.02):
    """Seconds until something is true; None when it is not within `limit`."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < limit:
        if is_true():
            return passed
        time.sleep(pause)
    return None


# ---------------------------------------------------------------- frames


def mac_bytes(mac):
    return bytes.fromhex(mac.replace(":", ""))


def station(number, prefix="00:11:32"):
    """The address of a made-up device of a real maker."""
    return prefix + ":" + ":".join(f"{b:02x}" for b in number.to_bytes(3, "big"))


def host(number):
    return f"10.9.{8 + number // 250}.{number % 250 + 1}"


def arp(mac, ip, target="10.9.8.254", reply_to=None):
    """A question, or an answer to somebody."""
    sender, to = mac_bytes(mac), mac_bytes(reply_to) if reply_to else b"\xff" * 6
    body = struct.pack(">HHBBH", 1, 0x0800, 6, 4, 2 if reply_to else 1) + sender + socket.inet_aton(ip)
    return to + sender + b"\x08\x06" + body + (to if reply_to else bytes(6)) + socket.inet_aton(target) + bytes(18)


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def udp(from_mac, to_mac, from_ip, to_ip, from_port, to_port, payload):
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(payload), 0, 0, 64, 17, 0, socket.inet_aton(from_ip), socket.inet_aton(to_ip))
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    frame = mac_bytes(to_mac) + mac_bytes(from_mac) + b"\x08\x00" + head + struct.pack(">HHHH", from_port, to_port, 8 + len(payload), 0) + payload
    return frame.ljust(60, b"\0")


def dhcp_request(mac, ip, name):
    body = bytes([1, 1, 6, 0]) + random.randbytes(4) + bytes(20) + mac_bytes(mac) + bytes(10 + 192) + b"\x63\x82\x53\x63"
    body += bytes([53, 1, 3, 50, 4]) + socket.inet_aton(ip) + bytes([12, len(name)]) + name.encode() + b"\xff"
    return udp(mac, "ff:ff:ff:ff:ff:ff", "0.0.0.0", "255.255.255.255", 68, 67, body)


class Traffic(threading.Thread):
    """Sends frames at a pace until it is told to end: `frames` is a function from the number of the frame to its bytes."""

    def __init__(self, cable, frames, per_second):
        super().__init__(daemon=True)
        self.cable, self.frames, self.per_second = cable, frames, per_second
        self.sent, self.bytes, self.refused = 0, 0, 0
        self.is_over = False
        self.start()

    def run(self):
        out, began, turn = self.cable.sender(), time.monotonic(), 0
        while not self.is_over:
            due = int((time.monotonic() - began) * self.per_second)
            while turn < due and not self.is_over:
                frame = self.frames(turn)
                turn += 1
                try:
                    out.send(frame)
                    self.sent += 1
                    self.bytes += len(frame)
                except OSError:
                    self.refused += 1
            time.sleep(min(0.01, 1 / self.per_second))

    def end(self):
        self.is_over = True
        self.join()


def household(devices=30):
    """Traffic of a home: all to and from a gateway, now and then a question; by the number of the frame."""
    gateway = station(0)
    frames = []
    for n in range(1, devices + 1):
        mac, ip = station(n), host(n)
        frames += [arp(mac, ip), arp(gateway, "10.9.8.254", ip, mac), udp(mac, gateway, ip, "203.0.113.80", 40_000 + n, 443, bytes(90)),
                   udp(gateway, mac, "203.0.113.80", ip, 443, 40_000 + n, bytes(900)), udp(mac, gateway, ip, "203.0.113.9", 50_000, 8080, bytes(40))]
    # The questions come once a round of twenty.
    rest = [f for at, f in enumerate(frames) if at % 5 > 1]
    cycle = frames + 19 * rest
    return lambda number: cycle[number % len(cycle)]
