export { loggedPath } from './logged-path';
export { createPino, type RoomLevels, roomLogger, StructuredLogger } from './logger';
export { requestLog, type RequestObserver } from './request-log';
