import { Injectable } from '@nestjs/common';
import { AssistantHistory, AssistantsService } from '../../../src/assistants';
import type { Caller } from '../../../src/kernel';
import { AuditLog } from '../../../src/infrastructure/audit';
import { Transactions } from '../../../src/infrastructure/database';
import { passes } from './gate-standing';
import type { GateDto } from './publication-gate.dto';
import { PublicationGateRepository } from './publication-gate.repository';
import { PublicationGate } from './publication-gate.service';
import type { GateSettings } from './publication-gate.types';

/** The settings of gates, and the results that decide whether a version may be published. */
@Injectable()
export class PublicationGates {
  constructor(
    private readonly gate: PublicationGate,
    private readonly gates: PublicationGateRepository,
    private readonly assistants: AssistantsService,
    private readonly history: AssistantHistory,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /** For people who edit it. @throws AppError `not_found`, `forbidden` */
  async get(caller: Caller, id: number, version?: number): Promise<GateDto> {
    const wanted = version ?? (await this.history.newest(caller, id));
    const assistant = await this.assistants.newest(caller, id);
    const standing = await this.gate.standing(caller, assistant, wanted);
    return {
      required: standing.required,
      override: standing.override,
      by_organization: standing.byOrganization,
      may_override: standing.mayOverride,
      version: wanted,
      passes: passes(standing.tests),
      tests: standing.tests.map((test) => ({ ...test })),
    };
  }

  /** For the owner and administrators. @throws AppError `not_found`, `forbidden` */
  async set(caller: Caller, id: number, settings: GateSettings): Promise<GateDto> {
    await this.assistants.assertAdministered(caller, id);
    const { organizationId } = caller;
    const found = await this.gates.find(organizationId, id);
    const before = found === null ? null : { required: found.required, override: found.override };
    await this.transactions.run(async (tx) => {
      await this.gates.save(organizationId, id, settings, tx);
      const target = { type: 'assistant', id };
      await this.audit.record({ caller, action: 'assistant.gate', target, before, after: settings }, tx);
    });
    return this.get(caller, id);
  }
}
