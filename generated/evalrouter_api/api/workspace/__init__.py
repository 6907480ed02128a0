# Generated from openapi.yaml by scripts/regen; do not edit.

"""Contains endpoint functions for accessing the API"""
