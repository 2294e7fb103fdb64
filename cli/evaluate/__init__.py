"""`trirag eval`: one file a kind, each with its prediction of a row and its score over the rows."""
