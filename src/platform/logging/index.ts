export { loggedPath } from './logged-path';
export { createPino, StructuredLogger } from './logger';
export { requestLog } from './request-log';
