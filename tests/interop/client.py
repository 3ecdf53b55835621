"""A client of Zeitnot in Python: two guests play a game to mate, one to a claim, one to a resignation.

    python client.py HOST:PORT PIN
"""

import asyncio
import hashlib
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, connect
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived, StreamReset
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import wire

CONTROL = 0


class Connection(QuicConnectionProtocol):
    """Frames in and out, a queue for each stream."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.buffers, self.queues, self.requests = {}, {}, 0

    def queue(self, stream):
        return self.queues.setdefault(stream, asyncio.Queue())

    def quic_event_received(self, event):
        if isinstance(event, StreamDataReceived):
            buffer = self.buffers.setdefault(event.stream_id, bytearray())
            buffer += event.data
            kind = "ToClient" if event.stream_id == CONTROL else "FromGame"
            while (frame := wire.take_frame(kind, buffer)) is not None:
                self.queue(event.stream_id).put_nowait(frame)
        elif isinstance(event, (StreamReset, ConnectionTerminated)):
            for queue in self.queues.values():
                queue.put_nowait({"ended": event.error_code})

    def send(self, stream, kind, frame, end=False):
        self._quic.send_stream_data(stream, wire.encode_frame(kind, frame) if frame else b"", end)
        self.transmit()

    async def expect(self, stream, name):
        """The next frame or notice of this name; others are passed over."""
        while True:
            frame = await asyncio.wait_for(self.queue(stream).get(), 10)
            inner = frame.get("notice", frame) if isinstance(frame, dict) else {frame: {}}
            if "ended" in inner:
                raise ConnectionError(f"ended with {inner['ended']} instead of {name}")
            if name in inner:
                return inner[name]

    async def hello(self, pin):
        certificate = self._quic.tls._peer_certificate
        key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        if hashlib.sha256(key).hexdigest() != pin.replace(":", "").lower():
            raise ssl.SSLError("the server's key is not the pinned one")
        stream = self._quic.get_next_available_stream_id()
        assert stream == CONTROL
        hello = {"protocol": 1, "client": "interop.py", "credential": "guest"}
        self.send(CONTROL, "ToServer", {"hello": hello})
        return await self.expect(CONTROL, "welcome")

    async def request(self, request):
        self.requests += 1
        self.send(CONTROL, "ToServer", {"request": {"id": self.requests, "request": request}})
        reply = await self.expect(CONTROL, "reply")
        assert reply["id"] == self.requests
        return reply["result"]["Ok"]


class Seat:
    """A player's stream of a game."""

    def __init__(self, connection, game, after=None):
        self.connection, self.ids = connection, 0
        self.stream = connection._quic.get_next_available_stream_id()
        attach = {"game": game, "seat": "player", "after": after, "legal_moves": True}
        connection.send(self.stream, "ToGame", {"attach": attach})

    async def joined(self):
        snapshot = (await self.connection.expect(self.stream, "snapshot"))["snapshot"]
        self.position, self.last, self.seen = snapshot["position_seq"], snapshot["seq"], []
        return self

    async def command(self, command, on=None, number=None):
        """The answer to a command; every event on the way has to follow the one before it."""
        self.ids = number or self.ids + 1
        frame = {"id": self.ids, "on": self.position if on is None else on, "command": command}
        self.connection.send(self.stream, "ToGame", {"command": frame})
        return await self.until("answer")

    async def until(self, name):
        while True:
            frame = await asyncio.wait_for(self.connection.queue(self.stream).get(), 10)
            if "ended" in frame:
                raise ConnectionError(f"the stream ended with {frame['ended']}")
            if events := frame.get("events"):
                assert events["first"] == self.last + 1, "a gap in the events"
                self.last = events["first"] + len(events["entries"]) - 1
                self.position = events["position_seq"]
                self.seen += [entry["event"] for entry in events["entries"]]
            if name in frame:
                return frame[name].get("result", frame[name])
            for event in reversed(self.seen):
                if isinstance(event, dict) and name in event:
                    return event[name]


async def new_game(white, black, name):
    terms = {"time_control": "300+3", "rules": {"edition": "fide-2023", "speed": "blitz", "conduct": "online",
             "casual": False, "options": []}, "start": {"fen": None, "moves": [], "clocks_us": NOBODY,
             "completed": NOBODY, "period": NOBODY, "scheduled": None}, "spectator_delay_us": 0}
    await white.request({"challenge": {"to": name, "proposal": {"color": "white", "terms": terms}}})
    challenge = await black.expect(CONTROL, "challenged")
    game = (await black.request({"accept_challenge": challenge["id"]}))["game"]
    return game, await Seat(white, game).joined(), await Seat(black, game).joined()


NOBODY = {"white": None, "black": None}


async def moves(seats, text):
    """Plays the moves in turn; each side moves when it has seen the other's."""
    for ply, move in enumerate(text.split()):
        mover, other = seats[ply % 2], seats[1 - ply % 2]
        other.seen.clear()
        answer = await mover.command({"move": {"move": move, "offer_draw": False}})
        assert "Ok" in answer, (move, answer)
        assert (await other.until("move_completed"))["move"] == move


async def main(address, pin):
    host, port = address.rsplit(":", 1)
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["zeitnot/1"], verify_mode=ssl.CERT_NONE)
    async with connect(host, int(port), configuration=configuration, create_protocol=Connection) as white, \
            connect(host, int(port), configuration=configuration, create_protocol=Connection) as black:
        await white.hello(pin)
        name = (await black.hello(pin))["name"]
        game, *seats = await new_game(white, black, name)
        await moves(seats, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6")
        stale = await seats[0].command({"move": {"move": "h5f7", "offer_draw": False}}, on=0)
        assert stale == {"Err": "stale"}, stale
        answer = await seats[0].command({"move": {"move": "h5f7", "offer_draw": False}})
        ended = await seats[1].until("game_ended")
        assert (ended["white"], ended["reason"]) == ("1", "checkmate"), ended
        again = await seats[0].command({"move": {"move": "h5f7", "offer_draw": False}}, number=seats[0].ids)
        assert again == answer, "the same command again has the same answer"
        print((await white.request({"pgn": game}))["pgn"])

        game, *seats = await new_game(white, black, name)
        await moves(seats, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")
        assert "Ok" in await seats[0].command({"claim_draw": {"basis": "threefold", "intended": None}})
        ended = await seats[1].until("game_ended")
        assert (ended["white"], ended["reason"]) == ("1/2", "threefold"), ended
        print("a claim: 1/2-1/2")

        game, *seats = await new_game(white, black, name)
        await moves(seats, "e2e4")
        assert "Ok" in await seats[1].command("resign")
        ended = await seats[0].until("game_ended")
        assert (ended["white"], ended["reason"]) == ("1", "resignation"), ended
        print("a resignation: 1-0")


asyncio.run(main(*sys.argv[1:]))
