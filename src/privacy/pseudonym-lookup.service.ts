import { AppError, type Caller, notFound } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { OrganizationsService, VendorPseudonyms } from '../organizations';
import { AuditLog } from '../infrastructure/audit';
import type { ErasurePersonDto } from './privacy.dto';
import { SubjectRepository } from './erasure/subject.repository';
import { AskersRepository } from './askers.repository';

/** Finds the person behind a pseudonym that a vendor reports. */
@Injectable()
export class PseudonymLookup {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly pseudonyms: VendorPseudonyms,
    private readonly askers: AskersRepository,
    private readonly subjects: SubjectRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Finds the person behind a pseudonym; only owners may. The audit log records it, whether somebody was found or not.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async find(caller: Caller, slug: string, pseudonym: string): Promise<ErasurePersonDto> {
    const organizationId = await this.organizations.administered(caller, slug);
    if (caller.role !== 'owner' && !caller.systemAdmin) {
      throw new AppError('forbidden', 'Only owners of the organization may look up a pseudonym', {
        reason: 'role.owner',
      });
    }
    const wanted = pseudonym.trim().toLowerCase();
    const isMatch = (id: string): boolean => this.pseudonyms.ofUser(id, organizationId).includes(wanted);
    const userId = (await this.askers.of(organizationId)).find(isMatch) ?? null;
    const target = { type: 'pseudonym', id: wanted };
    await this.audit.record({
      caller,
      organizationId,
      action: 'pseudonym.look_up',
      target,
      after: { user_id: userId },
    });
    const subject = userId === null ? null : await this.subjects.find(organizationId, userId);
    if (subject === null) throw notFound('Person with this pseudonym');
    return { user_id: subject.userId, email: subject.email, name: subject.name };
  }
}
