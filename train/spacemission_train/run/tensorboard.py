"""What TensorBoard gets of a checkpoint, besides what SB3 and LeaguePPO record of each update."""

from __future__ import annotations

from spacemission_train.run.folder import result_name
from spacemission_train.run.protocol import LeagueRun


def log(run: LeagueRun) -> None:
    """Record the evaluation, the league and the speed of a run at its checkpoint."""
    logger, pool, spent = run.model.logger, run.pool, run.env.seconds
    for result in run.results:
        logger.record(f"evaluation/{result_name(result)}", result.share)
    logger.record("evaluation/score", run.rows[-1]["score"])
    for steps, against, odds in zip(pool.snapshots, pool.results, pool.odds(), strict=True):
        logger.record(f"league_result/step_{steps:09d}", float(against))
        logger.record(f"league_odds/step_{steps:09d}", float(odds))
    logger.record("time/learner_steps_per_second", run.steps_per_second)
    for name, seconds in spent.items():  # of the wall-clock of training, without evaluations
        logger.record(f"time/share_of_{name}", seconds / max(run.training, 1e-9))
    logger.dump(run.steps)
