import { noticeOf, type Principal } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { JobQueue } from '../infrastructure/jobs';
import { type RunRecord, RunsService, storable } from '../runs';
import type { AnswerEnd, Message } from './conversation-message.entity';
import { MessageRepository } from './message.repository';

/** Shorter than every retention: an answer is copied long before its run can lose its contents. */
const SWEEP_MS = 15_000;
const BATCH = 100;

const LOST: AnswerEnd = {
  status: 'failed',
  text: '',
  errorCode: 'worker_lost',
  errorDetail: 'The run of this answer is gone',
  sources: [],
  notice: null,
};

/** Copies ended answers from their runs into their conversations, when somebody reads them and in a sweep. */
@Injectable()
export class AnswerSettlement {
  constructor(
    private readonly messages: MessageRepository,
    private readonly runs: RunsService,
    jobs: JobQueue,
  ) {
    jobs.sweep(SWEEP_MS, () => this.sweep());
  }

  /** True when an answer has been settled, so that the messages must be read again. */
  async settle({ organizationId }: Pick<Principal, 'organizationId'>, messages: readonly Message[]): Promise<boolean> {
    let settled = false;
    for (const { id, runId, status } of messages) {
      if (status !== 'running' || runId === null) continue;
      settled = (await this.settleOne(organizationId, id, runId)) || settled;
    }
    return settled;
  }

  /** Settles the answers that nobody reads. */
  async sweep(): Promise<void> {
    let after: string | null = null;
    for (let count = BATCH; count === BATCH;) {
      const found = await this.messages.unsettled(after, BATCH);
      for (const { id, organizationId, runId } of found) await this.settleOne(organizationId, id, runId);
      after = found.at(-1)?.id ?? null;
      count = found.length;
    }
  }

  private async settleOne(organizationId: string, id: string, runId: string): Promise<boolean> {
    const record = await this.runs.find(organizationId, runId);
    const end = record === null ? LOST : await this.endOf(record);
    if (end === null) return false;
    await this.messages.settle(organizationId, id, end);
    return true;
  }

  /** Null while the run is going on. A failed or cancelled run keeps the text that it had by then. */
  private async endOf(record: RunRecord): Promise<AnswerEnd | null> {
    const { status, errorCode, sources, tools } = record;
    if (status === 'queued' || status === 'running') return null;
    const text = storable((await this.runs.answer(record)) ?? '');
    const failed = status === 'failed';
    return {
      status,
      text,
      errorCode: failed ? (errorCode ?? 'internal_error') : null,
      errorDetail: failed ? storable(messageOf(record)) : null,
      sources,
      notice: noticeOf(tools.flatMap(({ search }) => search ?? [])),
    };
  }
}

/** The message of the terminal event. */
function messageOf({ events }: RunRecord): string {
  const last = events.at(-1);
  return last?.type === 'run.failed' ? last.message : '';
}
