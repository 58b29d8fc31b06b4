import { isJsonObject, uuidv7 } from '@bellwether/kernel';
import type { LambSource } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import type { ImportedAssistant } from '../../../src/assistants';
import { ImportedPasswords } from '../../../src/auth';
import type { ImportedFile, StoredBytes } from '../../../src/files';
import { AuditLog, type AuditRecord } from '../../../src/infrastructure/audit';
import { type ImportTarget, batches } from '../../../src/infrastructure/database';
import { type ImportedMember, MemberImport } from '../../../src/organizations';
import { fingerprint } from '../organization-settings';
import { OriginRepository } from '../origin.repository';
import { addressOf } from '../plan/plan-organization';
import type { ImportPlan, PlannedMember, SourceItem, WriteContext } from '../plan/plan.types';
import type { ItemKind } from '../report-builder';
import { AssistantWriter } from './assistant-writer';
import type { TransferredFiles } from './file-transfer';
import { ActivityWriter, LtiWriter } from './lti-writer';
import { ImportTargets, OrganizationWriter } from './organization-writer';
import { Reconciliation } from './reconciliation';

/** Takes over passwords of the organization's members, where the operator chose so. */
@Injectable()
export class PasswordWriter {
  constructor(private readonly passwords: ImportedPasswords) {}

  async write({ userIds }: ImportPlan, { options, organizationId, report, source, tx }: WriteContext): Promise<void> {
    const { passwords } = options.choices;
    if (passwords === null) return;
    const ambiguous = addressesOfSeveral(source, passwords.hashes);
    const addresses = new Map(source.users.map(({ id, email }) => [id, addressOf(email)]));
    const hashes = new Map<string, string>();
    for (const [origin, userId] of [...userIds].sort(([one], [other]) => one - other)) {
      const hash = passwords.hashes.get(origin);
      const address = addresses.get(origin) ?? '';
      if (hash === undefined || hashes.has(userId)) continue;
      if (!ambiguous.has(address)) hashes.set(userId, hash);
      else {
        const message =
          'several users have this address and passwords of their own; none of these passwords works here';
        report.note({ kind: 'user', origin, name: address }, 'passwords.ambiguous', message);
      }
    }
    const given = [...hashes].map(([userId, hash]) => ({ userId, hash }));
    const taken = await this.passwords.take(organizationId, given, passwords.until, tx);
    if (given.length === 0) return;
    const until = passwords.until.toISOString().slice(0, 10);
    const rest = given.length - taken;
    const others = rest === 0 ? '' : `; ${rest} not, because these people signed in here before or the hash is unknown`;
    report.note(
      report.organization,
      'passwords.taken',
      `${taken} passwords work for one sign-in until ${until}${others}`,
    );
  }
}

/** Addresses, also of different organizations, whose users have different passwords. They are one person here. */
function addressesOfSeveral({ users }: LambSource, hashes: ReadonlyMap<number, string>): Set<string> {
  const first = new Map<string, string>();
  const several = new Set<string>();
  for (const { id, email } of users) {
    const [address, hash] = [addressOf(email), hashes.get(id)];
    if (hash === undefined) continue;
    if ((first.get(address) ?? hash) !== hash) several.add(address);
    first.set(address, hash);
  }
  return several;
}

interface Reconciled {
  readonly kind: ItemKind;
  readonly target: Pick<ImportTarget<unknown>, 'find'>;
  /** Ids here by origin, of the items that the source has. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Notes items of earlier imports that the source no longer has. They stay here. */
async function noteGone({ kind, target, ids }: Reconciled, context: WriteContext): Promise<void> {
  const { origins, report } = context;
  const present = new Set(ids.values());
  const gone = origins.of(kind).filter(({ localId }) => !present.has(localId));
  if (gone.length === 0) return;
  const stored = await target.find(
    context,
    gone.map(({ localId }) => localId),
  );
  for (const { originId, localId } of gone) {
    const value = stored.get(localId);
    if (value === undefined) continue;
    const item = { kind, origin: originId, name: nameOf(value) };
    const message = kind === 'assistant' ? assistantStays(localId, value) : 'it stays here';
    if (report.extendLeftOut(item, message)) continue;
    report.note(item, 'gone_at_source', `is not at the source any more; ${message}`);
  }
}

function assistantStays(id: string, value: unknown): string {
  const isPublished = isJsonObject(value) && value['published'] === true;
  return `it stays here as lamb_assistant.${id}${isPublished ? ', and stays published' : ''}`;
}

function nameOf(value: unknown): string | null {
  if (!isJsonObject(value)) return null;
  const { name, document } = value;
  const title = isJsonObject(document) ? document['title'] : undefined;
  return [name, title].find((each) => typeof each === 'string') ?? null;
}

type ImportEntry = Pick<AuditRecord, 'action' | 'target' | 'after'>;

export interface WrittenContent {
  readonly assistants: readonly {
    readonly origin: number;
    readonly id: number;
    readonly name: string;
    readonly isNew: boolean;
  }[];
  /** Bytes that a row names now. */
  readonly used: readonly StoredBytes[];
  /** Bytes that no row names any more. */
  readonly replaced: readonly StoredBytes[];
}

const AUDIT_BATCH = 200;

/** Writes an organization, its people and their content, in the order of their references. */
@Injectable()
export class ImportWriter {
  constructor(
    private readonly organizations: OrganizationWriter,
    private readonly members: MemberImport,
    private readonly targets: ImportTargets,
    private readonly assistants: AssistantWriter,
    private readonly activities: ActivityWriter,
    private readonly passwords: PasswordWriter,
    private readonly lti: LtiWriter,
    private readonly origins: OriginRepository,
    private readonly audit: AuditLog,
  ) {}

