"""What the question asks for, and what of it passages and answers give."""
