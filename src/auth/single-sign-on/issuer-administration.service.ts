import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  type Caller,
  type Page,
  type PageRequest,
  type Problem,
  ROLES,
  camelCased,
  existing,
  invalid,
  notFound,
  snakeCased,
  uuidv7,
} from '@bellwether/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog, VersionedResource } from '../../infrastructure/audit';
import { CONFIG, type Config } from '../../infrastructure/config';
import { type Transaction, Transactions, isUniqueViolation } from '../../infrastructure/database';
import { OutboundClient } from '../../infrastructure/outbound';
import { SecretsService } from '../../infrastructure/secrets';
import { OrganizationChanges, type OrganizationRequest, assertOutranks } from '../../organizations';
import { IdentityRepository } from '../issuers/identity.repository';
import type { IssuerEntity } from '../issuers/issuer.entity';
import { IssuerRepository } from '../issuers/issuer.repository';
import { DEFAULT_RULES, DEFAULT_SETTINGS, type Issuer, type IssuerSettings } from '../issuers/issuer.types';
import { Issuers, secretFieldOf } from '../issuers/issuers.service';
import { SessionRepository } from '../sessions/session.repository';
import { signOnPath } from '../sign-in/sign-in.service';
import type { CreateIssuerDto, IdentityDto, IssuerDto, IssuerPageDto, UpdateIssuerDto } from './issuer.dto';

const settingsOf = ({ settings }: Pick<IssuerEntity, 'settings'>): IssuerSettings => ({
  ...DEFAULT_SETTINGS,
  ...settings,
  rules: { ...DEFAULT_RULES, ...settings.rules },
});

function viewOf(row: IssuerEntity, origin: string): IssuerDto {
  const { rules, trustedDomains, signInDomains, ...settings } = settingsOf(row);
  const { roles, organizations, emailDomains, ...claims } = rules;
  return {
    key: row.key,
    name: row.name,
    issuer: row.url,
    client_id: row.clientId,
    client_secret_configured: row.clientSecret !== null,
    logo: row.logo,
    enabled: row.enabled,
    listed: row.listed,
    for_all: row.forAll,
    ...snakeCased(settings),
    ...snakeCased(claims),
    trusted_domains: [...trustedDomains],
    sign_in_domains: [...signInDomains],
    // Values of claims: their letters stay as they are.
    roles: { ...roles },
    organizations: { ...organizations },
    email_domains: { ...emailDomains },
    redirect_uri: origin + signOnPath(row.key, 'callback'),
    initiate_login_uri: origin + signOnPath(row.key, 'login'),
    backchannel_logout_uri: `${origin}/auth/oidc/${row.key}/backchannel-logout`,
    post_logout_redirect_uri: `${origin}/sign-in`,
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** The members of a change that the settings have. */
const among = <T extends object>(settings: T, changes: object): Partial<T> =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => name in settings)) as Partial<T>;

/** The settings after a change; absent members stay. */
function changedSettings(old: IssuerSettings, input: UpdateIssuerDto): IssuerSettings {
  const { emailDomains, trustedDomains, signInDomains, ...others } = camelCased(input);
  const changes = {
    ...others,
    ...(emailDomains !== undefined && { emailDomains: lowered(emailDomains) }),
    ...(trustedDomains !== undefined && { trustedDomains: trustedDomains.map((domain) => domain.toLowerCase()) }),
    ...(signInDomains !== undefined && { signInDomains: signInDomains.map((domain) => domain.toLowerCase()) }),
  };
  return { ...old, ...among(DEFAULT_SETTINGS, changes), rules: { ...old.rules, ...among(DEFAULT_RULES, changes) } };
}

const lowered = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name.toLowerCase(), value]));

const MOST_ENTRIES = 200;
const LONGEST = 500;

/** People of other organizations see these members of a service that is on everybody's page. */
const SHOWN_TO_EVERYBODY = ['name', 'logo', 'issuer', 'client_id'] as const;

/** @throws {AppError} `forbidden` */
function assertReachesNobodyElse(input: UpdateIssuerDto, old: IssuerEntity | null): void {
  const before = old === null ? DEFAULT_SETTINGS : settingsOf(old);
  const isShown = before.listedForEverybody || before.signInDomains.length > 0;
  const changesView =
    isShown &&
    SHOWN_TO_EVERYBODY.some((member) => input[member] !== undefined && input[member] !== shownOf(old, member));
  const asksForMore = input.listed_for_everybody === true || (input.sign_in_domains?.length ?? 0) > 0;
  if (input.for_all === true || old?.forAll === true) {
    throw new AppError('forbidden', 'Only system administrators set a sign-in service of all organizations', {
      reason: 'role.system_admin',
    });
  }
  if (asksForMore || changesView) {
    throw new AppError(
      'forbidden',
      'Only system administrators set how a sign-in service appears to people of other organizations',
      { reason: 'role.system_admin' },
    );
  }
}

const shownOf = (row: IssuerEntity | null, member: (typeof SHOWN_TO_EVERYBODY)[number]): unknown =>
  row === null ? undefined : { name: row.name, logo: row.logo, issuer: row.url, client_id: row.clientId }[member];

