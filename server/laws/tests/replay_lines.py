#!/usr/bin/env python3
"""Replays the lines of `zeitnot-server winnable --json` with python-chess, a second rules engine.

    zeitnot-server winnable --file questions.tsv --json | python3 replay_lines.py

Each line of input is one answer. "mates": every move must be legal and the last must mate the side that was not
to win. "never" by a forced line: every move must be legal and the only one. Exits 1 at the first that fails.
"""

import json
import sys

import chess


def fail(answer, why):
    sys.exit(f"{why}: {json.dumps(answer)}")


def replay(answer):
    board = chess.Board(answer["fen"] if len(answer["fen"].split()) > 2 else answer["fen"] + " - - 0 1")
    forced = answer["verdict"] == "never"
    for word in answer["line"]:
        move = chess.Move.from_uci(word)
        if move not in board.legal_moves:
            fail(answer, f"illegal move {word}")
        if forced and board.legal_moves.count() != 1:
            fail(answer, f"{word} is not forced")
        board.push(move)
    if not forced:
        winner = answer["winner"] == "white"
        if not (board.is_checkmate() and board.turn != winner):
            fail(answer, "no mate at the end")


def main():
    mates = forced = other = 0
    for text in sys.stdin:
        answer = json.loads(text)
        if answer["line"] is None:
            other += 1
            continue
        replay(answer)
        if answer["verdict"] == "mates":
            mates += 1
        else:
            forced += 1
    print(f"{mates} mates and {forced} forced lines replayed, {other} answers without a line")


if __name__ == "__main__":
    main()
