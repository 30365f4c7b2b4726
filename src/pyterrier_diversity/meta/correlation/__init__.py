"""How measures compare with each other, and judges with each other."""
