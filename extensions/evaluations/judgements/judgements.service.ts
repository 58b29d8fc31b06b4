import { AppError, type Caller, type Principal, isUuid, notFound, uuidv7, existing } from '@bellwether/kernel';
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { KnowledgeBasePermissions, KnowledgeBaseRepository } from '../../../src/knowledge-bases';
import type { JudgeDto, JudgementDto, JudgementListDto } from './judgement.dto';
import type { JudgementEntity } from './judgement.entity';
import { JudgementRepository } from './judgement.repository';

/** Hash of a question, ignoring white space around and in it, and case. */
const questionHash = (question: string): string =>
  createHash('sha256').update(question.trim().replace(/\s+/g, ' ').toLowerCase()).digest('hex');

/** Hash of a passage of these chunks. */
const passageHash = (chunks: readonly string[]): string => createHash('sha256').update(chunks.join(' ')).digest('hex');

export const MOST_JUDGEMENTS = 1_000;
const EXCERPT_CHARS = 400;

/** Keeps which passages answer which questions, for the owner of a knowledge base. */
@Injectable()
export class JudgementsService {
  constructor(
    private readonly permissions: KnowledgeBasePermissions,
    private readonly knowledgeBases: KnowledgeBaseRepository,
    private readonly judgements: JudgementRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  async list(principal: Principal, knowledgeBaseId: string, question: string | null): Promise<JudgementListDto> {
    const { id, organizationId } = await this.permissions.owned(principal, knowledgeBaseId);
    const hash = question === null ? null : questionHash(question);
    const rows = await this.judgements.within(organizationId).all(id, hash, MOST_JUDGEMENTS);
    return { items: rows.map(toDto) };
  }

  /** A second judgement of the same passage for the same question replaces the first. @throws {AppError} `not_found`, `conflict` */
  async judge(caller: Caller, knowledgeBaseId: string, body: JudgeDto): Promise<JudgementDto> {
    const { id: kb, organizationId } = await this.permissions.owned(caller, knowledgeBaseId);
    const { question, document_id: documentId, start, end, right } = body;
    return this.transactions.run(async (tx) => {
      const scope = this.judgements.within(organizationId, tx);
      const found = await scope.chunksAt(kb, { documentId, start, end });
      const [first] = found;
      if (first === undefined) throw notFound('Passage');
      // The row lock makes the look-up, the count and the insert of one knowledge base follow each other.
      await this.knowledgeBases.within(organizationId, tx).lock(kb);
      const chunks = found.map(({ hash }) => hash);
      const key = { questionHash: questionHash(question), passageHash: passageHash(chunks) };
      const known = await scope.findOf(kb, key.questionHash, key.passageHash);
      if (known?.isRight === right) return toDto(known);
      const id = known?.id ?? uuidv7();
      if (known === null) {
        if ((await scope.count(kb)) >= MOST_JUDGEMENTS) throw tooMany();
        const excerpt = found
          .map(({ text }) => text)
          .join('\n')
          .slice(0, EXCERPT_CHARS)
          .toWellFormed();
        const values = { id, knowledgeBaseId: kb, question, ...key, chunks, isRight: right };
        await scope.insert({ ...values, filename: first.filename, excerpt });
      } else await scope.update(id, { isRight: right });
      const after = { knowledge_base_id: kb, question, right };
      await this.audit.record({ caller, action: 'judgement.set', target: { type: 'judgement', id }, after }, tx);
      const row = existing(await scope.find(id), 'Judgement');
      return toDto(row);
    });
  }

  async remove(caller: Caller, knowledgeBaseId: string, id: string): Promise<void> {
    const { id: kb, organizationId } = await this.permissions.owned(caller, knowledgeBaseId);
    await this.transactions.run(async (tx) => {
      const scope = this.judgements.within(organizationId, tx);
      const row = isUuid(id) ? await scope.findIn(kb, id) : null;
      if (row === null || !(await scope.remove(id))) throw notFound('Judgement');
      const before = { knowledge_base_id: kb, question: row.question, right: row.isRight };
      await this.audit.record({ caller, action: 'judgement.delete', target: { type: 'judgement', id }, before }, tx);
    });
  }
}

export const toDto = (row: JudgementEntity): JudgementDto => ({
  id: row.id,
  question: row.question,
  right: row.isRight,
  filename: row.filename,
  excerpt: row.excerpt,
  chunks: row.chunks,
  created_at: row.createdAt,
});

const tooMany = (): AppError =>
  new AppError('conflict', `A knowledge base keeps at most ${MOST_JUDGEMENTS} judgements: remove some first`);
