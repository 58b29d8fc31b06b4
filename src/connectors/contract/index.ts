export { CONNECTORS, EMBEDDING_PROVIDERS } from './connector.token';
export type * from './connector.types';
export type * from './embedding.types';
