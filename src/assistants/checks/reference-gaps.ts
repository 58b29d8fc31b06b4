import { type JsonObject, type Principal, isAssistantId, isJsonObject } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { type ConfigGap, FunctionCatalogue, ToolCatalogue } from '../../tools';
import { assistantReferences, toolUse } from '../assistant-tools/assistant-references';
import { CallTargets } from '../assistant-tools/call-targets';
import {
  type AssistantDocument,
  type ConfigReference,
  type Diagnostic,
  configReferences,
  error,
  member,
  parseMetadata,
  warning,
} from '../definition';
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

/** A reference that a person may not read, with its place in the definition. */
interface Unreadable {
  readonly path: string;
  readonly message: string;
}

/** A value that a tool reads, with its place in the definition. */
export interface ReadValue {
  readonly path: string;
  /** The kind of thing that the value names: `x-reference`, or else the tool. */
  readonly kind: unknown;
  readonly value: unknown;
}

/** Missing and unreadable references of configs, for tools and functions alike. */
@Injectable()
export class ReferenceGaps {
  constructor(
    private readonly tools: ToolCatalogue,
    private readonly functions: FunctionCatalogue,
  ) {}

  /** Empty for unknown tools and for configs with problems. */
  of({ kind, tool, config }: ConfigReference, reader: Principal): Promise<readonly ConfigGap[]> {
    return (kind === 'function' ? this.functions : this.tools).gaps(tool, config, reader);
  }

  /** Canonical name; functions have a prefix of their own. */
  nameOf({ kind, tool }: ConfigReference): string {
    if (kind === 'pipeline') return this.tools.canonicalName(tool);
    return `function ${this.functions.find(tool)?.definition.name ?? tool}`;
  }

  schemaOf({ kind, tool }: ConfigReference): JsonObject {
    return (kind === 'function' ? this.functions : this.tools).find(tool)?.definition.config_schema ?? {};
  }

  /** The values of the settings that the tool declares. Nothing reads other members of a config. */
  values(reference: ConfigReference): ReadValue[] {
    const properties = member(this.schemaOf(reference), 'properties');
    if (!isJsonObject(properties)) return [];
    return Object.entries(properties).flatMap(([setting, schema]) => {
      const kind = kindOf(schema) ?? this.nameOf(reference);
      const value = member(reference.config, setting);
      return Array.isArray(value)
        ? value.map((each: unknown, index) => ({ path: reference.at(`${setting}[${index}]`), kind, value: each }))
        : [{ path: reference.at(setting), kind, value }];
    });
  }
}

/**
 * An assistant reads with its owner's rights. An editor could therefore add a reference to private content of the owner
 * and ask for it. So a new reference is bound only within the editor's own reach.
 */
@Injectable()
export class EditorReferenceCheck {
  constructor(
    private readonly gaps: ReferenceGaps,
    private readonly targets: AssistantTargets,
  ) {}

  async unreadable(document: AssistantDocument, editor: Principal): Promise<Unreadable[]> {
    const found: Unreadable[] = [];
    for (const reference of configReferences(document)) {
      const gaps = (await this.gaps.of(reference, editor)).filter(({ code }) => code === 'tool.inaccessible');
      const judged = gaps.map(({ path, message }) => ({ path: reference.at(path), message }));
      const messages = new Map([...judged, ...this.files(reference)].map(({ path, message }) => [path, message]));
      for (const [path, message] of messages) found.push({ path, message });
    }
    for (const { code, path, message } of await this.targets.check(document, editor, null))
      if (code === 'tool.inaccessible') found.push({ path, message });
    return found;
  }

  /** A file belongs to its owner alone: the same path of the editor is another file. */
  private files(reference: ConfigReference): Unreadable[] {
    return this.gaps.values(reference).flatMap(({ path, kind, value }) => {
      const named = typeof value === 'string' && value !== '';
      return named && kind === 'file' ? [{ path, message: `file ${value} is not accessible` }] : [];
    });
  }
}

const kindOf = (schema: unknown): unknown =>
  isJsonObject(schema) ? (schema['x-reference'] ?? kindOf(schema['items'])) : undefined;
