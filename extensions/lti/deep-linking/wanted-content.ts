import { isJsonObject, type JsonObject } from '@bellwether/kernel';

const SETTINGS = 'https://purl.imsglobal.org/spec/lti-dl/claim/deep_linking_settings';
const MOST_DATA = 20_000;

/** Content that a platform accepts as the answer to a deep-linking request. */
export interface WantedContent {
  readonly returnUrl: string;
  /** Sent back as it came. */
  readonly data: string | null;
  readonly multiple: boolean;
  readonly lineItems: boolean;
}

/** Deep Linking 2.0 §2.1.1. Null where the platform takes no links to tools, or names no address. */
export function wantedIn(claims: JsonObject): WantedContent | null {
  const settings = claims[SETTINGS];
  if (!isJsonObject(settings)) return null;
  const { deep_link_return_url: returnUrl, data, accept_types: types } = settings;
  if (!isAddress(returnUrl) || !isData(data)) return null;
  if (!Array.isArray(types) || !types.includes('ltiResourceLink')) return null;
  return {
    returnUrl,
    data: data ?? null,
    multiple: settings['accept_multiple'] === true,
    lineItems: settings['accept_lineitem'] === true,
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 4_000 && /^https?:\/\//i.test(value) && URL.canParse(value);

const isData = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= MOST_DATA && !value.includes('\0'));