/** Problems that no single member shows. */
function problemsOf({ accounts, linkVerifiedEmail, rules }: IssuerSettings, input: UpdateIssuerDto): Problem[] {
  const problems: Problem[] = [];
  if (accounts === 'invitation' && !linkVerifiedEmail && rules.externalIdClaim === null) {
    problems.push({
      path: 'link_verified_email',
      message:
        'must be true when accounts is invitation, unless external_id_claim is set; otherwise nobody can sign in',
      code: 'issuer.needs_link',
    });
  }
  const maps = {
    roles: [input.roles, (value: unknown) => ROLES.some((role) => role === value), `one of ${ROLES.join(', ')}`],
    organizations: [input.organizations, (value: unknown) => typeof value === 'string', 'a slug'],
    email_domains: [input.email_domains, (value: unknown) => typeof value === 'string', 'a slug'],
  } as const;
  for (const [path, [map = {}, isGood, wanted]] of Object.entries(maps)) {
    const entries = Object.entries(map);
    const isSized = entries.length <= MOST_ENTRIES && entries.every(([name]) => name.length <= LONGEST && name !== '');
    if (!isSized || !entries.every(([, value]) => isGood(value) && String(value).length <= LONGEST)) {
      problems.push({ path, message: `must hold at most ${MOST_ENTRIES} entries, each with ${wanted}` });
    }
  }
  return problems;
}

