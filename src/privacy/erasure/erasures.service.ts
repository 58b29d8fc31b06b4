import { AppError, type Caller, isUuid, type Page, type PageRequest, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { isUniqueViolation, Transactions } from '../../infrastructure/database';
import { JobQueue, type Queue } from '../../infrastructure/jobs';
import { ErasurePlans, type ErasureWish } from './erasure-plan.service';
import { ErasureRepository } from './erasure.repository';
import { ErasureRunner } from './erasure-runner.service';
import type { ErasureRequestEntity } from './erasure-request.entity';
import type { ErasurePlan, ErasureReport } from './erasure.types';

export type ErasureRequest = ErasureRequestEntity;

interface ErasureJob {
  readonly organizationId: string;
  readonly id: string;
}

const QUEUE: Queue<ErasureJob> = {
  name: 'person-erasure',
  concurrency: 1,
  retries: 20,
  retryDelay: 5,
  timeoutMs: 60 * 60_000,
};
const SWEEP_MS = 30_000;

/** Accepts erasures and has them run by a job. */
@Injectable()
export class Erasures {
  constructor(
    private readonly plans: ErasurePlans,
    private readonly requests: ErasureRepository,
    private readonly runner: ErasureRunner,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
    private readonly jobs: JobQueue,
  ) {
    jobs.declare(QUEUE, async ({ data, signal }) => {
      await this.runner.run(data.organizationId, data.id, signal);
    });
    jobs.sweep(SWEEP_MS, () => this.resume());
  }

  /**
   * Accepts the erasure; a job begins at once. An open request for the same person is answered as it is.
   * `caller` null is the operator. @throws {AppError} `not_found`, `conflict` with every problem
   */
  async request(caller: Caller | null, wish: ErasureWish): Promise<ErasureRequest> {
    const plan = await this.plans.plan(caller, wish);
    assertFeasible(plan);
    const request = await this.insert(caller, wish, plan);
    this.jobs.wake(QUEUE);
    return request;
  }

  /** Runs a request in this process. Null when another process works on it. */
  run(organizationId: string, id: string, signal: AbortSignal): Promise<ErasureReport | null> {
    return this.runner.run(organizationId, id, signal);
  }

  /** @throws {AppError} `not_found` */
  async get(organizationId: string, id: string): Promise<ErasureRequest> {
    return existing(isUuid(id) ? await this.requests.find(organizationId, id) : null, 'Erasure');
  }

  list(organizationId: string, page: PageRequest): Promise<Page<ErasureRequest>> {
    return this.requests.list(organizationId, page);
  }

  private async insert(
    caller: Caller | null,
    { organizationId }: ErasureWish,
    plan: ErasurePlan,
  ): Promise<ErasureRequest> {
    const { userId } = plan.subject;
    try {
      return await this.transactions.run(async (tx) => {
        const heirId = plan.heir?.userId ?? null;
        const values = { organizationId, subjectId: userId, heirId, requestedBy: caller?.userId ?? null };
        const request = await this.requests.insert({ ...values, unshared: plan.unshared }, tx);
        // The command of an operator runs the request itself; the sweep finds it when the command dies.
        if (caller !== null)
          await this.jobs.send(QUEUE, [{ key: request.id, data: { organizationId, id: request.id } }], tx);
        const target = { type: 'member', id: userId };
        const after = { erasure: request.id, heir: heirId, unshared: plan.unshared };
        await this.audit.record({ caller, organizationId, action: 'person.erase_request', target, after }, tx);
        return request;
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'erasure_requests_open_key')) throw error;
      const open = await this.requests.findOpen(organizationId, userId);
      if (open === null) throw error;
      return open;
    }
  }

  /** Requests whose job was lost, or whose operator command was killed. */
  private async resume(): Promise<void> {
    const waiting = await this.requests.waiting();
    await this.jobs.sendLost(
      QUEUE,
      waiting.map((data) => ({ key: data.id, data })),
    );
  }
}

function assertFeasible({ problems }: ErasurePlan): void {
  if (problems.length === 0) return;
  throw new AppError('conflict', 'This person cannot be erased yet', {
    problems: problems.map(({ code, message }) => ({ path: 'member', code, message })),
  });
}
