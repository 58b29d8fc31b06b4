import { Injectable } from '@nestjs/common';
import { AppError } from '../../kernel';
import { FileHandover } from '../../files';
import { KnowledgeBasePurge } from '../../knowledge-bases';
import { Transactions } from '../../infrastructure/database';
import { type PersonIn, PersonRowsRepository } from '../catalogue/person-rows.repository';
import { PERSON_TABLES } from '../catalogue/person-tables';
import { type OwnedContent, planContent } from './content-plan';
import { ContentRepository } from './content.repository';
import { ErasureRepository } from './erasure.repository';
import type { ContentItem, ContentPlan, ContentType, HeldErasure } from './erasure.types';

const BATCH = 500;

type RowType = Exclude<ContentType, 'files'>;
const ROW_TYPES: readonly RowType[] = [
  'assistants',
  'prompt_templates',
  'rubrics',
  'external_collections',
  'knowledge_bases',
];

const personOf = ({ organizationId, subjectId }: HeldErasure): PersonIn => ({ organizationId, userId: subjectId });
const idsOf = (type: ContentType, items: readonly ContentItem[]): string[] =>
  items.filter((item) => item.type === type).map(({ id }) => id);

/** The steps of an erasure after the person was deactivated. Each may run again after a kill. */
@Injectable()
export class ErasureSteps {
  constructor(
    private readonly requests: ErasureRepository,
    private readonly content: ContentRepository,
    private readonly rows: PersonRowsRepository,
    private readonly files: FileHandover,
    private readonly knowledgeBases: KnowledgeBasePurge,
    private readonly transactions: Transactions,
  ) {}

  /** Files before the assistants that refer to them: afterwards nothing tells which of them are needed. */
  async treatFiles(held: HeldErasure): Promise<void> {
    const from = personOf(held);
    for (const id of idsOf('files', (await this.planned(held)).handOver)) {
      const to = { organizationId: held.organizationId, userId: heirOf(held) };
      await this.files.handOver(from, to, id, (tx) => this.requests.handedOver(held, 'files', [id], tx));
    }
    await this.files.removeAll(from, (tx, count) => this.requests.count(held, 'deleted', 'files', count, tx));
  }

  /** Other content in one transaction. Knowledge bases that nobody uses are only marked here. */
  async treatContent(held: HeldErasure): Promise<void> {
    const { organizationId, subjectId: userId } = held;
    await this.transactions.run(async (tx) => {
      const plan = this.plan(held, await this.content.owned(organizationId, userId, tx));
      for (const type of ROW_TYPES) {
        const wanted = idsOf(type, plan.handOver);
        if (wanted.length > 0) {
          const people = { organizationId, userId, heirId: heirOf(held) };
          await this.requests.handedOver(held, type, await this.content.handOver(type, wanted, people, tx), tx);
        }
        const deleted = await this.content.delete(type, idsOf(type, plan.delete), organizationId, tx);
        await this.requests.count(held, 'deleted', type, deleted, tx);
      }
    });
  }

  /** Documents leave the search index in short transactions. */
  async purgeKnowledgeBases(held: HeldErasure, signal: AbortSignal): Promise<void> {
    const { organizationId } = held;
    for (const id of idsOf('knowledge_bases', (await this.planned(held)).delete)) {
      await this.requests.renew(held);
      await this.knowledgeBases.purgeNow({ organizationId, id }, signal);
    }
  }

  async treatRows(held: HeldErasure, signal: AbortSignal): Promise<void> {
    for (const table of PERSON_TABLES) {
      const { by } = table.erasure;
      if (by !== 'delete' && by !== 'anonymise' && by !== 'merge') continue;
      const treatment = by === 'delete' ? 'deleted' : 'anonymised';
      for (let treated = 1; treated > 0;) {
        signal.throwIfAborted();
        treated = await this.transactions.run(async (tx) => {
          const count = await this.rows.treat(table, personOf(held), BATCH, tx);
          await this.requests.count(held, treatment, table.kind, count, tx);
          return count;
        });
      }
    }
  }

  private async planned(held: HeldErasure): Promise<ContentPlan> {
    return this.plan(held, await this.content.owned(held.organizationId, held.subjectId));
  }

  private plan(held: HeldErasure, owned: readonly OwnedContent[]): ContentPlan {
    return planContent(owned, held.unshared);
  }
}

/** @throws {AppError} `conflict`: content was shared after the request, and nobody can take it over */
function heirOf({ heirId }: HeldErasure): string {
  if (heirId === null) throw new AppError('conflict', 'Others use content of this person, and there is no heir');
  return heirId;
}
