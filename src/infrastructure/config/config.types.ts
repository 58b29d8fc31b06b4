import type { SETTINGS } from './settings';
import type { ValuesOf } from './variable';

/** A vendor of models, as its connector declares it. */
export interface Vendor {
  /** Key in the `providers` of an organization. */
  readonly name: string;
  /** True when the vendor requires a key. */
  readonly needsKey: boolean;
  /** Used when neither the organization nor the environment names an address; null: the vendor has none of its own. */
  readonly baseUrl: string | null;
  /** Names of the variables that configure the vendor for the default organization. */
  readonly environment: { readonly apiKey?: string; readonly baseUrl?: string };
}

/** A vendor with the operator's settings. */
export interface VendorConfig {
  readonly baseUrl: string | null;
  /** Null when the environment does not configure the vendor. */
  readonly operator: { readonly apiKey: string | null; readonly baseUrl: string } | null;
}

type Values = ValuesOf<typeof SETTINGS>;

/** The whole configuration: read once at start, validated, frozen. */
export type Config = Omit<Values, 'bootstrap'> & {
  readonly bootstrap: { readonly adminKey: string | null; readonly seedDemo: boolean };
  /** Vendors by name. */
  readonly vendors: ReadonlyMap<string, VendorConfig>;
};
