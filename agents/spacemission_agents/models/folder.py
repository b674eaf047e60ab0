"""Saves and loads model folders: `card.json` and `weights.safetensors`, both checked.

A network that reads the observation is a multilayer perceptron with float32 tensors `policy.{i}.weight` (out,
in) and `policy.{i}.bias` (out,); its last layer has one logit for each action. The tensors of a network that
reads afterstates are those of afterstates/network.py. Loading runs no code from the folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from spacemission_agents.models.card import card_game, checked_card, complete_card, errors_at
from spacemission_agents.models.network_input import find_network_input
from spacemission_env.core.errors import AgentError, first_line, shown
from spacemission_env.core.game_spec import DEFAULT_GAME, GameSpec, find_game
from spacemission_env.core.reading import CARD_BYTES, Json, checked_path, parse_json, read_bytes
from spacemission_env.core.writing import write_synced

CARD_FILE = "card.json"
WEIGHTS_FILE = "weights.safetensors"
HEADER_BYTES = 1 << 20  # maximum bytes of the header of a weights file


def tensor_shapes(network: Json, game: str | GameSpec = DEFAULT_GAME) -> dict[str, tuple[int, ...]]:
    """Name and shape of each tensor of a card's `network`."""
    return find_network_input(game).shapes(network)


def save_model(
    folder: str | Path,
    arrays: dict[str, np.ndarray],
    card: Json,
    game: str | GameSpec = DEFAULT_GAME,
) -> Json:
    """Write a model folder atomically and return its card.

    Args:
        folder: path; its parents are made. An older model is replaced, any other folder is refused.
        arrays: the tensors, float32 (see the module).
        card: `rules`, `components_sha256`, `network`, `training`, and optionally `results` and `observation`;
            the other entries are added.
        game: the game of the network.

    Raises:
        AgentError: the folder cannot be written or replaced, or the arrays or the card are invalid. The
            disk is then unchanged.
    """
    folder, spec = checked_path(folder, "model folder"), find_game(game)
    with _place(folder):
        for what, entries in (("arrays", arrays), ("card", card)):
            if not isinstance(entries, dict):
                raise AgentError(f"{what}: expected a dict, not {shown(entries)}")
        _check_replaceable(folder)
        weights = save_tensors({name: np.ascontiguousarray(array) for name, array in arrays.items()})
        with errors_at(CARD_FILE):
            whole = checked_card(complete_card(card, hashlib.sha256(weights).hexdigest(), spec))
        _check_arrays(arrays, whole)
        aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
        try:
            aside.mkdir(parents=True)
            write_synced(aside / WEIGHTS_FILE, weights)
            write_synced(aside / CARD_FILE, (json.dumps(whole, indent=2) + "\n").encode())
            _put_in_place(aside, folder)
        except OSError as error:
            raise AgentError(f"cannot be written: {error.strerror or error}") from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    return whole


def load_model(folder: str | Path) -> tuple[Json, dict[str, np.ndarray]]:
    """The card and the tensors of a model folder; AgentError if a file is missing or invalid."""
    folder = checked_path(folder, "model folder")
    card = read_card(folder)
    with _place(folder):
        shapes = tensor_shapes(card["network"], card_game(card))
        expected = 4 * sum(int(np.prod(shape)) for shape in shapes.values())
        weights = _read(folder, WEIGHTS_FILE, expected + HEADER_BYTES)
        if hashlib.sha256(weights).hexdigest() != card["weights_sha256"]:
            raise AgentError(f"{WEIGHTS_FILE}: its sha256 is not the card's weights_sha256")
        try:
            arrays = load_tensors(weights)
        except (SafetensorError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise AgentError(f"{WEIGHTS_FILE}: not safetensors: {first_line(error)}") from None
        _check_arrays(arrays, card)
    return card, arrays


def read_card(folder: str | Path) -> Json:
    """The card of a model folder; AgentError as for `load_model`."""
    folder = checked_path(folder, "model folder")
    with _place(folder):
        if not folder.is_dir():
            raise AgentError("no such folder")
        read = parse_json(_read(folder, CARD_FILE, CARD_BYTES), AgentError, CARD_FILE)
        with errors_at(CARD_FILE):
            return checked_card(read)


def _place(folder: Path) -> contextlib.AbstractContextManager[None]:
    return errors_at(f"model folder {str(folder)!r}")


def _read(folder: Path, name: str, most: int) -> bytes:
    try:
        return read_bytes(folder / name, most, AgentError, name)
    except AgentError as error:
        if not isinstance(error.__cause__, FileNotFoundError):
            raise
        hint = " (the model is in its folder 'model')" if (folder / "model" / name).exists() else ""
        raise AgentError(f"{name} is missing{hint}") from None


def _check_arrays(arrays: dict[str, np.ndarray], card: Json) -> None:
    shapes = tensor_shapes(card["network"], card_game(card))
    for name in [*shapes, *arrays]:
        if name not in arrays:
            raise AgentError(f"{WEIGHTS_FILE}: tensor {name!r} is missing")
        if name not in shapes:
            raise AgentError(f"{WEIGHTS_FILE}: tensor {name!r} is not in the card's network")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.dtype != np.float32:
            raise AgentError(f"{WEIGHTS_FILE}: {name}: expected float32, not {array.dtype}")
        if array.shape != shape:
            raise AgentError(f"{WEIGHTS_FILE}: {name}: expected shape {shape}, not {array.shape}")
        if not np.isfinite(array).all():
            raise AgentError(f"{WEIGHTS_FILE}: {name}: holds numbers that are not finite")


def _check_replaceable(folder: Path) -> None:
    # A mistyped path must not delete files.
    if not folder.name:
        raise AgentError("expected a path that ends with a name")
    if folder.is_dir():
        others = sorted({entry.name for entry in folder.iterdir()} - {CARD_FILE, WEIGHTS_FILE})
        if others:
            raise AgentError(f"not replaced, because {others[0]!r} is no part of a model")
    elif folder.exists() or folder.is_symlink():
        raise AgentError("is not a folder")


def _put_in_place(aside: Path, folder: Path) -> None:
    # Not all systems can swap two folders, so move the old folder away, and back if the new one fails.
    old = aside.with_name(aside.name + ".old")
    with contextlib.suppress(FileNotFoundError):
        os.rename(folder, old)
    try:
        os.rename(aside, folder)
    except OSError:
        if old.exists():
            os.rename(old, folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
