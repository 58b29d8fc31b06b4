import { Injectable } from '@nestjs/common';
import { invalid, type Principal, type Problem } from '../kernel';
import { OrganizationsService } from '../organizations';
import { metadataProblems, storedDefinition } from './definition';
import { type CheckResult, DefinitionChecks } from './diagnostics/definition-checks';
import { assertFeatures, assertPublishable, assertSavable, errorsOf } from './save-rules';
import type { Definition } from './storage/assistant.repository';

/** What a definition must pass before it is stored or published; judged with the rights of its owner. */
@Injectable()
export class DefinitionGate {
  constructor(
    private readonly checks: DefinitionChecks,
    private readonly organizations: OrganizationsService,
  ) {}

  check(definition: Definition, owner: Principal, assistantId: number | null): Promise<CheckResult> {
    const subject = { owner, assistantId, definition: storedDefinition(definition), templatePath: 'prompt_template' };
    return this.checks.check(subject);
  }

  /** What `assertSavable` would list. */
  async problems(definition: Definition, owner: Principal, assistantId: number | null): Promise<readonly Problem[]> {
    const unreadable = metadataProblems(definition.metadata);
    return unreadable.length > 0
      ? unreadable
      : errorsOf((await this.check(definition, owner, assistantId)).diagnostics);
  }

  /** @throws {AppError} `validation_failed`, `not_found` (references) or `feature_disabled`. */
  async assertSavable(definition: Definition, owner: Principal, assistantId: number | null): Promise<CheckResult> {
    const problems = metadataProblems(definition.metadata);
    if (problems.length > 0) throw invalid(problems, 'The assistant is not valid');
    const result = await this.check(definition, owner, assistantId);
    assertSavable(result.diagnostics);
    assertFeatures(result.document, (await this.organizations.runtime(owner.organizationId)).features);
    return result;
  }

  /** @throws {AppError} `conflict` while it is not complete, or `feature_disabled`. */
  async assertPublishable(definition: Definition, owner: Principal, assistantId: number): Promise<void> {
    const { document, diagnostics } = await this.check(definition, owner, assistantId);
    assertPublishable(document, diagnostics, (await this.organizations.runtime(owner.organizationId)).features);
  }
}
