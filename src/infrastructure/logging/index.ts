export { type RoomLevels, StructuredLogger, createPino, roomLogger } from './logger';
export { type RequestObserver, loggedPath, requestLog } from './request-log';
