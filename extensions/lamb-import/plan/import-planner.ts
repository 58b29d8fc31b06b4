import { undatedUuid } from '@bellwether/kernel';
import type { LambSource, LambUser } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import { AssistantImport } from '../../../src/assistants';
import { MemberImport, OrganizationImport } from '../../../src/organizations';
import { RubricImport } from '../../../src/rubrics';
import { Owners } from './owners';
import { planAssistants, planCollections, planPromptTemplates, planRubrics } from './plan-content';
import { type People, addressOf, peopleOf, planOrganization } from './plan-organization';
import type { ImportContext, ImportPlan, PlannedAssistant, PlannedMember } from './plan.types';

/** LAMB puts the number of the user before the name: `4_simple_rag`. */
const PREFIXED = /^(\d{1,15})_(?=.*\S)(.*)$/;

/** Removes the number of a user before each name where the rest is unique in the organization. */
export function withoutPrefixes(
  assistants: readonly PlannedAssistant[],
  users: readonly Pick<LambUser, 'id'>[],
): PlannedAssistant[] {
  const ids = new Set(users.map(({ id }) => String(id)));
  const stripped = assistants.map(({ value: { name } }) => {
    const [, id = '', rest = ''] = PREFIXED.exec(name) ?? [];
    return ids.has(id) ? rest : name;
  });
  const wanted = new Map<string, number>();
  for (const name of stripped) wanted.set(name, (wanted.get(name) ?? 0) + 1);
  return assistants.map((assistant, index) => {
    const name = stripped[index] ?? '';
    return wanted.get(name) === 1 ? { ...assistant, name, value: { ...assistant.value, name } } : assistant;
  });
}

const RETURNED = 'has the e-mail address of somebody who was removed here, and gets that account with what it owns';

/** Plans what one organization should become here. Reads accounts and looks up host names; writes nothing. */
@Injectable()
export class ImportPlanner {
  constructor(
    private readonly organizations: OrganizationImport,
    private readonly members: MemberImport,
    private readonly rubrics: RubricImport,
    private readonly assistants: AssistantImport,
  ) {}

  /** The slug of an organization that was imported before, which never changes. */
  slugOf(organizationId: string): Promise<string | null> {
    return this.organizations.slugOf(organizationId);
  }

  async plan(slug: string, context: ImportContext): Promise<ImportPlan> {
    const { source, options } = context;
    const values = await planOrganization(slug, this.organizations, context);
    const rows = rowsOf(context);
    const people = peopleOf(context, ownersOf(rows, source));
    const members = await this.membersOf(people, context);
    const owners = new Owners(
      people,
      new Map(members.map(({ origin, value }) => [Number(origin), value.userId])),
      context,
    );
    const all = planAssistants(rows.assistants, owners, this.assistants, context);
    const assistants = options.choices.stripPrefix ? withoutPrefixes(all, source.users) : all;
    const byAddress = new Map(members.map(({ name, value }) => [name, value.userId]));
    return {
      slug,
      values,
      members,
      rubrics: planRubrics(rows.rubrics, owners, this.rubrics, context),
      promptTemplates: planPromptTemplates(rows.promptTemplates, owners, context),
      collections: planCollections(rows.collections, owners, context),
      assistants,
      userIds: new Map([...people.addresses].map(([id, email]) => [id, byAddress.get(email) ?? ''])),
      shares: sharesOf(assistants, owners, context),
    };
  }

  /** A person of an earlier import keeps the account, even with a new address. Others are found by address. */
  private async membersOf({ all }: People, { origins, report }: ImportContext): Promise<PlannedMember[]> {
    const emails = all.map(({ email }) => email);
    const knownIds = origins.of('member').map(({ localId }) => localId);
    const byEmail = new Map((await this.members.accounts('email', emails)).map(({ id, email }) => [email, id]));
    const removed = await this.members.removed([...byEmail.values()]);
    const byId = new Map((await this.members.accounts('id', knownIds)).map(({ id, email }) => [id, email]));
    return all.map(({ origin, email, name, role, disabled }) => {
      const known = origins.find('member', String(origin))?.localId;
      const kept = known === undefined ? undefined : byId.get(known);
      if (kept !== undefined && kept !== email) {
        const message = `has another address at the source; the account here keeps ${kept}`;
        report.note({ kind: 'user', origin, name: email }, 'user.address_kept', message);
      }
      const met = known === undefined ? byEmail.get(email) : undefined;
      if (met !== undefined && removed.has(met)) {
        report.note({ kind: 'user', origin, name: email }, 'user.returned', RETURNED);
      }
      const userId = known ?? met ?? undatedUuid();
      return { origin: String(origin), name: email, value: { userId, name, role, disabled } };
    });
  }
}

type OwnedRows = Pick<LambSource, 'assistants' | 'rubrics' | 'promptTemplates' | 'collections'>;

function rowsOf({ source, organization }: ImportContext): OwnedRows {
  const own = <T extends { readonly organizationId: number }>(rows: readonly T[]): T[] =>
    rows.filter(({ organizationId }) => organizationId === organization.id);
  return {
    assistants: own(source.assistants),
    rubrics: own(source.rubrics),
    promptTemplates: own(source.promptTemplates),
    collections: own(source.collections),
  };
}

/** Lower-case addresses of everybody who owns one of the rows. */
function ownersOf(
  { assistants, rubrics, promptTemplates, collections }: OwnedRows,
  { users }: LambSource,
): Set<string> {
  const owned = [...assistants.filter(({ deleted }) => !deleted), ...rubrics, ...promptTemplates];
  const collectors = new Set(collections.map(({ ownerUserId }) => ownerUserId));
  const emails = users.filter(({ id }) => collectors.has(id)).map(({ email }) => email);
  return new Set([...owned.map(({ ownerEmail }) => ownerEmail), ...emails].map(addressOf));
}

function sharesOf(
  assistants: readonly PlannedAssistant[],
  owners: Owners,
  { source, report }: ImportContext,
): Map<number, string[]> {
  const shares = new Map<number, string[]>();
  const planned = new Map(assistants.map((assistant) => [assistant.id, assistant]));
  for (const { assistantId, userId } of source.shares) {
    const assistant = planned.get(assistantId);
    if (assistant === undefined) continue;
    const user = owners.member(userId);
    const item = { kind: 'share' as const, origin: assistantId, name: assistant.name };
    if (user === null) report.leaveOut(item, 'share.nobody', `was shared with user ${userId}, who is no member`);
    else if (user !== assistant.value.ownerId) shares.set(assistantId, [...(shares.get(assistantId) ?? []), user]);
  }
  return shares;
}
