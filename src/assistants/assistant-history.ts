import { Injectable } from '@nestjs/common';
import { collectionList, storedDefinition } from '../definition';
import { type Caller, notFound, type Page, type PageRequest } from '../kernel';
import { type RunStats, RunsService } from '../runs';
import type { VersionDetailDto, VersionDto } from './assistant-answer.dto';
import { AssistantLookup } from './access/assistant-lookup';
import type { AssistantVersionEntity } from './storage/assistant-version.entity';
import { AssistantRepository } from './storage/assistant.repository';

/** What was: earlier definitions, and how the assistant has been running. For those who may edit it. */
@Injectable()
export class AssistantHistory {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly runs: RunsService,
  ) {}

  /** Newest first, the current one included. */
  async versions(caller: Caller, id: number, request: PageRequest): Promise<Page<VersionDto>> {
    await this.lookup.configurable(caller, id);
    const page = await this.assistants.within(caller.organizationId).versions(id, request);
    return { ...page, items: page.items.map(summary) };
  }

  async version(caller: Caller, id: number, number: number): Promise<VersionDetailDto> {
    await this.lookup.configurable(caller, id);
    const version = await this.assistants.within(caller.organizationId).version(id, number);
    if (version === null) throw notFound('Version');
    return {
      ...summary(version),
      description: version.description,
      system_prompt: version.systemPrompt,
      prompt_template: version.promptTemplate,
      metadata: storedDefinition(version).metadata,
      RAG_collections: collectionList(version.ragCollections),
      RAG_Top_k: version.ragTopK,
    };
  }

  async stats(caller: Caller, id: number): Promise<RunStats> {
    const { row } = await this.lookup.configurable(caller, id);
    return this.runs.stats(id, row.organizationId);
  }
}

const summary = (version: AssistantVersionEntity): VersionDto => ({
  version: version.version,
  name: version.name,
  type: version.type,
  reason: version.reason,
  author_id: version.authorId,
  created_at: version.createdAt.toISOString(),
});
