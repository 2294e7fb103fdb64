"""One file per outside thing: YAML packs, spaCy, jieba, gazetteers, file watching."""
