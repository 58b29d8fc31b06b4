import { Injectable } from '@nestjs/common';
import { AuditChainEdits } from '../../infrastructure/audit';
import { Transactions } from '../../infrastructure/database';
import { ErasureRepository } from './erasure.repository';
import type { HeldErasure } from './erasure.types';
import { SubjectRepository } from './subject.repository';

/** Removes addresses, names and subjects of a person from the audit log. */
@Injectable()
export class AuditRedaction {
  constructor(
    private readonly subjects: SubjectRepository,
    private readonly requests: ErasureRepository,
    private readonly audit: AuditChainEdits,
    private readonly transactions: Transactions,
  ) {}

  /** Before the rows that hold these texts are erased. A second call counts only what the first left. */
  async run(held: HeldErasure): Promise<void> {
    const { organizationId, subjectId: userId } = held;
    const texts = await this.subjects.identity(organizationId, userId);
    const redacted = await this.audit.redactPerson({ organizationId, userId, ...texts, caller: null });
    await this.transactions.run((tx) => this.requests.count(held, 'redacted', 'audit', redacted, tx));
  }
}
