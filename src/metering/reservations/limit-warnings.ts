import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import type { CounterWarning } from './reservation.types';
import { withinOrganization } from '../../infrastructure/database';

/** Warns once per window that a rule is half used, nearly used up or used up. The counter stores the times. */
@Injectable()
export class LimitWarnings {
  private readonly logger = new Logger('Limits');

  constructor(private readonly audit: AuditLog) {}

  /** Never rejects: a run has ended and must not fail because of its warning. */
  async tell(warnings: readonly CounterWarning[]): Promise<void> {
    for (const { organizationId, ruleId, subject, percent, amount, used } of warnings) {
      const facts = { rule: ruleId, subject, percent, amount, used };
      this.logger.warn({ msg: 'a limit is nearly used up', organization_id: organizationId, ...facts });
      // Hundreds of people reach their own limits every day; the audit log records only limits that many share.
      if (subject.startsWith('person/')) continue;
      const target = { type: 'limit', id: ruleId };
      const entry = { caller: null, organizationId, action: 'limit.warning', target, after: facts };
      await withinOrganization(organizationId, () => this.audit.record(entry)).catch((error: unknown) => {
        this.logger.error({
          msg: 'the warning of a limit could not be written to the audit log',
          err: error,
          ...facts,
        });
      });
    }
  }
}
