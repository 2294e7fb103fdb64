"""The local stack: renders Envoy's configuration, starts and stops every process (`python -m cli.local`)."""
