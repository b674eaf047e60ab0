"""Reads planets, cards and tiles from a components file (SM-11, SM-12, docs/play.md)."""

from spacemission_env.games.space_mission.components.load import components_from_data, load_components
from spacemission_env.games.space_mission.components.parts import Card, Components, Planet

__all__ = ["Card", "Components", "Planet", "components_from_data", "load_components"]
