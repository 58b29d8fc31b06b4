import { Injectable } from '@nestjs/common';
import { AssistantArrivals } from '../../assistants';
import { uuidv7 } from '../../kernel';
import { type ArrivingMember, MemberArrivals } from '../../organizations';
import { RubricArrivals } from '../../rubrics';
import type { ArrivalKind, ImportOptions } from '../import.types';
import { addressOf, planPeople, type PlannedPeople } from '../reading/people';
import type { LambOrganization, LambSource } from '../source/lamb-source.types';
import { OriginBook, OriginRepository } from '../storage/origin.repository';
import { AssistantMove } from './assistant-move';
import type { MovedContent, PlannedContent } from './content';
import type { PackedFiles } from './file-luggage';
import type { ImportEntry } from './import-records';
import { type Ground, Landings } from './landings';
import { Owners } from './owners';
import { planAssistants, type PlannedAssistant } from './plan-assistants';
import { planCollections, planPromptTemplates, planRubrics } from './plan-content';
import { type Arrival, type Landing, reconcile, type Reconciled } from './reconcile';
import type { Tally } from './tally';

interface Place {
  readonly organization: LambOrganization;
  readonly source: LambSource;
  readonly book: OriginBook;
}

interface Writing {
  readonly ground: Ground;
  readonly content: PlannedContent;
  readonly packed: PackedFiles;
  readonly book: OriginBook;
  readonly options: ImportOptions;
}

/** People and what they made. */
@Injectable()
export class ContentMove {
  constructor(
    private readonly people: MemberArrivals,
    private readonly rubrics: RubricArrivals,
    private readonly assistants: AssistantArrivals,
    private readonly landings: Landings,
    private readonly assistantMove: AssistantMove,
    private readonly origins: OriginRepository,
  ) {}

  async plan(place: Place, tally: Tally): Promise<PlannedContent> {
    const { organization, source } = place;
    const own = <T extends { readonly organizationId: number }>(rows: readonly T[]): T[] =>
      rows.filter(({ organizationId }) => organizationId === organization.id);
    const assistants = own(source.assistants);
    const rubrics = own(source.rubrics);
    const templates = own(source.promptTemplates);
    const collections = own(source.collections);
    const addresses = [...assistants.filter(({ deleted }) => !deleted), ...rubrics, ...templates].map(
      ({ ownerEmail }) => addressOf(ownerEmail),
    );
    const collectors = new Set(collections.map(({ ownerUserId }) => ownerUserId));
    const collecting = source.users.filter(({ id }) => collectors.has(id)).map(({ email }) => addressOf(email));
    const people = planPeople(source, organization, new Set([...addresses, ...collecting]));
    tellPeople(people, tally);
    const members = await this.identified(people, place.book, tally);
    const ids = new Map(members.map(({ origin, value }) => [Number(origin), value.userId]));
    const owners = new Owners(people.members, source.users, ids);
    const byAddress = new Map(members.map(({ value }) => [value.email, value.userId]));
    const planned = planAssistants(assistants, owners, this.assistants, tally);
    return {
      members,
      rubrics: planRubrics(rubrics, owners, (document) => this.rubrics.problems(document), tally),
      promptTemplates: planPromptTemplates(templates, owners, tally),
      collections: planCollections(collections, owners, tally),
      assistants: planned,
      people: new Map([...people.addresses].map(([id, email]) => [id, byAddress.get(email) ?? ''])),
      shares: sharesOf(place, planned, owners, tally),
    };
  }

