import { Injectable } from '@nestjs/common';
import {
  type AssistantType,
  collectionList,
  definitionOf,
  type Diagnostic,
  storedDefinition,
  withToolUse,
} from '../definition';
import type { Caller, JsonObject, Page } from '../kernel';
import { type Member, MembersService } from '../organizations';
import type { Seen } from './access/assistant-lookup';
import { mayConfigure } from './access/assistant.permissions';
import type { AccessLevel } from './assistant.types';
import { DefinitionGate } from './checks/definition-gate';

/** What whoever may use an assistant sees of it. */
export interface AssistantSummary {
  readonly id: number;
  readonly type: AssistantType;
  readonly name: string;
  readonly description: string;
  readonly owner: { readonly id: string; readonly email: string | null; readonly name: string | null };
  readonly organization: { readonly id: string; readonly slug: string };
  readonly published: boolean;
  /** Assistants of other organizations may call it. */
  readonly published_to_all: boolean;
  readonly disabled: boolean;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  readonly access: AccessLevel;
}

/** What those who may edit it see as well. `diagnostics` is left out of lists. */
export interface AssistantConfiguration extends AssistantSummary {
  readonly system_prompt: string;
  readonly prompt_template: string;
  readonly metadata: JsonObject;
  readonly RAG_collections: readonly string[];
  readonly RAG_Top_k: number;
  readonly diagnostics?: readonly Diagnostic[];
}

export type AssistantView = AssistantSummary | AssistantConfiguration;

@Injectable()
export class AssistantPresenter {
  constructor(
    private readonly members: MembersService,
    private readonly gate: DefinitionGate,
  ) {}

  async one(caller: Caller, seen: Seen): Promise<AssistantView> {
    const { row, access } = seen;
    const owner = await this.members.find(row.organizationId, row.ownerId);
    if (!mayConfigure(access)) return summary(caller, seen, owner);
    const { diagnostics } = await this.gate.check(
      definitionOf(row),
      { organizationId: row.organizationId, userId: row.ownerId },
      row.id,
    );
    return { ...configuration(caller, seen, owner), diagnostics };
  }

  async page(caller: Caller, page: Page<Seen>): Promise<Page<AssistantView>> {
    const owners = new Map<string, Member | null>();
    for (const { row } of page.items)
      if (!owners.has(row.ownerId)) owners.set(row.ownerId, await this.members.find(row.organizationId, row.ownerId));
    const items = page.items.map((seen) => {
      const owner = owners.get(seen.row.ownerId) ?? null;
      return mayConfigure(seen.access) ? configuration(caller, seen, owner) : summary(caller, seen, owner);
    });
    return { ...page, items };
  }
}

function summary(caller: Caller, { row, access }: Seen, owner: Member | null): AssistantSummary {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    description: row.description,
    owner: { id: row.ownerId, email: owner?.email ?? null, name: owner?.name ?? null },
    organization: { id: row.organizationId, slug: caller.organizationSlug },
    published: row.published,
    published_to_all: row.publishedToAll,
    disabled: row.disabled,
    version: row.version,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    access,
  };
}

function configuration(caller: Caller, seen: Seen, owner: Member | null): AssistantConfiguration {
  const { row } = seen;
  return {
    ...summary(caller, seen, owner),
    system_prompt: row.systemPrompt,
    prompt_template: row.promptTemplate,
    metadata: withToolUse(storedDefinition(row).metadata),
    RAG_collections: collectionList(row.ragCollections),
    RAG_Top_k: row.ragTopK,
  };
}
