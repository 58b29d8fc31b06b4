import {
  type Caller,
  type Page,
  type PageRequest,
  assertUnrestricted,
  decodeCursor,
  invalid,
  isUuid,
  notFound,
  pageOf,
  uuidv7,
  orNull,
} from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { SourceLinks } from '../../../src/knowledge-bases';
import { type RunFilter, type RunRecord, RunsService } from '../../../src/runs';
import { answerForOthers, QuestionAccessAudit, RunAccess } from '../../../src/runs-api';
import type { ReplayWish } from '../replays/replay-definition';
import { ReplayWorker, storedCaller } from './replay-worker.service';
import type { ReplayEntity } from './replay.entity';
import { ReplayRepository } from './replay.repository';
import type { ComparedRun, ReplayItem } from './what-if.types';

/** Reads runs for comparisons, with the rights of the reader. Reading those of others is audited. */
@Injectable()
export class ComparedRuns {
  constructor(
    private readonly access: RunAccess,
    private readonly runs: RunsService,
    private readonly links: SourceLinks,
    private readonly accesses: QuestionAccessAudit,
  ) {}

  /** Null for no id, and when the run is deleted or out of the reader's reach. */
  async find(caller: Caller, id: string | null): Promise<ComparedRun | null> {
    if (id === null) return null;
    return orNull('not_found', async () => {
      const { disclosure } = await this.access.seen(caller, id);
      const record = await this.runs.find(caller.organizationId, id);
      if (record === null) return null;
      await this.accesses.ofOne(caller, record);
      const recording = disclosure === 'whole' ? await this.runs.recording(record) : 'deleted';
      // The links that the model wrote carry the asker's rights.
      const answer = typeof recording === 'string' ? null : answerForOthers(recording.answer, this.links);
      return { record, status: record.status, answer };
    });
  }
}

/** Runs of one comparison. */
export const MOST_RUNS = 200;

/** Runs by id, or the newest ones that match. */
export interface RunSelection {
  readonly ids?: readonly string[];
  readonly filter?: Pick<RunFilter, 'assistantId' | 'from' | 'to'>;
  readonly last?: number;
}

export interface ComparedItem {
  readonly item: ReplayItem;
  /** Null when the run is deleted or out of the reader's reach. */
  readonly before: ComparedRun | null;
  readonly after: ComparedRun | null;
}

/** Figures of runs that both sides have, so that they can be compared. */
export interface Totals {
  readonly runs: number;
  readonly failed: number;
  readonly durationMs: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
}

export interface Comparison {
  readonly batch: ReplayEntity;
  /** Repetitions that have ended, or were refused. */
  readonly done: number;
  readonly before: Totals;
  readonly after: Totals;
}

/** Repeats many runs with changes, and compares each with its repetition. A comparison belongs to the person who asked. */
@Injectable()
export class WhatIf {
  constructor(
    private readonly replays: ReplayRepository,
    private readonly worker: ReplayWorker,
    private readonly access: RunAccess,
    private readonly sides: ComparedRuns,
    private readonly runs: RunsService,
  ) {}

  /** @throws AppError `validation_failed`, `not_found`, `forbidden` for a restricted key */
  async start(caller: Caller, selection: RunSelection, wish: ReplayWish): Promise<ReplayEntity> {
    assertUnrestricted(caller);
    const ids = selection.ids ?? (await this.newest(caller, selection));
    if (ids.length === 0) throw invalid([{ path: 'run_ids', message: 'no run matches' }]);
    const { organizationId, userId } = caller;
    const items = [...new Set(ids)].map((of): ReplayItem => ({ of, run: null, refusal: null }));
    const id = uuidv7();
    await this.worker.enqueue({ id, organizationId, userId, caller: storedCaller(caller), wish, items });
    return this.find(caller, id);
  }

  /** @throws AppError `forbidden` for a restricted key */
  async list(caller: Caller, page: PageRequest): Promise<Page<ReplayEntity>> {
    assertUnrestricted(caller);
    const { organizationId, userId } = caller;
    const [before] = page.cursor === null ? [] : (decodeCursor(page.cursor, 1) ?? []);
    const scope = this.replays.within(organizationId);
    const rows = await scope.page(userId, page.limit, typeof before === 'string' && isUuid(before) ? before : null);
    return { ...pageOf(rows, page.limit, ({ id }) => id), total: await scope.count(userId) };
  }

  /** @throws AppError `not_found` */
  async compare(caller: Caller, id: string): Promise<Comparison> {
    const batch = await this.find(caller, id);
    const { organizationId, items } = batch;
    const ids = items.flatMap(({ of, run }) => (run === null ? [] : [of, run]));
    const records = new Map((await this.runs.figures(organizationId, ids)).map((record) => [record.id, record]));
    const pairs = items.flatMap(({ of, run }) => pairOf(records.get(of), records.get(run ?? '')));
    return {
      batch,
      done: pairs.length + items.filter(({ refusal }) => refusal !== null).length,
      before: totalsOf(pairs.map(([before]) => before)),
      after: totalsOf(pairs.map(([, after]) => after)),
    };
  }

  /** `from` counts from 0. @throws AppError `not_found` */
  async items(caller: Caller, id: string, from: number, limit: number): Promise<readonly ComparedItem[]> {
    const { items } = await this.find(caller, id);
    const compared: ComparedItem[] = [];
    for (const item of items.slice(from, from + limit)) {
      const [before, after] = [await this.sides.find(caller, item.of), await this.sides.find(caller, item.run)];
      compared.push({ item, before, after });
    }
    return compared;
  }

  /** Repetitions that have ended stay. Repeating changes nothing. @throws AppError `not_found` */
  async cancel(caller: Caller, id: string): Promise<ReplayEntity> {
    await this.find(caller, id);
    await this.replays.within(caller.organizationId).cancel(id);
    return this.find(caller, id);
  }

  private async find(caller: Caller, id: string): Promise<ReplayEntity> {
    assertUnrestricted(caller);
    const { organizationId, userId } = caller;
    const batch = isUuid(id) ? await this.replays.within(organizationId).find(id) : null;
    if (batch === null || batch.userId !== userId) throw notFound('Replay');
    return batch;
  }

  /** Questions of people, without repetitions and drafts. */
  private async newest(caller: Caller, { filter = {}, last = MOST_RUNS }: RunSelection): Promise<readonly string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Page<RunRecord> = await this.access.list(caller, filter, { limit: 100, cursor });
      const questions = page.items.filter((run) => !run.draft && run.parentRunId === null && run.finishedAt !== null);
      ids.push(...questions.map(({ id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null && ids.length < last);
    return ids.slice(0, last);
  }
}

type Pair = readonly [before: RunRecord, after: RunRecord];

const pairOf = (before: RunRecord | undefined, after: RunRecord | undefined): Pair[] =>
  before === undefined || after?.finishedAt == null ? [] : [[before, after]];

const totalsOf = (records: readonly RunRecord[]): Totals => {
  const sum = (figure: (record: RunRecord) => number | null | undefined): number =>
    records.reduce((all, record) => all + (figure(record) ?? 0), 0);
  return {
    runs: records.length,
    failed: records.filter(({ status }) => status !== 'completed').length,
    durationMs: Math.round(sum(({ durationMs }) => durationMs)),
    promptTokens: sum(({ usage }) => usage?.prompt_tokens),
    completionTokens: sum(({ usage }) => usage?.completion_tokens),
    costMicros: sum(({ costMicros }) => costMicros),
  };
};
