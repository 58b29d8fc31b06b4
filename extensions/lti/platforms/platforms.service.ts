import {
  snakeCased,
  camelCased,
  AppError,
  type Caller,
  type JsonObject,
  type PageRequest,
  type Problem,
  invalid,
  isJsonObject,
  isUuid,
  uuidv7,
  existing,
  atMost,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { ProviderDocument } from '../../../src/auth';
import { AuditLog, VersionedResource } from '../../../src/infrastructure/audit';
import { CONFIG, type Config } from '../../../src/infrastructure/config';
import { Transactions, isUniqueViolation } from '../../../src/infrastructure/database';
import { OutboundClient } from '../../../src/infrastructure/outbound';
import type { OrganizationRequest } from '../../../src/organizations';
import {
  type CreatePlatformDto,
  NEEDED,
  type PersonMatchDto,
  type PlatformDto,
  type PlatformPageDto,
  type UpdatePlatformDto,
} from './platform.dto';
import type { PersonMatch, PlatformEntity } from './platform.entity';
import { PlatformRepository } from './platform.repository';

/** Addresses of this service that a platform must know. */
export interface Addresses {
  readonly launch_url: string;
  readonly login_url: string;
  readonly jwks_url: string;
  readonly deep_link_url: string;
}

export const LAUNCH_PATH = '/lti/launch';
export const DEEP_LINK_PATH = '/lti/deep-link';
const LOGIN_PATH = '/lti/login';

/** Login address of one platform. */
export const loginPathOf = (platformId: string): string => `${LOGIN_PATH}/${platformId}`;

/** Absolute addresses of this service, by `PUBLIC_URL`, else by the request. */
@Injectable()
export class ToolAddresses {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  originOf({ protocol, headers }: Pick<Request, 'protocol' | 'headers'>): string {
    const { publicUrl } = this.config.http;
    return publicUrl !== null ? new URL(publicUrl).origin : `${protocol}://${headers.host ?? 'localhost'}`;
  }

  /** All that a platform may have: a second host name leads here too, as that of LAMB does. */
  originsOf(request: Pick<Request, 'protocol' | 'headers'>): readonly string[] {
    const origin = this.originOf(request);
    const { protocol } = new URL(origin);
    const named = `${protocol}//${request.headers.host ?? ''}`;
    return URL.canParse(named) ? [...new Set([origin, new URL(named).origin])] : [origin];
  }

  /** @param platformId null before the platform is set up: then the issuer and the client id name it at its login */
  at(origin: string, platformId: string | null = null): Addresses {
    return {
      launch_url: origin + LAUNCH_PATH,
      login_url: origin + (platformId === null ? LOGIN_PATH : loginPathOf(platformId)),
      jwks_url: `${origin}/lti/jwks`,
      deep_link_url: origin + DEEP_LINK_PATH,
    };
  }
}

const matchOf = ({ by, claim = '' }: PersonMatchDto): PersonMatch => (by === 'claim' ? { by, claim } : { by });

function viewOf(row: PlatformEntity, addresses: Addresses): PlatformDto {
  return {
    id: row.id,
    ...shownOf(row),
    ...addresses,
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

type Settings = Omit<PlatformEntity, 'id' | 'organizationId' | 'provenAt' | 'version' | 'createdAt' | 'updatedAt'>;

/** The settings as answers and the audit log name them. No secret is among them. */
export const shownOf = (row: Settings) => snakeCased(settingsOf(row));

const TIMEOUT_MS = 8_000;
const MAX_BYTES = 512 * 1_024;

/** A published key set (RFC 7517 §5). */
interface KeySet {
  readonly keys: readonly JsonObject[];
}

/** Key sets of platforms, read again when a token names an unknown key. */
@Injectable()
export class PlatformKeys {
  private readonly documents = new LRUCache<string, ProviderDocument<KeySet>>(atMost(2_000));

  constructor(private readonly outbound: OutboundClient) {}

  of(address: string): ProviderDocument<KeySet> {
    const known = this.documents.get(address) ?? new ProviderDocument(() => this.fetch(address));
    this.documents.set(address, known);
    return known;
  }

  /** Reads the set now. @throws {AppError} `outbound_refused`, `upstream_error`, `upstream_timeout`, `upstream_bad_response` */
  async fetch(url: string): Promise<KeySet> {
    const request = { url, headers: { accept: 'application/json' }, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { status, text } = await this.outbound.request(request);
    if (status !== 200) throw new AppError('upstream_error', `The key set of the platform answered ${status}`);
    const set = parsed(text);
    if (set === null)
      throw new AppError('upstream_bad_response', 'The key set of the platform is not a JSON Web Key Set');
    return set;
  }
}

function parsed(text: string): KeySet | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value) || !Array.isArray(value['keys'])) return null;
    return { keys: value['keys'].filter(isJsonObject) };
  } catch {
    return null;
  }
}

