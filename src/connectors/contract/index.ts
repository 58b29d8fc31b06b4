export { CONNECTORS } from './connector.token';
export type * from './connector.types';
