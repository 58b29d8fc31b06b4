import { AppError, type Caller, isTeacher, existing } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { knowledgeBasesIn } from '../answering';
import { RECEIPT_PARTS, type SignedReceipt, withParts } from '../runs/receipts';
import { type RunRecord, RunsService } from '../runs';
import { RunAccess, type VisibleRecord } from './run-access.service';
import { RunUsers } from './run-users.service';

/** Parts about the making of the assistant and the request to the model, for readers who may see both in the run. */
const OF_AUTHORS: readonly string[] = ['settings', 'parameters', 'prompt', 'replay'];
/** Parts that askers from another organization do not get. */
const OF_ORGANIZATION: readonly string[] = ['tools', 'functions', 'passages', 'checks'];

/** Receipts with the parts that their reader may see. */
@Injectable()
export class ReceiptViews {
  constructor(
    private readonly access: RunAccess,
    private readonly people: RunUsers,
    private readonly runs: RunsService,
  ) {}

  /** @throws AppError `not_found`, also for a run without a receipt; `conflict` before the end; `secret_unavailable` */
  async of(caller: Caller, id: string): Promise<SignedReceipt> {
    const seen = await this.access.seen(caller, id);
    const { record } = seen;
    if (record.status === 'queued' || record.status === 'running')
      throw new AppError('conflict', 'A run has a receipt when it has ended', { reason: 'run.going' });
    const whole = existing(await this.runs.receipt(record), 'Receipt');
    const hidden = await this.hiddenFrom(caller, seen);
    const shown = new Set<string>(RECEIPT_PARTS.filter((name) => !hidden.has(name)));
    return { ...whole, receipt: withParts(whole.receipt, shown) };
  }

  private async hiddenFrom(caller: Caller, { record, disclosure }: VisibleRecord): Promise<ReadonlySet<string>> {
    const isOwn = record.organizationId === caller.organizationId;
    const hidden = new Set<string>();
    if (disclosure === 'none') for (const name of OF_AUTHORS) hidden.add(name);
    if (!isOwn) for (const name of OF_ORGANIZATION) hidden.add(name);
    if (!isOwn || !isTeacher(caller)) hidden.add('cost');
    if (!(await this.showsAsker(caller, record))) hidden.add('asker');
    if (disclosure === 'none' && !(await this.showsPassages(caller, record))) hidden.add('passages');
    return hidden;
  }

  /** The same rule for names as in the list of runs. */
  private async showsAsker(caller: Caller, record: RunRecord): Promise<boolean> {
    const person = (await this.people.of(caller, [record])).get(record.userId);
    return record.userId === caller.userId || (person?.pseudonym ?? null) === null;
  }

  private async showsPassages(caller: Caller, { sources }: RunRecord): Promise<boolean> {
    const shown = await this.access.withShownPassages(caller, sources);
    return knowledgeBasesIn(sources).every((id) => shown.has(id));
  }
}
