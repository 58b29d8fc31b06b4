import { invalid, isJsonObject, isUuid, type Page, type PageRequest } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth';
import { UserNames } from '../organizations';
import { type AuditFilter, type AuditItem, AuditLog } from '../infrastructure/audit';
import { AuditTargetRepository } from './audit-targets.repository';
import type { AuditFiltersDto, AuditItemDto } from './audit.dto';

/** No person or credential has this id: a filter with it finds nothing. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const distinct = (ids: readonly (string | null)[]): string[] => [
  ...new Set(ids.filter((id): id is string => id !== null && isUuid(id))),
];

/** Targets of these types are people. */
const isPerson = (type: string): boolean => type === 'member' || type === 'person';

const NAMES = ['name', 'title', 'filename', 'email', 'slug'] as const;

/** The name that an entry has of its target; null where it has none. */
function nameIn(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const name = NAMES.map((key) => value[key]).find((each) => typeof each === 'string' && each !== '');
  return typeof name === 'string' ? name : null;
}

const timeOf = (text: string | undefined): Date | undefined => (text === undefined ? undefined : new Date(text));

/** Entries as people read them: with names for ids. */
@Injectable()
export class AuditView {
  constructor(
    private readonly log: AuditLog,
    private readonly people: UserNames,
    private readonly keys: ApiKeysService,
    private readonly targets: AuditTargetRepository,
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
    const persons = items.flatMap(({ actor, target }) => [actor.user_id, isPerson(target.type) ? target.id : null]);
    const [people, keys, targets] = await Promise.all([
      this.people.of(organizationId, distinct(persons)),
      this.keys.names(organizationId, distinct(items.map(({ actor }) => actor.credential_id))),
      this.targets.names(
        organizationId,
        items.map(({ target }) => target),
      ),
    ]);
    const nameOf = ({ target: { type, id }, before, after }: AuditItem): string | null =>
      (isPerson(type) ? (people.get(id)?.name ?? people.get(id)?.email) : targets.get(`${type} ${id}`)) ??
      nameIn(after) ??
      nameIn(before);
    return items.map((item) => {
      const { kind, user_id, credential_id } = item.actor;
      const person = user_id === null ? undefined : people.get(user_id);
      const credential_name = credential_id === null ? null : (keys.get(credential_id) ?? null);
      const { name = null, email = null } = person ?? {};
      const target = { ...item.target, name: nameOf(item) };
      return { ...item, target, actor: { kind, user_id, name, email, credential_id, credential_name } };
    });
  }
}
