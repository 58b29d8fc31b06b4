import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth';
import { invalid, isUuid, type Page, type PageRequest } from '../kernel';
import { PeopleNames } from '../organizations';
import { type AuditFilter, type AuditItem, AuditLog } from '../platform/audit';
import type { AuditFiltersDto, AuditItemDto } from './audit.dto';

/** No person or credential has this id: a filter with it finds nothing. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const distinct = (ids: readonly (string | null)[]): string[] => [
  ...new Set(ids.filter((id): id is string => id !== null && isUuid(id))),
];

const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

/** Entries as people read them: with names for ids. */
@Injectable()
export class AuditView {
  constructor(
    private readonly log: AuditLog,
    private readonly people: PeopleNames,
    private readonly keys: ApiKeysService,
  ) {}

  async list(organizationId: string, page: PageRequest, filters: AuditFiltersDto): Promise<Page<AuditItemDto>> {
    const found = await this.log.list(organizationId, page, await this.filterOf(filters));
    return { ...found, items: await this.named(organizationId, found.items) };
  }

  /** Everything that fits, oldest first. @throws {AppError} `validation_failed` before the first batch */
  async *batches(organizationId: string, filters: AuditFiltersDto): AsyncGenerator<readonly AuditItemDto[]> {
    const filter = await this.filterOf(filters);
    for await (const items of this.log.batches(organizationId, filter)) yield this.named(organizationId, items);
  }

  /** @throws {AppError} `validation_failed` for an empty range of time */
  async filterOf(filters: AuditFiltersDto): Promise<AuditFilter> {
    const { actor, action, target_type, target_id, from, to, request_id, ip, text } = filters;
    if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
      throw invalid([{ path: 'to', message: 'must be later than from', code: 'period.order' }]);
    }
    const given = {
      actor: actor === undefined ? undefined : await this.actorOf(actor),
      action,
      targetType: target_type,
      targetId: target_id,
      from: timeOf(from),
      to: timeOf(to),
      requestId: request_id,
      ip,
      text,
    };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }

  private async actorOf(named: string): Promise<string> {
    return named.includes('@') ? ((await this.people.idOf(named)) ?? NOBODY) : named;
  }

  private async named(organizationId: string, items: readonly AuditItem[]): Promise<AuditItemDto[]> {
    const [people, keys] = await Promise.all([
      this.people.of(organizationId, distinct(items.map(({ actor }) => actor.user_id))),
      this.keys.names(organizationId, distinct(items.map(({ actor }) => actor.credential_id))),
    ]);
    return items.map((item) => {
      const { kind, user_id, credential_id } = item.actor;
      const person = user_id === null ? undefined : people.get(user_id);
      const credential_name = credential_id === null ? null : (keys.get(credential_id) ?? null);
      const { name = null, email = null } = person ?? {};
      return { ...item, actor: { kind, user_id, name, email, credential_id, credential_name } };
    });
  }
}
