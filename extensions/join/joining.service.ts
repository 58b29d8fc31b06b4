import { AppError, type Caller, type ErrorReason, invalid, notFound, orNull, undatedUuid } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { AssistantsService } from '../../src/assistants';
import { type OpenedSession, SessionsService, type SignInContext, assertLocalSignIn, scopesOf } from '../../src/auth';
import { Transactions, withinOrganization } from '../../src/infrastructure/database';
import {
  GroupProvisioning,
  type Member,
  MemberProvisioning,
  OrganizationChanges,
  OrganizationsService,
  type ProvisionedBy,
} from '../../src/organizations';
import { readJoinCode } from './join-code';
import type { JoinOfferDto } from './join-link.dto';
import type { JoinLinkEntity } from './join-link.entity';
import { JoinLinkRepository } from './join-link.repository';
import { stateOf } from './join-links.service';

type Closed = Exclude<ReturnType<typeof stateOf>, 'open'>;

const CLOSED: Readonly<Record<Closed, readonly [reason: ErrorReason, text: string]>> = {
  revoked: ['join.revoked', 'This link was revoked: ask your teacher for a new one'],
  expired: ['join.expired', 'This link is no longer valid: ask your teacher for a new one'],
  spent: ['join.spent', 'This link has let in as many people as it may: ask your teacher for a new one'],
};

const closed = (state: Closed): AppError => {
  const [reason, text] = CLOSED[state];
  return new AppError('link_expired', text, { reason });
};

export interface JoinRequest {
  /** The code as typed. */
  readonly code: string;
  readonly name: string | undefined;
  /** Somebody who is signed in. */
  readonly caller: Caller | null;
}

export interface Joined {
  /** Null for somebody who was signed in here already. */
  readonly opened: OpenedSession | null;
  /** Path of the page that the link leads to. */
  readonly redirect: string;
}

/** Makes members of people who come by a link. */
@Injectable()
export class Newcomers {
  constructor(
    private readonly links: JoinLinkRepository,
    private readonly provisioning: MemberProvisioning,
    private readonly groups: GroupProvisioning,
    private readonly transactions: Transactions,
    private readonly changes: OrganizationChanges,
  ) {}

  /** @throws {AppError} `link_expired` when the last use has just gone to somebody else, `not_found` */
  async add(link: JoinLinkEntity, name: string): Promise<Member> {
    const by = sourceOf(link);
    const member = await this.transactions.run(async (tx) => {
      if (!(await this.provisioning.lock(link.organizationId, tx))) throw notFound('Join link');
      if (!(await this.links.use(link.id, tx))) throw closed('spent');
      // RFC 2606 §2: a name that never resolves. The address decides who somebody is, and this person proved none.
      const email = `${undatedUuid()}@join.invalid`;
      const added = await this.provisioning.add(by, { name, role: 'member', email }, tx);
      if (link.groupId !== null) await this.groups.join(by, added.userId, link.groupId, tx);
      return added;
    });
    this.changes.announce(link.organizationId);
    return member;
  }

  /** A member stays who they are, and gets into the group. */
  async welcome(link: JoinLinkEntity, { userId }: Caller): Promise<void> {
    const { groupId } = link;
    if (groupId === null) return;
    await this.transactions.run((tx) => this.groups.join(sourceOf(link), userId, groupId, tx));
    this.changes.announce(link.organizationId);
  }
}

/** The way in by a link. */
@Injectable()
export class Joining {
  constructor(
    private readonly links: JoinLinkRepository,
    private readonly organizations: OrganizationsService,
    private readonly assistants: AssistantsService,
    private readonly newcomers: Newcomers,
    private readonly sessions: SessionsService,
  ) {}

  /** Tells what a link leads to. @throws {AppError} `unauthenticated` for an unknown code, `link_expired`, `feature_disabled` */
  async offer(code: string): Promise<JoinOfferDto> {
    const link = await this.open(code);
    return withinOrganization(link.organizationId, async () => {
      const { name, slug } = await this.organizations.runtime(link.organizationId);
      const assistant = await this.nameOfAssistant(link, slug);
      return { name: link.name, organization: name, organization_slug: slug, assistant };
    });
  }

  /** @throws {AppError} like `offer`; `validation_failed` without a name */
  async join({ code, name, caller }: JoinRequest, context: SignInContext): Promise<Joined> {
    const link = await this.open(code);
    const { organizationId } = link;
    return withinOrganization(organizationId, async () => {
      const { slug } = await this.organizations.runtime(organizationId);
      // An assistant that is not published would answer that it is not there.
      const redirect = (await this.nameOfAssistant(link, slug)) === null ? '/assistants' : `/chat/${link.assistantId}`;
      if (caller?.kind === 'session' && caller.organizationId === organizationId) {
        await this.newcomers.welcome(link, caller);
        return { opened: null, redirect };
      }
      if (name === undefined) throw invalid([{ path: 'name', message: 'is missing' }]);
      const { userId, role } = await this.newcomers.add(link, name);
      const opening = { organizationId, userId, apiKeyId: null, role, scopes: scopesOf(role) };
      return { opened: await this.sessions.open(opening, context), redirect };
    });
  }

  private async open(code: string): Promise<JoinLinkEntity> {
    const link = await this.links.findByCode(readJoinCode(code));
    // Counted as a failed sign-in of the address.
    if (link === null) throw unknown();
    const state = stateOf(link);
    if (state !== 'open') throw closed(state);
    const { features } = await withinOrganization(link.organizationId, () =>
      this.organizations.runtime(link.organizationId),
    );
    assertLocalSignIn(features);
    return link;
  }

  /** Null for an assistant that a new member may not use, as it is not published. */
  private async nameOfAssistant({ organizationId, assistantId }: JoinLinkEntity, slug: string): Promise<string | null> {
    if (assistantId === null) return null;
    const anyMember: Caller = {
      kind: 'system',
      credentialId: null,
      organizationId,
      organizationSlug: slug,
      userId: undatedUuid(),
      role: 'member',
      systemAdmin: false,
      scopes: ['chat'],
      assistantIds: null,
    };
    const found = await orNull('not_found', async () => this.assistants.runnable(anyMember, assistantId));
    return found?.name ?? null;
  }
}

const unknown = (): AppError => new AppError('unauthenticated', 'Nobody has made a link with this code');

const sourceOf = ({ organizationId, id }: JoinLinkEntity): ProvisionedBy => ({ organizationId, source: `join:${id}` });
