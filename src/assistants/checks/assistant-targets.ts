import { isAssistantId, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type AssistantDocument, type Diagnostic, error, parseMetadata, warning } from '../definition';
import { assistantReferences, toolUse } from '../assistant-tools/assistant-references';
import { CallTargets } from '../assistant-tools/call-targets';
import { AssistantRepository } from '../storage/assistant.repository';

/** Checks at save the assistants that a definition calls, and the assistants that call it. */
@Injectable()
export class AssistantTargets {
  constructor(
    private readonly targets: CallTargets,
    private readonly assistants: AssistantRepository,
  ) {}

  /** Checks every target with the rights of `owner`; `enabled` says whether its tool runs. */
  async check(
    document: AssistantDocument,
    owner: Principal,
    assistantId: number | null,
  ): Promise<(Diagnostic & { readonly enabled: boolean })[]> {
    const references = assistantReferences(document.raw).filter(({ id }) => isAssistantId(id));
    if (references.length === 0) return [];
    const problems = await this.targets.problems(
      owner,
      assistantId,
      references.map(({ id }) => id as number),
    );
    return references.flatMap(({ path, enabled }, position) => {
      const problem = problems[position] ?? null;
      if (problem === null) return [];
      const say = problem.code === 'tool.degraded' ? warning : error;
      return [{ ...say(problem.code, path, problem.message, problem.values), enabled }];
    });
  }

  /**
   * An assistant that another one of its owner calls cannot get functions. Callers of other owners do not block the
   * save: their calls are refused when they are made.
   */
  async callers(document: AssistantDocument, owner: Principal, assistantId: number | null): Promise<Diagnostic[]> {
    const use = toolUse(document.raw);
    if (use === null || assistantId === null) return [];
    const rows = await this.assistants.within(owner.organizationId).mentioning(owner.userId, assistantId);
    const calls = rows.some(({ metadata }) => {
      const parsed = parseMetadata(metadata);
      return parsed.ok && assistantReferences(parsed.metadata).some(({ id }) => id === assistantId);
    });
    if (!calls) return [];
    const message = 'another assistant of the same owner calls this one, which therefore cannot call anything itself';
    return [error('tool_using_assistant', use, message)];
  }
}
