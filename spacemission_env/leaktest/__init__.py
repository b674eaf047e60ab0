"""Tests anyone's environment for leaks: OpenSpiel games without help, others with a hook `twin`."""

from spacemission_env.leaktest.command import check
from spacemission_env.leaktest.environments import check_environment, clone
from spacemission_env.leaktest.openspiel import check_openspiel
from spacemission_env.leaktest.report import Finding, Report

__all__ = ["Finding", "Report", "check", "check_environment", "check_openspiel", "clone"]
