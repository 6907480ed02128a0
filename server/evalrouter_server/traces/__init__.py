"""Traces of agents: what a span is, what names it by its content, how spans become a tree. Pure; `store` keeps them."""
