import { AppError, type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantLookup, type Seen } from '../access/assistant-lookup';
import { AssistantRecords } from '../editing/assistant-records';
import { AssistantRepository } from '../storage/assistant.repository';

/** Switches an assistant off and on, and publishes it to other organizations. */
@Injectable()
export class AssistantStatusService {
  constructor(
    private readonly lookup: AssistantLookup,
    private readonly assistants: AssistantRepository,
    private readonly records: AssistantRecords,
  ) {}

  /**
   * Switches an assistant off or on; only the owner and administrators may. @throws {AppError} `not_found`,
   * `forbidden`.
   */
  async disable(caller: Caller, id: number, disabled: boolean): Promise<Seen> {
    const { row } = await this.lookup.administered(caller, id);
    if (row.disabled !== disabled)
      await this.records.setFlag(caller, row, 'disabled', disabled, disabled ? 'disable' : 'enable');
    return this.lookup.seen(caller, id);
  }

  /**
   * Publishes to all organizations; only system administrators may, in any organization. The owner must have published
   * it there.
   * @throws {AppError} `not_found`, `conflict`
   */
  async publishToAll(caller: Caller, id: number, toAll: boolean): Promise<void> {
    const organizationId = await this.assistants.organizationOf(id);
    const row = organizationId === null ? null : await this.assistants.within(organizationId).find(id);
    if (row === null) throw notFound('Assistant');
    if (row.publishedToAll === toAll) return;
    const verb = toAll ? 'publish_to_all' : 'unpublish_from_all';
    if (!(await this.records.setFlag(caller, row, 'publishedToAll', toAll, verb)))
      throw new AppError('conflict', 'Its owner has not published it', { reason: 'assistant.not_published' });
  }
}
