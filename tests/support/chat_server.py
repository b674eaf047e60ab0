"""A scripted server in the chat-completions form, with the faults of real ones."""

import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
LEGAL = "\nLegal moves:\n"


def legal_moves(body: Body) -> list[str]:
    """The moves that the first prompt lists (`llm:…?legal=yes`)."""
    listed: list[str] = body["messages"][1]["content"].partition(LEGAL)[2].split("\n")
    return [move for move in listed if move]


def says(move: str) -> str:
    return json.dumps({"move": move})


class ChatServer(ThreadingHTTPServer):
    """`answers`: the text for a body; `faults`: a fault's name or None, for a body and a number."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, answers: Callable[[Body], str], faults: Callable[[Body, int], str | None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers, self.faults = answers, faults
        self.requests: list[Body] = []
        self.answered: list[Body] = []
        self.now = self.most_at_once = 0
        self.lock = threading.Lock()
        self.retry_after = "0.01"
        self.delay = 0.0

    def handle_error(self, *_: object) -> None:
        """Say nothing: clients that are killed reset their connections."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.requests.append(body)
            number = len(server.requests)
            server.now += 1
            server.most_at_once = max(server.most_at_once, server.now)
        try:
            time.sleep(server.delay)
            self._answer(body, server.faults(body, number))
        finally:
            with server.lock:
                server.now -= 1

    def _answer(self, body: Body, fault: str | None) -> None:
        if fault == "slow":
            time.sleep(1.0)
        if fault and fault.isdecimal():
            self._send(b'{"error": {"message": "scripted"}}', int(fault))
            return
        text = self.server.answers(body)
        whole = json.dumps(
            {
                "choices": [{"message": {"role": "assistant", "content": text}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
        ).encode()
        if fault == "cut":
            self._send(whole, 200, whole[: len(whole) // 2])
            self.close_connection = True
        elif fault == "nonsense":
            self._send(b"<html>gateway</html>", 200)
        elif fault == "drop":
            self.close_connection = True
        else:
            self._send(whole, 200)
            with self.server.lock:
                self.server.answered.append(body)

    def _send(self, whole: bytes, status: int, part: bytes | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(whole)))
        if status == 429 and self.server.retry_after:
            self.send_header("Retry-After", self.server.retry_after)
        self.end_headers()
        try:
            self.wfile.write(whole if part is None else part)
        except OSError:
            self.close_connection = True  # the client did not wait


def any_move(body: Body) -> str:
    """A legal move that depends on the prompt alone, with prose around it that names another."""
    moves = legal_moves(body)
    rng = random.Random(json.dumps(body["messages"]))
    return f'I could play {{"move": "{moves[0]}"}}.\n```json\n{says(rng.choice(moves))}\n```\nThat is it.'


@contextmanager
def chat_server(
    answers: Callable[[Body], str] = any_move,
    faults: Callable[[Body, int], str | None] = lambda body, number: None,
) -> Iterator[ChatServer]:
    """A running server."""
    server = ChatServer(answers, faults)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
