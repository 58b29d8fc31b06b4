import { Injectable } from '@nestjs/common';
import { AssistantRewrites, type RewriteSubject } from '../../assistants';
import { BatchItemRepository, type StoredItem } from '../batches/batch-item.repository';
import {
  type Batch,
  type BatchItem,
  MOST_LISTED,
  type TaskControl,
  type VerifyFault,
  type VerifyReport,
} from '../batches/batch.types';
import { EventLoopYield } from '../proof/yield-to-event-loop';
import { definitionHash } from './migration-planner.service';

type Finding = 'sound' | 'edited' | 'gone' | Omit<VerifyFault, 'assistantId'>;

const CHECKED = ['migrated', 'rolled_back'] as const;
const MOST_CHARACTERS = 500;

const fault = (code: string, message: string): Finding => ({
  code,
  message: message.slice(0, MOST_CHARACTERS).toWellFormed(),
});

/** Compares the documents of a batch with the stored ones, and proves its prompts again. Writes nothing. */
@Injectable()
export class BatchVerifier {
  constructor(
    private readonly items: BatchItemRepository,
    private readonly rewrites: AssistantRewrites,
  ) {}

  async run(batch: Batch, { signal, report }: TaskControl): Promise<VerifyReport> {
    const total = await this.items.count(batch.id, CHECKED);
    const counts = { checked: 0, sound: 0, edited: 0, gone: 0, faultCount: 0 };
    const faults: VerifyFault[] = [];
    const eventLoop = new EventLoopYield();
    for (let cursor = 0; !signal.aborted;) {
      report({ done: counts.checked, total: Math.max(total, counts.checked), text: 'assistants' });
      const page = await this.items.after(batch.id, CHECKED, cursor, batch.batchSize);
      const last = page.at(-1);
      if (last === undefined) break;
      const stored = await this.items.stored(
        batch.id,
        page.map(({ assistantId }) => assistantId),
      );
      for (const item of page) {
        const found = await this.examine(batch, item, stored.get(item.assistantId));
        counts.checked += 1;
        if (typeof found === 'string') counts[found] += 1;
        else counts.faultCount += 1;
        if (typeof found !== 'string' && faults.length < MOST_LISTED)
          faults.push({ assistantId: item.assistantId, ...found });
        await eventLoop.ifDue();
      }
      cursor = last.assistantId;
    }
    return { task: 'verify', at: new Date().toISOString(), ...counts, faults, complete: !signal.aborted };
  }

  private async examine(batch: Batch, item: BatchItem, stored: StoredItem | undefined): Promise<Finding> {
    return (
      historyFault(item, stored) ??
      currentFinding(item, stored) ??
      (await this.proofFault(batch, item, stored)) ??
      'sound'
    );
  }

  /** Repeats the proof of the migration with the current steps. */
  private async proofFault(batch: Batch, item: BatchItem, stored: StoredItem | undefined): Promise<Finding | null> {
    if (stored?.old == null || item.oldVersion === null) return null;
    const subject: RewriteSubject = {
      id: item.assistantId,
      organizationId: item.organizationId,
      ownerId: stored.ownerId ?? '',
      version: item.oldVersion,
      definition: stored.old,
    };
    const plan = await this.rewrites.plan(subject, batch.to);
    if (plan.status === 'refused') {
      const [first] = [
        ...plan.problems,
        ...plan.differences.map(({ input }) => ({ message: `prompt differs: ${input}` })),
      ];
      return fault('prompt.unproved', first?.message ?? 'the prompts could not be proved to be the same');
    }
    if (plan.status === 'current' || definitionHash(plan.definition) !== item.newHash)
      return fault('document.other', 'this build would write another document');
    return null;
  }
}

/** The version history must hold the old and the new document unchanged. */
function historyFault(item: BatchItem, stored: StoredItem | undefined): Finding | null {
  const sides = [
    { name: 'old', version: item.oldVersion, hash: item.oldHash, definition: stored?.old ?? null },
    { name: 'new', version: item.newVersion, hash: item.newHash, definition: stored?.new ?? null },
  ];
  for (const { name, version, hash, definition } of sides) {
    if (definition === null)
      return fault('history.missing', `the ${name} version ${version ?? '?'} is not in the history`);
    if (definitionHash(definition) !== hash)
      return fault('history.differs', `the ${name} version ${version ?? '?'} is not the one that was stored`);
  }
  return null;
}

/** Finding about the current document; null when the batch wrote it. */
function currentFinding(item: BatchItem, stored: StoredItem | undefined): Finding | null {
  if (stored?.current == null || stored.version === null) return 'gone';
  const hash = definitionHash(stored.current);
  if (item.status === 'rolled_back') return hash === item.oldHash ? null : 'edited';
  if (stored.version > (item.newVersion ?? 0)) return 'edited';
  return hash === item.newHash ? null : fault('document.differs', 'the stored document is not what the batch wrote');
}
