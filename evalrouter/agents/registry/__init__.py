"""Agents of the ACP registry: a snapshot with integrity classes, their installation, and how each finds the gateway."""
