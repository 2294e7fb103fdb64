"""The Retrieval service: knowledge bases on Milvus, ingestion into them and search over them."""
