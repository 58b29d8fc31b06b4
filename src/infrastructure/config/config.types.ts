import type { SETTINGS } from './settings';
import type { ValuesOf } from './variable';
import type { VendorConfig } from './vendor.types';

type Values = ValuesOf<typeof SETTINGS>;

/** The whole configuration: read once at start, validated, frozen. */
export type Config = Omit<Values, 'bootstrap'> & {
  readonly bootstrap: { readonly adminKey: string | null; readonly seedDemo: boolean };
  /** Vendors by name. */
  readonly vendors: ReadonlyMap<string, VendorConfig>;
};
