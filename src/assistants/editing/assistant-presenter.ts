import { Injectable } from '@nestjs/common';
import { definitionAnswer, definitionOf, withToolUse } from '../../definition';
import { type Caller, type Page, snakeCased } from '../../kernel';
import { type Member, MembersService } from '../../organizations';
import type { Seen } from '../access/assistant-lookup';
import { mayConfigure } from '../access/assistant.permissions';
import { DefinitionGate } from '../checks/definition-gate';
import type { AssistantDto } from './assistant.dto';

@Injectable()
export class AssistantPresenter {
  constructor(
    private readonly members: MembersService,
    private readonly gate: DefinitionGate,
  ) {}

  async one(caller: Caller, seen: Seen): Promise<AssistantDto> {
    const { row, access } = seen;
    const answer = answerOf(caller, seen, await this.members.find(row.organizationId, row.ownerId));
    if (!mayConfigure(access)) return answer;
    const owner = { organizationId: row.organizationId, userId: row.ownerId };
    const { diagnostics } = await this.gate.check(definitionOf(row), owner, row.id);
    return { ...answer, diagnostics: [...diagnostics] };
  }

  /** Without diagnostics. */
  async page(caller: Caller, page: Page<Seen>): Promise<Page<AssistantDto>> {
    const owners = new Map<string, Member | null>();
    for (const { row } of page.items)
      if (!owners.has(row.ownerId)) owners.set(row.ownerId, await this.members.find(row.organizationId, row.ownerId));
    return { ...page, items: page.items.map((seen) => answerOf(caller, seen, owners.get(seen.row.ownerId) ?? null)) };
  }
}

function answerOf(caller: Caller, { row, access }: Seen, owner: Member | null): AssistantDto {
  const { published, publishedToAll, disabled, version, createdAt, updatedAt } = row;
  const summary = {
    id: row.id,
    type: row.type,
    name: row.name,
    description: row.description,
    owner: { id: row.ownerId, email: owner?.email ?? null, name: owner?.name ?? null },
    organization: { id: row.organizationId, slug: caller.organizationSlug },
    ...snakeCased({ published, publishedToAll, disabled, version, createdAt, updatedAt }),
    access,
  };
  if (!mayConfigure(access)) return summary;
  const configuration = definitionAnswer(row);
  return { ...summary, ...configuration, metadata: withToolUse(configuration.metadata) };
}
