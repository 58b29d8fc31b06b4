/** Injects `readonly Connector[]`: the catalogue in its order. */
export const CONNECTORS = Symbol('CONNECTORS');
