"""What every service shares: server and channel factories, errors, settings, telemetry, domain types."""
