import { type Caller, isJsonObject, sameJson } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantHistory } from '../../../src/assistants';
import { presentSides } from '../what-if/present-comparison';
import { ComparedRuns } from '../what-if/what-if.service';
import { type Change, changeOf } from './result-state';
import type { TestResultEntity } from './test-result.entity';
import { TestResultRepository } from './test-result.repository';
import type { TestChangeDto, TestDiffDto } from './test-run.dto';
import type { TestRunEntity } from './test-run.entity';
import { TestRuns, presentResult, presentTestRun } from './test-runs.service';

const MOST_SIDES = 20;
const ORDER: readonly Change[] = ['worse', 'better', 'other', 'new', 'removed', 'same'];
const MEMBERS = ['system_prompt', 'prompt_template', 'metadata', 'RAG_collections', 'RAG_Top_k'] as const;

type Definition = Readonly<Record<(typeof MEMBERS)[number], unknown>>;

/** Sets two test runs side by side: which test got better, which worse, and what differed. */
@Injectable()
export class TestDiffs {
  constructor(
    private readonly testRuns: TestRuns,
    private readonly results: TestResultRepository,
    private readonly history: AssistantHistory,
    private readonly sides: ComparedRuns,
  ) {}

  /** @throws AppError `not_found`, `forbidden` */
  async between(caller: Caller, assistantId: number, earlier: string, later: string): Promise<TestDiffDto> {
    const before = await this.testRuns.find(caller, assistantId, earlier);
    const after = await this.testRuns.find(caller, assistantId, later);
    const scope = this.results.within(caller.organizationId);
    const [old, fresh] = [await scope.all(before.id), await scope.all(after.id)];
    const counts = await scope.counts([before.id, after.id]);
    const tests = pairsOf(old, fresh).map(changeIn);
    tests.sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
    await this.addSides(caller, tests);
    return {
      before: presentTestRun(before, counts),
      after: presentTestRun(after, counts),
      changed: [...(await this.changed(caller, before, after))],
      tests,
    };
  }

  private async addSides(caller: Caller, tests: readonly TestChangeDto[]): Promise<void> {
    const changed = tests.filter(({ change }) => change === 'worse' || change === 'better');
    for (const test of changed.slice(0, MOST_SIDES)) {
      const [one, other] = [test.before?.asked.at(-1), test.after?.asked.at(-1)];
      const first = await this.sides.find(caller, one?.run_id ?? null);
      test.runs = presentSides(first, await this.sides.find(caller, other?.run_id ?? null));
    }
  }

  private async changed(caller: Caller, before: TestRunEntity, after: TestRunEntity): Promise<readonly string[]> {
    if (before.assistantVersion === after.assistantVersion) return [];
    const [old, fresh] = await Promise.all(
      [before, after].map(({ assistantId, assistantVersion }) =>
        this.history.version(caller, assistantId, assistantVersion),
      ),
    );
    return old === undefined || fresh === undefined ? [] : changedMembers(old, fresh);
  }
}

type Pair = readonly [TestResultEntity | null, TestResultEntity | null];

function pairsOf(old: readonly TestResultEntity[], fresh: readonly TestResultEntity[]): readonly Pair[] {
  const known = new Map(old.map((each) => [each.testId, each]));
  const pairs = fresh.map((each): Pair => [known.get(each.testId) ?? null, each]);
  const found = new Set(fresh.map(({ testId }) => testId));
  return [...pairs, ...old.filter(({ testId }) => !found.has(testId)).map((each): Pair => [each, null])];
}

function changeIn([before, after]: Pair): TestChangeDto {
  const shown = { before: before && presentResult(before), after: after && presentResult(after) };
  const { test_id, name } = shown.after ?? shown.before ?? { test_id: '', name: '' };
  return {
    ...{ test_id, name, ...shown, runs: null },
    change: changeOf(shown.before?.state ?? null, shown.after?.state ?? null),
    same_test: before?.testVersion === after?.testVersion,
  };
}

/** Names of the members that differ; members of objects are compared one by one (`metadata.tools`). */
function changedMembers(before: Definition, after: Definition): readonly string[] {
  return MEMBERS.flatMap((member) => {
    const [old, fresh] = [before[member], after[member]];
    if (sameJson(old, fresh)) return [];
    if (!isJsonObject(old) || !isJsonObject(fresh)) return [member];
    const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])];
    return names.filter((name) => !sameJson(old[name], fresh[name])).map((name) => `${member}.${name}`);
  });
}
