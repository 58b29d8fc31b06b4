export { createPino, StructuredLogger } from './logger';
export { requestLog } from './request-log';
