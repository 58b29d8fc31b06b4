/** Injects `readonly Connector[]`: the catalogue in its order. */
export const CONNECTORS = Symbol('CONNECTORS');

/** Injects `readonly EmbeddingProvider[]`: the catalogue in its order. */
export const EMBEDDING_PROVIDERS = Symbol('EMBEDDING_PROVIDERS');

/** Injects `readonly ConnectorPlugin[]`: those of the catalogue and of plugins, in the order in which `auto` looks. */
export const CONNECTORS_IN_USE = Symbol('CONNECTORS_IN_USE');
