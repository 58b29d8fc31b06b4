import { Injectable } from '@nestjs/common';
import { boundDefinition, type Definition, metadataProblems, errorsOf } from '../../definition';
import { AppError, invalid, type Principal, type Problem } from '../../kernel';
import { OrganizationsService } from '../../organizations';
import { type CheckResult, DefinitionChecks } from './definition-checks';
import { AssistantCompiler } from '../running/assistant-compiler';
import { assertFeatures } from '../running/required-features';
import { assertPublishable, assertSavable } from './save-rules';

export interface Edit {
  readonly by: Principal;
  readonly before: Definition;
}

/** Checks a definition with the rights of its owner before it is stored or published. */
@Injectable()
export class DefinitionGate {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly organizations: OrganizationsService,
    private readonly compiler: AssistantCompiler,
  ) {}

  /** As `withAutomaticTemplate`, over the installed tools. */
  withTemplate(definition: Definition, before: Definition | null = null): Definition {
    return this.compiler.withTemplate(definition, before);
  }

  /** An edit by another person than the owner may only add references within that person's reach. */
  check(definition: Definition, owner: Principal, assistantId: number | null, edit?: Edit): Promise<CheckResult> {
    const subject = { owner, assistantId, definition: boundDefinition(definition), templatePath: 'prompt_template' };
    if (edit === undefined || edit.by.userId === owner.userId) return this.checks.check(subject);
    return this.checks.check({ ...subject, edit: { by: edit.by, before: boundDefinition(edit.before) } });
  }

  /** The problems that `assertSavable` would list. */
  async problems(
    definition: Definition,
    owner: Principal,
    assistantId: number | null,
    edit?: Edit,
  ): Promise<readonly Problem[]> {
    const unreadable = metadataProblems(definition.metadata);
    return unreadable.length > 0
      ? unreadable
      : errorsOf((await this.check(definition, owner, assistantId, edit)).diagnostics);
  }

  /** @throws {AppError} `validation_failed`, `not_found` (references) or `feature_disabled`. */
  async assertSavable(
    definition: Definition,
    owner: Principal,
    assistantId: number | null,
    edit?: Edit,
  ): Promise<CheckResult> {
    const problems = metadataProblems(definition.metadata);
    if (problems.length > 0) throw invalid(problems, 'The assistant is not valid');
    const result = await this.check(definition, owner, assistantId, edit);
    assertSavable(result.diagnostics);
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
}
