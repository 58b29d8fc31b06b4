import { randomBytes } from 'node:crypto';
import { type Asked, json, jsonOf, refusal, type Reply } from './http';
import { CONFIGURATION, SCOPE } from './names';

/**
 * Answers of platforms differ. `moodle` is active at once and answers 200; `canvas` names another issuer than the host of
 * its configuration, and no deployment, because an administrator installs the tool later; `standard` is the specification.
 */
export type Flavor = 'standard' | 'moodle' | 'canvas';

/** Loose on purpose: the tool wrote it. */
export type ToolRegistration = Record<string, any>;

export interface Issued {
  readonly clientId: string;
  readonly deploymentId: string;
}

/** LTI Dynamic Registration 1.0. */
export class Registrations {
  readonly received: ToolRegistration[] = [];
  flavor: Flavor = 'standard';
  /** Changes the configuration that the tool reads. */
  changeConfiguration: (configuration: Record<string, unknown>) => unknown = (configuration) => configuration;
  /** Changes the answer to the tool. */
  changeAnswer: (answer: Record<string, unknown>) => unknown = (answer) => answer;
  private readonly tokens = new Set<string>();

  constructor(
    private readonly url: () => string,
    private readonly issuer: () => string,
    private readonly accepted: (tool: ToolRegistration) => Issued,
  ) {}

  /** What an administrator's browser opens after pasting the tool's registration address. */
  address(registrationUrl: string): string {
    const token = randomBytes(12).toString('hex');
    this.tokens.add(token);
    const address = new URL(registrationUrl);
    address.searchParams.set('openid_configuration', `${this.url()}/.well-known/openid-configuration`);
    address.searchParams.set('registration_token', token);
    return address.href;
  }

  configuration(): Reply {
    const url = this.url();
    return json(
      200,
      this.changeConfiguration({
        issuer: this.issuer(),
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
        token_endpoint_auth_signing_alg_values_supported: ['RS256'],
        jwks_uri: `${url}/jwks`,
        registration_endpoint: `${url}/register`,
        scopes_supported: ['openid', ...Object.values(SCOPE)],
        response_types_supported: ['id_token'],
        subject_types_supported: ['public', 'pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        claims_supported: ['sub', 'iss', 'name', 'given_name', 'family_name', 'email'],
        [CONFIGURATION.platform]: {
          product_family_code: this.flavor === 'standard' ? 'test' : this.flavor,
          version: '1',
          messages_supported: [{ type: 'LtiResourceLinkRequest' }, { type: 'LtiDeepLinkingRequest' }],
          variables: ['Context.id', 'ResourceLink.id'],
        },
      }),
    );
  }

  register(asked: Asked): Reply {
    const token = asked.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (!this.tokens.delete(token)) return refusal('invalid_token', 'token_already_used', 401);
    const tool = jsonOf(asked);
    const wrong = problemsOf(tool);
    if (wrong.length > 0) return refusal('invalid_client_metadata', `missing or wrong: ${wrong.join(', ')}`);
    this.received.push(tool);
    const { clientId, deploymentId } = this.accepted(tool);
    const configuration = {
      ...tool[CONFIGURATION.tool],
      ...(this.flavor !== 'canvas' && { deployment_id: deploymentId }),
    };
    const answer = { ...tool, client_id: clientId, [CONFIGURATION.tool]: configuration };
    return json(this.flavor === 'standard' ? 201 : 200, this.changeAnswer(answer));
  }
}

const isAddress = (value: unknown): value is string => typeof value === 'string' && URL.canParse(value);
const hasAll = (value: unknown, ...names: readonly string[]): boolean =>
  Array.isArray(value) && names.every((name) => value.includes(name));

/** Dynamic Registration 1.0 §3.4: what a platform needs of a tool. */
function problemsOf(tool: ToolRegistration | null): string[] {
  const { [CONFIGURATION.tool]: configuration = {}, ...client } = tool ?? {};
  const target: unknown = configuration.target_link_uri;
  const redirects: unknown = client['redirect_uris'];
  const checks: [string, boolean][] = [
    ['application_type', client['application_type'] === 'web'],
    ['response_types', hasAll(client['response_types'], 'id_token')],
    ['grant_types', hasAll(client['grant_types'], 'implicit', 'client_credentials')],
    ['initiate_login_uri', isAddress(client['initiate_login_uri'])],
    ['redirect_uris', Array.isArray(redirects) && redirects.every(isAddress)],
    ['jwks_uri', isAddress(client['jwks_uri'])],
    ['client_name', typeof client['client_name'] === 'string'],
    ['token_endpoint_auth_method', client['token_endpoint_auth_method'] === 'private_key_jwt'],
    ['domain', typeof configuration.domain === 'string'],
    // Moodle compares both.
    ['target_link_uri', isAddress(target) && new URL(target).hostname === String(configuration.domain).split(':')[0]],
    ['claims', Array.isArray(configuration.claims)],
    ['messages', Array.isArray(configuration.messages)],
  ];
  return checks.filter(([, good]) => !good).map(([name]) => name);
}
