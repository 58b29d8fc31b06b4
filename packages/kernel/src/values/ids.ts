import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';

/** A clock that is set back by more was wrong before: ids follow it. */
const TOLERATED_MS = 60_000;
const last = { msecs: 0, seq: 0 };

/** Ids of one process sort by creation, also within a millisecond and when the clock is set back by up to a minute. */
export function uuidv7(): string {
  const now = Date.now();
  const follows = now > last.msecs || now < last.msecs - TOLERATED_MS;
  Object.assign(last, follows ? { msecs: now, seq: randomInt(2 ** 31) } : { seq: last.seq + 1 });
  return v7(last);
}

/** When an id of `uuidv7` was made, in milliseconds since 1970: its first 48 bits (RFC 9562 §5.7). */
export const uuidTime = (id: string): number => parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** 2024-01-01, in milliseconds: before the first account of any installation. */
const BEGINNING = 1_704_067_200_000;

/**
 * An id of `uuidv7` with a time of chance. Ids of people must not tell whether and since when an address is known to
 * another organization.
 */
export const undatedUuid = (): string => v7({ msecs: BEGINNING + randomInt(Math.max(1, Date.now() - BEGINNING)) });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Any UUID that PostgreSQL reads, of whatever version: imported ids are not always ours. */
export const isUuid = (text: string): boolean => UUID.test(text);

/** Largest id that the column can hold. */
const MAX_ID = 2_147_483_647;

/** Id of the assistant in the run of a definition that is not stored. Ids of assistants begin at 1. */
export const NO_ASSISTANT = 0;

/** Range of ids that the database accepts. */
export const isAssistantId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= MAX_ID;
