import { uuidv7 } from '@bellwether/kernel';
import type { LambKey, LambLtiPerson } from '@bellwether/lamb-reader';
import { Injectable } from '@nestjs/common';
import type { ImportedActivity, ImportedKey, ImportedPerson } from '../../lti/legacy';
import type { SourceItem, WriteContext } from '../plan/plan.types';
import { ImportTargets } from './organization-writer';
import { Reconciliation } from './reconciliation';

/** Writes the LTI activities of an organization, with the ids that their assistants have here. */
@Injectable()
export class ActivityWriter {
  constructor(private readonly targets: ImportTargets) {}

  /** `assistants`: ids here by the source's. */
  async write(
    assistants: ReadonlyMap<string, string>,
    context: WriteContext,
  ): Promise<Reconciliation<ImportedActivity>> {
    const { source, organization, report } = context;
    const items = (source.activities ?? []).flatMap((activity): SourceItem<ImportedActivity>[] => {
      if (activity.organizationId !== organization.id) return [];
      const { id, title, resourceLinkId, contextId, chatVisible: teachersRead } = activity;
      const item = { kind: 'activity' as const, origin: id, name: title === '' ? null : title };
      const assistantIds = activity.assistantIds.flatMap((there) => {
        const here = assistants.get(String(there));
        return here === undefined ? [] : [Number(here)];
      });
      if (assistantIds.length === 0) {
        report.leaveOut(item, 'activity.no_assistant', 'none of its assistants was imported');
        return [];
      }
      const lost = activity.assistantIds.length - assistantIds.length;
      if (lost > 0) report.note(item, 'activity.assistants', `${lost} of its assistants were not imported`);
      return [{ ...item, origin: String(id), value: { resourceLinkId, contextId, title, assistantIds, teachersRead } }];
    });
    const reconciliation = new Reconciliation('activity', this.targets.activities, context);
    await reconciliation.match(items);
    await reconciliation.write(items, () => uuidv7());
    return reconciliation;
  }
}

/** Writes consumer keys of LTI 1.1, and the people whom learning platforms name. LTI 1.1 stays off. */
@Injectable()
export class LtiWriter {
  constructor(private readonly targets: ImportTargets) {}

  /** `assistants`: ids here by the source's. */
  async keys(assistants: ReadonlyMap<string, string>, context: WriteContext): Promise<Reconciliation<ImportedKey>> {
    const items = (context.source.keys ?? []).flatMap((key): SourceItem<ImportedKey>[] => {
      const assistantId = Number(assistants.get(String(key.assistantId)) ?? 0) || null;
      if (!isOf(key, assistantId, context)) return [];
      const { kind, consumerKey, secret } = key;
      const origin = kind === 'assistant' ? `assistant ${key.assistantId}` : kind;
      return [{ origin, name: consumerKey, value: { kind, consumerKey, secret, assistantId } }];
    });
    const reconciliation = await this.reconciled('lti_key', this.targets.keys, items, context);
    noteKeys(items, reconciliation.created.length > 0, context);
    return reconciliation;
  }

  /** `users`: ids here by the source's. */
  people(users: ReadonlyMap<number, string>, context: WriteContext): Promise<Reconciliation<ImportedPerson>> {
    const people = (context.source.ltiPeople ?? []).filter(({ userId }) => users.has(userId));
    const named = new Map<string, Set<number>>();
    for (const person of people) named.set(keyOf(person), (named.get(keyOf(person)) ?? new Set()).add(person.userId));
    const seen = new Set<string>();
    const items = people.flatMap((person): SourceItem<ImportedPerson>[] => {
      const { id, entry, legacyUserId, email, userId } = person;
      const item = { kind: 'lti_person' as const, origin: id, name: null };
      const here = users.get(userId) ?? '';
      if (here === '') {
        context.report.leaveOut(item, 'lti_person.nobody', 'belongs to a user who was not imported');
        return [];
      }
      if ((named.get(keyOf(person))?.size ?? 0) > 1) {
        context.report.leaveOut(
          item,
          'lti_person.ambiguous',
          'is linked to several users; they get an account of their own',
        );
        return [];
      }
      if (seen.has(keyOf(person))) return [];
      seen.add(keyOf(person));
      return [{ origin: id, name: null, value: { entry, legacyUserId, email, userId: here } }];
    });
    return this.reconciled('lti_person', this.targets.ltiPeople, items, context);
  }

  private async reconciled<T>(
    kind: 'lti_key' | 'lti_person',
    target: ConstructorParameters<typeof Reconciliation<T>>[1],
    items: readonly SourceItem<T>[],
    context: WriteContext,
  ): Promise<Reconciliation<T>> {
    const reconciliation = new Reconciliation(kind, target, context);
    await reconciliation.match(items);
    await reconciliation.write(items, () => uuidv7());
    return reconciliation;
  }
}

const keyOf = ({ entry, legacyUserId }: LambLtiPerson): string => `${entry} ${legacyUserId}`;

/** One key serves the activities of all organizations: only those with activities get it. */
function isOf({ kind, organizationId }: LambKey, assistantId: number | null, context: WriteContext): boolean {
  const { id } = context.organization;
  if (kind === 'assistant') return assistantId !== null;
  return kind === 'creator' ? organizationId === id : hasActivities(context);
}

const hasActivities = ({ source, organization }: WriteContext): boolean =>
  (source.activities ?? []).some(({ organizationId }) => organizationId === organization.id);

function noteKeys(items: readonly SourceItem<ImportedKey>[], isNew: boolean, context: WriteContext): void {
  const { report } = context;
  const note = (code: 'lti.key_missing' | 'lti.off' | 'lti.secret_missing', message: string): void =>
    report.note(report.organization, code, message);
  if (hasActivities(context) && !items.some(({ value }) => value.kind === 'activity')) {
    note(
      'lti.key_missing',
      "its activities use the consumer key of LAMB's environment: add it to the settings of LTI 1.1",
    );
  }
  if (!isNew) return;
  note('lti.off', 'LTI 1.1 stays switched off until an administrator sets its last day');
  if (items.some(({ value }) => value.kind === 'assistant')) {
    note('lti.secret_missing', 'links of a single assistant need LTI_SECRET of LAMB in the settings of LTI 1.1');
  }
}
