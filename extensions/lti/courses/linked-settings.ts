import type { ActivitySettings } from './activity.types';

/** How teachers see the students whose conversations they may read. */
export const READABLE_AS = ['named', 'pseudonymous'] as const;
export type ReadableAs = (typeof READABLE_AS)[number];

/** Custom parameters of a link with these settings. */
export const parametersOf = (readableAs: ReadableAs | undefined): Readonly<Record<string, string>> =>
  readableAs === undefined ? {} : { readable_as: readableAs };

/** Settings with which an activity begins. Later launches leave them as the teacher set them. */
export function settingsIn(custom: Readonly<Record<string, string>>): Partial<ActivitySettings> {
  const readableAs = READABLE_AS.find((each) => each === custom['readable_as']);
  return readableAs === undefined ? {} : { teachersRead: true, anonymous: readableAs === 'pseudonymous' };
}
