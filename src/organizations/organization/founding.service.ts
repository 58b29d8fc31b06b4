import { AppError, type Caller, invalid, uuidv7 } from '@bellwether/kernel';
import { Injectable, Logger } from '@nestjs/common';
import { AuditLog } from '../../infrastructure/audit';
import { AcrossOrganizations, type Transaction, Transactions, isUniqueViolation } from '../../infrastructure/database';
import { MemberRepository } from '../member.repository';
import { OrganizationRepository, SYSTEM_SLUG } from '../organization.repository';

/** Lower-case letters and digits with single hyphens between them; linear to match. */
export const SLUG = /^[a-z0-9](-?[a-z0-9])*$/;
const SHORTEST = 2;
const LONGEST = 63;
export const SLUG_LENGTH = { shortest: SHORTEST, longest: LONGEST } as const;

/** Checks a slug that no DTO has checked. @throws {AppError} `validation_failed` */
function assertSlug(slug: string): void {
  if (slug.length >= SHORTEST && slug.length <= LONGEST && SLUG.test(slug)) return;
  const message = `must hold ${SHORTEST} to ${LONGEST} lower-case letters, digits and single hyphens`;
  throw invalid([{ path: 'slug', message }]);
}

export interface NewOrganization {
  /** Lower-case letters, digits and single hyphens. */
  readonly slug: string;
  readonly name: string;
  /** First owner; may be added later. */
  readonly owner?: { readonly email: string; readonly name: string };
}

export interface SystemOrganization {
  readonly organizationId: string;
  readonly administratorId: string;
  /** True when this call made it. */
  readonly founded: boolean;
}

const SYSTEM_NAME = 'Default organization';
const ADMINISTRATOR = { email: 'admin@localhost', name: 'Administrator' };

/** Makes organizations: the first one at the first start, others on request. */
@Injectable()
export class FoundingService {
  constructor(
    private readonly organizations: OrganizationRepository,
    private readonly members: MemberRepository,
    private readonly transactions: Transactions,
    private readonly audit: AuditLog,
  ) {}

  /**
   * `caller` null is the operator.
   * @returns the id of the organization
   * @throws {AppError} `forbidden`, or `conflict` when the slug is taken
   */
  @AcrossOrganizations('system administration')
  async create(caller: Caller | null, { slug, name, owner }: NewOrganization): Promise<string> {
    if (caller !== null && !caller.systemAdmin) {
      throw new AppError('forbidden', 'Only system administrators make organizations', { reason: 'role.system_admin' });
    }
    assertSlug(slug);
    if (await this.organizations.isSlugTaken(slug)) throw slugTaken();
    try {
      return await this.transactions.once('organization.create', async (tx) => {
        const id = uuidv7();
        await this.organizations.insert({ id, slug, name, isSystem: false }, tx);
        if (owner !== undefined) await this.members.within(id, tx).add({ ...owner, role: 'owner' });
        const target = { type: 'organization', id };
        const after = { slug, name, ...(owner === undefined ? {} : { owner }) };
        await this.audit.record({ caller, organizationId: id, action: 'organization.create', target, after }, tx);
        return id;
      });
    } catch (error) {
      throw isUniqueViolation(error, 'organizations_slug_key') ? slugTaken() : error;
    }
  }

  /**
   * Ensures the system organization with an enabled system administrator. Serialised over all processes until the
   * transaction ends.
   */
  async ensureSystem(tx: Transaction): Promise<SystemOrganization> {
    await this.organizations.lockFounding(tx);
    const existing = await this.organizations.findSystem(tx);
    const organizationId = existing?.id ?? (await this.found(tx));
    const members = this.members.within(organizationId, tx);
    const administrator = await members.firstSystemAdmin();
    const administratorId =
      administrator?.userId ?? (await members.add({ ...ADMINISTRATOR, role: 'owner', systemAdmin: true }));
    return { organizationId, administratorId, founded: existing === null };
  }

  /** Earlier builds imported an organization `default` before the first start; it keeps its slug. */
  private async found(tx: Transaction): Promise<string> {
    const id = uuidv7();
    const isFree = (await this.organizations.findBySlug(SYSTEM_SLUG, tx)) === null;
    const after = { slug: isFree ? SYSTEM_SLUG : `system-${id.slice(-12)}`, name: SYSTEM_NAME };
    if (!isFree) {
      new Logger('Bootstrap').warn(
        `The slug ${SYSTEM_SLUG} is in use; the service's own organization is ${after.slug}`,
      );
    }
    await this.organizations.insert({ id, ...after, isSystem: true }, tx);
    const target = { type: 'organization', id };
    await this.audit.record({ caller: null, organizationId: id, action: 'organization.create', target, after }, tx);
    return id;
  }
}

function slugTaken(): AppError {
  const problems = [{ path: 'slug', message: 'is taken', code: 'value.taken' }];
  return new AppError('conflict', 'An organization with this slug exists', { problems });
}
