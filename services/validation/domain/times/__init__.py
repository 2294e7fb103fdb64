"""Days, clock times, periods and spans: read, compared, and what follows from them."""
