import { AppError, type Caller, isOrganizationAdmin, type Page, type PageRequest, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import type { AssistantType } from '../definition';
import { OrganizationsService } from '../../organizations';
import { type AccessFacts, accessLevel, mayAdminister, mayConfigure, usesEverything } from './assistant.permissions';
import type { AccessLevel } from './assistant.types';
import type { AssistantEntity } from '../storage/assistant.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import type { AssistantFilter } from '../storage/visible-assistants.repository';

export interface Seen {
  readonly row: AssistantEntity;
  readonly access: AccessLevel;
}

export interface AssistantQuery {
  readonly type?: AssistantType;
  readonly text?: string;
  readonly mine: boolean;
}

/** The only way from a caller to a row: missing, foreign and invisible assistants are all not found. */
@Injectable()
export class AssistantLookup {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly organizations: OrganizationsService,
  ) {}

  /** @throws {AppError} `not_found`. */
  async seen(caller: Caller, id: number): Promise<Seen> {
    return existing(await this.find(caller, id), 'Assistant');
  }

  async find(caller: AccessFacts, id: number): Promise<Seen | null> {
    const scope = this.assistants.within(caller.organizationId);
    const [row, shares, membersUseAll] = await Promise.all([
      scope.find(id),
      scope.shares.rightsOf(caller.userId, [id]),
      this.membersUseAll(caller),
    ]);
    const access = row === null ? null : accessLevel(caller, row, { share: shares.get(id), membersUseAll });
    return row === null || access === null ? null : { row, access };
  }

  /** @throws {AppError} `not_found`, or `forbidden` for those who may only use it. */
  async configurable(caller: Caller, id: number): Promise<Seen> {
    const found = await this.seen(caller, id);
    if (!mayConfigure(found.access))
      throw new AppError('forbidden', 'This assistant is shared with you for use only', {
        reason: 'assistant.use_only',
      });
    return found;
  }

  /** @throws {AppError} `not_found`, or `forbidden` for everyone but the owner and administrators. */
  async administered(caller: Caller, id: number): Promise<Seen> {
    const found = await this.seen(caller, id);
    if (!mayAdminister(caller, found.access))
      throw new AppError('forbidden', 'Only the owner or an administrator may do this', {
        reason: 'assistant.owner_only',
      });
    return found;
  }

  async page(caller: Caller, query: AssistantQuery, request: PageRequest): Promise<Page<Seen>> {
    const open = await this.membersUseAll(caller);
    const page = await this.assistants.within(caller.organizationId).page(filterOf(caller, query, open), request);
    return { ...page, items: await this.withAccess(caller, page.items, open) };
  }

  private async membersUseAll({ organizationId }: AccessFacts): Promise<boolean> {
    return (await this.organizations.runtime(organizationId)).features.members_can_use_all;
  }

  private async withAccess(caller: Caller, rows: readonly AssistantEntity[], membersUseAll: boolean): Promise<Seen[]> {
    const { shares } = this.assistants.within(caller.organizationId);
    const own = await shares.rightsOf(
      caller.userId,
      rows.map(({ id }) => id),
    );
    return rows.flatMap((row) => {
      const access = accessLevel(caller, row, { share: own.get(row.id), membersUseAll });
      return access === null ? [] : [{ row, access }];
    });
  }
}

function filterOf(caller: Caller, { type, text, mine }: AssistantQuery, open: boolean): AssistantFilter {
  return {
    visibleTo: isOrganizationAdmin(caller) || (open && usesEverything(caller)) ? null : caller.userId,
    onlyIds: caller.assistantIds,
    onlyPublished: caller.publishedOnly === true,
    ...(mine ? { ownerId: caller.userId } : {}),
    ...(type === undefined ? {} : { type }),
    ...(text === undefined || text === '' ? {} : { text }),
    ...(isOrganizationAdmin(caller) ? {} : { searcher: caller.userId }),
  };
}
