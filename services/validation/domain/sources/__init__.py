"""What passages are to each other and to the calendar: agreement, conflict, force, editions."""
