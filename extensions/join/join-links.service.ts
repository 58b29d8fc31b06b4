import { AppError, type Caller, invalid, isOrganizationAdmin, isUuid, notFound, uuidv7 } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../src/assistants';
import { InvitableMembers } from '../../src/auth';
import { AuditLog } from '../../src/infrastructure/audit';
import { Transactions } from '../../src/infrastructure/database';
import { GroupsService, type OrganizationRequest } from '../../src/organizations';
import { newJoinCode } from './join-code';
import type { CreateJoinLinkDto, JoinLinkDto } from './join-link.dto';
import type { JoinLinkEntity } from './join-link.entity';
import { JoinLinkRepository } from './join-link.repository';

type Limits = Pick<JoinLinkEntity, 'expiresAt' | 'used' | 'uses'>;

/** Why a link lets nobody in; `open` when it does. */
export const stateOf = (link: Limits & Pick<JoinLinkEntity, 'revokedAt'>): 'revoked' | ReturnType<typeof limitOf> =>
  link.revokedAt === null ? limitOf(link) : 'revoked';

function limitOf({ expiresAt, used, uses }: Limits): 'open' | 'expired' | 'spent' {
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) return 'expired';
  return used >= uses ? 'spent' : 'open';
}

/** Join links for the teachers who make them, and for administrators. */
@Injectable()
export class JoinLinks {
  constructor(
    private readonly links: JoinLinkRepository,
    private readonly assistants: AssistantsService,
    private readonly groups: GroupsService,
    private readonly invitable: InvitableMembers,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** Administrators see all links, teachers their own. */
  async list(at: OrganizationRequest): Promise<JoinLinkDto[]> {
    const own = isOrganizationAdmin(at.caller) ? null : at.caller.userId;
    return (await this.links.list(at.organizationId, own)).map((link) => viewOf(link, at));
  }

  async get(at: OrganizationRequest, id: string): Promise<JoinLinkDto> {
    return viewOf(await this.managed(at, id), at);
  }

  /**
   * @throws {AppError} what `assertLetsIn` throws, `validation_failed` for a time that is over, `not_found` and `forbidden`
   * for an assistant or a group of others
   */
  async create(at: OrganizationRequest, input: CreateJoinLinkDto): Promise<JoinLinkDto> {
    const { caller, organizationId } = at;
    await this.invitable.assertLetsIn(at, 'member');
    await this.assertLeadsToOwn(at, input);
    const expiresAt = input.expires_at == null ? null : new Date(input.expires_at);
    if (expiresAt !== null && expiresAt.getTime() <= Date.now())
      throw invalid([{ path: 'expires_at', message: 'must be in the future' }]);
    const values = {
      id: uuidv7(),
      organizationId,
      createdBy: caller.userId,
      name: input.name,
      code: newJoinCode(),
      assistantId: input.assistant_id ?? null,
      groupId: input.group_id ?? null,
      uses: input.uses,
      expiresAt,
    };
    const link = await this.transactions.once('join_link.create', async (tx) => {
      const made = await this.links.insert(values, tx);
      const { code: _secret, organizationId: _organization, createdBy: _creator, id, ...after } = values;
      await this.record(caller, organizationId, 'create', id, tx, after);
      return made;
    });
    return viewOf(link, at);
  }

  /** People who joined stay members. */
  async revoke(at: OrganizationRequest, id: string): Promise<void> {
    await this.managed(at, id);
    await this.transactions.run(async (tx) => {
      if (await this.links.revoke(at.organizationId, id, tx))
        await this.record(at.caller, at.organizationId, 'revoke', id, tx);
    });
  }

  private async assertLeadsToOwn(
    at: OrganizationRequest,
    { assistant_id: assistantId, group_id: groupId }: CreateJoinLinkDto,
  ): Promise<void> {
    if (assistantId !== undefined) await this.assistants.assertConfigurable(at.caller, assistantId);
    if (groupId === undefined) return;
    const group = await this.groups.get(at, groupId);
    if (!group.may_manage)
      throw new AppError('forbidden', 'Only administrators and the teacher who made the group may do this', {
        reason: 'group.managers_only',
      });
  }

  private async managed({ caller, organizationId }: OrganizationRequest, id: string): Promise<JoinLinkEntity> {
    const link = isUuid(id) ? await this.links.find(organizationId, id) : null;
    if (link === null || !(isOrganizationAdmin(caller) || link.createdBy === caller.userId))
      throw notFound('Join link');
    return link;
  }

  private record(
    caller: Caller,
    organizationId: string,
    action: 'create' | 'revoke',
    id: string,
    tx: Parameters<AuditLog['record']>[1],
    after?: object,
  ): Promise<void> {
    const target = { type: 'join_link', id };
    return this.audit.record(
      { caller, organizationId, action: `join_link.${action}`, target, ...(after === undefined ? {} : { after }) },
      tx,
    );
  }
}

/** A revoked link is in no list. */
function viewOf(link: Omit<JoinLinkEntity, 'revokedAt'>, { origin }: Pick<OrganizationRequest, 'origin'>): JoinLinkDto {
  const state = limitOf(link);
  return {
    id: link.id,
    name: link.name,
    role: 'member',
    url: `${origin}/join/${link.code}`,
    code: link.code,
    assistant_id: link.assistantId,
    group_id: link.groupId,
    expires_at: link.expiresAt?.toISOString() ?? null,
    uses: link.uses,
    used: link.used,
    state,
    created_by: link.createdBy,
    created_at: link.createdAt.toISOString(),
  };
}