  async write({ ground, content, packed, book, options }: Writing, tally: Tally): Promise<MovedContent> {
    const met = new Set<string>();
    const land = async <T>(landing: Landing<T>, arrivals: readonly Arrival<T>[]): Promise<Reconciled> => {
      const reconciled = await reconcile(landing, arrivals, book, tally);
      for (const id of reconciled.ids.values()) met.add(`${landing.kind} ${id}`);
      const { organizationId, tx } = ground;
      await this.origins.save(organizationId, options.sourceName, landing.kind, reconciled.origins, tx);
      return reconciled;
    };
    const members = await land(this.landings.members(ground), content.members);
    await land(this.landings.rubrics(ground), content.rubrics);
    await land(this.landings.promptTemplates(ground), content.promptTemplates);
    await land(this.landings.collections(ground), content.collections);
    const assistants = await this.assistantMove.write({ ground, content, packed, book, options, land }, tally);
    const files = this.landings.files(ground, packed.kept);
    await land(files, packed.arrivals);
    tellGone(book, met, tally);
    return {
      ...assistants,
      entries: [...memberEntries(members, content.members), ...assistants.entries],
      used: files.used,
      replaced: files.replaced,
    };
  }

  /** Who came before is the same person, whatever their address is now; who has an account keeps it. */
  private async identified(people: PlannedPeople, book: OriginBook, tally: Tally): Promise<Arrival<ArrivingMember>[]> {
    const accounts = await this.people.people(people.members.map(({ email }) => email));
    const addresses = await this.people.addresses(book.of('member').map(({ localId }) => localId));
    return people.members.map(({ origin, email, name, role, disabled }) => {
      const known = book.find('member', String(origin))?.localId;
      const ours = known === undefined ? undefined : addresses.get(known);
      if (ours !== undefined && ours !== email) {
        const message = `goes by another address there; the account here keeps ${ours}`;
        tally.note({ kind: 'user', origin, name: email }, 'user.address_kept', message);
      }
      const userId = known ?? accounts.get(email) ?? uuidv7();
      return { origin: String(origin), name: email, value: { userId, email, name, role, disabled } };
    });
  }
}

function tellPeople({ notes, leftOut }: PlannedPeople, tally: Tally): void {
  for (const { origin, name, code, message } of notes) tally.note({ kind: 'user', origin, name }, code, message);
  for (const { origin, name, code, message } of leftOut) tally.leave({ kind: 'user', origin, name }, code, message);
}

/** Also those whose shares have all gone at the source, where they were taken over before. */
function sharesOf(
  { source, book }: Place,
  assistants: readonly PlannedAssistant[],
  owners: Owners,
  tally: Tally,
): Map<number, string[]> {
  const shares = new Map<number, string[]>();
  const planned = new Map(assistants.map((assistant) => [assistant.id, assistant]));
  for (const { id, origin } of assistants) if (book.find('share', origin) !== null) shares.set(id, []);
  for (const { assistantId, userId } of source.shares) {
    const assistant = planned.get(assistantId);
    if (assistant === undefined) continue;
    const user = owners.member(userId);
    const about = { kind: 'share' as const, origin: assistantId, name: assistant.name };
    if (user === null) tally.leave(about, 'share.nobody', `was shared with user ${userId}, who is no member`);
    else shares.set(assistantId, [...(shares.get(assistantId) ?? []), user]);
  }
  return shares;
}

const GONE: readonly ArrivalKind[] = ['assistant', 'rubric', 'prompt_template', 'collection'];

/** What came before and is not at the source any more, nor made again there, stays and is named. `met`: kinds and ids of ours. */
function tellGone(book: OriginBook, met: ReadonlySet<string>, tally: Tally): void {
  for (const kind of GONE) {
    for (const { originId, localId } of book.of(kind)) {
      if (met.has(`${kind} ${localId}`)) continue;
      const about = { kind, origin: originId, name: localId };
      tally.note(about, 'gone_at_source', 'is not to be had at the source any more');
    }
  }
}

function memberEntries({ created }: Reconciled, members: readonly Arrival<ArrivingMember>[]): ImportEntry[] {
  const fresh = new Set(created);
  return members
    .filter(({ value }) => fresh.has(value.userId))
    .map(({ value: { userId, email, name, role } }) => ({
      action: 'member.add',
      target: { type: 'member', id: userId },
      after: { email, name, role },
    }));
}
