"""Server interceptors: what happens around every call, in one place each."""
