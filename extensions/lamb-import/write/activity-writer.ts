import { Injectable } from '@nestjs/common';
import { uuidv7 } from '../../../src/kernel';
import type { ImportedActivity } from '../../lti';
import type { WriteContext } from '../plan/import-context.types';
import type { SourceItem } from '../plan/plan.types';
import { ImportTargets } from './import-targets';
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
