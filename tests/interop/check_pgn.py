"""Reads exported games back with python-chess and compares them with what was played.

usage: check_pgn.py GAMES.pgn RECORDS.tsv

A record is a line of result, plies, final position and moves in UCI, with tabs between; lines that begin with # are
remarks. Every exported game has to be one of the records, and every record has to be exported once. Exit status 1 and
a line for each difference if anything differs.
"""

import collections
import sys

import chess.pgn

SEVEN = ["Event", "Site", "Date", "Round", "White", "Black", "Result"]


def records(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                result, _, _, moves = line.rstrip("\n").split("\t")
                yield result, moves


def exported(path):
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            yield game


def faults(game):
    """What another program would stumble over."""
    headers = game.headers
    for error in game.errors:
        yield f"does not read: {error}"
    if list(headers)[:7] != SEVEN:
        yield f"does not begin with the seven tags: {list(headers)}"
    for tag in ("TimeControl", "Termination"):
        if tag not in headers:
            yield f"has no tag {tag}"
    started_from_fen = "FEN" in headers
    if started_from_fen != (headers.get("SetUp") == "1"):
        yield "FEN and SetUp do not go together"
    timed = headers.get("TimeControl") != "-"
    # Moves that the game was set up with took no time; they stand before all others.
    began = started_from_fen is False
    for node in game.mainline():
        began = began or node.emt() is not None
        if began and (node.emt() is None or (timed and node.clock() is None)):
            yield f"{node.san()} has no time: {node.comment}"
    for node in game.mainline():
        if node.variations[1:]:
            yield "has variations"


def main():
    wanted = collections.Counter(records(sys.argv[2]))
    wrong = 0
    games = 0
    for game in exported(sys.argv[1]):
        games += 1
        label = f"game {game.headers.get('GameId')}"
        for fault in faults(game):
            print(f"{label} {fault}")
            wrong += 1
        key = (game.headers["Result"], " ".join(move.uci() for move in game.mainline_moves()))
        if wanted[key] == 0:
            print(f"{label} is none of the records: {key}")
            wrong += 1
        wanted[key] -= 1
    for key in +wanted:
        print(f"not exported: {key}")
        wrong += 1
    print(f"{games} games read, {wrong} differences")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
