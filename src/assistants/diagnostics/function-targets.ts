import { Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../../kernel';
import type { AssistantDocument } from '../assistant.types';
import { member, parseMetadata, readToolEntries } from '../metadata';
import { AssistantRepository } from '../storage/assistant.repository';
import { type Diagnostic, error } from './diagnostic.types';

/** Assistants that are offered as functions: within reach of the owner, not the assistant itself, not tool-using. */
@Injectable()
export class FunctionTargets {
  constructor(private readonly assistants: AssistantRepository) {}

  async check(document: AssistantDocument, owner: Principal, assistantId: number | null): Promise<Diagnostic[]> {
    const found: Diagnostic[] = [];
    for (const { path, definition } of readToolEntries(document.raw).functions) {
      if (definition.type !== 'assistant') continue;
      const at = `metadata.${path}.assistant_id`;
      const problem = await this.problemOf(definition, owner, assistantId);
      if (problem !== null) found.push(error(problem.code, at, problem.message));
    }
    return found;
  }

  private async problemOf(
    definition: JsonObject,
    owner: Principal,
    assistantId: number | null,
  ): Promise<{ code: 'tool.config_invalid' | 'tool.inaccessible' | 'tool_using_assistant'; message: string } | null> {
    const id = member(definition, 'assistant_id');
    if (!Number.isSafeInteger(id)) return { code: 'tool.config_invalid', message: 'must be the id of an assistant' };
    if (id === assistantId) return { code: 'tool_using_assistant', message: 'an assistant cannot call itself' };
    const metadata = await this.metadataOf(id as number, owner);
    if (metadata === null) return { code: 'tool.inaccessible', message: 'no such assistant' };
    return readToolEntries(metadata).functions.length > 0
      ? { code: 'tool_using_assistant', message: 'an assistant that calls functions cannot be one' }
      : null;
  }

  private async metadataOf(id: number, { organizationId, userId }: Principal): Promise<JsonObject | null> {
    const [row] = await this.assistants.within(organizationId).all({ visibleTo: userId, onlyIds: [id] });
    const parsed = parseMetadata(row?.metadata);
    return row !== undefined && parsed.ok ? parsed.metadata : null;
  }
}
