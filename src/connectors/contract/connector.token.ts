/** Injects `readonly Connector[]`: the catalogue in its order. */
export const CONNECTORS = Symbol('CONNECTORS');

/** Injects `readonly EmbeddingProvider[]`: the catalogue in its order. */
export const EMBEDDING_PROVIDERS = Symbol('EMBEDDING_PROVIDERS');
