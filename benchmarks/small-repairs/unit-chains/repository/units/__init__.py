"""Converting units."""
