import { type Caller, notFound, type Page, type PageRequest, snakeCased, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { definitionAnswer } from './definition';
import { MembersService } from '../organizations';
import { type RunStats, RunsService } from '../runs';
import { AssistantLookup } from './access/assistant-lookup';
import type { AssistantVersionEntity } from './storage/assistant-version.entity';
import { AssistantRepository } from './storage/assistant.repository';
import type { AssistantEntity } from './storage/assistant.entity';
import type { VersionAuthorDto, VersionDetailDto, VersionDto } from './history.dto';

/** Earlier definitions and statistics of an assistant, for people who may edit it. */
@Injectable()
export class AssistantHistory {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly runs: RunsService,
    private readonly members: MembersService,
  ) {}

  /** Newest first, the current one included. */
  async versions(caller: Caller, id: number, request: PageRequest): Promise<Page<VersionDto>> {
    const { row } = await this.lookup.configurable(caller, id);
    const page = await this.assistants.within(caller.organizationId).versions(id, request);
    return { ...page, items: await this.summaries(row, page.items) };
  }

  async version(caller: Caller, id: number, number: number): Promise<VersionDetailDto> {
    const { row } = await this.lookup.configurable(caller, id);
    const version = existing(await this.assistants.within(caller.organizationId).version(id, number), 'Version');
    const [summary] = await this.summaries(row, [version]);
    if (summary === undefined) throw notFound('Version');
    return { ...summary, description: version.description, ...definitionAnswer(version) };
  }

  /** Number of the newest version. @throws {AppError} `not_found`, `forbidden` */
  async newest(caller: Caller, id: number): Promise<number> {
    return (await this.lookup.configurable(caller, id)).row.version;
  }

  async stats(caller: Caller, id: number): Promise<RunStats> {
    const { row } = await this.lookup.configurable(caller, id);
    return this.runs.stats(id, row.organizationId);
  }

  private async summaries(
    { organizationId, liveVersion }: AssistantEntity,
    versions: readonly AssistantVersionEntity[],
  ): Promise<VersionDto[]> {
    const authors = new Map<string, VersionAuthorDto | null>();
    for (const { authorId } of versions) {
      if (authorId === null || authors.has(authorId)) continue;
      const member = await this.members.find(organizationId, authorId);
      authors.set(authorId, member === null ? null : { id: authorId, name: member.name, email: member.email });
    }
    return versions.map(({ version, name, type, reason, authorId, createdAt }) => ({
      ...snakeCased({ version, name, type, reason, authorId, createdAt }),
      author: authorId === null ? null : (authors.get(authorId) ?? null),
      live: version === liveVersion,
    }));
  }
}
