import { Injectable } from '@nestjs/common';
import { AppError } from '../../../src/kernel';
import { KnowledgeBaseImport } from '../../../src/knowledge-bases';
import { MembersService, OrganizationsService } from '../../../src/organizations';
import { OriginRepository } from '../storage/origin.repository';
import type { KbCollection } from './kb-tables';

/** Owner of a knowledge base here. */
export interface KbOwner {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly shared: boolean;
  /** From LAMB's registry; null when it does not list the collection. */
  readonly name: string | null;
}

/** Gets collections whose owner is unknown, by the operator's choice. */
export interface Heir {
  readonly organizationId: string;
  readonly ownerId: string;
}

/** Finds owners by what `import:lamb` has brought from LAMB's registry and users. */
@Injectable()
export class KbOwners {
  constructor(
    private readonly origins: OriginRepository,
    private readonly knowledgeBases: KnowledgeBaseImport,
    private readonly organizations: OrganizationsService,
    private readonly members: MembersService,
  ) {}

  /** Null, when neither the registry nor the server names a person who was imported, and there is no heir. */
  async of({ id, owner, isPublic }: KbCollection, source: string, heir: Heir | null): Promise<KbOwner | null> {
    for (const { organizationId, localId } of await this.origins.named(source, 'collection', String(id))) {
      const listed = await this.knowledgeBases.listed(organizationId, localId);
      if (listed !== null) return { organizationId, ownerId: listed.ownerId, shared: listed.shared, name: listed.name };
    }
    const members = await this.origins.named(source, 'member', owner);
    const [member] = members;
    // A member of several organizations does not tell which of them the collection is for.
    if (member !== undefined && members.length === 1) {
      return { organizationId: member.organizationId, ownerId: member.localId, shared: isPublic, name: null };
    }
    return heir === null ? null : { ...heir, shared: isPublic, name: null };
  }

  /** @throws {AppError} `not_found` */
  async heir(organization: string, email: string): Promise<Heir> {
    const organizationId = await this.organizations.idOf(organization);
    const member = await this.members.find(organizationId, email.trim().toLowerCase());
    if (member === null) throw new AppError('not_found', `There is no member ${email} in ${organization}`);
    return { organizationId, ownerId: member.userId };
  }
}
