"""Has another program check report files: every pairing, and every value of the tie-breaks.

usage: check_trf.py SERVER FILE.trf...

Gacrux pairs every round of each file again and computes the tie-breaks of record 202; SERVER is the program whose
standings of the same file are compared with them. Exit status 1 and a line for each difference if anything differs.
"""

import csv
import io
import json
import subprocess
import sys
from decimal import Decimal, InvalidOperation


def gacrux(tool, file):
    """What a tool of Gacrux says about a file."""
    command = [sys.executable, "-m", f"gacrux.{tool}", "-i", file, "-b", "utf-8", "-c"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return json.loads(said)


def pairings(file):
    """Differences in the boards of the rounds. Who stays out of a round robin is no board."""
    rounds = gacrux("pairingchecker", file)["pairingResult"]["roundpairing"]
    for paired in rounds:
        theirs, ours = (
            {tuple(pair) for pair in paired[key] if 0 not in pair} for key in ("pairs", "current")
        )
        for white, black in sorted(theirs - ours):
            yield f"round {paired['round']}: {white} - {black} is missing"
        for white, black in sorted(ours - theirs):
            yield f"round {paired['round']}: {white} - {black} is not by the rules"
    with open(file, encoding="utf-8") as lines:
        played = max(len(line.rstrip("\n")) - 91 for line in lines if line.startswith("001"))
    if len(rounds) != -(-played // 10):
        yield f"{len(rounds)} rounds were checked"


def same(ours, theirs):
    """Whether two values are the same as far as the shorter one is written; a dash is none."""
    try:
        ours, theirs = Decimal(ours), Decimal(str(theirs))
    except InvalidOperation:
        return ours == "-" and theirs is None
    digits = min(-ours.as_tuple().exponent, -theirs.as_tuple().exponent)
    return abs(ours - theirs) < Decimal(1).scaleb(-digits)


def tie_breaks(server, file):
    """Differences in points, ranks and tie-breaks."""
    theirs = gacrux("tiebreakchecker", file)["tiebreakResult"]
    if not theirs["check"]:
        yield "the ranks of the file are not those of its tie-breaks"
    with open(file, encoding="utf-8") as lines:
        codes = next(line[4:].strip() for line in lines if line.startswith("202 "))
    command = [server, "standings", file, "--tiebreaks", codes, "--format", "csv"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    ours = {int(row["No"]): row for row in csv.DictReader(io.StringIO(said))}
    for player in theirs["competitors"]:
        row = ours[player["cid"]]
        # The first of theirs is the points.
        columns = ["Points", *codes.split(",")]
        for column, value in zip(columns, player["tiebreakScore"], strict=True):
            # A direct encounter is a score here and a place there; the ranks say whether they agree.
            if column != "DE" and not same(row[column], value):
                yield f"player {player['cid']}: {column} is {row[column]}, Gacrux says {value}"
        if int(row["Rank"]) != player["rank"]:
            yield f"player {player['cid']}: rank {row['Rank']}, Gacrux says {player['rank']}"


def main():
    server, files = sys.argv[1], sys.argv[2:]
    wrong = 0
    for file in files:
        for difference in [*pairings(file), *tie_breaks(server, file)]:
            print(f"{file}: {difference}")
            wrong += 1
    print(f"{len(files)} reports checked, {wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
