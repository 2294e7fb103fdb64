"""What a clause affirms, denies, obliges, permits, and under which condition."""
