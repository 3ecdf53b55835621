"""The messages of zeitnot/1, read from part 3 of PROTOCOL.md; values are what the JSON of part 1.4 says."""

import re
from fractions import Fraction
from functools import cache
from pathlib import Path

PROTOCOL = Path(__file__).resolve().parents[2] / "proto" / "PROTOCOL.md"


class Malformed(Exception):
    """The bytes are no message."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if self.at + count > len(self.data):
            raise Malformed("ends early")
        self.at += count
        return self.data[self.at - count:self.at]

    def byte(self):
        return self.take(1)[0]

    def unsigned(self):
        first = self.byte()
        if first > 253:
            raise Malformed("no such integer")
        return first if first <= 250 else int.from_bytes(self.take(2 << first - 251), "little")

    def arm(self):
        if (arm := self.byte()) > 1:
            raise Malformed("neither 0 nor 1")
        return arm


def unsigned(n):
    if n <= 250:
        return bytes([n])
    mark, size = (251, 2) if n < 1 << 16 else (252, 4) if n < 1 << 32 else (253, 8)
    return bytes([mark]) + n.to_bytes(size, "little")


def square(index):
    return "abcdefgh"[index & 7] + str((index >> 3) + 1)


def index(name):
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def read_move(r):
    a, b = r.take(2)
    return square(a & 63) + square(b & 63) + ("", "n", "b", "r", "q")[a >> 6 | b >> 6 << 2]


def write_move(v):
    promotion = " nbrq".index(v[4:] or " ")
    return bytes([index(v[:2]) | (promotion & 3) << 6, index(v[2:4]) | promotion >> 2 << 6])


MARKS = {"increment": "+", "delay": "d", "bronstein": "b"}


def read_control(r):
    def seconds(us):
        return f"{us / 1_000_000:.6f}".rstrip("0").rstrip(".")
    periods = []
    for p in codec("list(8) of [Period](#period)")[0](r):
        added = "" if p["added"] == "nothing" else "".join(MARKS[k] + seconds(v) for k, v in p["added"].items())
        periods.append((f"{p['moves']}/" if p["moves"] else "") + seconds(p["base_us"]) + added)
    return (":".join(periods) or "-") + ("*" if r.arm() else "")


def write_control(text):
    periods = []
    for part in text.rstrip("*").split(":") if text != "-" else []:
        moves, base, mark, by = re.fullmatch(r"(?:(\d+)/)?([\d.]+)(?:([+db])([\d.]+))?", part).groups()
        added = {kind: int(Fraction(by) * 1_000_000) for kind, m in MARKS.items() if m == mark} or "nothing"
        periods.append({"moves": moves and int(moves), "base_us": int(Fraction(base) * 1_000_000), "added": added})
    return codec("list(8) of [Period](#period)")[1](periods) + bytes([text.endswith("*")])


PLAIN = {
    "u16": (Reader.unsigned, unsigned), "u32": (Reader.unsigned, unsigned), "u64": (Reader.unsigned, unsigned),
    "i64": (lambda r: -(n + 1) // 2 if (n := r.unsigned()) & 1 else n // 2,
            lambda v: unsigned(2 * v if v >= 0 else -2 * v - 1)),
    "flag": (lambda r: bool(r.arm()), lambda v: bytes([v])),
    "byte": (Reader.byte, lambda v: bytes([v])),
    "text": (lambda r: r.take(r.unsigned()).decode(), lambda v: unsigned(len(v.encode())) + v.encode()),
    "Square": (lambda r: square(r.byte()), lambda v: bytes([index(v)])),
    "Move": (read_move, write_move),
    "Score": (lambda r: str(Fraction(*r.take(2))), lambda v: bytes(Fraction(v).as_integer_ratio())),
    "TimeControl": (read_control, write_control),
}


@cache
def codec(t):
    """How to read and how to write the type `t`, in the words of PROTOCOL.md."""
    kind, _, rest = re.sub(r"^(\w+)\(\d+\)", r"\1", t).partition(" of ")
    if named := re.match(r"\[(\w+)\]", t):
        return PLAIN.get(named[1]) or shape(named[1])
    if kind in PLAIN:
        return PLAIN[kind]
    (read, write), (read_error, write_error) = (codec(part) for part in (rest.split(" or ") * 2)[:2])
    if kind == "list":
        return (lambda r: [read(r) for _ in range(r.unsigned())],
                lambda v: unsigned(len(v)) + b"".join(map(write, v)))
    if kind == "option":
        return lambda r: read(r) if r.arm() else None, lambda v: b"\0" if v is None else b"\1" + write(v)
    if kind == "both":
        return (lambda r: {"white": read(r), "black": read(r)}, lambda v: write(v["white"]) + write(v["black"]))
    return (lambda r: {"Err": read_error(r)} if r.arm() else {"Ok": read(r)},
            lambda v: b"\0" + write(v["Ok"]) if "Ok" in v else b"\1" + write_error(v["Err"]))


def structure(fields):
    return (lambda r: {name: codec(t)[0](r) for name, t in fields},
            lambda v: b"".join(codec(t)[1](v[name]) for name, t in fields))


def shape(name):
    """The codec of the section `name`."""
    variants, fields = TYPES[name]
    if not variants:
        return codec(fields) if isinstance(fields, str) else structure(fields)
    names = [variant for variant, _, _ in variants]

    def read(r):
        if (number := r.unsigned()) >= len(variants):
            raise Malformed(f"{name} {number} is not known")
        variant, holds, rows = variants[number]
        return {variant: (codec(holds) if holds else structure(rows))[0](r)} if holds or rows else variant

    def write(v):
        variant, held = (v, {}) if isinstance(v, str) else next(iter(v.items()))
        _, holds, rows = variants[names.index(variant)]
        return unsigned(names.index(variant)) + (codec(holds) if holds else structure(rows))[1](held)
    return read, write


def read_types(text):
    """The sections of the reference: {name: (variants, fields or the type that it is laid out as)}."""
    types = {}
    reference = text[text.index("<!-- reference"):text.index("<!-- end of the reference")]
    for section in reference.split("\n### ")[1:]:
        name, variants, fields = section.split("\n", 1)[0], [], []
        for line in section.splitlines():
            cells = [c.strip().strip("`") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if laid_out := re.match(r"Laid out as (.+)\.", line):
                fields = laid_out[1]
            elif len(cells) == 4 and cells[0].isdigit():
                variants.append((cells[1], cells[2], []))
            elif len(cells) == 4 and cells[0] == "":
                variants[-1][2].append((cells[1], cells[2]))
            elif len(cells) == 3 and cells[0] not in ("field", "---"):
                fields.append((cells[0], cells[1]))
        types[name] = (variants, fields)
    return types


TYPES = read_types(PROTOCOL.read_text(encoding="utf-8"))


def encode_frame(kind, value):
    """A frame of this kind (ToServer, ToGame), with its length."""
    body = shape(kind)[1](value)
    mark, size = (0, 1) if len(body) < 1 << 6 else (1, 2) if len(body) < 1 << 14 else (2, 4)
    return (len(body) | mark << 8 * size - 2).to_bytes(size, "big") + body


def take_frame(kind, buffer):
    """The first whole frame of a bytearray, taken from it; None if there is none. Unknown ones are skipped."""
    if not buffer or len(buffer) < (size := 1 << (buffer[0] >> 6)):
        return None
    end = size + (int.from_bytes(buffer[:size], "big") & (1 << 8 * size - 2) - 1)
    if len(buffer) < end:
        return None
    body = bytes(buffer[size:end])
    del buffer[:end]
    if Reader(body).unsigned() >= len(TYPES[kind][0]):
        return take_frame(kind, buffer)
    read, write = shape(kind)
    if write(value := read(Reader(body))) != body:
        raise Malformed("not the one encoding")
    return value