/** An organization's OpenID providers, as its administrators see and its owners set them. */
@Injectable()
export class IssuerAdministration {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly repository: IssuerRepository,
    private readonly issuers: Issuers,
    private readonly identities: IdentityRepository,
    private readonly sessions: SessionRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly secrets: SecretsService,
    private readonly outbound: OutboundClient,
    private readonly changes: OrganizationChanges,
  ) {}

  async list({ organizationId, origin }: OrganizationRequest, page: PageRequest): Promise<IssuerPageDto> {
    const found = await this.repository.within(organizationId).page(page);
    const elsewhere = await this.issuers.reaching(organizationId);
    return {
      items: found.items.map((row) => viewOf(row, origin)),
      next_cursor: found.next_cursor,
      total: found.total ?? found.items.length,
      set_elsewhere: elsewhere.map(({ key, name, url, forAll }) => ({ key, name, issuer: url, for_all: forAll })),
    };
  }

  async get(request: OrganizationRequest, key: string): Promise<IssuerDto> {
    return viewOf(await this.stored(request, key), request.origin);
  }

  /** @throws {AppError} `forbidden`, `validation_failed`, `outbound_refused`, `conflict` when the key is taken */
  async create(request: OrganizationRequest, input: CreateIssuerDto): Promise<IssuerDto> {
    const { caller, organizationId } = request;
    const missing = (['name', 'issuer', 'client_id'] as const).filter((member) => input[member] === undefined);
    if (missing.length > 0)
      throw invalid(missing.map((path) => ({ path, message: `${path} must be given`, code: 'value.missing' })));
    const settings = changedSettings(DEFAULT_SETTINGS, input);
    await this.assertMaySet(caller, input, settings);
    try {
      const id = await this.transactions.once('oidc_issuer.create', async (tx) => {
        const id = uuidv7();
        const { key, name, issuer: url, client_id: clientId, client_secret: secret } = input;
        const clientSecret = secret ? await this.secrets.seal(organizationId, secretFieldOf(id), secret, tx) : null;
        const flags = { enabled: input.enabled ?? true, listed: input.listed ?? true, forAll: input.for_all ?? false };
        const values = { key, name, url, clientId, clientSecret, logo: input.logo ?? null, ...flags, settings };
        await this.repository.within(organizationId, tx).insert({ id, ...values });
        await this.audit.record(
          {
            caller,
            organizationId,
            action: 'oidc_issuer.create',
            target: { type: 'oidc_issuer', id },
            after: { ...shown(values), client_secret_set: clientSecret !== null },
          },
          tx,
        );
        return id;
      });
      this.changes.announce(organizationId);
      const row = existing(await this.repository.within(organizationId).find(id), 'Sign-in service');
      return viewOf(row, request.origin);
    } catch (error) {
      if (!isUniqueViolation(error, 'oidc_issuers_key_key')) throw error;
      throw new AppError('conflict', 'A sign-in service with this key exists', {
        problems: [{ path: 'key', message: 'is taken', code: 'value.taken' }],
      });
    }
  }

  /** @throws {AppError} `precondition_failed`, and what `create` throws */
  async update(
    request: OrganizationRequest,
    key: string,
    input: UpdateIssuerDto,
    expected: number | null,
  ): Promise<IssuerDto> {
    const { caller, organizationId } = request;
    const old = await this.stored(request, key);
    await this.assertMaySet(caller, input, changedSettings(settingsOf(old), input), old);
    const row = await this.versions(organizationId).change(
      { caller: { ...caller, organizationId }, id: old.id, expected },
      'update',
      async (current, tx) => {
        const settings = changedSettings(settingsOf(current), input);
        const values = {
          name: input.name ?? current.name,
          url: input.issuer ?? current.url,
          clientId: input.client_id ?? current.clientId,
          clientSecret: await this.secretAfter(current, input, tx),
          logo: input.logo === undefined ? current.logo : input.logo,
          enabled: input.enabled ?? current.enabled,
          listed: input.listed ?? current.listed,
          forAll: input.for_all ?? current.forAll,
          settings,
        };
        const before = { ...current, settings: settingsOf(current) };
        if (isDeepStrictEqual(values, pick(before, values))) return null;
        // Other people may come in now: sessions that the old settings opened end.
        const isOther = values.url !== current.url || values.clientId !== current.clientId || !values.enabled;
        if (isOther) await this.sessions.removeOfIssuer(current.key, tx);
        const secretSet = values.clientSecret !== current.clientSecret;
        return { values, before: shown(before), after: { ...shown(values), client_secret_changed: secretSet } };
      },
    );
    this.changes.announce(organizationId);
    return viewOf(row, request.origin);
  }

  /** Ends the sessions of everybody who came through it. Accounts stay. */
  async remove(request: OrganizationRequest, key: string, expected: number | null): Promise<void> {
    const { caller, organizationId } = request;
    const row = await this.stored(request, key);
    assertOutranks(caller, { role: 'owner' });
    await this.versions(organizationId).remove({ caller: { ...caller, organizationId }, id: row.id, expected }, shown);
    await this.transactions.run((tx) => this.sessions.removeOfIssuer(key, tx));
    this.changes.announce(organizationId);
  }

  /** People of the organization who signed in there, with their last claims. */
  async people({ organizationId }: OrganizationRequest, key: string, page: PageRequest): Promise<Page<IdentityDto>> {
    const found = await this.identities.page(organizationId, key, page);
    return {
      ...found,
      items: found.items.map(({ userId, subject, email, groups, claims, claimsAt, createdAt }) => ({
        user_id: userId,
        subject,
        email,
        groups,
        claims,
        claims_at: claimsAt.toISOString(),
        created_at: createdAt.toISOString(),
      })),
    };
  }

  /** A stored issuer, switched on or off, or the one of the environment. @throws {AppError} `not_found` */
  async usable({ organizationId }: OrganizationRequest, key: string): Promise<Issuer> {
    const issuer = await this.issuers.findStored(key);
    if (issuer === null || issuer.organizationId !== organizationId) throw notFound('Sign-in service');
    return issuer;
  }

  private async stored({ organizationId }: OrganizationRequest, key: string): Promise<IssuerEntity> {
    return existing(await this.repository.within(organizationId).findByKey(key), 'Sign-in service');
  }

  /**
   * A person who sets a provider can sign in as anybody there, so only owners may. One for all organizations needs a system
   * administrator.
   */
  private async assertMaySet(
    caller: Caller,
    input: UpdateIssuerDto,
    settings: IssuerSettings,
    old: IssuerEntity | null = null,
  ): Promise<void> {
    assertOutranks(caller, { role: 'owner' });
    if (!caller.systemAdmin) assertReachesNobodyElse(input, old);
    const problems = problemsOf(settings, input);
    const { issuer } = input;
    if (issuer?.startsWith('http:') && this.config.env === 'production') {
      problems.push({ path: 'issuer', message: 'must begin with https://', code: 'address.https' });
    }
    if (problems.length > 0) throw invalid(problems);
    if (issuer !== undefined) await this.outbound.assertDialable(issuer);
  }

  /** A secret goes to the address that it was entered for and nowhere else. */
  private async secretAfter(
    { id, organizationId, clientSecret, url }: IssuerEntity,
    { client_secret: secret, issuer = url }: UpdateIssuerDto,
    tx: Transaction,
  ): Promise<string | null> {
    if (secret === undefined) return issuer === url ? clientSecret : null;
    return secret === null ? null : this.secrets.seal(organizationId, secretFieldOf(id), secret, tx);
  }

  private versions(organizationId: string): VersionedResource<IssuerEntity> {
    return new VersionedResource(this.transactions, this.audit, {
      type: 'oidc_issuer',
      label: 'Sign-in service',
      within: (_caller, tx) => this.repository.within(organizationId, tx),
      assertMayChange: (caller) => assertOutranks(caller, { role: 'owner' }),
    });
  }
}

const pick = (from: object, like: object): object =>
  Object.fromEntries(Object.keys(like).map((name) => [name, from[name as keyof typeof from]]));

/** Issuer as the audit log shows it: no secret, no picture. */
const shown = ({
  key,
  name,
  url,
  clientId,
  enabled,
  listed,
  forAll,
  settings,
}: Partial<IssuerEntity> & Pick<IssuerEntity, 'settings'>): object => ({
  ...(key !== undefined && { key }),
  name,
  issuer: url,
  client_id: clientId,
  enabled,
  listed,
  for_all: forAll,
  settings,
});
