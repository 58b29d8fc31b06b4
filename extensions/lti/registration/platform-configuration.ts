import { isJsonObject, type JsonObject } from '../../../src/kernel';
import { RefusedRegistration } from './registration.errors';

const PLATFORM = 'https://purl.imsglobal.org/spec/lti-platform-configuration';
const MOST_ADDRESS = 1_000;

/** What a platform tells about itself (LTI Dynamic Registration 1.0 §3.3, OpenID Connect Discovery 1.0 §3). */
export interface PlatformConfiguration {
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  /** Audience of token requests; null for the token endpoint. */
  readonly tokenAudience: string | null;
  readonly jwksUri: string;
  readonly registrationEndpoint: string;
  readonly scopes: readonly string[];
  /** `moodle`, `canvas` …; empty where it is not told. */
  readonly product: string;
}

/** @throws RefusedRegistration `configuration`, with every member that is missing or wrong */
export function configurationIn(
  document: unknown,
  { onlyHttps }: { readonly onlyHttps: boolean },
): PlatformConfiguration {
  if (!isJsonObject(document)) throw new RefusedRegistration('configuration', 'no JSON object');
  const wrong: string[] = [];
  const address = (name: string): string => {
    const value = document[name];
    if (isAddress(value, onlyHttps)) return value;
    wrong.push(name);
    return '';
  };
  const found = {
    issuer: address('issuer'),
    authorizationEndpoint: address('authorization_endpoint'),
    tokenEndpoint: address('token_endpoint'),
    jwksUri: address('jwks_uri'),
    registrationEndpoint: address('registration_endpoint'),
  };
  // 1EdTech Security Framework 1.0 §5.1.2: RS256 is the one algorithm that everybody has.
  const algorithms = document['id_token_signing_alg_values_supported'];
  if (Array.isArray(algorithms) && !algorithms.includes('RS256')) wrong.push('id_token_signing_alg_values_supported');
  const platform = objectOf(document[PLATFORM]);
  if (!offersLaunches(platform)) wrong.push('messages_supported');
  if (wrong.length > 0) throw new RefusedRegistration('configuration', wrong.join(', '));
  const { scopes_supported: scopes, authorization_server: audience } = document;
  const product = platform['product_family_code'];
  return {
    ...found,
    tokenAudience: typeof audience === 'string' && audience !== '' ? audience.slice(0, MOST_ADDRESS) : null,
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    product: typeof product === 'string' ? product.slice(0, 100) : '',
  };
}

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

function isAddress(value: unknown, onlyHttps: boolean): value is string {
  if (typeof value !== 'string' || value.length > MOST_ADDRESS || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'https:' || (protocol === 'http:' && !onlyHttps)) && username === '' && password === '';
}

/** A platform that lists no messages is asked for a launch anyway. */
function offersLaunches({ messages_supported: messages }: JsonObject): boolean {
  if (!Array.isArray(messages)) return true;
  return messages.some((message) => objectOf(message)['type'] === 'LtiResourceLinkRequest');
}
