export { CONNECTORS, EMBEDDING_PROVIDERS } from './connector.token';
export * from './connector.types';
