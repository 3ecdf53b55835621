"""Reads and writes every golden vector with the codec of wire.py: bytes to JSON and back."""

import json
import sys

import wire

checked = 0
for kind, file in [("ToServer", "to_server"), ("ToClient", "to_client"), ("ToGame", "to_game"),
                   ("FromGame", "from_game")]:
    for line in (wire.PROTOCOL.parent / "vectors" / f"{file}.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, _, data, meaning = line.split("\t")
        frame, meaning = bytes.fromhex(data), json.loads(meaning)
        if wire.take_frame(kind, bytearray(frame)) != meaning or wire.encode_frame(kind, meaning) != frame:
            sys.exit(f"{file}: {name}: {wire.take_frame(kind, bytearray(frame))}")
        checked += 1
print(f"{checked} vectors agree")
