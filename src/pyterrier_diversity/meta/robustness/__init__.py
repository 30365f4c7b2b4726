"""How much rankings of systems depend on topics, judgements and other systems."""
