"""One file per outside thing: Milvus, the catalogue, embedders, document formats."""
