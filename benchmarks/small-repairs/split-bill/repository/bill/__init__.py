"""Splitting bills."""
