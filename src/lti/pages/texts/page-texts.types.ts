/** What happened, and what the reader can do. */
export interface Explained {
  readonly reason: string;
  readonly next: string;
}

export type Explanation = 'again' | 'setup' | 'unavailable' | 'role' | 'not_ready' | 'organization' | 'disabled';

/** Texts of the pages that a launch may end with. `none`, `missing` and `unpublished` are for instructors. */
export interface PageTexts {
  readonly refused: string;
  readonly code: string;
  readonly reasons: Readonly<Record<Explanation, Explained>>;
  readonly instructor: Readonly<Record<'none' | 'missing' | 'unpublished', Explained>>;
  readonly opening: string;
  readonly newWindow: Explained & { readonly button: string };
  readonly ready: Explained & { readonly button: string };
}
