"""Names the verifiers door by what `--env.taskset.id` takes: a package of the top level."""

from spacemission_agents.doors.verifiers_env import SeatsEnv, SeatsTaskset

__all__ = ["SeatsEnv", "SeatsTaskset"]
