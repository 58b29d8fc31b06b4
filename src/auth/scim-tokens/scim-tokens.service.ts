import { AppError, type Caller, isUuid, notFound, uuidv7, existing } from '@bellwether/kernel';
import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { assertOutranks, type OrganizationRequest } from '../../organizations';
import { AuditLog } from '../../infrastructure/audit';
import { Transactions } from '../../infrastructure/database';
import { hashOf } from '../api-key';
import type { CreateScimTokenDto, NewScimTokenDto, ScimTokenDto } from './scim-token.dto';
import type { ScimTokenEntity } from './scim-token.entity';
import { ScimTokenRepository } from './scim-token.repository';

const PREFIX = 'bw_scim_';
const TOKEN = /^bw_scim_[A-Za-z0-9_-]{43}$/;
/** Two directories, each with an old and a new token. */
const MOST_TOKENS = 10;

/** Credentials of directories. Owners make them: a directory adds and disables members. */
@Injectable()
export class ScimTokens {
  constructor(
    private readonly tokens: ScimTokenRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** @throws {AppError} `unauthenticated`, one answer for every reason */
  async authenticate(token: string): Promise<Caller> {
    const found = TOKEN.test(token) ? await this.tokens.use(hashOf(token)) : null;
    if (found === null) throw new AppError('unauthenticated', 'A valid credential is required');
    const { id, organizationId, organizationSlug, createdBy } = found;
    return {
      kind: 'scim',
      credentialId: id,
      organizationId,
      organizationSlug,
      userId: createdBy,
      role: 'member',
      systemAdmin: false,
      scopes: ['scim'],
      assistantIds: null,
    };
  }

  async mayLinkExisting({ organizationId, credentialId }: Caller): Promise<boolean> {
    const token = await this.tokens.within(organizationId).find(credentialId ?? '');
    return token?.linkExisting === true;
  }

  async list({ caller, organizationId }: OrganizationRequest): Promise<ScimTokenDto[]> {
    assertOutranks(caller, { role: 'owner' });
    return (await this.tokens.within(organizationId).all()).map(viewOf);
  }

  /** @throws {AppError} `forbidden`, or `conflict` when there are too many */
  async create(
    { caller, organizationId }: OrganizationRequest,
    { name, link_existing: linkExisting = false }: CreateScimTokenDto,
  ): Promise<NewScimTokenDto> {
    assertOutranks(caller, { role: 'owner' });
    const token = PREFIX + randomBytes(32).toString('base64url');
    const id = uuidv7();
    const row = await this.transactions.run(async (tx) => {
      const scope = this.tokens.within(organizationId, tx);
      if ((await scope.count()) >= MOST_TOKENS) {
        throw new AppError('conflict', `An organization has at most ${MOST_TOKENS} SCIM tokens; revoke an old one`, {
          reason: 'scim_token.too_many',
          values: { limit: MOST_TOKENS },
        });
      }
      await scope.insert({ id, name, hash: hashOf(token), linkExisting, createdBy: caller.userId });
      const target = { type: 'scim_token', id };
      const after = { name, link_existing: linkExisting };
      await this.audit.record({ caller, organizationId, action: 'scim_token.create', target, after }, tx);
      return scope.find(id);
    });
    if (row === null) throw notFound('SCIM token');
    return { ...viewOf(row), token };
  }

  async remove({ caller, organizationId }: OrganizationRequest, id: string): Promise<void> {
    assertOutranks(caller, { role: 'owner' });
    await this.transactions.run(async (tx) => {
      const scope = this.tokens.within(organizationId, tx);
      const row = existing(isUuid(id) ? await scope.find(id) : null, 'SCIM token');
      await scope.remove(id);
      const target = { type: 'scim_token', id };
      await this.audit.record(
        { caller, organizationId, action: 'scim_token.remove', target, before: { name: row.name } },
        tx,
      );
    });
  }
}

const viewOf = ({ id, name, linkExisting, createdBy, createdAt, lastUsedAt }: ScimTokenEntity): ScimTokenDto => ({
  id,
  name,
  link_existing: linkExisting,
  created_by: createdBy,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
