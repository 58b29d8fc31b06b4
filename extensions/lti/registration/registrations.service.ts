import { AppError, type JsonObject, isJsonObject, uuidv7 } from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { looksLikeSessionToken, newSessionToken, sessionHashOf } from '../../../src/auth';
import { AuditLog } from '../../../src/infrastructure/audit';
import { CONFIG, type Config } from '../../../src/infrastructure/config';
import { Transactions, isUniqueViolation, withinOrganization } from '../../../src/infrastructure/database';
import { OutboundClient, type OutboundRequest, type OutboundResponse } from '../../../src/infrastructure/outbound';
import { type OrganizationRequest, OrganizationsService, OrganizationStatusService } from '../../../src/organizations';
import { PlatformRepository } from '../platforms/platform.repository';
import { type Addresses, shownOf } from '../platforms/platforms.service';
import { RefusedRegistration } from './registration.errors';
import { type OpenRegistration, RegistrationRepository } from './registration.repository';

const PLATFORM = 'https://purl.imsglobal.org/spec/lti-platform-configuration';
const MOST_ADDRESS = 1_000;

/** Facts that a platform tells about itself (LTI Dynamic Registration 1.0 §3.3, OpenID Connect Discovery 1.0 §3). */
interface PlatformConfiguration {
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
function configurationIn(document: unknown, { onlyHttps }: { readonly onlyHttps: boolean }): PlatformConfiguration {
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

const TOOL = 'https://purl.imsglobal.org/spec/lti-tool-configuration';
const NRPS = 'https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly';
const AGS = 'https://purl.imsglobal.org/spec/lti-ags/scope';
const WANTED: readonly string[] = [NRPS, `${AGS}/lineitem`, `${AGS}/score`];
const CLAIMS = ['iss', 'sub', 'name', 'given_name', 'family_name', 'email', 'locale'];

/** Names of the entry that teachers choose when they add content to a course. */
const ADD = {
  label: 'Add assistants',
  'label#es': 'Añadir asistentes',
  'label#ca': 'Afegir assistents',
  'label#eu': 'Gehitu laguntzaileak',
};

/** Canvas shows a tool only where the tool asks to be shown; others do without names of places. */
const PLACEMENTS = ['link_selection', 'assignment_selection'];

/** This service as a tool that asks to be registered (LTI Dynamic Registration 1.0 §3.4). */
function toolMetadata(addresses: Addresses, offered: readonly string[]): JsonObject {
  const { launch_url: launch, deep_link_url: deepLink, login_url: login, jwks_url: jwks } = addresses;
  return {
    application_type: 'web',
    response_types: ['id_token'],
    grant_types: ['implicit', 'client_credentials'],
    initiate_login_uri: login,
    redirect_uris: [launch, deepLink],
    client_name: 'Bellwether',
    jwks_uri: jwks,
    token_endpoint_auth_method: 'private_key_jwt',
    scope: WANTED.filter((scope) => offered.includes(scope)).join(' '),
    [TOOL]: {
      // Without a port: Moodle compares host names.
      domain: new URL(launch).hostname,
      description: 'Learning assistants',
      target_link_uri: launch,
      claims: CLAIMS,
      messages: [
        { type: 'LtiResourceLinkRequest' },
        { type: 'LtiDeepLinkingRequest', target_link_uri: deepLink, placements: PLACEMENTS, ...ADD },
      ],
    },
  };
}

const DAYS = 7;
const DAY_MS = 86_400_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1_024;
const MOST_WORDS = 300;

/** Parameters that the browser of the platform's administrator brings. */
export interface RegistrationRequest {
  readonly code: string;
  /** Address of the platform's configuration. */
  readonly configuration: string | null;
  /** Bearer token for the registration; null where the platform asks for none. */
  readonly token: string | null;
}

/** A platform that asks to be registered. */
export interface Applicant {
  readonly organization: string;
  readonly configuration: PlatformConfiguration;
  /** Host that served the configuration: an issuer of Canvas names another one. */
  readonly host: string;
}

export interface RegisteredPlatform extends Applicant {
  readonly id: string;
  /** Without one every launch is refused until an administrator adds it. */
  readonly hasDeployment: boolean;
}

/** Addresses that a platform of this id is told. */
type AddressesOf = (platformId: string) => Addresses;

/** Platforms register themselves (LTI Dynamic Registration 1.0). An administrator of the organization approves them. */
@Injectable()
export class Registrations {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly registrations: RegistrationRepository,
    private readonly platforms: PlatformRepository,
    private readonly organizations: OrganizationsService,
    private readonly status: OrganizationStatusService,
    private readonly outbound: OutboundClient,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** A code for one platform, which is never told again. */
  async invite({
    caller,
    organizationId,
  }: OrganizationRequest): Promise<{ readonly code: string; readonly expiresAt: Date }> {
    const code = newSessionToken();
    const expiresAt = new Date(Date.now() + DAYS * DAY_MS);
    await this.transactions.run(async (tx) => {
      const registration = { hash: sessionHashOf(code), organizationId, createdBy: caller.userId, expiresAt };
      await this.registrations.insert(registration, tx);
      const target = { type: 'organization', id: organizationId };
      await this.audit.record({ caller, organizationId, action: 'lti_registration.invite', target }, tx);
    });
    return { code, expiresAt };
  }

  /** Finds the platform that asks; registers nothing. @throws RefusedRegistration */
  async look(request: RegistrationRequest): Promise<Applicant> {
    const open = await this.openOf(request.code);
    return { ...(await this.applicant(open, request)) };
  }

  /** Registers this service at the platform, and the platform here. @throws RefusedRegistration */
  async register(request: RegistrationRequest, addressesOf: AddressesOf): Promise<RegisteredPlatform> {
    const open = await this.openOf(request.code);
    if (!(await this.registrations.claim(open.hash))) throw new RefusedRegistration('busy');
    try {
      const applicant = await this.applicant(open, request);
      const id = uuidv7();
      const answer = await this.apply(applicant.configuration, request.token, addressesOf(id));
      const clientId = answer['client_id'];
      if (typeof clientId !== 'string' || clientId === '' || clientId.length > 255)
        throw new RefusedRegistration('refused', 'no client_id');
      const deployments = deploymentsIn(answer);
      await this.save(id, open, applicant, clientId, deployments);
      return { ...applicant, id, hasDeployment: deployments.length > 0 };
    } catch (error) {
      await this.registrations.release(open.hash);
      throw error;
    }
  }

  private async openOf(code: string): Promise<OpenRegistration> {
    const open = looksLikeSessionToken(code) ? await this.registrations.find(sessionHashOf(code)) : null;
    if (open === null) throw new RefusedRegistration('code');
    return open;
  }

  private async applicant(
    { organizationId }: OpenRegistration,
    { configuration: url }: RegistrationRequest,
  ): Promise<Applicant> {
    const organization = (await this.status.of([organizationId])).get(organizationId);
    if (organization?.suspended !== false) throw new RefusedRegistration('code', 'suspended');
    const onlyHttps = this.config.env === 'production';
    if (url === null || !/^https?:/.test(url) || !URL.canParse(url)) throw new RefusedRegistration('no_configuration');
    if (onlyHttps && !url.startsWith('https:')) throw new RefusedRegistration('no_configuration', 'no https');
    const { status, text } = await this.ask({ url, headers: { accept: 'application/json' } });
    if (status !== 200) throw new RefusedRegistration('unreachable', `${status}`);
    const configuration = configurationIn(parsed(text), { onlyHttps });
    const runtime = await withinOrganization(organizationId, () => this.organizations.runtime(organizationId));
    return { organization: runtime.name, configuration, host: new URL(url).host };
  }

  private async apply(
    { registrationEndpoint, scopes }: PlatformConfiguration,
    token: string | null,
    addresses: Addresses,
  ): Promise<JsonObject> {
    const { status, text } = await this.ask({
      url: registrationEndpoint,
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(toolMetadata(addresses, scopes)),
    });
    const answer = parsed(text);
    if (status >= 200 && status < 300 && isJsonObject(answer)) return answer;
    throw new RefusedRegistration('refused', `${status} ${wordsIn(answer)}`.trim());
  }

  /** An address that cannot be reached is the platform's matter, not a fault of the service. */
  private async ask(request: Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>): Promise<OutboundResponse> {
    try {
      return await this.outbound.request({ ...request, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw new RefusedRegistration('unreachable', error.message.slice(0, MOST_WORDS));
    }
  }

  private save(
    id: string,
    open: OpenRegistration,
    { configuration, host }: Applicant,
    clientId: string,
    deploymentIds: string[],
  ): Promise<void> {
    const { organizationId } = open;
    const { issuer, authorizationEndpoint, tokenEndpoint, tokenAudience, jwksUri } = configuration;
    const write = () =>
      this.transactions.run(async (tx) => {
        if (!(await this.registrations.consume(open, tx))) throw new RefusedRegistration('code', 'used meanwhile');
        const values = {
          name: host.slice(0, 100),
          issuer,
          clientId,
          authorizationEndpoint,
          tokenEndpoint,
          tokenAudience,
          jwksUri,
          deploymentIds,
          instructorRole: 'member' as const,
          match: { by: 'none' as const },
          active: false,
          awaitsApproval: true,
        };
        await this.platforms.within(organizationId, tx).insert({ id, ...values });
        const target = { type: 'lti_platform', id };
        const after = shownOf(values);
        await this.audit.record({ caller: null, organizationId, action: 'lti_platform.register', target, after }, tx);
      });
    return withinOrganization(organizationId, write).catch((error: unknown) => {
      if (isUniqueViolation(error, 'lti_platforms_client_uq')) throw new RefusedRegistration('taken', issuer);
      throw error;
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One deployment at most; Canvas installs the tool later and names none. */
function deploymentsIn(answer: JsonObject): string[] {
  const configuration = answer[TOOL];
  const id = isJsonObject(configuration) ? configuration['deployment_id'] : undefined;
  return (typeof id === 'string' && id !== '' && id.length <= 255) || typeof id === 'number' ? [String(id)] : [];
}

/** OAuth 2.0 Dynamic Client Registration (RFC 7591 §3.2.2). */
function wordsIn(answer: unknown): string {
  if (!isJsonObject(answer)) return '';
  const { error, error_description: description, message } = answer;
  const words = [error, description, message].filter((each) => typeof each === 'string').join(': ');
  return words.replaceAll(/\p{Cc}/gu, ' ').slice(0, MOST_WORDS);
}
