import type { ActivitySettings, ActivityWindow } from '../courses/activity.types';

const DEFAULTS: ActivitySettings = {
  teachersRead: false,
  anonymous: false,
  opensAt: null,
  closesAt: null,
  windows: [],
};

/** Stored settings, with defaults for absent ones. */
export const settingsOf = (stored: Partial<ActivitySettings>): ActivitySettings => ({ ...DEFAULTS, ...stored });

export type Opening =
  | { readonly state: 'open' }
  | { readonly state: 'early'; readonly at: string }
  | { readonly state: 'over'; readonly at: string };

/** Whether students may ask, by the dates alone. `closesAt` is excluded. */
export function openingAt({ opensAt, closesAt }: ActivitySettings, now: number): Opening {
  if (opensAt !== null && now < Date.parse(opensAt)) return { state: 'early', at: opensAt };
  if (closesAt !== null && now >= Date.parse(closesAt)) return { state: 'over', at: closesAt };
  return { state: 'open' };
}

/** The windows in which the moment lies. */
export const windowsAt = (windows: readonly ActivityWindow[], now: number): ActivityWindow[] =>
  windows.filter(({ from, until }) => Date.parse(from) <= now && now < Date.parse(until));

/** The windows that are not over. */
export const windowsAfter = (windows: readonly ActivityWindow[], now: number): ActivityWindow[] =>
  windows.filter(({ until }) => now < Date.parse(until));

/** The window that counts among several: a closed one before strict ones, of those the one that lasts longest. */
export function strictestOf(windows: readonly ActivityWindow[]): ActivityWindow | null {
  const closed = windows.filter(({ mode }) => mode === 'closed');
  const [longest = null] = (closed.length > 0 ? closed : windows).toSorted(
    (one, other) => Date.parse(other.until) - Date.parse(one.until),
  );
  return longest;
}

/** The instructions of strict windows, once each; null where there is none. */
export function instructionOf(windows: readonly ActivityWindow[]): string | null {
  const texts = new Set(
    windows.flatMap(({ instruction = '' }) => (instruction.trim() === '' ? [] : instruction.trim())),
  );
  return texts.size === 0 ? null : [...texts].join('\n\n');
}
