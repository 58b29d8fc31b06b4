import { v7 } from 'uuid';

/** Ids of one process sort by creation, also within a millisecond and when the clock is set back. */
export const uuidv7 = (): string => v7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any UUID that PostgreSQL reads, of whatever version: imported ids are not always ours. */
export const isUuid = (text: string): boolean => UUID.test(text);
