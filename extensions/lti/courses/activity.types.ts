export const WINDOW_MODES = ['closed', 'strict'] as const;
export type WindowMode = (typeof WINDOW_MODES)[number];

/** An assessment window. */
export interface ActivityWindow {
  /** ISO 8601, with `until` excluded. */
  readonly from: string;
  readonly until: string;
  /** `closed`: no answers. `strict`: answers under `instruction`. */
  readonly mode: WindowMode;
  readonly instruction?: string;
}

export interface ActivitySettings {
  /** Instructors of the course may read conversations, after the student agreed. */
  readonly teachersRead: boolean;
  /** Instructors see pseudonyms. */
  readonly anonymous: boolean;
  readonly opensAt: string | null;
  readonly closesAt: string | null;
  readonly windows: readonly ActivityWindow[];
}
