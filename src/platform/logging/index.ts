export { createPino, httpLogger, StructuredLogger } from './logger';
