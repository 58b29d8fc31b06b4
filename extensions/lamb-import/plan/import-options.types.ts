import type { AddressMapping } from '../metadata-references';

export interface ImportProgress {
  report(step: { readonly done: number; readonly total: number; readonly text: string }): void;
}

/** The operator's decisions about values that cannot be imported unchanged. */
export interface ImportChoices {
  /** Organizations without a provider or knowledge-base server get those of LAMB's system organization. */
  readonly inheritSystem: boolean;
  readonly addresses: readonly AddressMapping[];
  /** Slugs here by the source's slug or id. */
  readonly slugs: ReadonlyMap<string, string>;
  /** Lower-case address of the new owner of disabled people's items. null: they keep them, and their assistants do not run. */
  readonly disabledOwnersTo: string | null;
  /** Removes the owner's number from assistants' names where the rest is unique in the organization. */
  readonly stripPrefix: boolean;
  /** Every assistant gets a new id; otherwise an assistant keeps that of the source where it is free. */
  readonly newIds: boolean;
  /** Passwords that let people in once, until a date. null: none are taken over. */
  readonly passwords: { readonly until: Date; readonly hashes: ReadonlyMap<number, string> } | null;
}

export const NO_CHOICES: ImportChoices = {
  inheritSystem: false,
  addresses: [],
  slugs: new Map(),
  disabledOwnersTo: null,
  stripPrefix: false,
  newIds: false,
  passwords: null,
};

export interface ImportOptions {
  /** LAMB's `static/public` folder. null: files of single-file assistants are listed and not copied. */
  readonly files: string | null;
  /** Everything is tried and rolled back. */
  readonly dryRun: boolean;
  /** Identifies the installation; a repetition under the same name updates the items of the earlier import. */
  readonly sourceName: string;
  /** The source's slug of the only organization to import; null for all. */
  readonly organization: string | null;
  readonly choices: ImportChoices;
  readonly progress: ImportProgress;
  /** Ends the import after the current organization. */
  readonly signal: AbortSignal;
}