const ADDRESSES = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** Platforms of an organization, as its administrators set them. */
@Injectable()
export class Platforms {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly repository: PlatformRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly outbound: OutboundClient,
    private readonly addresses: ToolAddresses,
  ) {}

  async list({ organizationId, origin }: OrganizationRequest, page: PageRequest): Promise<PlatformPageDto> {
    const found = await this.repository.within(organizationId).page(page);
    const items = found.items.map((row) => viewOf(row, this.addresses.at(origin, row.id)));
    return { items, next_cursor: found.next_cursor, total: found.total ?? items.length };
  }

  async get({ organizationId, origin }: OrganizationRequest, id: string): Promise<PlatformDto> {
    return viewOf(await this.found(organizationId, id), this.addresses.at(origin, id));
  }

  /** @throws {AppError} `validation_failed`, `outbound_refused`, `conflict` where the issuer knows the client id already */
  async create(
    { caller, organizationId, origin }: OrganizationRequest,
    input: CreatePlatformDto,
  ): Promise<PlatformDto> {
    const missing = NEEDED.filter((member) => input[member] === undefined);
    if (missing.length > 0)
      throw invalid(missing.map((path) => ({ path, message: `${path} must be given`, code: 'value.missing' })));
    await this.assertAddresses(input);
    const id = await this.unique(() => this.add(organizationId, input, caller));
    return viewOf(await this.found(organizationId, id), this.addresses.at(origin, id));
  }

  /** @throws {AppError} `precondition_failed`, and what `create` throws */
  async update(
    { caller, organizationId, origin }: OrganizationRequest,
    id: string,
    input: UpdatePlatformDto,
    expected: number | null,
  ): Promise<PlatformDto> {
    await this.assertAddresses(input);
    const request = { caller: { ...caller, organizationId }, id, expected };
    const row = await this.unique(() =>
      this.versions.change(request, 'update', (current) => {
        const values = { ...settingsOf(current), ...changesOf(input) };
        return { values, before: shownOf(current), after: shownOf(values) };
      }),
    );
    return viewOf(row, this.addresses.at(origin, row.id));
  }

  /** Removes its courses, activities and identities. Accounts and conversations stay. */
  async remove({ caller, organizationId }: OrganizationRequest, id: string, expected: number | null): Promise<void> {
    await this.versions.remove({ caller: { ...caller, organizationId }, id, expected }, shownOf);
  }

  private add(organizationId: string, input: CreatePlatformDto, caller: Caller): Promise<string> {
    return this.transactions.once('lti_platform.create', async (tx) => {
      const id = uuidv7();
      const values = {
        ...NEW,
        issuer: input.issuer,
        name: new URL(input.issuer).host,
        clientId: input.client_id,
        authorizationEndpoint: input.authorization_endpoint,
        tokenEndpoint: input.token_endpoint,
        jwksUri: input.jwks_uri,
        deploymentIds: input.deployment_ids,
        ...changesOf(input),
      };
      await this.repository.within(organizationId, tx).insert({ id, ...values });
      const target = { type: 'lti_platform', id };
      const after = shownOf(values);
      await this.audit.record({ caller, organizationId, action: 'lti_platform.create', target, after }, tx);
      return id;
    });
  }

  private async found(organizationId: string, id: string): Promise<PlatformEntity> {
    return existing(isUuid(id) ? await this.repository.within(organizationId).find(id) : null, 'Platform');
  }

  /** The service asks two of the addresses itself; the browser opens another. */
  private async assertAddresses(input: UpdatePlatformDto): Promise<void> {
    const problems: Problem[] = [];
    for (const path of ADDRESSES) {
      if (this.config.env === 'production' && input[path]?.startsWith('http:') === true) {
        problems.push({ path, message: 'must begin with https://', code: 'address.https' });
      }
    }
    if (problems.length > 0) throw invalid(problems);
    for (const address of [input.jwks_uri, input.token_endpoint]) {
      if (address !== undefined) await this.outbound.assertDialable(address);
    }
  }

  private async unique<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isUniqueViolation(error, 'lti_platforms_client_uq')) throw error;
      throw new AppError('conflict', 'This client of the platform is set up already', {
        problems: [{ path: 'client_id', message: 'is set up already', code: 'platform.exists' }],
      });
    }
  }

  private get versions(): VersionedResource<PlatformEntity> {
    return new VersionedResource(this.transactions, this.audit, {
      type: 'lti_platform',
      label: 'Platform',
      within: ({ organizationId }, tx) => this.repository.within(organizationId, tx),
      assertMayChange: () => undefined,
    });
  }
}

const NEW = {
  tokenAudience: null,
  instructorRole: 'member',
  match: { by: 'none' },
  active: true,
  awaitsApproval: false,
} as const;

const settingsOf = (row: Settings) => ({
  name: row.name,
  issuer: row.issuer,
  clientId: row.clientId,
  authorizationEndpoint: row.authorizationEndpoint,
  tokenEndpoint: row.tokenEndpoint,
  tokenAudience: row.tokenAudience,
  jwksUri: row.jwksUri,
  deploymentIds: row.deploymentIds,
  instructorRole: row.instructorRole,
  match: row.match,
  active: row.active,
  awaitsApproval: row.awaitsApproval,
});

/** An administrator who switches a platform on has approved it. */
const changesOf = ({ match, deployment_ids: deploymentIds, ...input }: UpdatePlatformDto) => ({
  ...camelCased(input),
  ...(deploymentIds !== undefined && { deploymentIds }),
  ...(match !== undefined && { match: matchOf(match) }),
  ...(input.active === true && { awaitsApproval: false }),
});
