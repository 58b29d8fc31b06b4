import { Injectable } from '@nestjs/common';
import type { Diagnostic, DiagnosticCode } from '../definition';
import { DefinitionGate } from '../checks/definition-gate';
import { AssistantRepository } from '../storage/assistant.repository';

/** Warnings about an assistant that can do less here than at the source. */
const LOSSES: ReadonlySet<DiagnosticCode> = new Set([
  'connector.unknown',
  'connector.not_configured',
  'tool.config_incomplete',
  'collection.unlisted',
  'setting.unsupported',
]);

/** Checks imported assistants as a save would, with the rights of their owners. */
@Injectable()
export class ImportedAssistantChecks {
  constructor(
    private readonly assistants: AssistantRepository,
    private readonly gate: DefinitionGate,
  ) {}

  /** The owner's id; null for an assistant that does not exist any more. */
  async ownerOf(organizationId: string, id: number): Promise<string | null> {
    return (await this.assistants.within(organizationId).find(id))?.ownerId ?? null;
  }

  /** Errors and losses; none for an assistant that does not exist any more. */
  async findings(organizationId: string, id: number): Promise<readonly Diagnostic[]> {
    const row = await this.assistants.within(organizationId).find(id);
    if (row === null) return [];
    const { diagnostics } = await this.gate.check(row, { organizationId, userId: row.ownerId }, id);
    return diagnostics.filter(({ severity, code }) => severity === 'error' || LOSSES.has(code));
  }
}
