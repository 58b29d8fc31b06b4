import { AppError, type Caller, type Principal, type Problem } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../../src/assistants';
import { RubricsService } from '../../../src/rubrics';
import { ExpectationCatalogue } from '../expectations/expectation-catalogue';
import type { TestTurn } from './assistant-test.entity';

/** A test before its change; a new one had no turns. */
export interface TestChange {
  readonly caller: Caller;
  readonly assistantId: number;
  readonly before: readonly TestTurn[];
}

/**
 * A test is judged with rubrics that the owner of the assistant may read, and the reason of the judge can quote them. So
 * an editor names no rubric of the owner that the editor may not read.
 */
@Injectable()
export class RubricAccessCheck {
  constructor(
    private readonly catalogue: ExpectationCatalogue,
    private readonly assistants: AssistantsService,
    private readonly rubrics: RubricsService,
  ) {}

  /** Rubrics that the test already named stay. */
  async problems({ caller, assistantId, before }: TestChange, turns: readonly TestTurn[]): Promise<readonly Problem[]> {
    const known = new Set(this.named(before).map(({ id }) => id));
    const added = this.named(turns).filter(({ id }) => !known.has(id));
    if (added.length === 0) return [];
    const { owner } = await this.assistants.newest(caller, assistantId);
    const problems: Problem[] = [];
    for (const { path, id } of added) {
      if ((await this.reads(caller, id)) || !(await this.reads(owner, id))) continue;
      problems.push({ path, message: 'is a rubric that you cannot read' });
    }
    return problems;
  }

  private named(turns: readonly TestTurn[]): readonly { readonly path: string; readonly id: string }[] {
    return turns.flatMap(({ expectations }, turn) =>
      expectations.flatMap((each, index) =>
        [...this.catalogue.rubricsIn(each)].map(([member, id]) => ({
          path: `turns[${turn}].expectations[${index}].config.${member}`,
          id,
        })),
      ),
    );
  }

  private async reads(who: Principal, id: string): Promise<boolean> {
    try {
      await this.rubrics.get(who, id);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return false;
      throw error;
    }
  }
}
