import { AppError, type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { MembersService } from '../../../src/organizations';
import { type TestedAssistant, TestedAssistantRepository } from './test-run.repository';
import type { TestResultDto, TestRunDto } from './test-run.dto';
import { TestRuns } from './test-runs.service';

const PAGE = 100;

/** A test run that an operator started. */
export interface OperatorTestRun {
  readonly assistant: TestedAssistant;
  readonly testRun: TestRunDto;
}

/** Test runs for operator commands. Each is that of the owner of the assistant, with the owner's limits. */
@Injectable()
export class OperatorTests {
  constructor(
    private readonly assistants: TestedAssistantRepository,
    private readonly members: MembersService,
    private readonly testRuns: TestRuns,
  ) {}

  /** null: all. @throws AppError `not_found` when none has tests */
  async start(id: number | null, organization: string | null): Promise<readonly OperatorTestRun[]> {
    const found = await this.assistants.find(id, organization);
    if (found.length === 0) throw notFound('Assistant with tests');
    const started: OperatorTestRun[] = [];
    for (const assistant of found) {
      const testRun = await this.testRuns.start(await this.ownerOf(assistant), assistant.id, {});
      started.push({ assistant, testRun });
    }
    return started;
  }

  async look({ assistant, testRun }: OperatorTestRun): Promise<OperatorTestRun> {
    return { assistant, testRun: await this.testRuns.get(await this.ownerOf(assistant), assistant.id, testRun.id) };
  }

  async cancel({ assistant, testRun }: OperatorTestRun): Promise<void> {
    await this.testRuns.cancel(await this.ownerOf(assistant), assistant.id, testRun.id);
  }

  async results({ assistant, testRun }: OperatorTestRun): Promise<readonly TestResultDto[]> {
    const owner = await this.ownerOf(assistant);
    const results: TestResultDto[] = [];
    let cursor: string | null = null;
    do {
      const page = await this.testRuns.listResults(owner, assistant.id, testRun.id, { limit: PAGE, cursor });
      results.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
    return results;
  }

  private async ownerOf({ organizationId, organizationSlug, ownerId: userId, id }: TestedAssistant): Promise<Caller> {
    const member = await this.members.find(organizationId, userId);
    if (member === null) throw new AppError('conflict', `The owner of assistant ${id} is no longer a member`);
    return {
      ...{ kind: 'token', credentialId: null, organizationId, organizationSlug, userId, role: member.role },
      ...{ systemAdmin: false, scopes: ['chat', 'read', 'write'], assistantIds: null },
    };
  }
}
