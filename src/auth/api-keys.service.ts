import {
  AppError,
  assertActsForPerson,
  type Caller,
  invalid,
  isOrganizationAdmin,
  isUuid,
  notFound,
  type Page,
  pageOf,
  type PageRequest,
  type Problem,
  type Scope,
  uuidCursor,
  uuidv7,
  existing,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../infrastructure/audit';
import { acrossOrganizations, Transactions } from '../infrastructure/database';
import {
  assertOutranks,
  type Member,
  MembersService,
  OrganizationChanges,
  OrganizationsService,
  rankOf,
} from '../organizations';
import { newApiKey } from './api-key';
import type { ApiKeyEntity } from './api-key.entity';
import type { ApiKeyDto, CreatedApiKeyDto } from './api-key.dto';
import { ApiKeyRepository } from './api-key.repository';
import { Authenticator } from './access/authenticator';

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Another member, by id or e-mail address; the caller when absent. */
  readonly owner?: string;
  /** Another organization, by slug; for system administrators and operators. */
  readonly organization?: string;
  readonly assistant_ids?: readonly number[];
  readonly published_only?: boolean;
  /** ISO 8601 */
  readonly expires_at?: string;
}

const viewOf = (row: ApiKeyEntity): ApiKeyDto => ({
  id: row.id,
  name: row.name,
  prefix: row.publicId === null ? null : `bw_live_${row.publicId}`,
  owner_id: row.userId,
  scopes: row.scopes,
  assistant_ids: row.assistantIds,
  published_only: row.publishedOnly,
  expires_at: row.expiresAt?.toISOString() ?? null,
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
  created_at: row.createdAt.toISOString(),
});

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly authenticator: Authenticator,
    changes: OrganizationChanges,
  ) {
    changes.onMember(async ({ organizationId, userId, hasEnded }, tx) => {
      if (hasEnded !== true) return;
      const revoked = await keys.within(organizationId, tx).revokeOfMember(userId);
      await audit.recordAll(
        revoked.map((id) => ({
          caller: null,
          organizationId,
          action: 'api_key.revoke',
          target: { type: 'api_key', id },
          before: { owner_id: userId },
        })),
        tx,
      );
    });
  }

  /**
   * A key is never wider than the credential that makes it: scopes, assistants and expiry. `caller` null is the
   * operator, who must name organization and owner.
   * @throws {AppError} `validation_failed`, `forbidden`, `not_found`
   */
  async create(caller: Caller | null, input: NewKey): Promise<CreatedApiKeyDto> {
    const organizationId = await this.organizationOf(caller, input.organization);
    const make = (): Promise<CreatedApiKeyDto> => this.createIn(organizationId, caller, input);
    const isElsewhere = caller !== null && caller.organizationId !== organizationId;
    return isElsewhere ? acrossOrganizations('system administration', make) : make();
  }

  private async createIn(organizationId: string, caller: Caller | null, input: NewKey): Promise<CreatedApiKeyDto> {
    const owner = await this.ownerOf(caller, organizationId, input.owner);
    await this.assertNotWider(caller, owner, input);
    return this.transactions.once('api_key.create', async (tx) => {
      const { key, publicId, hash } = newApiKey();
      const id = uuidv7();
      await this.keys.within(organizationId, tx).insert({
        id,
        userId: owner.userId,
        name: input.name,
        publicId,
        hash,
        scopes: [...input.scopes],
        assistantIds: input.assistant_ids === undefined ? null : [...input.assistant_ids],
        publishedOnly: input.published_only === true,
        expiresAt: input.expires_at === undefined ? null : new Date(input.expires_at),
      });
      const made = existing(await this.keys.within(organizationId, tx).findActive(id), 'API key');
      const target = { type: 'api_key', id };
      await this.audit.record({ caller, organizationId, action: 'api_key.create', target, after: viewOf(made) }, tx);
      return { ...viewOf(made), key };
    });
  }

  /** Keys of the caller. Administrators may name a member, or `all`. @throws {AppError} `forbidden` for restricted keys */
  async list(caller: Caller, owner: string | undefined, { limit, cursor }: PageRequest): Promise<Page<ApiKeyDto>> {
    assertActsForPerson(caller);
    const userId = await this.listed(caller, owner);
    const [found, total] = await this.keys.within(caller.organizationId).list(userId, limit + 1, uuidCursor(cursor));
    const page = pageOf(found, limit, ({ id }) => id);
    return { ...page, items: page.items.map(viewOf), total };
  }

  /** Names for ids of keys, revoked ones too. */
  async names(organizationId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const keys = ids.length === 0 ? [] : await this.keys.within(organizationId).byIds(ids);
    return new Map(keys.map(({ id, name }) => [id, name]));
  }

  /** Effective at once here, within 5 s on other replicas. @throws {AppError} `not_found`, `forbidden` for restricted keys */
  async revoke(caller: Caller, id: string): Promise<void> {
    assertActsForPerson(caller);
    const { organizationId } = caller;
    const row = isUuid(id) ? await this.keys.within(organizationId).findActive(id) : null;
    if (row === null || (row.userId !== caller.userId && !isOrganizationAdmin(caller))) throw notFound('API key');
    if (row.userId !== caller.userId) await this.assertOutranksOwner(caller, row.userId);
    await this.transactions.run(async (tx) => {
      await this.keys.within(organizationId, tx).revoke(id);
      const target = { type: 'api_key', id };
      await this.audit.record({ caller, action: 'api_key.revoke', target, before: viewOf(row) }, tx);
    });
    this.authenticator.forget(organizationId);
  }

  private async organizationOf(caller: Caller | null, slug: string | undefined): Promise<string> {
    if (caller === null) {
      if (slug === undefined) throw invalid([{ path: 'organization', message: 'is missing' }]);
      return this.organizations.idOf(slug);
    }
    if (slug === undefined || slug === caller.organizationSlug) return caller.organizationId;
    // Only system administrators may name another organization.
    if (!caller.systemAdmin) throw notFound('Organization');
    return this.organizations.idOf(slug);
  }

  private async ownerOf(caller: Caller | null, organizationId: string, named: string | undefined): Promise<Member> {
    const reference = named ?? caller?.userId;
    if (reference === undefined) throw invalid([{ path: 'owner', message: 'is missing' }]);
    if (caller !== null && named !== undefined && !isOrganizationAdmin(caller) && named !== caller.userId) {
      throw new AppError('forbidden', 'Only administrators make keys for others', { reason: 'key.others' });
    }
    const member = await this.members.find(organizationId, reference);
    if (member === null || member.disabled) {
      throw invalid([{ path: 'owner', message: 'is not an enabled member of the organization', code: 'key.owner' }]);
    }
    if (caller !== null && member.userId !== caller.userId) assertOutranks(caller, member);
    return member;
  }

  private async assertNotWider(caller: Caller | null, owner: Member, input: NewKey): Promise<void> {
    const problems: Problem[] = [];
    const add = (path: string, message: string, code?: string): void =>
      void problems.push({ path, message, ...(code === undefined ? {} : { code }) });
    if (input.scopes.includes('admin') && rankOf(owner.role) < rankOf('admin')) {
      add('scopes', `admin is wider than the role ${owner.role}`, 'key.wider');
    }
    if (input.expires_at !== undefined && !(Date.parse(input.expires_at) > Date.now())) {
      add('expires_at', 'must be a time in the future');
    }
    if (input.published_only === true && input.scopes.some((scope) => scope === 'write' || scope === 'admin')) {
      add('published_only', 'is for keys that only ask and read: leave out write and admin');
    }
    if (caller !== null) problems.push(...(await this.widened(caller, input)));
    if (problems.length > 0) throw invalid(problems, 'A key cannot be wider than what makes it');
  }

  private async widened(caller: Caller, input: NewKey): Promise<Problem[]> {
    // Administrators may name end users of their organization anyway.
    const grantable = isOrganizationAdmin(caller) ? [...caller.scopes, 'act_as'] : caller.scopes;
    const wider = input.scopes.filter((scope) => !grantable.includes(scope));
    const problems: Problem[] = wider.map((scope) => ({
      path: 'scopes',
      message: `${scope} exceeds the scopes of the credential that makes the key`,
      code: 'key.wider',
    }));
    const { assistantIds } = caller;
    if (assistantIds !== null && !(input.assistant_ids ?? [-1]).every((id) => assistantIds.includes(id))) {
      problems.push({
        path: 'assistant_ids',
        message: 'must stay within those of the credential that makes the key',
        code: 'key.wider',
      });
    }
    const ends = caller.credentialId === null ? null : await this.keys.expiryOf(caller.credentialId);
    if (ends !== null && (input.expires_at === undefined || Date.parse(input.expires_at) > ends.getTime())) {
      problems.push({
        path: 'expires_at',
        message: 'must not lie after that of the credential that makes the key',
        code: 'key.longer',
      });
    }
    return problems;
  }

  private async listed(caller: Caller, owner: string | undefined): Promise<string | null> {
    if (owner === undefined || owner === 'me' || owner === caller.userId) return caller.userId;
    if (!isOrganizationAdmin(caller))
      throw new AppError('forbidden', "Only administrators see others' keys", { reason: 'key.others' });
    if (owner === 'all') return null;
    const member = existing(await this.members.find(caller.organizationId, owner), 'Member');
    return member.userId;
  }

  private async assertOutranksOwner(caller: Caller, userId: string): Promise<void> {
    const owner = await this.members.find(caller.organizationId, userId);
    if (owner !== null) assertOutranks(caller, owner);
  }
}
