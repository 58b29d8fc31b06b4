import type { ArrivingPromptTemplate } from '../../assistants';
import type { KeptFile } from '../../files';
import type { ArrivingCollection } from '../../knowledge-bases';
import type { ArrivingMember } from '../../organizations';
import type { ArrivingRubric } from '../../rubrics';
import type { ImportEntry } from './import-records';
import type { PlannedAssistant } from './plan-assistants';
import type { Arrival } from './reconcile';

/** Everything of one organization as it should be here. */
export interface PlannedContent {
  readonly members: readonly Arrival<ArrivingMember>[];
  readonly rubrics: readonly Arrival<ArrivingRubric>[];
  readonly promptTemplates: readonly Arrival<ArrivingPromptTemplate>[];
  readonly collections: readonly Arrival<ArrivingCollection>[];
  readonly assistants: readonly PlannedAssistant[];
  /** Our ids of the source's users who belong to the organization. */
  readonly people: ReadonlyMap<number, string>;
  /** Users' ids here by the source's assistant, where it is shared or was before. */
  readonly shares: ReadonlyMap<number, readonly string[]>;
}

export interface MovedContent {
  readonly assistants: readonly { readonly origin: number; readonly id: number; readonly name: string }[];
  readonly createdAssistants: readonly number[];
  readonly entries: readonly ImportEntry[];
  /** Bytes that are named from now on, and those that nothing names any more. */
  readonly used: readonly KeptFile[];
  readonly replaced: readonly Pick<KeptFile, 'ownerId' | 'storageName'>[];
}
