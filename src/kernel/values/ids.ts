import { v7 } from 'uuid';

/** Ids of one process sort by creation, also within a millisecond and when the clock is set back. */
export const uuidv7 = (): string => v7();

/** When an id of `uuidv7` was made, in milliseconds since 1970: its first 48 bits (RFC 9562 §5.7). */
export const uuidTime = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any UUID that PostgreSQL reads, of whatever version: imported ids are not always ours. */
export const isUuid = (text: string): boolean => UUID.test(text);
