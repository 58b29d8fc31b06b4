export { type ModuleLevels, StructuredLogger, createPino, moduleLogger } from './logger';
export { type RequestObserver, loggedPath, requestLog } from './request-log';
