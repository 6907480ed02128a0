# Generated from openapi.yaml by scripts/regen; do not edit.

"""Contains methods for accessing the API"""
