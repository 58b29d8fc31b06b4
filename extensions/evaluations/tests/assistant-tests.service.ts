import {
  AppError,
  type Caller,
  type Page,
  type PageRequest,
  type Principal,
  type Problem,
  decodeCursor,
  invalid,
  isUuid,
  notFound,
  pageOf,
  uuidv7,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../../src/assistants';
import { AuditLog, VersionedResource } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { RubricsService } from '../../../src/rubrics';
import { ExpectationCatalogue } from '../expectations/expectation-catalogue';
import type { AssistantTestDto, CreateAssistantTestDto, UpdateAssistantTestDto } from './assistant-test.dto';
import type { AssistantTestEntity, TestTurn } from './assistant-test.entity';
import { AssistantTestRepository } from './assistant-test.repository';

/** A test before its change; a new one had no turns. */
interface TestChange {
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

export const MOST_TESTS = 1_000;

/** Keeps the tests of an assistant, for people who edit it. */
@Injectable()
export class AssistantTests {
  private readonly versions: VersionedResource<AssistantTestEntity>;

  constructor(
    private readonly tests: AssistantTestRepository,
    private readonly assistants: AssistantsService,
    private readonly catalogue: ExpectationCatalogue,
    private readonly rubrics: RubricAccessCheck,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {
    this.versions = new VersionedResource(transactions, audit, {
      type: 'assistant_test',
      label: 'Test',
      within: (caller, tx) => tests.within(caller.organizationId, tx),
      assertMayChange: () => undefined,
    });
  }

  /** Oldest first. @throws AppError `not_found`, `forbidden` */
  async list(caller: Caller, assistantId: number, page: PageRequest): Promise<Page<AssistantTestDto>> {
    await this.assistants.assertConfigurable(caller, assistantId);
    const [after] = page.cursor === null ? [] : (decodeCursor(page.cursor, 1) ?? []);
    const scope = this.tests.within(caller.organizationId);
    const rows = await scope.page(assistantId, page.limit, typeof after === 'string' && isUuid(after) ? after : null);
    const found = pageOf(rows, page.limit, ({ id }) => id);
    return { ...found, items: found.items.map(present), total: await scope.count(assistantId) };
  }

  async get(caller: Caller, assistantId: number, id: string): Promise<AssistantTestDto> {
    return present(await this.find(caller, assistantId, id));
  }

  /** @throws AppError `validation_failed`, `conflict` beyond `MOST_TESTS` */
  async create(
    caller: Caller,
    assistantId: number,
    { name, turns }: CreateAssistantTestDto,
  ): Promise<AssistantTestDto> {
    await this.assistants.assertConfigurable(caller, assistantId);
    await this.assertValid({ caller, assistantId, before: [] }, turns);
    const id = await this.transactions.once('assistant_test.create', async (tx) => {
      const id = uuidv7();
      const scope = this.tests.within(caller.organizationId, tx);
      if ((await scope.count(assistantId)) >= MOST_TESTS)
        throw new AppError('conflict', `An assistant has at most ${MOST_TESTS} tests: delete some first`);
      await scope.insert({ id, assistantId, name, turns: stored(turns) });
      const after = { assistant_id: assistantId, name };
      const target = { type: 'assistant_test', id };
      await this.audit.record({ caller, action: 'assistant_test.create', target, after }, tx);
      return id;
    });
    return this.get(caller, assistantId, id);
  }

  /** Earlier results no longer count at the gate. @throws AppError `precondition_failed` for a stale version */
  async update(
    caller: Caller,
    assistantId: number,
    id: string,
    { name, turns }: UpdateAssistantTestDto,
    expected: number | null,
  ): Promise<AssistantTestDto> {
    const { turns: before } = await this.find(caller, assistantId, id);
    if (turns !== undefined) await this.assertValid({ caller, assistantId, before }, turns);
    const row = await this.versions.change({ caller, id, expected }, 'update', (before) => ({
      values: { ...(name !== undefined && { name }), ...(turns !== undefined && { turns: stored(turns) }) },
      before: { name: before.name, turns: before.turns },
      after: { name: name ?? before.name, turns: turns ?? before.turns },
    }));
    return present(row);
  }

  async remove(caller: Caller, assistantId: number, id: string, expected: number | null): Promise<void> {
    await this.find(caller, assistantId, id);
    await this.versions.remove({ caller, id, expected }, ({ name }) => ({ assistant_id: assistantId, name }));
  }

  private async find(caller: Caller, assistantId: number, id: string): Promise<AssistantTestEntity> {
    await this.assistants.assertConfigurable(caller, assistantId);
    const row = isUuid(id) ? await this.tests.within(caller.organizationId).find(id) : null;
    if (row === null || row.assistantId !== assistantId) throw notFound('Test');
    return row;
  }

  private async assertValid(change: TestChange, turns: CreateAssistantTestDto['turns']): Promise<void> {
    const problems = turns.flatMap(({ expectations }, turn) =>
      expectations.flatMap((each, index) => this.catalogue.problems(each, `turns[${turn}].expectations[${index}]`)),
    );
    if (problems.length > 0) throw invalid(problems);
    const closed = await this.rubrics.problems(change, turns);
    if (closed.length > 0) throw invalid(closed);
  }
}

const stored = (turns: CreateAssistantTestDto['turns']): TestTurn[] =>
  turns.map(({ question, expectations }) => ({
    question,
    expectations: expectations.map(({ kind, config }) => ({ kind, config })),
  }));

const present = ({ id, name, turns, version, createdAt, updatedAt }: AssistantTestEntity): AssistantTestDto => ({
  id,
  name,
  turns: turns.map(({ question, expectations }) => ({ question, expectations: [...expectations] })),
  version,
  created_at: createdAt.toISOString(),
  updated_at: updatedAt.toISOString(),
});