  /** null when the organization's slug is taken. */
  async write(plan: ImportPlan, files: TransferredFiles, context: WriteContext): Promise<WrittenContent | null> {
    if (!(await this.organizations.write(plan, context))) return null;
    const { targets } = this;
    const members = await this.writeMembers(plan.members, context);
    await this.passwords.write(plan, context);
    const rubrics = await reconciled('rubric', targets.rubrics, plan.rubrics, context);
    const templates = await reconciled('prompt_template', targets.promptTemplates, plan.promptTemplates, context);
    const collections = await reconciled('collection', targets.collections, plan.collections, context, collectionId);
    const assistants = await this.assistants.write(plan, files.nameOf, context);
    const shares = await this.assistants.share(plan, assistants.ids, context);
    const activities = await this.activities.write(assistants.ids, context);
    const keys = await this.lti.keys(assistants.ids, context);
    const ltiPeople = await this.lti.people(plan.userIds, context);
    const stored = await reconciled('file', targets.files, files.items, context);
    const courses = [activities, keys, ltiPeople];
    for (const { kind, links } of [members, rubrics, templates, collections, assistants, shares, stored, ...courses]) {
      await this.origins.save(context.organizationId, context.options.sourceName, kind, links, context.tx);
    }
    for (const each of [assistants, rubrics, templates, collections, ...courses]) await noteGone(each, context);
    await this.record([...members.created.map(memberEntry), ...assistantEntries(assistants)], context);
    return { assistants: assistantsOf(plan, assistants), ...bytesOf(stored) };
  }

  private async writeMembers(
    members: readonly PlannedMember[],
    context: WriteContext,
  ): Promise<Reconciliation<ImportedMember>> {
    const reconciliation = new Reconciliation('member', this.members, context);
    const matches = await reconciliation.match(members);
    const created = members.filter(({ origin }) => matches.get(origin)?.status === 'new');
    const accounts = created.map(({ name, value }) => ({ id: value.userId, email: name }));
    await this.members.addAccounts(context, accounts);
    await reconciliation.write(members, ({ value }) => value.userId);
    return reconciliation;
  }

  private async record(entries: readonly ImportEntry[], context: WriteContext): Promise<void> {
    if (!context.report.wrote) return;
    const { organization, organizationId, options, tx } = context;
    const { id, slug, name } = organization;
    const target = { type: 'organization', id: organizationId };
    const after = { source: options.sourceName, origin: id, slug, name };
    for (const batch of batches([{ action: 'organization.import', target, after }, ...entries], AUDIT_BATCH)) {
      await this.audit.recordAll(
        batch.map((entry) => ({ ...entry, caller: null, organizationId })),
        tx,
      );
    }
  }
}

const collectionId = ({ value }: ImportPlan['collections'][number]): string => value.collectionId;

async function reconciled<T>(
  kind: ItemKind,
  target: ImportTarget<T>,
  items: readonly SourceItem<T>[],
  context: WriteContext,
  idOf: (item: SourceItem<T>) => string = () => uuidv7(),
): Promise<Reconciliation<T>> {
  const reconciliation = new Reconciliation(kind, target, context);
  await reconciliation.match(items);
  await reconciliation.write(items, idOf);
  return reconciliation;
}

function assistantsOf(
  plan: ImportPlan,
  { ids, created }: Reconciliation<ImportedAssistant>,
): WrittenContent['assistants'] {
  const isNew = new Set(created.map(({ origin }) => origin));
  return plan.assistants.flatMap(({ id: origin, origin: key, name }) => {
    const id = ids.get(key);
    return id === undefined ? [] : [{ origin, id: Number(id), name, isNew: isNew.has(key) }];
  });
}

const memberEntry = ({ name: email, value: { userId, name, role } }: SourceItem<ImportedMember>): ImportEntry => ({
  action: 'member.add',
  target: { type: 'member', id: userId },
  after: { email, name, role },
});

const assistantEntries = ({ ids, created, updated }: Reconciliation<ImportedAssistant>): ImportEntry[] =>
  [...created, ...updated.map(({ item }) => item)].map(({ origin, value }) => ({
    action: 'assistant.import',
    target: { type: 'assistant', id: ids.get(origin) ?? '' },
    after: { origin, ...value, sha256: fingerprint(value) },
  }));

const bytesOf = ({ created, updated }: Reconciliation<ImportedFile>): Pick<WrittenContent, 'used' | 'replaced'> => ({
  used: [...created, ...updated.map(({ item }) => item)].map(({ value }) => value),
  replaced: updated.map(({ stored }) => stored),
});
