"""What people see. Nothing here talks to a service."""
