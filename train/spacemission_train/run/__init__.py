"""A run from its start to its folder and report; resuming one."""
