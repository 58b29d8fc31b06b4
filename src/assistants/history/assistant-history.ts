import { Injectable } from '@nestjs/common';
import { definitionAnswer } from '../../definition';
import { type Caller, notFound, type Page, type PageRequest, snakeCased } from '../../kernel';
import { type RunStats, RunsService } from '../../runs';
import { AssistantLookup } from '../access/assistant-lookup';
import type { AssistantVersionEntity } from '../storage/assistant-version.entity';
import { AssistantRepository } from '../storage/assistant.repository';
import type { VersionDetailDto, VersionDto } from './history.dto';

/** Earlier definitions and statistics of an assistant, for people who may edit it. */
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
    return { ...summary(version), description: version.description, ...definitionAnswer(version) };
  }

  async stats(caller: Caller, id: number): Promise<RunStats> {
    const { row } = await this.lookup.configurable(caller, id);
    return this.runs.stats(id, row.organizationId);
  }
}

const summary = ({ version, name, type, reason, authorId, createdAt }: AssistantVersionEntity): VersionDto =>
  snakeCased({ version, name, type, reason, authorId, createdAt });
