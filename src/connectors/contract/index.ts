export { DEFAULT_CALL_LIMITS, MODEL_CALL_LIMITS, type ModelCallLimits } from './call-limits';
export { CONNECTORS, EMBEDDING_PROVIDERS } from './connector.token';
export type * from './connector.types';
export type * from './embedding.types';
export type * from './model-target.types';
export type * from './models.types';
