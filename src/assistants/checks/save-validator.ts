import { AppError, type Principal, type Problem, invalid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService } from '../../organizations';
import { type AssistantType, type Definition, type Diagnostic, errorsOf, metadataProblems } from '../definition';
import { AssistantCompiler, assertFeatures } from '../running/assistant-compiler';
import { type CheckResult, DefinitionChecks, type Edit } from './definition-checks';

/** Codes of rules that a well-formed definition can break. */
const RULES: ReadonlySet<string> = new Set(['tool_using_assistant', 'function.duplicate']);

/** Refuses a definition with errors and lists all of them. The status depends on the codes. */
function assertSavable(diagnostics: readonly Diagnostic[]): void {
  const problems = errorsOf(diagnostics);
  if (problems.length === 0) return;
  if (problems.every(({ code }) => code !== undefined && RULES.has(code)))
    throw new AppError('definition_refused', 'The assistant breaks a rule of assistants that call functions', {
      problems,
    });
  throw invalid(problems, 'The assistant is not valid');
}

/** Warnings about tools that would fail in every run, or whose content would never reach the model. */
const NEEDED_TO_PUBLISH: ReadonlySet<string> = new Set([
  'tool.config_incomplete',
  'tool.unreadable',
  'placeholder.unused',
]);

/**
 * Publication also needs every required choice, readable files, and a slot for each tool with content. Templates of
 * classic assistants are LAMB's: an unused `{context}` is only a warning there.
 */
function assertPublishable(diagnostics: readonly Diagnostic[], type: AssistantType): void {
  const problems = diagnostics
    .filter(({ severity, code }) => severity === 'error' || NEEDED_TO_PUBLISH.has(code))
    .filter(({ code }) => type === 'multi_tool' || code !== 'placeholder.unused')
    .map(({ path, message, code }): Problem => ({ path, message, code }));
  if (problems.length > 0)
    throw new AppError('conflict', 'The assistant is not complete', { problems, reason: 'assistant.incomplete' });
}

/** Checks a definition with the rights of its owner before it is stored or published. */
@Injectable()
export class SaveValidator {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly organizations: OrganizationsService,
    private readonly compiler: AssistantCompiler,
  ) {}

  /** Applies `withAutomaticTemplate` over the installed tools. */
  withTemplate(definition: Definition, before: Definition | null = null): Definition {
    return this.compiler.withTemplate(definition, before);
  }

  /** `edit` for a save; an edit by another person than the owner binds only references within that person's reach. */
  check(definition: Definition, owner: Principal, assistantId: number | null, edit?: Edit): Promise<CheckResult> {
    return this.checks.check({ owner, assistantId, definition, templatePath: 'prompt_template', edit });
  }

  /** The problems that `assertSavable` would list. */
  async problems(
    definition: Definition,
    owner: Principal,
    assistantId: number | null,
    edit?: Edit,
  ): Promise<readonly Problem[]> {
    const unreadable = metadataProblems(definition.metadata);
    if (unreadable.length > 0) return unreadable;
    const { diagnostics } = await this.check(definition, owner, assistantId, edit);
    return errorsOf(await this.refusing(diagnostics, owner, assistantId, edit));
  }

  /** @throws {AppError} `validation_failed`, `definition_refused` or `feature_disabled`. */
  async assertSavable(
    definition: Definition,
    owner: Principal,
    assistantId: number | null,
    edit?: Edit,
  ): Promise<CheckResult> {
    const problems = metadataProblems(definition.metadata);
    if (problems.length > 0) throw invalid(problems, 'The assistant is not valid');
    const result = await this.check(definition, owner, assistantId, edit);
    assertSavable(await this.refusing(result.diagnostics, owner, assistantId, edit));
    const { features } = await this.organizations.runtime(owner.organizationId);
    assertFeatures(this.compiler.required(result.document), features);
    return result;
  }

  /** @throws {AppError} `conflict` while it is not complete, or `feature_disabled`. */
  async assertPublishable(definition: Definition, owner: Principal, assistantId: number): Promise<void> {
    const { document, diagnostics } = await this.check(definition, owner, assistantId);
    const { features } = await this.organizations.runtime(owner.organizationId);
    if (!features.publishing) throw new AppError('feature_disabled', 'Publishing is switched off in this organization');
    assertFeatures(this.compiler.required(document), features);
    assertPublishable(diagnostics, document.type);
  }

  /**
   * Drops errors that the stored definition has already. A change of another assistant may have caused them, and must
   * not block edits.
   */
  private async refusing(
    diagnostics: readonly Diagnostic[],
    owner: Principal,
    assistantId: number | null,
    edit: Edit | undefined,
  ): Promise<readonly Diagnostic[]> {
    const before = edit?.before ?? null;
    if (before === null || !diagnostics.some(({ code }) => RULES.has(code))) return diagnostics;
    const old = await this.check(before, owner, assistantId);
    const known = new Set(old.diagnostics.map(({ code, message }) => `${code} ${message}`));
    return diagnostics.filter(({ code, message }) => !RULES.has(code) || !known.has(`${code} ${message}`));
  }
}
