import { Injectable } from '@nestjs/common';
import { AppError, type Caller, invalid, type Problem } from '../../kernel';
import { type Member, MembersService, OrganizationsService } from '../../organizations';
import { AssistantLookup } from '../access/assistant-lookup';
import { AssistantRecords } from '../editing/assistant-records';
import { AssistantRepository } from '../storage/assistant.repository';
import type { ShareDto, ShareViewDto } from './share.dto';

/** The people with whom an assistant is shared. */
@Injectable()
export class AssistantSharing {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly members: MembersService,
    private readonly organizations: OrganizationsService,
    private readonly records: AssistantRecords,
  ) {}

  async list(caller: Caller, id: number): Promise<ShareViewDto[]> {
    const { row } = await this.lookup.configurable(caller, id);
    const shares = await this.assistants.within(row.organizationId).shares([id]);
    const views: ShareViewDto[] = [];
    for (const { userId, access } of shares) {
      const member = await this.members.find(row.organizationId, userId);
      views.push({ user_id: userId, email: member?.email ?? null, name: member?.name ?? null, access });
    }
    return views;
  }

  /**
   * Replaces the whole list; an entry for the owner has no effect.
   * @param path name of the list in the request, for problems
   */
  async replace(caller: Caller, id: number, shares: readonly ShareDto[], path: string): Promise<ShareViewDto[]> {
    const { row } = await this.lookup.administered(caller, id);
    const { features } = await this.organizations.runtime(row.organizationId);
    if (shares.length > 0 && !features.sharing)
      throw new AppError('feature_disabled', 'Sharing is switched off in this organization');
    const found = await this.resolve(row.organizationId, shares, path);
    found.delete(row.ownerId);
    await this.records.share(
      caller,
      row,
      [...found].map(([userId, access]) => ({ userId, access })),
    );
    return this.list(caller, id);
  }

  private async resolve(
    organizationId: string,
    shares: readonly ShareDto[],
    path: string,
  ): Promise<Map<string, 'use' | 'edit'>> {
    const found = new Map<string, 'use' | 'edit'>();
    const problems: Problem[] = [];
    for (const [index, { user_id, email, access }] of shares.entries()) {
      const member: Member | null = await this.members.find(organizationId, user_id ?? email ?? '');
      if (member === null)
        problems.push({ path: `${path}[${index}]`, message: 'is not a member of this organization' });
      else found.set(member.userId, access ?? 'use');
    }
    if (problems.length > 0) throw invalid(problems);
    return found;
  }
}
