import { type Caller, notFound, type Page, snakeCased } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { definitionAnswer, definitionOf, withToolUse } from '../definition';
import { type Member, MembersService } from '../../organizations';
import type { Seen } from '../access/assistant-lookup';
import { mayConfigure } from '../access/assistant.permissions';
import { SaveValidator } from '../checks/save-validator';
import { AssistantRepository } from '../storage/assistant.repository';
import type { AssistantDto } from './assistant.dto';

@Injectable()
export class AssistantPresenter {
  constructor(
    private readonly members: MembersService,
    private readonly validator: SaveValidator,
    private readonly assistants: AssistantRepository,
  ) {}

  async one(caller: Caller, given: Seen): Promise<AssistantDto> {
    const [seen] = await this.shown(given.row.organizationId, [given]);
    if (seen === undefined) throw notFound('Assistant');
    const { row, access } = seen;
    const answer = answerOf(caller, seen, await this.members.find(row.organizationId, row.ownerId));
    if (!mayConfigure(access)) return answer;
    const owner = { organizationId: row.organizationId, userId: row.ownerId };
    const { diagnostics } = await this.validator.check(definitionOf(row), owner, row.id);
    return { ...answer, diagnostics: [...diagnostics] };
  }

  /** Without diagnostics. */
  async page(caller: Caller, page: Page<Seen>): Promise<Page<AssistantDto>> {
    const ownerIds = page.items.map(({ row }) => row.ownerId);
    const owners = await this.members.findAll(caller.organizationId, ownerIds);
    const shown = await this.shown(caller.organizationId, page.items);
    return { ...page, items: shown.map((seen) => answerOf(caller, seen, owners.get(seen.row.ownerId) ?? null)) };
  }

  /** People who may only use an assistant see its live version. */
  private async shown(organizationId: string, all: readonly Seen[]): Promise<Seen[]> {
    const used = all.filter(({ access }) => !mayConfigure(access));
    const running = await this.assistants.within(organizationId).running(used.map(({ row }) => row));
    const live = new Map(running.map((row) => [row.id, row]));
    return all.flatMap(({ row, access }): Seen[] => {
      if (mayConfigure(access)) return [{ row, access }];
      const used = live.get(row.id);
      return used === undefined ? [] : [{ row: used, access }];
    });
  }
}

function answerOf(caller: Caller, { row, access }: Seen, owner: Member | null): AssistantDto {
  const { published, liveVersion, publishedToAll, disabled, version, createdAt, updatedAt } = row;
  const changedSinceLive = liveVersion !== null && liveVersion !== version;
  const summary = {
    id: row.id,
    type: row.type,
    name: row.name,
    description: row.description,
    owner: { id: row.ownerId, email: owner?.email ?? null, name: owner?.name ?? null },
    organization: { id: row.organizationId, slug: caller.organizationSlug },
    ...snakeCased({
      published,
      liveVersion,
      changedSinceLive,
      publishedToAll,
      disabled,
      version,
      createdAt,
      updatedAt,
    }),
    access,
  };
  if (!mayConfigure(access)) return summary;
  const configuration = definitionAnswer(row);
  return { ...summary, ...configuration, metadata: withToolUse(configuration.metadata) };
}
