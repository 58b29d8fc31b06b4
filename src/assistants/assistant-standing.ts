import { Injectable } from '@nestjs/common';
import { AppError, type Caller, notFound } from '../kernel';
import { AssistantLookup, type Seen } from './access/assistant-lookup';
import { AssistantRecords } from './assistant-records';
import { AssistantRepository } from './storage/assistant.repository';

/** Whether an assistant runs at all, and whether other organizations may call it. */
@Injectable()
export class AssistantStanding {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly records: AssistantRecords,
  ) {}

  /** For the owner and administrators. @throws {AppError} `not_found`, `forbidden`. */
  async disable(caller: Caller, id: number, disabled: boolean): Promise<Seen> {
    const { row } = await this.lookup.administered(caller, id);
    if (row.disabled !== disabled) await this.records.disable(caller, row, disabled);
    return this.lookup.seen(caller, id);
  }

  /**
   * For system administrators, whatever organization the assistant is of; only what its owner has published there.
   * @throws {AppError} `not_found`, `conflict`
   */
  async publishToAll(caller: Caller, id: number, toAll: boolean): Promise<void> {
    const organizationId = await this.assistants.organizationOf(id);
    const row = organizationId === null ? null : await this.assistants.within(organizationId).find(id);
    if (row === null) throw notFound('Assistant');
    if (row.publishedToAll === toAll) return;
    if (!(await this.records.publishToAll(caller, row, toAll)))
      throw new AppError('conflict', 'Its owner has not published it');
  }
}
