import { Injectable } from '@nestjs/common';
import {
  type AssistantDocument,
  checkNumber,
  checkShape,
  checkStrategy,
  checkTemplate,
  checkTools,
  configReferences,
  type Diagnostic,
  error,
  normaliseDocument,
  type PlaceholderState,
  reasonOf,
  type StoredDefinition,
  warning,
} from '../../definition';
import type { Principal } from '../../kernel';
import { AssistantTargets } from './assistant-targets';
import { CatalogueRules } from '../running/catalogue-rules';
import { EditorReach } from './editor-reach';
import { FunctionChecks } from './function-checks';
import { ModelChecks } from './model-checks';
import { ReferenceGaps } from './reference-gaps';

export interface CheckSubject {
  /** Content is checked with these rights, whoever edits. */
  readonly owner: Principal;
  /** null while the assistant does not exist yet. */
  readonly assistantId: number | null;
  readonly definition: StoredDefinition;
  /** Name of the template in the request: `prompt_template` or `template`. */
  readonly templatePath: string;
  /** An edit by another person than the owner, and the definition before it. */
  readonly edit?: { readonly by: Principal; readonly before: StoredDefinition };
}

export interface CheckResult {
  readonly document: AssistantDocument;
  readonly diagnostics: readonly Diagnostic[];
  readonly placeholders: readonly PlaceholderState[];
}

/** All checks of a definition: its shape, its tools, its template and its references. */
@Injectable()
export class DefinitionChecks {
  constructor(
    private readonly rules: CatalogueRules,
    private readonly functions: FunctionChecks,
    private readonly models: ModelChecks,
    private readonly gaps: ReferenceGaps,
    private readonly targets: AssistantTargets,
    private readonly reach: EditorReach,
  ) {}

  async check({ owner, assistantId, definition, templatePath, edit }: CheckSubject): Promise<CheckResult> {
    const document = normaliseDocument(definition, this.rules);
    const crowd = checkNumber(definition.metadata);
    if (crowd.length > 0) return { document, placeholders: [], diagnostics: crowd };
    const references = [
      ...(await this.references(document, owner)),
      ...(await this.targets.check(document, owner, assistantId)),
      ...(await this.targets.callers(document, owner, assistantId)),
    ];
    const template = checkTemplate(definition.promptTemplate, templatePath, document, this.rules);
    return {
      document,
      placeholders: template.placeholders,
      diagnostics: [
        ...checkShape(definition.metadata),
        ...checkStrategy(definition.metadata, this.rules),
        ...checkTools(definition.metadata, this.rules),
        ...(await this.functions.check(document, owner)),
        ...references,
        ...(await this.beyondEditor(document, references, edit)),
        ...(await this.models.check(document, owner)),
        ...template.diagnostics,
      ],
    };
  }

  /** Sequential: a check of many tools must not take every database connection. */
  private async references(document: AssistantDocument, owner: Principal): Promise<Diagnostic[]> {
    const found: Diagnostic[] = [];
    for (const reference of configReferences(document)) {
      const { tool, config, checked, at } = reference;
      if (!checked)
        for (const problem of this.rules.configProblems(tool, config))
          found.push(error('tool.config_invalid', at(problem.path), problem.message, reasonOf(problem)));
      for (const { path, message, code, values } of await this.gaps.of(reference, owner)) {
        const say = code === 'tool.inaccessible' ? error : warning;
        found.push(say(code, at(path), message, values));
      }
    }
    return found;
  }

  private async beyondEditor(
    document: AssistantDocument,
    told: readonly Diagnostic[],
    edit: CheckSubject['edit'],
  ): Promise<Diagnostic[]> {
    if (edit === undefined) return [];
    const before = normaliseDocument(edit.before, this.rules);
    const found = await this.reach.check(document, before, edit.by);
    return found.filter(({ path }) => !told.some((each) => each.severity === 'error' && each.path === path));
  }
}
